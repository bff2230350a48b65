#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what examples/accepted-proof/ holds: the public half of a commitment to the example model, a request, and a proof.
#     scripts/make-accepted-proof.sh OUT_DIR      (programs from ASSAY_BIN, default build/bin)
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${ASSAY_BIN:-build/bin}
out=${1:?usage: scripts/make-accepted-proof.sh OUT_DIR}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/cp_commit" --model examples/tiny --out "$work/c" --quiet >"$work/commit.txt"
"$bin/assay" reply --commitment "$work/c" --prompt $'Q: What is 27 + 45?\nA:' -n 5 --req "$work/F.req" --y "$work/F.y" --quiet >/dev/null
"$bin/cp_prove" --commitment "$work/c" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof" --quiet >/dev/null

mkdir -p "$out"
cp -r "$work/c/config" "$work/c/ivk" "$work/c/ID.txt" "$work/F.req" "$work/F.y" "$work/F.proof" "$out/"
echo "made $out: ID $(cat "$out/ID.txt")"
