#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The client's acceptance rule: each point of it alone makes a refusal.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

c=$work/c
commit "$c"
run 0 assay reply --commitment "$c" --prompt 'The ' -n 8 --context order-7 --req "$work/F.req" --y "$work/F.y"
text=$(cat "$work/out")
prove "$c"

# check CODE LAST OPTIONS...: the right answer to everything, then the options.
check() {
    local code=$1 pattern=$2
    shift 2
    local defaults=(--config "$c/config" --ivk "$c/ivk" --req "$work/F.req" --y "$work/F.y" --proof "$work/F.proof"
        -id "$(id_of "$c")" --prompt 'The ' -n 8 --context order-7 --shown "$text")
    local args=() i=0 name
    # An option that is given replaces the default.
    while [ $i -lt ${#defaults[@]} ]; do
        name=${defaults[$i]}
        [[ " $* " == *" $name "* ]] || args+=("$name" "${defaults[$((i + 1))]}")
        i=$((i + 2))
    done
    run "$code" assay check "${args[@]}" "$@"
    last_is "$pattern"
    ok "$(last)"
}
check 0 '^ACCEPT$'
[ "$(grep -c '^yes ' "$work/out")" -eq 8 ] || fail "not eight points"
check 1 '^REFUSE: .*ID' -id "$(printf '0%.0s' {1..64})"
check 1 '^REFUSE: .*prompt' --prompt 'That '
check 1 '^REFUSE: .*context' --context order-8
check 1 '^REFUSE: .*longer' -n 7
check 1 '^REFUSE: .*cut short' -n 9
check 1 '^REFUSE: .*shown' --shown "$text!"
cp "$work/F.proof" "$work/x"
flip "$work/x" 200000
check 1 '^REFUSE: ' --proof "$work/x"
check 1 '^REFUSE: .*magic' --proof "$work/F.req"
check 1 '^REFUSE: .*F.proof' --req "$work/F.proof"
check 2 '' -id 00
check 2 '' --proof "$work/missing"

# A reply that goes on after a stop token: honest files, but not where a reply ends.
run 0 assay request --config "$c/config" --prompt 'The ' --reply-tokens 97,257,98 --y 97 --context order-7 --req "$work/s.req" --y-out "$work/s.y"
check 1 '^REFUSE: .*after a stop token' --req "$work/s.req" --y "$work/s.y" -n 3 --shown ab
run 1 assay check --config "$c/config" --ivk "$c/ivk" --req "$work/s.req" --y "$work/s.y" --proof "$work/F.proof" \
    --id "$(id_of "$c")" --prompt 'The ' -n 3 --json
[ "$(json verdict)" = REFUSE ] || fail "JSON"
ok "JSON"

# Setting 100 is refused unless it is asked for.
commit "$work/d" --security 100 --lifetime 2
reply "$work/d" 2
prove "$work/d"
args=(--config "$work/d/config" --ivk "$work/d/ivk" --req "$work/F.req" --y "$work/F.y" --proof "$work/F.proof" -id "$(id_of "$work/d")" --prompt 'The ' -n 2)
run 1 assay check "${args[@]}"
last_is '^REFUSE: .*security'
run 0 assay check "${args[@]}" --security 100
last_is '^ACCEPT$'
ok "setting 100"
finish
