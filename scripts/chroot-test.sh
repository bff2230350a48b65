#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the two commands as a newcomer would: makes a bare Debian 12 in a temporary folder with debootstrap, clones the
# repository's HEAD into it, and runs ./quickstart.sh and ./test.sh there. Needs root, debootstrap, a Debian mirror, and
# about 3 GB. Nothing outside the temporary folder is changed.
#     scripts/chroot-test.sh [--keep] [COMMAND...]     default: ./quickstart.sh && ./test.sh
# ASSAY_MIRROR: the mirror (default: the one of this machine's apt sources).
set -euo pipefail
cd "$(dirname "$0")/.."

keep=
if [ "${1:-}" = --keep ]; then
    keep=1
    shift
fi
command=${*:-"./quickstart.sh && ./test.sh"}
[ "$(id -u)" -eq 0 ] || { echo "needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "needs debootstrap" >&2; exit 1; }

mirror=${ASSAY_MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -oE '(deb +|URIs: *)https?://[^ ]+/debian/? *' | grep -oE 'https?://[^ ]+' | head -n 1 || true)}
mirror=${mirror:-http://deb.debian.org/debian}

root=$(mktemp -d /tmp/assay-chroot.XXXXXX)
chmod 755 "$root" # apt downloads as another user
cleanup() {
    for m in dev/pts dev proc sys; do
        mountpoint -q "$root/$m" && umount -l "$root/$m"
    done
    if [ -n "$keep" ]; then
        echo "kept: $root"
    elif grep -q " $root/" /proc/mounts; then
        echo "still mounted, not removed: $root" >&2
    else
        rm -rf "$root"
    fi
}
trap cleanup EXIT

echo "== Debian 12 from $mirror in $root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
# The same network names, apt settings and certificates as here.
cp /etc/resolv.conf "$root/etc/resolv.conf"
echo "127.0.0.1 localhost" >"$root/etc/hosts" # as every installed system has it
mkdir -p "$root/etc/apt/apt.conf.d"
for f in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do
    [ ! -f "$f" ] || cp "$f" "$root/etc/apt/apt.conf.d/"
done
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys" && mount --make-rslave "$root/sys"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"

git clone -q --no-hardlinks . "$root/home/assay"
echo "== $(git rev-parse --short HEAD) in a bare system: $command"
start=$SECONDS
code=0
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
    chroot "$root" bash -c "cd /home/assay && $command" </dev/null || code=$?
echo "== exit code $code after $((SECONDS - start)) s"
exit "$code"
