#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the compiler, its library, snarkjs and a pairing library from the npm registry: tools.sh DIR
# Versions are pinned, so that cases and figures can be repeated. Exit code 77: the registry does not answer.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: tools.sh DIR" >&2; exit 2; }
packages=(circom2@0.2.23 circomlib@2.0.5 snarkjs@0.7.6 @noble/curves@2.4.0)
mkdir -p "$1"
cd "$1"
[ "$(cat installed 2>/dev/null)" = "${packages[*]}" ] && exit 0
command -v npm >/dev/null || { echo "skipped: no npm here" >&2; exit 77; }
[ -f package.json ] || echo '{"private": true}' >package.json
npm install --no-audit --no-fund --silent "${packages[@]}" || { echo "skipped: the npm registry does not answer" >&2; exit 77; }
echo "${packages[*]}" >installed
