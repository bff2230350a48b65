#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the release programs into build/bin/. Installs nothing.
#     scripts/build.sh [--tests]      --tests: the test programs too
# ASSAY_BUILD_DIR changes the folder, ASSAY_JOBS the number of compilers at once; ASSAY_CMAKE_FLAGS is given to CMake.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${ASSAY_BUILD_DIR:-build}
jobs=${ASSAY_JOBS:-$(nproc)}
targets=(programs libraries)
[ "${1:-}" != --tests ] || targets=(all)

[ -e "$dir/bin/assay" ] || echo "compiling for the first time: some minutes, without output" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! cmake -S . -B "$dir" -DCMAKE_BUILD_TYPE=Release ${ASSAY_CMAKE_FLAGS:-} >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
if ! cmake --build "$dir" -j "$jobs" --target "${targets[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
echo "built: $(cd "$dir" && echo bin/* | sed "s|bin/|$dir/bin/|g")"
