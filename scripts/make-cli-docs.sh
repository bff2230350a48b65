#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/cli.md, the man pages docs/man/*.1 and the completion docs/assay.bash from the programs' table of options.
#     scripts/make-cli-docs.sh [--check] [BIN_DIR]
# --check   writes nothing, and fails when one of them is not what the programs print
# BIN_DIR   where the programs are (build/bin)
set -euo pipefail
cd "$(dirname "$0")/.."

check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
bin=${1:-build/bin}
bad=0

# make FILE PROGRAM OPTION
make() {
    if [ -z "$check" ]; then
        "$bin/$2" "$3" >"$1.part"
        mv "$1.part" "$1"
    elif ! "$bin/$2" "$3" | cmp -s - "$1"; then
        echo "$1 is not what $2 $3 prints: run scripts/make-cli-docs.sh"
        bad=1
    fi
}
mkdir -p docs/man
for program in cp_commit cp_prove cp_verify assay assay-bench assayd; do make "docs/man/$program.1" "$program" --man; done
make docs/assay.bash assay --completion
make docs/cli.md assay --markdown
exit "$bad"
