#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes examples/assayd.toml, docs/daemon-config.md and docs/man/assayd.toml.5 from the table of configuration keys.
#     scripts/make-config-docs.sh [--check] [BUILD_DIR]
# --check    writes nothing, and fails when one of them is not what the table gives
set -euo pipefail
cd "$(dirname "$0")/.."

check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
tool=${1:-build}/tests/drivers/config_tool
bad=0

# make FILE OPTION
make() {
    if [ -z "$check" ]; then
        "$tool" "$2" >"$1.part"
        mv "$1.part" "$1"
    elif ! "$tool" "$2" | cmp -s - "$1"; then
        echo "$1 is not what the table of keys gives: run scripts/make-config-docs.sh"
        bad=1
    fi
}
make examples/assayd.toml --example
make docs/daemon-config.md --markdown
make docs/man/assayd.toml.5 --man
exit "$bad"
