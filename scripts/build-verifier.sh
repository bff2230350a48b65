#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds cp_verify alone, from the verify source list, with nothing but a C compiler, and tries it on the stored proof
# examples/accepted-proof/: accepted as it is, rejected with one bit altered.
#     scripts/build-verifier.sh
# CC, CFLAGS and LDFLAGS are respected; RUN is put before the program (an emulator); ASSAY_VERIFIER_DIR changes the folder.
set -euo pipefail
cd "$(dirname "$0")/.."

cc=${CC:-gcc}
out=${ASSAY_VERIFIER_DIR:-build/verifier}
mkdir -p "$out"

# The list names one file a line; comments begin with #.
mapfile -t sources < <(grep -E '^ +src/.*\.c$' cmake/verify_sources.cmake | tr -d ' ')
[ "${#sources[@]}" -gt 0 ] || { echo "no sources listed" >&2; exit 1; }
start=$(date +%s%N)
# shellcheck disable=SC2086
"$cc" -std=c11 -O2 ${CFLAGS:-} -Isrc -Iinclude "${sources[@]}" src/cli/cp_verify.c ${LDFLAGS:-} -lm -o "$out/cp_verify"
echo "built $out/cp_verify from ${#sources[@]} files in $((($(date +%s%N) - start) / 1000000)) ms"

stored=examples/accepted-proof
check=("$stored/config" "$stored/ivk" "$stored/F.req" "$stored/F.y")
id=$(grep -oE '[0-9a-f]{64}' "$stored/ID.txt")

# shellcheck disable=SC2086
verify() { ${RUN:-} "$out/cp_verify" "${check[@]}" "$1" -id "$id"; }
expect() { # expect CODE FILE WHAT
    local code=0 answer
    answer=$(verify "$2" | tail -n 1) || code=$?
    echo "$3: $answer"
    [ "$code" -eq "$1" ] || { echo "expected exit code $1, got $code" >&2; exit 1; }
}
expect 0 "$stored/F.proof" "stored proof"

# Altered copies: the lowest bit of the byte at several places.
nbytes=$(wc -c <"$stored/F.proof")
n=0
for part in 0 1 10 25 40 50 60 75 90 99; do
    at=$((nbytes * part / 100))
    byte=$(od -An -tu1 -j "$at" -N 1 "$stored/F.proof")
    cp "$stored/F.proof" "$out/altered.proof"
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$out/altered.proof" bs=1 seek="$at" conv=notrunc status=none
    expect 1 "$out/altered.proof" "bit flipped in byte $at"
    n=$((n + 1))
done
head -c $((nbytes / 2)) "$stored/F.proof" >"$out/altered.proof"
expect 1 "$out/altered.proof" "cut in half"
echo "AS EXPECTED: the stored proof is accepted, $((n + 1)) altered copies are rejected"
