#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the two commands as a newcomer would: makes a bare Debian 12 in a temporary folder with debootstrap, clones the
# repository's HEAD into it, and runs ./quickstart.sh and ./test.sh there. Needs root, debootstrap, a Debian mirror, and
# about 3 GB. Nothing outside the temporary folder is changed.
#     scripts/chroot-test.sh [--keep] [COMMAND...]     default: ./quickstart.sh && ./test.sh
# ASSAY_MIRROR: the mirror (default: the one of this machine's apt sources).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/chroot.sh

keep=
if [ "${1:-}" = --keep ]; then
    keep=1
    shift
fi
command=${*:-"./quickstart.sh && ./test.sh"}
chroot_needs

root=$(mktemp -d /tmp/assay-chroot.XXXXXX)
chmod 755 "$root" # apt downloads as another user
trap 'chroot_remove "$root" "$keep"' EXIT

echo "== Debian 12 from $(chroot_mirror) in $root"
chroot_make "$root"
chroot_mount "$root"
git clone -q --no-hardlinks . "$root/home/assay"
echo "== $(git rev-parse --short HEAD) in a bare system: $command"
start=$SECONDS
code=0
chroot_run "$root" bash -c "cd /home/assay && $command" || code=$?
echo "== exit code $code after $((SECONDS - start)) s"
exit "$code"
