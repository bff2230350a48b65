#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that what Assay needs is there.
#     scripts/deps.sh [--build] [--test] [--interop] [--lint] [--cross]
# --build  compiler, CMake, make, pkg-config, jansson; for the daemon nghttp2, protobuf-c, OpenSSL, SQLite, libpq
#          and libmicrohttpd (the default)
# --test   what the test suite runs besides: Debian's python3 with numpy
# --interop  a foreign gRPC client, Chromium, promtool and a PostgreSQL server, for ./test.sh --all
# --lint   clang and its tools, reuse                            (CI only)
# --cross  aarch64 compiler and qemu-user                        (CI only)
# Missing Debian packages are installed with apt-get, as root or through sudo. Elsewhere the script names what is missing
# and stops. Nothing is done when nothing is missing.
set -euo pipefail

groups=("$@")
[ $# -gt 0 ] || groups=(--build)
missing=()

# need PACKAGE COMMAND...: PACKAGE is missing unless COMMAND succeeds.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
have() { command -v "$1"; }
compiles_libc() { echo '#include <stdio.h>' | cc -E -; }

for group in "${groups[@]}"; do
    case $group in
    --build)
        need gcc have cc
        need libc6-dev compiles_libc
        need cmake have cmake
        need make have make
        need pkg-config have pkg-config
        need libjansson-dev pkg-config --exists jansson
        need libnghttp2-dev pkg-config --exists libnghttp2
        need libprotobuf-c-dev pkg-config --exists libprotobuf-c
        need protobuf-c-compiler have protoc-c
        need libssl-dev pkg-config --exists openssl
        need libsqlite3-dev pkg-config --exists sqlite3
        need libpq-dev pkg-config --exists libpq
        need libmicrohttpd-dev pkg-config --exists libmicrohttpd
        ;;
    --test)
        need python3 test -x /usr/bin/python3
        need python3-numpy /usr/bin/python3 -c 'import numpy'
        ;;
    --interop)
        need python3-grpcio /usr/bin/python3 -c 'import grpc'
        need python3-venv /usr/bin/python3 -c 'import ensurepip'
        need chromium have chromium
        need prometheus have promtool
        need postgresql sh -c 'ls /usr/lib/postgresql/*/bin/postgres'
        ;;
    --lint)
        need clang have clang
        need libclang-rt-14-dev sh -c 'ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer-x86_64.a'
        need llvm have llvm-symbolizer
        need clang-format have clang-format
        need clang-tidy have clang-tidy
        need g++ have g++
        need binutils have nm
        need reuse have reuse
        need git have git
        need time test -x /usr/bin/time
        need valgrind have valgrind
        ;;
    --cross)
        need gcc-aarch64-linux-gnu have aarch64-linux-gnu-gcc
        need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
        need qemu-user have qemu-aarch64
        ;;
    *)
        sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
done

[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Missing: ${missing[*]} (names of Debian packages). Please install them with your system's package manager." >&2
    exit 1
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing Debian packages. Please run as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi
echo "Installing Debian packages: ${missing[*]}"
"${root[@]}" apt-get update -qq || true
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
