#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No space: exit code 4, one line, nothing half-written. On a small tmpfs where one can be mounted, else by a limit on
# the size of files.
# ctest: timeout 300
. "$(dirname "$0")/lib.sh"

commit "$work/c"
reply "$work/c" 4
small=$work/small
mkdir "$small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k tmpfs "$small" 2>/dev/null; then
    cleanup() { umount "$small"; }
    reason='no space left'
    echo "on a tmpfs of 256 KB"
else
    trap '' XFSZ # writes then fail instead
    ulimit -f 200
    reason='cannot be written'
    echo "with a limit on file sizes"
fi
refused 4 "$reason" cp_commit --model "$model" --out "$small/c"
refused 4 "$reason" cp_prove --commitment "$work/c" --req "$work/F.req" --y "$work/F.y" --out "$small/F.proof"
[ -z "$(ls -A "$small")" ] || fail "left behind: $(ls "$small")"
if [ "$reason" = 'no space left' ]; then
    head -c 300k /dev/zero >"$small/fill" 2>/dev/null || true
    refused 4 "$reason|cannot be c" assay reply --commitment "$work/c" --prompt 'The ' -n 2 --req "$small/F.req" --y "$small/F.y"
    [ "$(ls "$small")" = fill ] || fail "left behind: $(ls "$small")"
fi

# A key of Groth16 that does not fit: 1000 squarings, half a megabyte.
rm -f "$small/fill"
/usr/bin/python3 -B - "$root" "$work/c.r1cs" <<'END'
import sys

sys.path.insert(0, sys.argv[1] + "/tests/support")
from groth16_files import BN254, r1cs_bytes, square_chain

with open(sys.argv[2], "wb") as f:
    f.write(r1cs_bytes(square_chain(BN254, 1000)[0]))
END
run 4 assay groth16 setup "$work/c.r1cs" -o "$small/k.zkey"
grep -q "^assay groth16 setup: $small/k.zkey: .*$reason" "$work/err" || fail "no line like '$reason'"
[ -z "$(ls -A "$small")" ] || fail "left behind: $(ls "$small")"
ok "assay groth16 setup: $(tail -n 1 "$work/err")"

# Standard output that takes nothing.
for command in "cp_verify --help" "assay info $work/c" "assay --help"; do
    code=0
    # shellcheck disable=SC2086
    "$bin"/$command >/dev/full 2>"$work/err" || code=$?
    [ $code -eq 4 ] || fail "exit code $code with a full standard output: $command"
    ok "$command >/dev/full"
done
finish
