#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SIGINT at many moments: exit code 130 and nothing half-written, or the whole result.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

interrupted=0
# at DELAY PROGRAM ARGS...: like run, interrupted; 130, or 0 when it was faster.
at() {
    local delay=$1 got=0
    shift
    timeout --preserve-status -s INT "$delay" "$bin/$1" "${@:2}" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" -eq 130 ] || [ "$got" -eq 0 ] || fail "exit code $got: $*"
    [ "$got" -ne 130 ] || interrupted=$((interrupted + 1))
    [ "$got" -eq 0 ]
}

commit "$work/c"
reply "$work/c" 40
mkdir "$work/here"
for delay in 0.01 0.2 0.4 0.6 0.8 1.0 1.1 1.2 1.3 1.5; do
    if at $delay cp_commit --model "$model" --out "$work/here/c" --lifetime 4000 --quiet; then
        [ -s "$work/here/c/ID.txt" ] && [ -s "$work/here/c/model/weights.bin" ] || fail "incomplete after exit code 0"
        rm -rf "$work/here/c"
    fi
    [ -z "$(ls -A "$work/here")" ] || fail "left behind: $(ls "$work/here")"
done
ok "cp_commit"
for delay in 0.01 0.2 0.4 0.6 0.8 1.0 1.2 1.4; do
    if at $delay cp_prove --commitment "$work/c" --req "$work/F.req" --y "$work/F.y" --out "$work/here/F.proof"; then
        run 0 cp_verify "$work/c/config" "$work/c/ivk" "$work/F.req" "$work/F.y" "$work/here/F.proof" -id "$(id_of "$work/c")"
        rm "$work/here/F.proof"
    fi
    [ -z "$(ls -A "$work/here")" ] || fail "left behind: $(ls "$work/here")"
    no_leftovers "$work/c"
done
ok "cp_prove"
[ $interrupted -ge 4 ] || fail "only $interrupted runs were interrupted"
# The commitment still works.
prove "$work/c"
verify 0 "$work/c"
ok "$interrupted runs were interrupted"
finish
