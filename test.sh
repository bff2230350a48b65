#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the whole test suite; the exit code says whether all passed.
#     ./test.sh [--all] [--quick] [ctest options]
# --all    also the tests that need a package registry (label `interop`)
# --quick  leaves out the tests with the label `slow`
set -euo pipefail
cd "$(dirname "$0")"

skip=interop
while [ $# -gt 0 ]; do
    case $1 in
    --all) skip='^$' ;;
    --quick) skip='interop|slow' ;;
    -h | --help)
        sed -n '3,6s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *) break ;;
    esac
    shift
done

deps=(--build --test)
[ "$skip" != '^$' ] || deps+=(--interop)
scripts/deps.sh "${deps[@]}"
scripts/build.sh --tests
exec ctest --test-dir "${ASSAY_BUILD_DIR:-build}" --output-on-failure -j "${ASSAY_JOBS:-$(nproc)}" -LE "$skip" "$@"
