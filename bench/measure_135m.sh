#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The figures of docs/performance.md for a random model of SmolLM2-135M's shape: wall and CPU seconds and peak memory (GNU time) of
# cp_commit, of cp_prove at 64 (32 + 32) and 512 (256 + 256) tokens and of cp_verify, then the same proofs stage by stage.
#     bench/measure_135m.sh [FOLDER [TOKENS...]]      (programs from ASSAY_BIN, default build/bin; build `bench` first)
# FOLDER (default: a temporary one) keeps model and commitment for the next run; it takes 3 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${ASSAY_BIN:-build/bin}
bench=$(dirname "$bin")/bench
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] && shift || trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- 64 512
mkdir -p "$work"

# timed NAME COMMAND...
timed() {
    local name=$1
    shift
    /usr/bin/time -f '%e %U %S %M' -o "$work/time" "$@" >/dev/null
    awk -v name="$name" '{ printf "%-24s %8.2f s %8.2f s CPU %8.0f MB\n", name, $1, $2 + $3, $4 * 1.024 / 1000 }' "$work/time"
}

[ -d "$work/model" ] || bench/make_model.py "$work/model"
[ -d "$work/c" ] || timed cp_commit "$bin/cp_commit" --model "$work/model" --out "$work/c" --quiet
id=$(cat "$work/c/ID.txt")
for tokens in "$@"; do
    half=$((tokens / 2))
    text=$(printf 'The quick brown fox jumps over the lazy dog. %.0s' $(seq 1 $((tokens / 45 + 1))))
    f="$work/$tokens"
    [ -f "$f.req" ] || timed "reply, $tokens tokens" "$bin/assay" reply --commitment "$work/c" --prompt "${text:0:$((half - 1))}" \
        -n $half --req "$f.req" --y "$f.y" --quiet
    rm -f "$f.proof"
    timed "cp_prove, $tokens tokens" "$bin/cp_prove" --commitment "$work/c" --req "$f.req" --y "$f.y" --out "$f.proof" --quiet
    timed "cp_verify, $tokens tokens" "$bin/cp_verify" "$work/c/config" "$work/c/ivk" "$f.req" "$f.y" "$f.proof" -id "$id"
    printf '%-24s %8d bytes\n' "proof, $tokens tokens" "$(wc -c <"$f.proof")"
    [ ! -x "$bench/bench_prove" ] || "$bench/bench_prove" "$work/c" "$f.req" "$f.y"
done
