#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the cases and measures: run.sh DIR [options of compare.py]. See README.md.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: run.sh DIR [options of compare.py]" >&2; exit 2; }
"$here/make_cases.sh" "$1"
exec "$here/compare.py" "$@" --csv "$1/figures.csv"
