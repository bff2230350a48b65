# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Root file systems for tests: sourced by chroot-test.sh and container-test.sh, not run. Needs root and debootstrap.

# The mirror: ASSAY_MIRROR, or the one of this machine's apt sources.
chroot_mirror() {
    local found
    found=${ASSAY_MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        grep -oE '(deb +|URIs: *)https?://[^ ]+/debian/? *' | grep -oE 'https?://[^ ]+' | head -n 1 || true)}
    echo "${found:-http://deb.debian.org/debian}"
}

chroot_needs() {
    [ "$(id -u)" -eq 0 ] || { echo "needs root" >&2; exit 1; }
    command -v debootstrap >/dev/null || { echo "needs debootstrap" >&2; exit 1; }
}

# chroot_make ROOT: a bare Debian 12 with the network names, apt settings and certificates of this machine.
chroot_make() {
    local root=$1 f
    debootstrap --variant=minbase bookworm "$root" "$(chroot_mirror)" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; return 1; }
    rm -f "$root.log"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    echo "127.0.0.1 localhost" >"$root/etc/hosts" # as every installed system has it
    mkdir -p "$root/etc/apt/apt.conf.d"
    for f in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do
        [ ! -f "$f" ] || cp "$f" "$root/etc/apt/apt.conf.d/"
    done
    [ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
}

chroot_mount() {
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys" && mount --make-rslave "$1/sys"
    mount --bind /dev "$1/dev"
    mount --bind /dev/pts "$1/dev/pts"
}

# chroot_remove ROOT [keep]: unmounts; removes unless told to keep, or something is mounted still.
chroot_remove() {
    local m
    for m in dev/pts dev proc sys; do
        ! mountpoint -q "$1/$m" || umount -l "$1/$m"
    done
    if [ -n "${2:-}" ]; then
        echo "kept: $1"
    elif grep -q " $1/" /proc/mounts; then
        echo "still mounted, not removed: $1" >&2
    else
        rm -rf "$1"
    fi
}

# chroot_run ROOT COMMAND...: with the environment of a fresh login.
chroot_run() {
    local root=$1
    shift
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 chroot "$root" "$@" </dev/null
}
