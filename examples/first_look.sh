#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A first look at the proof library: builds examples/first_look, makes six proofs of a small statement, and shows that
# nothing but an honest proof of the very statement is accepted. Needs what scripts/deps.sh installs; writes to a temporary
# folder and to build/first_look (or FIRST_LOOK_BUILD). FIRST_LOOK names the program when it is built already.
#     examples/first_look.sh
set -euo pipefail
cd "$(dirname "$0")/.."

build=${FIRST_LOOK_BUILD:-build/first_look}
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
echo "building..."
if [ -n "${FIRST_LOOK:-}" ]; then
    look=$FIRST_LOOK
elif ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DASSAY_TESTS=OFF &&
       cmake --build "$build" --target first_look -j "${ASSAY_JOBS:-$(nproc)}"; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
else
    look=$(cd "$build" && pwd)/examples/first_look
fi
cd "$work"

# The matrices of a proof come from a seed; everything that hides them is fresh in each run.
echo "six proofs of  x W = 2^6 y + rem  with x, W, y, rem hidden and one entry of y public:"
make_proof() { # number, seed, rows, inner, columns
    echo "  $1: x is $3 x $4, W is $4 x $5: $("$look" prove "$2" "$3" "$4" "$5" "$1")"
}
make_proof 1 101  8 16  8
make_proof 2 102  8 16  8
make_proof 3 103  8 16  8
make_proof 4 104  1  2  1
make_proof 5 105 32 32 32
make_proof 6 106 20  7 13

accepted=0 rejected=0 wrong=0
try() { # expected exit code, description, statement, proof
    local said code=0
    said=$("$look" verify "$3" "$4") || code=$?
    printf '  %-62s %s\n' "$2" "$said"
    if [ "$code" != "$1" ] || [ "$(wc -l <<<"$said")" != 1 ]; then
        wrong=$((wrong + 1))
        echo "  ^^^ NOT AS EXPECTED (exit code $code)"
    elif [ "$code" = 0 ]; then
        accepted=$((accepted + 1))
    else
        rejected=$((rejected + 1))
    fi
}
accept() { try 0 "$@"; }
refuse() { try 1 "$@"; }

echo "all six are accepted:"
for i in 1 2 3 4 5 6; do accept "proof $i" $i.statement $i.proof; done

echo "honest proofs are no proofs of anything else:"
for i in 1 2 3 4 5 6; do
    for j in 1 2 3 4 5 6; do
        [ $i = $j ] || refuse "proof $i for statement $j" $j.statement $i.proof
    done
done

# The statement is one line: rows R inner K columns J output Y weights ROOT
edit_statement() { # number, sed expression
    sed "$2" "$1.statement" >bad.statement
    ! cmp -s "$1.statement" bad.statement
}
echo "nor of a statement that was changed afterwards:"
for i in 1 4 5; do
    output=$(sed 's/.*output \(-\{0,1\}[0-9]*\) .*/\1/' $i.statement)
    edit_statement $i "s/output $output /output $((output + 1)) /"
    refuse "proof $i, the public output is $((output + 1)), not $output" bad.statement $i.proof
    root=$(sed 's/.*weights //' $((i % 6 + 1)).statement)
    edit_statement $i "s/weights .*/weights $root/"
    refuse "proof $i, W is the one committed for proof $((i % 6 + 1))" bad.statement $i.proof
    edit_statement $i "s/^rows \([0-9]*\)/rows 3\1/; s/^rows [0-9]\{3,\}/rows 31/"
    refuse "proof $i, x has another number of rows" bad.statement $i.proof
done
edit_statement 1 "s/output /output +/"
refuse "proof 1, the statement is written in another way" bad.statement 1.proof

# Altered copies. Each of these writes bad.proof from proof $1.
size() { wc -c <"$1.proof"; }
flip() { # byte: one bit of it
    cp "$1.proof" bad.proof
    local old
    old=$(od -An -tu1 -j "$2" -N 1 "$1.proof")
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((old ^ 1)))" | dd of=bad.proof bs=1 seek="$2" conv=notrunc status=none
}
cut_end() { head -c $(($(size "$1") - $2)) "$1.proof" >bad.proof; }
extend() { { cat "$1.proof"; head -c "$2" /dev/zero; } >bad.proof; }
drop_start() { tail -c +$(($2 + 1)) "$1.proof" >bad.proof; }
swap_halves() {
    local half=$(($(size "$1") / 2))
    { tail -c +$((half + 1)) "$1.proof"; head -c $half "$1.proof"; } >bad.proof
}
splice() { # the first $3 bytes are those of proof $2
    { head -c "$3" "$2.proof"; tail -c +$(($3 + 1)) "$1.proof"; } >bad.proof
}
erase() { # from, bytes
    cp "$1.proof" bad.proof
    head -c "$3" /dev/zero | dd of=bad.proof bs=1 seek="$2" conv=notrunc status=none
}
echo "altered copies are rejected:"
for i in 1 4 5; do
    n=$(size $i)
    for at in 0 40 3000 $((n / 3)) $((n / 2)) $((n - 1)); do
        flip $i "$at"
        refuse "proof $i, one bit of byte $at flipped" $i.statement bad.proof
    done
    cut_end $i 1
    refuse "proof $i without its last byte" $i.statement bad.proof
    cut_end $i $((n / 2))
    refuse "proof $i without its second half" $i.statement bad.proof
    extend $i 1
    refuse "proof $i and one byte more" $i.statement bad.proof
    drop_start $i 32
    refuse "proof $i without its first message" $i.statement bad.proof
    swap_halves $i
    refuse "proof $i with its halves swapped" $i.statement bad.proof
    erase $i 3200 24
    refuse "proof $i with one message replaced by zero" $i.statement bad.proof
done
for at in 32 2000 100000; do
    splice 1 2 $at
    refuse "proof 1, the first $at bytes are proof 2's" 1.statement bad.proof
done
"$look" prove 101 8 16 8 again >/dev/null
refuse "an honest proof with the same x, W and output, other coins" 1.statement again.proof
: >bad.proof
refuse "an empty file" 1.statement bad.proof
refuse "a statement in place of a proof" 1.statement 1.statement
refuse "a proof in place of a statement" 1.proof 1.proof

echo "$accepted honest proofs accepted, $rejected bad inputs rejected, $wrong surprises"
if [ $wrong != 0 ] || [ $accepted != 6 ] || [ $rejected -lt 54 ]; then
    echo "NOT AS EXPECTED"
    exit 1
fi
echo "AS EXPECTED"
