#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random models of every family that can be committed to: from a folder to a YES, and a NO for another commitment.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: needs /usr/bin/python3 with numpy"; exit 77; }
make_model() { /usr/bin/python3 "$root/tests/support/make_checkpoint.py" "$1" "$work/$1"; }

for kind in linear llama3 mistral qwen2 qwen3; do
    make_model "$kind"
    model=$work/$kind
    commit "$work/c-$kind" --lifetime 2
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
[ "$(json qk_norms)" = no ] || fail "norms of heads in info of llama3"
run 0 assay info "$work/c-qwen3/config/config.bin"
grep -q '^qk_norms: yes$' "$work/out" || fail "no norms of heads in info"
ok "info names what a family has"

printf 'assay policy 1\naccept gap\ngap_max 0.5\nbudget 1\n' >"$work/policy"
reply "$work/c-qwen3" 3
prove "$work/c-qwen3" --policy "$work/policy"
verify 0 "$work/c-qwen3" -policy "$work/policy"
last_is '^WITHIN LIMITS: 0 of 4 tokens'
ok "qwen3 under a gap policy"

run 0 assay eval --model "$work/qwen3" --text "$root/examples/tiny/calibration.txt" --tokens 4096 --json
/usr/bin/python3 - "$work/out" <<'END' || fail "integers and floats of qwen3 differ"
import json, sys
f = json.load(open(sys.argv[1]))
names = [a["name"] for a in f["accumulators"]]
sys.exit(not (f["agreement"] > 95 and abs(f["perplexity_ratio"] - 1) < 0.02 and f["windows_without_result"] == 0 and
              "q gain" in names and "k gain" in names))
END
ok "qwen3: integers choose as the float model does"
finish
