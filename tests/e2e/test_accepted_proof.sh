#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The stored proof is accepted by this version, and this version makes files of the same format: what does not depend on the
# commitment's fresh randomness is equal byte for byte.
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stored=$root/examples/accepted-proof
id=$(cat "$stored/ID.txt")
run 0 cp_verify "$stored/config" "$stored/ivk" "$stored/F.req" "$stored/F.y" "$stored/F.proof" -id "$id"
[ "$(tail -n 1 "$work/out")" = YES ] || fail "the stored proof is not accepted"
ok "the stored proof is accepted"

ASSAY_BIN=$bin "$root/scripts/make-accepted-proof.sh" "$work/again" >/dev/null
for file in config/config.bin config/tokenizer.json F.req F.y; do
    cmp "$stored/$file" "$work/again/$file" || fail "$file is made differently now"
    ok "$file is the same"
done
# Everything but the root: magic, version, setting and shape.
cmp -n 28 "$stored/ivk/ivk.bin" "$work/again/ivk/ivk.bin" || fail "ivk.bin has another format"
cmp -n 12 "$stored/F.proof" "$work/again/F.proof" || fail "the proof's header has another format"
a=$(wc -c <"$stored/F.proof") b=$(wc -c <"$work/again/F.proof")
# Sizes differ by the siblings that random positions share.
[ $((a > b ? a - b : b - a)) -lt $((a / 20)) ] || fail "proofs of $a and $b bytes"
ok "headers and sizes agree"

run 0 cp_verify "$work/again/config" "$work/again/ivk" "$work/again/F.req" "$work/again/F.y" "$work/again/F.proof" -id "$(cat "$work/again/ID.txt")"
ok "the new proof is accepted"
run 1 cp_verify "$stored/config" "$stored/ivk" "$stored/F.req" "$stored/F.y" "$work/again/F.proof" -id "$id"
ok "a proof of another commitment is not"
finish
