#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The counter and the lock of a commitment, from outside.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

spent() { od -An -tu8 -j 12 -N 8 "$1/isk/counter" | tr -d ' '; }

# A lifetime of one.
commit "$work/one" --lifetime 1
reply "$work/one" 2
prove "$work/one"
[ "$(spent "$work/one")" -eq 1 ] || fail "counter"
refused 6 'lifetime of proofs is used up \(made, allowed\) \(1, 1\)' cp_prove --commitment "$work/one" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
refused 6 'used up' assay ask "$work/one" 'The ' -n 1
[ ! -e "$work/x" ] || fail "something was written"
verify 0 "$work/one"
run 0 assay reply --commitment "$work/one" --prompt 'The ' -n 2 --req "$work/F.req" --y "$work/F.y"
ok "replies go on when proofs are used up"

# What fails costs nothing; --skip does.
c=$work/c
commit "$c" --lifetime 20
allowed=$(run 0 assay info "$c" --json && json proofs_covered)
refused 2 'no such file' cp_prove --commitment "$c" --req "$work/missing" --y "$work/F.y" --out "$work/x"
[ "$(spent "$c")" -eq 0 ] || fail "a failed call was counted"
prove "$c"
prove "$c" --skip 5
[ "$(spent "$c")" -eq 7 ] || fail "--skip: $(spent "$c")"
ok "--skip"

# An output that cannot be written is refused before a proof is spent. (That the counter is written before a proof leaves:
# test_full_disk.sh and the store's tests.)
refused 4 '' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/no/such/folder/x"
[ "$(spent "$c")" -eq 7 ] || fail "counter after a proof that could not be written: $(spent "$c")"
ok "no proof is spent on an output that cannot be written"
refused 2 'two different files' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/F.req"
[ "$(spent "$c")" -eq 7 ] || fail "counter after one name for two files: $(spent "$c")"

# Deleting the lock of a running prover does not let two take the same count: the one that lost it makes no proof. The
# first prover is stopped while it holds the lock and has not counted; a try that stopped it elsewhere is made again.
u=$work/unlocked
for try in {1..20}; do
    rm -rf "$u"
    cp -r "$c" "$u"
    "$bin/cp_prove" --commitment "$u" --req "$work/F.req" --y "$work/F.y" --out "$work/first" --wait >/dev/null 2>"$work/first.err" &
    prover=$!
    while flock -n "$u/isk/lock" true && kill -0 $prover 2>/dev/null; do :; done
    kill -STOP $prover 2>/dev/null || true
    ! flock -n "$u/isk/lock" true && [ "$(spent "$u")" -eq 7 ] && break
    kill -CONT $prover 2>/dev/null || true
    wait $prover || fail "a prover that was only stopped: $(cat "$work/first.err")"
    [ "$try" -lt 20 ] || fail "the prover was never stopped while it held the lock"
done
rm -f "$u/isk/lock" "$work/first"
run 0 cp_prove --commitment "$u" --req "$work/F.req" --y "$work/F.y" --out "$work/second"
kill -CONT $prover
first=0
wait $prover || first=$?
[ "$first" -eq 5 ] && [ ! -e "$work/first" ] || fail "exit code $first of the prover whose lock was removed"
grep -q 'lock: the lock was removed while it was held' "$work/first.err" || fail "$(cat "$work/first.err")"
[ "$(spent "$u")" -eq 8 ] || fail "counter of $(spent "$u") after one proof"
ok "a removed lock"
prove "$c"

# Replicas: each part of the lifetime, together all of it.
cp -r "$c" "$work/replica"
printf '\0\0\0\0\0\0\0\0' | dd of="$work/replica/isk/counter" bs=1 seek=12 conv=notrunc status=none
run 0 cp_prove --commitment "$work/replica" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof" --share 2/2 --json
[ "$(json proofs_allowed)" -eq $((allowed - allowed / 2)) ] || fail "share of $allowed: $(json proofs_allowed)"
ok "--share"

# Two at once: refused, or waits. The first is kept busy by a stopped reader of its lock.
exec 9<>"$c/isk/lock"
flock 9
refused 5 'locked by another process; --wait' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
refused 5 'locked by another process; --wait' assay ask "$c" 'The ' -n 1
refused 5 'locked by another process' cp_commit --model "$model" --out "$c" --force
"$bin/cp_prove" --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/waited" --wait >/dev/null 2>&1 9>&- &
waiter=$!
sleep 1
[ ! -e "$work/waited" ] && kill -0 $waiter || fail "--wait did not wait"
exec 9>&-
wait $waiter || fail "--wait failed"
[ -s "$work/waited" ] || fail "no proof after the wait"
ok "--wait"

# Several provers at once, all waiting their turn: each proof is counted.
before=$(spent "$c")
pids=()
for i in 1 2 3; do
    "$bin/cp_prove" --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/many.$i" --wait >/dev/null 2>&1 &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "a waiting prover failed"; done
[ "$(spent "$c")" -eq $((before + 3)) ] || fail "counted $(spent "$c") after $before and 3"
ok "three at once"

# Killed at any moment: the counter never goes back, and at least counts what came out.
made=0
for delay in 0.02 0.1 0.3 0.5 0.7 0.9 1.2; do
    before=$(spent "$c")
    rm -f "$work/killed"
    timeout -s KILL "$delay" "$bin/cp_prove" --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/killed" >/dev/null 2>&1 || true
    after=$(spent "$c")
    [ -e "$work/killed" ] && made=1 || made=0
    [ "$after" -ge $((before + made)) ] && [ "$after" -le $((before + 1)) ] || fail "counter $before -> $after, proof: $made"
done
prove "$c" # and the lock went with the process
ok "killed"
finish
