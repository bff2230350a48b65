#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a checked proof: installs what is missing, builds, commits to the example model, proves a reply,
# verifies it, and shows that an altered proof is rejected. Results stay in build/quickstart/.
#     ./quickstart.sh ["a prompt"]
set -euo pipefail
cd "$(dirname "$0")"

case ${1:-} in
-h | --help)
    sed -n '3,5s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
prompt=${1:-"The "}
work=build/quickstart
n=24

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
# Shows a command, then runs it.
run() {
    printf '  $'
    printf ' %q' "$@"
    printf '\n'
    "$@" 2>&1 | sed 's/^/    /'
}

say "1. Install what is missing, and build"
scripts/deps.sh --build
scripts/build.sh

rm -rf "$work"
mkdir -p "$work"

say "2. The provider commits to a model (once). Only the ID and two public folders leave its machine."
run build/bin/cp_commit --model examples/tiny --out "$work/commitment"
id=$(grep -oE '[0-9a-f]{64}' "$work/commitment/ID.txt" | head -n 1)

say "3. The provider answers a prompt, greedily, with the committed integer model"
run build/bin/assay reply --commitment "$work/commitment" --prompt "$prompt" -n "$n" --req "$work/F.req" --y "$work/F.y"

say "4. The provider proves that this reply is the committed model's"
run build/bin/cp_prove --commitment "$work/commitment" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof"

say "5. The client checks, without the weights: it needs the ID, the public folders, the request and the proof"
check=("$work/commitment/config" "$work/commitment/ivk" "$work/F.req" "$work/F.y")
run build/bin/cp_verify "${check[@]}" "$work/F.proof" -id "$id"

say "6. One bit of the proof altered: it must be rejected"
# The byte in the middle of the file, with its lowest bit flipped.
at=$(($(stat -c %s "$work/F.proof") / 2))
byte=$(od -An -tu1 -j "$at" -N 1 "$work/F.proof")
cp "$work/F.proof" "$work/altered.proof"
printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$work/altered.proof" bs=1 seek="$at" conv=notrunc status=none
code=0
run build/bin/cp_verify "${check[@]}" "$work/altered.proof" -id "$id" || code=$?
if [ "$code" -ne 1 ]; then
    echo "Exit code $code instead of 1. This must never happen; please report it (SECURITY.md)." >&2
    exit 1
fi

say "Done. The proof is $(stat -c %s "$work/F.proof") bytes; everything is in $work/."
echo "Try:  build/bin/assay ask $work/commitment \"$prompt\" -n 16"
