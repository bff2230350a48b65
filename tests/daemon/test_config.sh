#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example file holds every key and is read; the documentation is what the table gives; faults name file, line and key.
set -euo pipefail
root=${ASSAY_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${ASSAY_BINARY_DIR:-$root/build}
tool=$build/tests/drivers/config_tool
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
fail() {
    echo "FAILED: $*"
    exit 1
}

"$root/scripts/make-config-docs.sh" --check "$build" || fail "generated files are stale"
[ "$("$tool" "$root/examples/assayd.toml")" = good ] || fail "examples/assayd.toml"
keys=$(grep -cE '^[a-z_]+ = ' "$root/examples/assayd.toml")
rows=$(grep -cE '^\| `[a-z]+\.' "$root/docs/daemon-config.md")
[ "$keys" -eq "$rows" ] && [ "$keys" -gt 40 ] || fail "$keys keys in the example, $rows in the documentation"

grep -q '^\.TH assayd\.toml 5 ' "$root/docs/man/assayd.toml.5" || fail "the man page's title"
[ "$(grep -c '^\.TP$' "$root/docs/man/assayd.toml.5")" -eq "$keys" ] || fail "keys in the man page"
if command -v groff >/dev/null; then
    said=$(groff -man -ww -z "$root/docs/man/assayd.toml.5" 2>&1)
    [ -z "$said" ] || fail "groff: $said"
fi

# refused "MESSAGE" 'TEXT'...: the lines of a file, and what is said about them.
refused() {
    local want=$1 got
    shift
    printf '%s\n' "$@" >"$work/c.toml"
    got=$(cd "$work" && "$tool" c.toml) && fail "accepted: $*"
    [ "$got" = "$want" ] || fail "$(printf '%s said:\n  %s\nnot:\n  %s' "$*" "$got" "$want")"
    n=$((n + 1))
}
refused 'c.toml:2: memory.totl: no such key' '[memory]' 'totl = "8GiB"'
refused 'c.toml:1: memori: no such section or key' '[memori]' 'total = "8GiB"'
refused 'c.toml:1: listen: no such section or key' 'listen = "127.0.0.1:1"'
refused 'c.toml:1: memory: is a section: a table of keys' 'memory = 5'
refused 'c.toml:3: memory.total: takes "auto", or a size in quotes: a whole number and B, KiB, MiB, GiB or TiB' \
    '[memory]' '' 'total = "8GB"'
refused 'c.toml:2: memory.total: is out of range: at least and at most, in bytes (67108864, 1125899906842624)' '[memory]' 'total = "1B"'
refused 'c.toml:2: memory.evict_idle: takes a duration in quotes: a whole number and ms, s, m, h or d' '[memory]' 'evict_idle = 300'
refused 'c.toml:2: engine.pipeline: takes true or false' '[engine]' 'pipeline = "yes"'
refused 'c.toml:2: engine.gpu_workers: is out of range: at least and at most (1, 64)' '[engine]' 'gpu_workers = 65'
refused 'c.toml:2: engine.gpu_workers: is negative' '[engine]' 'gpu_workers = -1'
refused 'c.toml:2: engine.gpu_workers: takes a whole number or "auto"' '[engine]' 'gpu_workers = 1.0'
refused 'c.toml:2: engine.preload: takes a list of strings' '[engine]' 'preload = ["a", 1]'
refused 'c.toml:2: log.level: is none of the words that this key takes (docs/daemon-config.md)' '[log]' 'level = "loud"'
refused 'c.toml:2: paths.params: takes a string' '[paths]' 'params = "a\u0000b"'
refused 'c.toml:3: level: the key stands there twice' '[log]' 'level = "info"' 'level = "info"'
refused 'daemon.listen: other machines could call: set auth.token_file or tls.client_ca, or auth.insecure = true' \
    '[daemon]' 'listen = "0.0.0.0:9820"'
refused 'daemon.listen: an address is HOST:PORT, [IPV6]:PORT or unix:///PATH' '[daemon]' 'listen = ["9820"]'
refused 'daemon.listen: is empty: nobody could call' '[daemon]' 'listen = []'
refused 'daemon.status_listen: other machines could look: set auth.token_file, or auth.insecure = true' \
    '[daemon]' 'status_listen = "0.0.0.0:9821"'
refused 'daemon.status_listen: other machines could look: set auth.token_file, or auth.insecure = true' \
    '[tls]' 'certificate = "c"' 'key = "k"' 'client_ca = "a"' '[daemon]' 'status_listen = "[::]:9821"'
refused 'tls: certificate and key belong together' '[tls]' 'key = "k.pem"'
refused 'limits.connection_memory: is less than limits.message (1048576, 134217728)' '[limits]' 'connection_memory = "1MiB"'
refused 'queue.url: does not begin with postgresql://' '[queue]' 'url = "mysql://x"'

printf '[auth]\ninsecure = true\n[daemon]\nlisten = ["0.0.0.0:9820", "[::]:9820", "unix:///x"]\n' >"$work/c.toml"
[ "$("$tool" "$work/c.toml" memory.total 24GiB engine.partition_workers 5 engine.preload a,b engine.pipeline false)" = good ] ||
    fail "flags"
[ "$("$tool" "$work/c.toml" engine.gpu_workers many)" = \
    'engine.gpu_workers: cannot be read as a value of this key' ] || fail "a flag that is no number"
[ "$("$tool" "$work/c.toml" engine.gpu_workers $'1\n[log]')" = \
    'engine.gpu_workers: takes a whole number or "auto"' ] || fail "a flag of two lines"
[ "$("$tool" "$work/none.toml")" != good ] || fail "a missing file"
echo "$n faults named"
