#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gap policies through the programs: replies of a float engine and of other tokens, proven and checked within limits;
# policies that a proof does not imply; bounds altered; policy files that are none.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: needs numpy"; exit 77; }

c=$work/c
commit "$c"
# policy NAME GAP_MAX BUDGET: $work/NAME
policy() { printf 'assay policy 1\naccept gap\ngap_max %s\nbudget %s\n' "$2" "$3" >"$work/$1"; }
policy near 0.05 0.5
policy none 0 0
policy wide 30 90
# request PROMPT IDS Y: F.req and F.y
request() {
    run 0 assay request --config "$c/config" --prompt "$1" --reply-tokens "$2" --y "$3" --req "$work/F.req" --y-out "$work/F.y"
}

# ---- a float engine's replies: where it differs from the integer model on near ties, only the policy lets them pass
differ=0
for prompt in 'On a sunny morning, ' 'Q: What is 91 + 4' 'One rainy day, Omar went to the market. He '; do
    "$(dirname "$0")/float_reply.py" "$model" "$prompt" 6 >"$work/ids"
    request "$prompt" "$(sed -n 1p "$work/ids")" "$(sed -n 2p "$work/ids")"
    prove "$c" --policy "$work/near" --check
    verify 0 "$c" -policy "$work/near"
    last_is '^WITHIN LIMITS: .* of 7 tokens below the largest logit; largest gap at most .* of 0\.05 nats, all together at most .* of 0\.5 nats$'
    ok "float reply: $(last)"
    if [[ $(last) == *'LIMITS: at most '* ]]; then
        differ=$((differ + 1))
        refused 1 "is not the model's choice" cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
        [ ! -e "$work/x" ] || fail "a proof is there"
        cp "$work/F.req" "$work/float.req"; cp "$work/F.y" "$work/float.y"; cp "$work/F.proof" "$work/float.proof"
    fi
    verify 1 "$c"
    last_is '^NO: .*gap policy'
done
[ "$differ" -ge 1 ] || fail "the float engine nowhere differs from the integer model: choose other prompts"
ok "$differ of 3 float replies are not the integer model's"

cp "$work/float.req" "$work/F.req"; cp "$work/float.y" "$work/F.y"; cp "$work/float.proof" "$work/F.proof"
verify 0 "$c" -policy "$work/near" --json
[ "$(json verdict)" = 'WITHIN LIMITS' ] && [ "$(json gap_max)" = 0.05 ] && [ "$(json tokens_checked)" = 7 ] || fail "JSON"
[ "$(json tokens_with_a_gap)" -ge 1 ] || fail "JSON: tokens with a gap"
ok "JSON"
verify 1 "$c" -policy "$work/none"
last_is '^NO: .*gap_max'
policy small 0.05 0.001
verify 1 "$c" -policy "$work/small"
last_is '^NO: .*budget'
printf 'assay policy 1\naccept exact\n' >"$work/exact"
verify 1 "$c" -policy "$work/exact"
last_is '^NO: .*exact'
verify 0 "$c" -policy "$work/wide"
ok "the verifier's own policy decides"
run 0 assay info "$work/F.proof"
grep -q '^policy: gap$' "$work/out" || fail "info"

# Bounds in the header are bound into the proof: policy, largest, sum, count, and the version that says they are there.
for at in 8 12 16 20 24; do
    cp "$work/float.proof" "$work/F.proof"
    flip "$work/F.proof" "$at"
    verify 1 "$c" -policy "$work/wide"
    last_is '^NO: '
done
ok "altered bounds"

# ---- a token far from the choice
reply "$c" 4
request 'The ' "$(/usr/bin/python3 - "$work/F.req" <<'PY'
import struct, sys
b = open(sys.argv[1], "rb").read()
n_context, = struct.unpack_from("<I", b, 12)
n_prompt, n = struct.unpack_from("<II", b, 16 + n_context)
ids = struct.unpack_from(f"<{n}I", b, 24 + n_context)[n_prompt:]
print(",".join(map(str, [*ids[:2], (ids[2] + 1) % 256, ids[3]])))
PY
)" 32
refused 1 'reply token 3: [0-9.]+ nats below the largest logit, gap_max 0\.050000: is not within the policy' \
    cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x" --policy "$work/near"
policy tight 30 1
refused 1 'all tokens together: [0-9.]+ nats below the largest logit, budget 1\.000000: is not within the policy' \
    cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x" --policy "$work/tight"
[ ! -e "$work/x" ] || fail "a proof is there"
run 0 assay info "$c" --json
before=$(json proofs_made)
prove "$c" --policy "$work/wide"
run 0 assay info "$c" --json
[ "$(json proofs_made)" -eq $((before + 1)) ] || fail "refusals cost proofs"
verify 0 "$c" -policy "$work/wide"
last_is '^WITHIN LIMITS: at most [0-9] of 5 tokens'
verify 1 "$c" -policy "$work/near"

# ---- the model's own reply: an exact proof implies every policy; ask and check under one
reply "$c" 4
prove "$c"
verify 0 "$c" -policy "$work/none"
last_is '^WITHIN LIMITS: 0 of 5 tokens .* at most 0 of 0 nats'
verify 0 "$c" -policy "$work/exact"
last_is '^YES$'
run 0 assay ask "$c" 'The ' -n 4 --policy "$work/near" --keep "$work/k"
last_is '^WITHIN LIMITS: 0 of 5'
check=(assay check --config "$c/config" --ivk "$c/ivk" --req "$work/k.req" --y "$work/k.y" --proof "$work/k.proof"
    -id "$(id_of "$c")" --prompt 'The ' -n 4)
run 1 "${check[@]}"
last_is '^REFUSE: .*gap policy'
run 0 "${check[@]}" -policy "$work/near"
last_is '^ACCEPT$'
grep -q '^WITHIN LIMITS: 0 of 5' "$work/out" || fail "check does not say the use"
run 0 "${check[@]}" -policy "$work/near" --json
[ "$(json verdict)" = ACCEPT ] && [ "$(json tokens_checked)" = 5 ] || fail "check JSON"
ok "ask and check"

# ---- policy files that are none: one line that names the file, exit code 2
bad() {
    printf '%b' "$2" >"$work/bad"
    refused 2 "$work/bad: .*$1" cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work/F.proof" -id "$(id_of "$c")" -policy "$work/bad"
    refused 2 "$work/bad: .*$1" cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x" --policy "$work/bad"
}
bad 'not such a file' ''
bad 'not such a file' '\0\0\0\0'
bad 'unknown version' 'assay policy 9\naccept gap\ngap_max 1\nbudget 1\n'
bad 'neither' 'assay policy 1\naccept everything\n'
bad 'ends before' 'assay policy 1\naccept gap\ngap_max 1\n'
bad 'decimal number' 'assay policy 1\naccept gap\ngap_max 1e9\nbudget 1\n'
bad 'left over' 'assay policy 1\naccept exact\nbudget 1\n'
refused 2 missing cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work/F.proof" -id "$(id_of "$c")" -policy "$work/missing"
refused 2 'left over' assay ask "$c" 'The ' --policy "$work/bad"
finish
