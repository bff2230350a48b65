#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the proving daemon and runs it in the foreground: installs what is missing, makes folders, picks a configuration.
#     ./run.sh [flags of assayd: --memory SIZE, --partition-workers N, --preload ID, ...]
# Configuration: --config FILE if given, else /etc/assay/assayd.toml if it is there, else one that is written to the data
# folder, with gRPC on a unix socket and 127.0.0.1:9820 and the status page on 127.0.0.1:9821.
# ASSAY_DATA: the data folder (/var/lib/assay for root, else ~/.local/share/assay). SIGINT or SIGTERM: running jobs end.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/machine.sh

case " $* " in
*" --help "* | *" -h "*)
    sed -n '3,8s/^# \{0,1\}//p' "$0"
    [ ! -x build/bin/assayd ] || build/bin/assayd --help
    exit 0
    ;;
esac

scripts/deps.sh --build
scripts/build.sh >/dev/null

if [ "$(id -u)" -eq 0 ]; then
    data=${ASSAY_DATA:-/var/lib/assay}
else
    data=${ASSAY_DATA:-${XDG_DATA_HOME:-$HOME/.local/share}/assay}
fi
mkdir -p "$data"
data=$(cd "$data" && pwd)

arguments=("$@")
if config=$(of_flags config "$@"); then
    :
elif [ -e /etc/assay/assayd.toml ]; then
    config=/etc/assay/assayd.toml
    arguments=(--config "$config" "$@")
else
    config=$data/assayd.toml
    arguments=(--config "$config" "$@")
    case $data in *[\"\\]*) echo "run.sh: the data folder's name has a quote or a backslash: $data" >&2; exit 2 ;; esac
    mkdir -p "$data"/{circuits,models,params}
    if [ ! -e "$config" ]; then
        (
            umask 077
            cat >"$config" <<TOML
# Written by run.sh; it is yours to change. docs/daemon-config.md has all keys.
[daemon]
listen = ["unix://$data/assayd.sock", "127.0.0.1:9820"]
status_listen = "127.0.0.1:9821"
# For other machines: put a token into a file (head -c 32 /dev/urandom | base64), name it here, and listen on 0.0.0.0.
#[auth]
#token_file = "$data/token"

[paths]
circuits = "$data/circuits"
models = "$data/models"
params = "$data/params"

[queue]
path = "$data/queue.sqlite"
TOML
        )
    fi
fi
build/bin/assayd --check-config "${arguments[@]}" >/dev/null

# What is in force, flags and file together.
key() { build/bin/assayd --print-config "${arguments[@]}" | awk -v section="[$1]" -v key="$2" '
    /^\[/ { inside = $0 == section } inside && $1 == key { sub(/^[^=]*= */, ""); print; exit }'; }
say() { printf '  %-15s %s\n' "$1" "$2"; }
circuits=$(key paths circuits | tr -d '"')
echo "assayd on $(describe_machine)"
say configuration "$config"
say circuits "$circuits ($(find "$circuits" -maxdepth 1 -name '*.zkey' 2>/dev/null | wc -l) keys)"
say models "$(key paths models | tr -d '"')"
say queue "$(key queue path | tr -d '"')"
memory=$(key memory total | tr -d '"')
[ "$memory" != auto ] || memory="what is there, less $(key memory margin | tr -d '"')"
say memory "$memory"
say gRPC "$(key daemon listen | tr -d '["],')"
page=$(key daemon status_listen | tr -d '"')
say "status page" "$(case $page in "") echo none ;; unix:*) echo "$page" ;; *) echo "http://$page/" ;; esac)"
say "try" "build/bin/assay-bench status --addr $(key daemon listen | tr -d '[",]' | cut -d' ' -f1)"
say "first proof" "docs/daemon.md"
exec build/bin/assayd "${arguments[@]}"
