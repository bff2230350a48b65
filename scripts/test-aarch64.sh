#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-builds the verifier for aarch64 and runs it under qemu-user on the stored proof and on altered copies. The library
# is built by CMake too, to see that the whole tree configures for a target without x86 kernels.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh --cross
cmake -S . -B build/aarch64-lib -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DASSAY_VERIFY_ONLY=ON >/dev/null
cmake --build build/aarch64-lib -j "$(nproc)"
CC=aarch64-linux-gnu-gcc LDFLAGS=-static RUN=qemu-aarch64 ASSAY_VERIFIER_DIR=build/aarch64 scripts/build-verifier.sh
