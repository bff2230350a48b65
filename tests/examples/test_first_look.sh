#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/first_look.sh ends as it says. (That it builds by itself: .ci/run first_look.)
# ctest: timeout 600
set -euo pipefail
cmake --build "${ASSAY_BINARY_DIR:?}" --target first_look >/dev/null
FIRST_LOOK=$ASSAY_BINARY_DIR/examples/first_look examples/first_look.sh | tee "$ASSAY_BINARY_DIR/first_look.log" | tail -n 2
[ "$(tail -n 1 "$ASSAY_BINARY_DIR/first_look.log")" = "AS EXPECTED" ]
