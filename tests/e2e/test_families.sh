#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random models of every family that can be committed to: from a folder to a YES, and a NO for another commitment.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: needs /usr/bin/python3 with numpy"; exit 77; }
make_model() { /usr/bin/python3 "$root/tests/support/make_checkpoint.py" "$1" "$work/$1"; }

for kind in linear llama3 mistral qwen2; do
    make_model "$kind"
    model=$work/$kind
    commit "$work/c-$kind" --lifetime 1
    reply "$work/c-$kind" 3
    prove "$work/c-$kind"
    verify 0 "$work/c-$kind"
    last_is '^YES$'
    ok "$kind: commit, reply, prove, verify"
done
verify 1 "$work/c-llama3"
last_is '^NO: '
ok "another family's commitment"

run 0 assay info "$work/c-qwen2/config/config.bin"
grep -q '^qkv_biases: yes$' "$work/out" || fail "no biases in info"
grep -q '^rope_scaling: none$' "$work/out" || fail "RoPE scaling in info"
run 0 assay info --json "$work/c-llama3/config/config.bin"
[ "$(json rope_scaling)" = "frequencies divided by 1 to 8" ] && [ "$(json qkv_biases)" = no ] || fail "info of llama3"
ok "info names what a family has"

make_model qwen3
refused 2 'q/k norm: cannot be proved in this version' cp_commit --model "$work/qwen3" --out "$work/c-qwen3"
[ ! -e "$work/c-qwen3" ] || fail "a refused commitment left a folder"
finish
