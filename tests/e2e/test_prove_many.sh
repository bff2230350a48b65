#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Several requests in one call of cp_prove: one proof each; what is refused before any is made; one without a result.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

spent() { od -An -tu8 -j 12 -N 8 "$1/isk/counter" | tr -d ' '; }
c=$work/c
commit "$c" --lifetime 60
i=0
for prompt in 'The ' 'Once ' 'Q: '; do
    i=$((i + 1))
    run 0 assay reply --commitment "$c" --prompt "$prompt" -n $((i + 1)) --req "$work/$i.req" --y "$work/$i.y"
done
# three [OPTIONS...]: the arguments of all three, into $args
three() {
    args=()
    for i in 1 2 3; do args+=(--req "$work/$i.req" --y "$work/$i.y" --out "$work/$i.proof"); done
    args+=("$@")
}
good() { # good I: proof I convinces
    run 0 cp_verify "$c/config" "$c/ivk" "$work/$1.req" "$work/$1.y" "$work/$1.proof" -id "$(id_of "$c")"
    last_is '^YES$'
}
nothing() { # nothing COUNT: no proof is there, and no more were counted
    [ -z "$(ls "$work"/*.proof 2>/dev/null)" ] || fail "something was written: $(ls "$work"/*.proof)"
    [ "$(spent "$c")" -eq "$1" ] || fail "counted $(spent "$c") instead of $1"
}

three
run 0 cp_prove --commitment "$c" "${args[@]}"
[ "$(grep -c 'proof [123] of' "$work/out")" -eq 3 ] || fail "not three lines"
[ "$(spent "$c")" -eq 3 ] || fail "counted $(spent "$c")"
for i in 1 2 3; do good $i; done
ok "three proofs"
run 1 cp_verify "$c/config" "$c/ivk" "$work/1.req" "$work/1.y" "$work/2.proof" -id "$(id_of "$c")"
ok "each for its own request"
three --json --check
run 0 cp_prove --commitment "$c" "${args[@]}"
[ "$(json proofs_made)" -eq 6 ] || fail "JSON"
last | /usr/bin/python3 -c 'import json, sys; p = json.load(sys.stdin)["proofs"]; sys.exit([x["proof"][-7:] for x in p] != ["1.proof", "2.proof", "3.proof"] or min(x["bytes"] for x in p) < 1000)' ||
    fail "JSON: proofs"
ok "JSON, --check"
rm -f "$work"/*.proof

# Refused before anything is proved.
three
refused 2 'not given equally often' cp_prove --commitment "$c" "${args[@]}" --req "$work/1.req"
refused 2 'not given equally often' cp_prove --commitment "$c" "${args[@]:0:16}"
refused 2 'missing: no such file' cp_prove --commitment "$c" "${args[@]}" --req "$work/missing" --y "$work/1.y" --out "$work/4.proof"
refused 2 '1.y: is not such a file' cp_prove --commitment "$c" "${args[@]}" --req "$work/1.y" --y "$work/1.y" --out "$work/4.proof"
refused 2 '1.proof: is named for two different files' cp_prove --commitment "$c" "${args[@]}" --req "$work/1.req" --y "$work/1.y" --out "$work/1.proof"
refused 2 '2.y: is named for two different files' cp_prove --commitment "$c" "${args[@]}" --req "$work/1.req" --y "$work/1.y" --out "$work/2.y"
refused 4 'cannot be created' cp_prove --commitment "$c" "${args[@]}" --req "$work/1.req" --y "$work/1.y" --out "$work/no/such/4.proof"
/usr/bin/python3 - "$work/2.req" "$work/outside.req" "$work/other.req" <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
c = bytearray(b)
b[-4:] = (300).to_bytes(4, "little")
c[-4] ^= 1
open(sys.argv[2], "wb").write(b)
open(sys.argv[3], "wb").write(c)
PY
refused 2 'outside.req: token id is outside the vocabulary \(300, 258\)' cp_prove --commitment "$c" "${args[@]}" --req "$work/outside.req" --y "$work/2.y" --out "$work/4.proof"
nothing 6

# The second has another reply than the model's: no proof, and the others have theirs.
mv "$work/2.req" "$work/kept.req"
mv "$work/other.req" "$work/2.req"
refused 1 "2.req: .*not the model's choice" cp_prove --commitment "$c" "${args[@]}"
[ ! -e "$work/2.proof" ] || fail "a proof of another reply"
good 1
good 3
[ "$(spent "$c")" -eq 8 ] || fail "counted $(spent "$c") instead of 8"
three --json
run 1 cp_prove --commitment "$c" "${args[@]}"
last | /usr/bin/python3 -c 'import json, sys; x = json.load(sys.stdin); p = x["proofs"]; sys.exit(x["exit"] != 1 or ["error" in y for y in p] != [False, True, False] or "choice" not in p[1]["error"])' ||
    fail "JSON: $(last)"
ok "one without a result"
mv "$work/kept.req" "$work/2.req"
rm -f "$work"/*.proof

# More than the lifetime has left: none is made.
left=$(run 0 assay info "$c" --json && json proofs_covered)
three
run 0 cp_prove --commitment "$c" --req "$work/1.req" --y "$work/1.y" --out "$work/1.proof" --skip $((left - 10 - 3)) # 10 spent, 1 now: 2 left
rm -f "$work"/*.proof
before=$(spent "$c")
refused 6 'fewer proofs left than are asked for \(left, asked for\) \(2, 3\)' cp_prove --commitment "$c" "${args[@]}"
nothing "$before"

# What is left suffices for two.
run 0 cp_prove --commitment "$c" "${args[@]:0:12}"
good 1
good 2
ok "the rest of the lifetime"
no_leftovers "$work"
finish
