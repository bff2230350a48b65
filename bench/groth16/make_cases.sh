#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the cases of the comparison from source: compiles the circuits, works out the witnesses, makes the keys.
#     make_cases.sh DIR [CASE...]      default: all of
#       merkle20 poseidon_chain500 sha256_64B bls_sha256_64B sha256_chain16
# Products: DIR/CASE/{CASE.r1cs,CASE.sym,CASE.wtns,input.json} and, where build/bin/assay has `groth16 setup`, CASE.zkey and
# CASE.vkey.json (insecure development keys). What is there already is kept. Tools come from the npm registry into DIR/tools.
# The largest compilation takes about 3 minutes and 1.8 GB.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
assay=${ASSAY_BIN:-$root/build/bin}/assay
[ $# -ge 1 ] || { sed -n '4,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
[ $# -ge 1 ] || set -- merkle20 poseidon_chain500 sha256_64B bls_sha256_64B sha256_chain16

"$here/tools.sh" "$dir/tools"
modules=$dir/tools/node_modules

for case in "$@"; do
    circuit=${case#bls_}
    prime=bn128
    [ "$case" = "$circuit" ] || prime=bls12381
    [ -f "$here/circuits/$circuit.circom" ] || { echo "no circuit for the case $case" >&2; exit 2; }
    out=$dir/$case
    mkdir -p "$out"
    "$here/make_inputs.py" "$circuit" >"$out/input.json"
    if [ ! -f "$out/$case.r1cs" ] || [ ! -d "$out/${case}_js" ]; then
        # The compiler sees its own folder only, so the library is copied beside the circuit.
        build=$(mktemp -d "$out/build.XXXXXX")
        cp -r "$modules/circomlib" "$build/circomlib"
        cp "$here/circuits/$circuit.circom" "$build/$case.circom"
        (cd "$build" && NODE_OPTIONS=--max-old-space-size=8000 "$modules/.bin/circom2" "$case.circom" -p "$prime" --r1cs --wasm --sym --O1)
        rm -rf "$out/${case}_js"
        mv "$build/${case}_js" "$out/${case}_js"
        mv "$build/$case.sym" "$out/$case.sym"
        mv "$build/$case.r1cs" "$out/$case.r1cs"
        rm -rf "$build"
    fi
    if [ ! -f "$out/$case.wtns" ]; then
        node "$out/${case}_js/generate_witness.js" "$out/${case}_js/$case.wasm" "$out/input.json" "$out/$case.wtns.part"
        mv "$out/$case.wtns.part" "$out/$case.wtns"
    fi
    if [ ! -f "$out/$case.zkey" ] && [ -x "$assay" ] && "$assay" groth16 setup --help >/dev/null 2>&1; then
        "$assay" groth16 setup "$out/$case.r1cs" -o "$out/$case.zkey"
    fi
    if [ -f "$out/$case.zkey" ] && [ ! -f "$out/$case.vkey.json" ]; then
        "$assay" groth16 export-vkey "$out/$case.zkey" "$out/$case.vkey.json"
    fi
    echo "ready: $case"
done
