#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cp_prove --plan against what proofs then are; --memory refuses before work, and makes groups. That the planned memory
# covers the memory taken: tests/unit/cp/test_memory.c.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

spent() { od -An -tu8 -j 12 -N 8 "$1/isk/counter" | tr -d ' '; }
field() { last | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["plans"][int(sys.argv[1])][sys.argv[2]])' "$1" "$2"; }
c=$work/c
commit "$c"
args=()
for n in 2 40; do
    run 0 assay reply --commitment "$c" --prompt 'The ' -n $n --req "$work/$n.req" --y "$work/$n.y"
    args+=(--req "$work/$n.req" --y "$work/$n.y")
done
run 0 cp_prove --commitment "$c" "${args[@]}" --plan
for line in '2.req: 5 prompt and 2 reply tokens' '  memory +[0-9.]+ MiB at most, .* most while ' '  cells +[0-9]+ in [0-9]+ rows' \
    '  look-ups +[0-9]+ in [0-9]+ instances' '  proof +about [0-9]+ bytes' '^together: [0-9.]+ MiB'; do
    grep -qE "$line" "$work/out" || fail "no line like '$line'"
done
[ "$(spent "$c")" -eq 0 ] || fail "a plan was counted as a proof"
ok "--plan"

run 0 cp_prove --commitment "$c" "${args[@]}" --plan --json
small=$(field 0 memory_bytes) large=$(field 1 memory_bytes) together=$(json memory_bytes)
sizes=("$(field 0 proof_bytes)" "$(field 1 proof_bytes)")
[ "$small" -lt "$large" ] && [ "$large" -lt "$together" ] && [ "$together" -lt $((small + large)) ] || fail "$small, $large, $together"
[ "$(field 0 cells)" -lt "$(field 1 cells)" ] && [ "$(field 0 look_ups)" -lt "$(field 1 look_ups)" ] || fail "cells, look-ups"
ok "JSON"

# Under a gap policy: that many look-ups more (five for each of 3 and 41 checked tokens).
printf 'assay policy 1\naccept gap\ngap_max 1\nbudget 3\n' >"$work/policy"
exact=("$(field 0 look_ups)" "$(field 1 look_ups)")
run 0 cp_prove --commitment "$c" "${args[@]}" --policy "$work/policy" --plan --json
[ "$(field 0 look_ups)" -eq $((exact[0] + 15)) ] && [ "$(field 1 look_ups)" -eq $((exact[1] + 205)) ] || fail "look-ups of a gap policy"
ok "a plan follows the policy"

# The sizes come out, here and at the other setting.
commit "$work/d" --security 100 --lifetime 5
run 0 assay reply --commitment "$work/d" --prompt 'The ' -n 9 --req "$work/9.req" --y "$work/9.y"
run 0 cp_prove --commitment "$work/d" --req "$work/9.req" --y "$work/9.y" --plan --json
sizes+=("$(field 0 proof_bytes)")
near() { # near WANT GOT: within two parts in a hundred
    [ $((50 * ($1 > $2 ? $1 - $2 : $2 - $1))) -lt "$1" ] || fail "a proof of $2 bytes where $1 were planned"
    ok "planned $1 bytes, $2"
}
outs=(--out "$work/2.proof" --out "$work/40.proof")
run 0 cp_prove --commitment "$c" "${args[@]}" "${outs[@]}"
near "${sizes[0]}" "$(stat -c %s "$work/2.proof")"
near "${sizes[1]}" "$(stat -c %s "$work/40.proof")"
run 0 cp_prove --commitment "$work/d" --req "$work/9.req" --y "$work/9.y" --out "$work/9.proof"
near "${sizes[2]}" "$(stat -c %s "$work/9.proof")"
rm -f "$work"/*.proof
[ "$(spent "$c")" -eq 2 ] || fail "counter"

# Refused before work, with both numbers; nothing written, nothing counted.
mib() { echo $((($1 + 1048575) / 1048576)); }
limit=$((large / 1048576 - 1))
refused 3 "40.req: the proof takes more memory than --memory allows \(MiB\) \($(mib "$large"), $limit\)" \
    cp_prove --commitment "$c" "${args[@]}" "${outs[@]}" --memory "${limit}M"
[ -z "$(ls "$work"/*.proof 2>/dev/null)" ] && [ "$(spent "$c")" -eq 2 ] || fail "something was written or counted"
for size in 0 1.5G 8GB x -1; do refused 2 'not a size such as 512M or 8G: memory' cp_prove --commitment "$c" "${args[@]}" "${outs[@]}" --memory "$size"; done
refused 2 'missing option: out' cp_prove --commitment "$c" "${args[@]}"
refused 2 'config.bin: no such file' cp_prove --commitment "$work" "${args[@]}" --plan

# Each fits, both together do not: two groups, two proofs.
run 0 cp_prove --commitment "$c" "${args[@]}" "${outs[@]}" --memory $((together - 1))
for n in 2 40; do
    run 0 cp_verify "$c/config" "$c/ivk" "$work/$n.req" "$work/$n.y" "$work/$n.proof" -id "$(id_of "$c")"
    last_is '^YES$'
done
[ "$(spent "$c")" -eq 4 ] || fail "counter"
ok "smaller groups"
run 0 cp_prove --commitment "$c" "${args[@]}" "${outs[@]}" --memory "$together"
ok "exactly enough"
no_leftovers "$work"
finish
