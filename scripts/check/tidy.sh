#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over src/ with the checks of .clang-tidy; any remark is a failure.
#     scripts/check/tidy.sh [--deep] [BUILD_DIR]
# --deep      clang's analyzer too: ten times slower, not part of CI
# BUILD_DIR   where compile_commands.json is (build)
set -uo pipefail
cd "$(dirname "$0")/../.."

checks=(--checks='-clang-analyzer-*')
if [ "${1:-}" = --deep ]; then
    checks=()
    shift
fi
dir=${1:-build}
[ -f "$dir/compile_commands.json" ] || { echo "$dir: is not built"; exit 2; }
mapfile -t files < <(git ls-files 'src/*.c' | grep -vE '_gen\.c$')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
code=0
printf '%s\0' "${files[@]}" |
    xargs -0 -n 8 -P "$(nproc)" clang-tidy -p "$dir" --quiet --warnings-as-errors='*' "${checks[@]}" >"$log" 2>/dev/null || code=1
grep -E ': (warning|error): ' "$log" | sort -u
echo "tidy: ${#files[@]} files, $(grep -E ': (warning|error): ' "$log" | sort -u | wc -l) problems"
exit "$code"
