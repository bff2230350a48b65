#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The figures of docs/performance.md on this machine: wall seconds and peak memory (GNU time) of the programs on the example model,
# a 64-token request, then the same with fewer CPU features, and a single thread.
#     bench/measure.sh [RUNS]      (programs from ASSAY_BIN, default build/bin; medians of RUNS, default 5)
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${ASSAY_BIN:-build/bin}
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# figures NAME COMMAND...: median wall seconds, largest peak memory
figures() {
    local name=$1 k
    shift
    : >"$work/times"
    for ((k = 0; k < runs; k++)); do
        /usr/bin/time -f '%e %M' -o "$work/time" "$@" >/dev/null 2>&1 || { echo "failed: $*" >&2; exit 1; }
        cat "$work/time" >>"$work/times"
    done
    sort -n "$work/times" | awk -v n="$runs" -v name="$name" \
        '{ t[NR] = $1; if ($2 > m) m = $2 } END { printf "%-34s %7.2f s %8.1f MB\n", name, t[int((n + 1) / 2)], m / 1000 }'
}

commit() { rm -rf "$work/c"; "$bin/cp_commit" --model examples/tiny --out "$work/c" --quiet; }
export -f commit
export bin work
figures cp_commit bash -c commit
"$bin/assay" reply --commitment "$work/c" --prompt $'Q: What is 27 + 45?\nA:' -n 41 --req "$work/F.req" --y "$work/F.y" --quiet >/dev/null
id=$(cat "$work/c/ID.txt")
prove=("$bin/cp_prove" --commitment "$work/c" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof" --quiet)

figures "cp_prove, 64 tokens" "${prove[@]}"
figures "cp_prove, one thread" "${prove[@]}" --threads 1
figures "cp_verify" "$bin/cp_verify" "$work/c/config" "$work/c/ivk" "$work/F.req" "$work/F.y" "$work/F.proof" -id "$id"
printf '%-34s %7d bytes\n' "proof" "$(wc -c <"$work/F.proof")"
for features in avx512,shani avx512 avx2,shani avx2 shani ref; do
    ASSAY_CPU=$features figures "cp_prove, ASSAY_CPU=$features" "${prove[@]}"
done
