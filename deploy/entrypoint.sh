#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Entry point of the container: chooses where to listen, says what it chose, becomes assayd. Arguments are assayd's.
#     /etc/assay/assayd.toml      is used as it is, if it is there (so is --config among the arguments)
#     /run/secrets/assay-token    if it is there, gRPC is served at port 9820 and the status page at 9821, to clients
#                                 that bring this token; without it on the unix socket in /run/assay only
# `assay-entrypoint health` asks the daemon for its status, over its unix socket if it has one: the image's health check.
# The memory budget is the container's own: assayd finds the limit of its control group (memory.total = "auto").
set -eu

config=/etc/assay/assayd.toml
token=/run/secrets/assay-token
made=/run/assay/assayd.toml

say() { echo "assay: $*" >&2; }

# The least memory.max from this group up to the root, for people; assayd looks for itself.
limit() {
    least=max
    for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
        [ -r "$file" ] && read -r value <"$file" || continue
        [ "$value" = max ] || [ "${#value}" -gt 18 ] || least=$((value / 1048576)) # larger: version 1's word for none
    done
    [ "$least" = max ] && echo "no memory limit" || echo "a memory limit of $least MiB"
}

# Where the daemon listens, and the token that it asks for, as its configuration says.
health() {
    [ -e "$config" ] || config=$made
    in_force=$(assayd --config "$config" --print-config)
    addresses=$(echo "$in_force" | sed -n 's/^listen = \[\(.*\)\]$/\1/p' | tr -d '" ' | tr ',' '\n')
    address=$(echo "$addresses" | grep '^unix:' || echo "$addresses" | sed 's/^0\.0\.0\.0:/127.0.0.1:/; s/^\[::\]:/[::1]:/')
    wanted=$(echo "$in_force" | sed -n 's/^token_file = "\(.*\)"$/\1/p')
    exec assay-bench status --quiet --addr "$(echo "$address" | head -n 1)" ${wanted:+--token-file "$wanted"}
}

[ "$*" != health ] || health
case " $* " in
*" --config "* | *" --config="* | *" -c "* | *" --help "* | *" --version "*) exec assayd "$@" ;;
esac
if [ -e "$config" ]; then
    say "configuration: $config"
else
    config=$made
    umask 077
    if [ -e "$token" ]; then
        [ -s "$token" ] && [ -r "$token" ] || { say "$token is empty or cannot be read by user $(id -u)"; exit 2; }
        cat "$token" >"$made.token" # mounted secrets are readable by all: assayd wants one that is not
        cat >"$made" <<TOML
[daemon]
listen = ["unix:///run/assay/assayd.sock", "0.0.0.0:9820"]
status_listen = "0.0.0.0:9821"
[auth]
token_file = "$made.token"
TOML
        say "gRPC at port 9820 and the status page at 9821, to clients with the token of $token"
    else
        cat >"$made" <<TOML
[daemon]
listen = ["unix:///run/assay/assayd.sock"]
TOML
        say "no token at $token: gRPC on /run/assay/assayd.sock alone, the status page on loopback of the container"
    fi
fi
say "$(nproc) processors, $(limit); circuits, models and the queue in /var/lib/assay"
exec assayd --config "$config" "$@"
