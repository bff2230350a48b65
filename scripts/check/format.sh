#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting check of every tracked C file (clang-format 14). With --fix: formats them.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)
git ls-files -z -- '*.c' '*.h' | xargs -0 -r clang-format "${mode[@]}"
