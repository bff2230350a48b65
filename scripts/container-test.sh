#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does the steps of deploy/Dockerfile in root file systems made by debootstrap, for machines without a container engine,
# and starts the daemon there as the image would: as its user, by its entry point, until its health check passes and the
# status page answers; then SIGTERM. The steps are read from the Dockerfile itself. Needs root, debootstrap, a Debian
# mirror and about 2 GB; nothing outside a temporary folder is changed.
#     scripts/container-test.sh [--keep]
# ASSAY_MIRROR: the mirror (default: the one of this machine's apt sources).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/chroot.sh

keep=
[ "${1:-}" != --keep ] || keep=1
chroot_needs
work=$(mktemp -d /tmp/assay-container.XXXXXX)
chmod 755 "$work"
holder='' assayd='' roots=()
cleanup() {
    for r in $assayd $holder; do kill "$r" 2>/dev/null || true; done
    for r in "${roots[@]}"; do chroot_remove "$r" "$keep"; done
    [ -n "$keep" ] || rm -rf "$work/base" "$work/context" "$work"/*.log && rmdir "$work" 2>/dev/null || true
}
trap cleanup EXIT

say() { echo "== $*"; }
die() { echo "container-test: $*" >&2; exit 1; }

# The context, as .dockerignore leaves it: what is committed.
mkdir "$work/context"
git archive HEAD | tar -x -C "$work/context"
say "Debian 12 from $(chroot_mirror)"
mkdir "$work/base"
chmod 755 "$work/base"
chroot_make "$work/base"

declare -A stage
root='' user='' where=/ entry='' health='' volumes=()

# copy SOURCE... TARGET: as COPY does, from the context or another stage.
copy() {
    local from=$work/context
    if [[ $1 == --from=* ]]; then
        from=${stage[${1#--from=}]:-}
        [ -n "$from" ] || die "no such stage: $1"
        shift
    fi
    local target=${*: -1} source
    [[ $target == /* ]] || target=${where%/}/$target
    for source in "${@:1:$#-1}"; do
        if [ -d "$from/$source" ] || [[ $target == */ ]]; then
            mkdir -p "$root$target"
            if [ -d "$from/$source" ]; then cp -a "$from/$source/." "$root$target"; else cp -a "$from/$source" "$root$target"; fi
        else
            mkdir -p "$(dirname "$root$target")"
            cp -a "$from/$source" "$root$target"
        fi
    done
    chown -R 0:0 "$root$target"
}

# exec_form '["a", "b"]': its words, one a line.
exec_form() { /usr/bin/python3 -c 'import json, sys; print("\n".join(json.loads(sys.argv[1])))' "$1"; }

step() {
    local word=$1 rest=$2
    say "$word $rest"
    case $word in
    FROM)
        [[ $rest == debian:bookworm-slim* ]] || die "only debian:bookworm-slim is known here: $rest"
        root=$work/stage${#roots[@]}
        roots+=("$root")
        cp -a "$work/base" "$root"
        chroot_mount "$root"
        where=/ user=root
        [[ $rest != *" AS "* ]] || stage[${rest##* AS }]=$root
        ;;
    WORKDIR) where=$rest; mkdir -p "$root$rest" ;;
    COPY) read -ra words <<<"$rest"; copy "${words[@]}" ;;
    RUN)
        chroot_run "$root" sh -c "cd $where && $rest" >"$work/run.log" 2>&1 || { tail -n 40 "$work/run.log"; die "RUN failed"; }
        ;;
    USER) user=$rest ;;
    VOLUME) volumes+=("$rest") ;;
    EXPOSE | STOPSIGNAL) ;;
    ENTRYPOINT) entry=$rest ;;
    HEALTHCHECK) health=${rest#*CMD } ;;
    *) die "unknown step $word" ;;
    esac
}

line=
while IFS= read -r part; do
    [[ $part != '#'* ]] || continue
    line+=$part
    if [[ $line == *\\ ]]; then
        line=${line%\\}
    elif [ -n "$line" ]; then
        step "${line%% *}" "${line#* }"
        line=
    fi
done <deploy/Dockerfile

[ "$user" != root ] && [ -n "$entry" ] && [ -n "$health" ] || die "no user, entry point or health check"
size=$(du -sxm "$root" --exclude=proc --exclude=sys --exclude=dev | cut -f1)
say "the image: $size MiB, $((size - $(du -sxm "$work/base" | cut -f1))) MiB more than its base"

# As the engine would start it; a network of its own, so that ports of this machine are left alone.
mapfile -t command < <(exec_form "$entry")
mapfile -t check < <(exec_form "$health")
id=$(awk -F: -v user="$user" '$1 == user { print $3 ":" $4 }' "$root/etc/passwd")
[ -n "$id" ] || die "no user $user"
unshare --net -- sh -c 'ip link set lo up && exec sleep 600' &
holder=$!
sleep 0.5
in_net() { nsenter --net="/proc/$holder/ns/net" -- "$@"; }
# start COMMAND...: becomes it, so in a subshell.
start() { exec nsenter --net="/proc/$holder/ns/net" -- env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/var/lib/assay /usr/sbin/chroot --userspec="$id" "$root" "$@" </dev/null; }
head -c 24 /dev/urandom | base64 >"$root/token"
mkdir -p "$root/run/secrets"
mv "$root/token" "$root/run/secrets/assay-token"
chmod 444 "$root/run/secrets/assay-token"

say "${command[*]} (as $user, $id)"
start "${command[@]}" --partition-workers 1 >"$work/daemon.log" 2>&1 &
assayd=$!
healthy=
for _ in $(seq 100); do
    kill -0 "$assayd" 2>/dev/null || break
    if (start "${check[@]}") >"$work/check.log" 2>&1; then healthy=1 && break; fi
    sleep 0.2
done
cat "$work/daemon.log"
[ -n "$healthy" ] || { cat "$work/check.log"; die "the health check ${check[*]} does not pass"; }
say "healthy: ${check[*]}"
answer() { in_net bash -c "exec 3<>/dev/tcp/127.0.0.1/9821 && printf 'GET $1 HTTP/1.1\r\nHost: x\r\n$2Connection: close\r\n\r\n' >&3 && head -n 1 <&3" | tr -d '\r'; }
[ "$(answer /healthz '')" = "HTTP/1.1 200 OK" ] || die "/healthz: $(answer /healthz '')"
[ "$(answer / '')" = "HTTP/1.1 401 Unauthorized" ] || die "the page without a token: $(answer / '')"
[ "$(answer / "Authorization: Bearer $(cat "$root/run/secrets/assay-token")\\r\\n")" = "HTTP/1.1 200 OK" ] || die "the page with the token"
say "the status page asks for the token, and answers with it"
[ "$(stat -c %u "/proc/$assayd")" = "${id%:*}" ] || die "it runs as user $(stat -c %u "/proc/$assayd")"
kill -TERM "$assayd"
code=0
wait "$assayd" || code=$?
assayd=
[ "$code" -eq 0 ] || { tail -n 5 "$work/daemon.log"; die "exit code $code after SIGTERM"; }
say "SIGTERM: exit code 0"
