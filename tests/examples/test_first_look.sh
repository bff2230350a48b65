#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/first_look.sh ends as it says.
# ctest: timeout 600
set -euo pipefail
FIRST_LOOK_BUILD=${ASSAY_BINARY_DIR:?}/first_look examples/first_look.sh | tee "$ASSAY_BINARY_DIR/first_look.log" | tail -n 2
[ "$(tail -n 1 "$ASSAY_BINARY_DIR/first_look.log")" = "AS EXPECTED" ]
