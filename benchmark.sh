#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is this machine worth? Starts a fresh daemon, has it prove COUNT times, and prints proofs an hour, seconds a proof,
# the most memory that the daemon and all its processes took, and the daemon's own advice.
#     ./benchmark.sh COUNT [--circuit NAME] [--witness FILE] [--concurrency N] [--json] [flags of assayd]
# Without --circuit: a real circuit (a MiMC hash chain) whose size suits the machine, under a development key that is made
# on the spot. --circuit mimc-LOG: the same with 2^LOG constraints, LOG 9 to 24. Another NAME: a circuit in the folder given
# by --circuits DIR, with --witness FILE. Products are kept in build/benchmark/ for the next time.
# Exit code: 0 when every proof was made and verified.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/machine.sh

usage() {
    sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
case ${1:-} in -h | --help) (usage 2>&1) || exit 0 ;; esac
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
count=$1
shift
circuit='' witness='' concurrency='' json='' flags=()
while [ $# -gt 0 ]; do
    case $1 in
    --circuit | --witness | --concurrency) [ $# -ge 2 ] || usage; declare "${1#--}=$2"; shift ;;
    --circuit=* | --witness=* | --concurrency=*) name=${1%%=*}; declare "${name#--}=${1#*=}" ;;
    -j) [ $# -ge 2 ] || usage; concurrency=$2; shift ;;
    --json) json=1 ;;
    --config | --config=* | --listen | --listen=* | --queue | --queue=* | --status-listen | --status-listen=*)
        echo "benchmark.sh: ${1%%=*} is its own to choose" >&2; exit 2 ;;
    *) flags+=("$1") ;;
    esac
    shift
done

scripts/deps.sh --build
scripts/build.sh >/dev/null
bin=build/bin
note() { [ -n "$json" ] || echo "$*"; }

# A size that suits: about 1.1 KiB a constraint for the key, and as much again for every proof at work.
if [ -z "$circuit" ]; then
    mib=$(mib_here)
    log=16
    for step in 4096:18 32768:20 131072:22; do
        [ "$mib" -lt "${step%:*}" ] || [ "$(nproc)" -lt $((1 << (${step#*:} - 17))) ] || log=${step#*:}
    done
    circuit=mimc-$log
fi
if [[ $circuit =~ ^mimc-([0-9]+)$ ]]; then
    log=${BASH_REMATCH[1]}
    if [ "${#log}" -gt 2 ] || [ "$((10#$log))" -lt 9 ] || [ "$((10#$log))" -gt 24 ]; then
        echo "benchmark.sh: --circuit $circuit: mimc-9 to mimc-24 can be made" >&2
        exit 2
    fi
    home=$PWD/build/benchmark
    if [ ! -s "$home/$circuit.wtns" ] || [ ! -s "$home/circuits/$circuit.zkey" ]; then
        note "making the circuit $circuit and a development key for it"
        mkdir -p "$home/circuits"
        cmake --build build -j "$(nproc)" --target make_circuit >/dev/null
        build/bench/make_circuit --log "$log" "$home/$circuit" >/dev/null
        $bin/assay groth16 setup "$home/$circuit.r1cs" -o "$home/circuits/$circuit.zkey.part.zkey" --quiet 2>/dev/null
        mv "$home/circuits/$circuit.zkey.part.zkey" "$home/circuits/$circuit.zkey"
        rm -f "$home/$circuit.r1cs"
    fi
    witness=$home/$circuit.wtns
    of_flags circuits "${flags[@]}" >/dev/null || flags+=(--circuits "$home/circuits")
elif [ -z "$witness" ] || ! of_flags circuits "${flags[@]}" >/dev/null; then
    echo "benchmark.sh: --circuit $circuit needs --witness FILE and --circuits DIR" >&2
    exit 2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/assay-benchmark.XXXXXX")
daemon='' sampler=''
cleanup() {
    [ -z "$sampler" ] || kill "$sampler" 2>/dev/null || true
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

address=unix://$work/assayd.sock
: >"$work/assayd.toml"
$bin/assayd --config "$work/assayd.toml" --listen "$address" --status-listen 127.0.0.1:0 --queue "$work/queue.sqlite" "${flags[@]}" \
    >"$work/log" 2>&1 &
daemon=$!
bench() { local call=$1; shift; $bin/assay-bench "$call" --addr "$address" "$@"; }
until bench status --quiet >/dev/null 2>&1; do
    kill -0 "$daemon" 2>/dev/null || { echo "benchmark.sh: the daemon did not start:" >&2; tail -n 20 "$work/log" >&2; exit 1; }
    sleep 0.1
done

# The tree's memory: proportional set sizes, so that a page that several processes share counts once; in KiB.
tree() {
    local pid
    echo "$1"
    for pid in $(cat /proc/"$1"/task/*/children 2>/dev/null); do tree "$pid"; done
}
sample() {
    local most=0 now pid
    while :; do
        now=$(for pid in $(tree "$daemon"); do awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null || true; done |
            awk '{ n += $1 } END { print n + 0 }')
        [ "$now" -le "$most" ] || { most=$now; echo "$most" >"$work/peak.part"; mv "$work/peak.part" "$work/peak"; }
        sleep 0.1
    done
}
metric() { bench metrics --quiet | awk -v name="$1" '$1 == name { print $2 }'; }
port=$(sed -n 's/.* status_listening .*port=\([0-9]*\).*/\1/p' "$work/log" | head -n 1)
[ -n "$port" ] || { echo "benchmark.sh: the daemon's log does not say where its status page is" >&2; exit 1; }
# member NAME: a text in /status, as people read it.
member() {
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&9
    tr -d '\r' <&9 | sed -n "s/.*\"$1\":\"\(\([^\"\\\\]\|\\\\.\)*\)\".*/\1/p" | head -n 1
    exec 9>&-
}

note "$(describe_machine)"
note "$circuit: one proof to load the key, then $count"
bench single --circuit "$circuit" --witness "$witness" --quiet >"$work/first" 2>&1 || { cat "$work/first" >&2; tail -n 20 "$work/log" >&2; exit 1; }
workers=$(metric assay_partition_workers)
workers=${workers%.*}
[ -n "$concurrency" ] || concurrency=$((2 * ${workers:-1} < count ? 2 * ${workers:-1} : count))
sample &
sampler=$!
code=0
bench batch --circuit "$circuit" --witness "$witness" --count "$count" --concurrency "$concurrency" --json >"$work/result" 2>"$work/errors" &
batch=$!
advice=''
while kill -0 "$batch" 2>/dev/null; do # what it says while it works
    sleep 0.5
    now=$(member advice 2>/dev/null || true)
    case $now in "" | "No job waits"*) : "${advice:=$now}" ;; *) advice=$now ;; esac
done
wait "$batch" || code=$?
kill "$sampler" 2>/dev/null || true
sampler=''
result=$(tail -n 1 "$work/result")
number() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" <<<"$result"; }
[ -n "$(number proofs_per_hour)" ] || { cat "$work/errors" "$work/result" >&2; tail -n 20 "$work/log" >&2; exit 1; }

if [ -n "$json" ]; then
    printf '{"circuit": "%s", "count": %s, "concurrency": %s, "peak_bytes": %s, "batch": %s}\n' "$circuit" "$count" "$concurrency" \
        $((1024 * $(cat "$work/peak"))) "$result"
else
    awk -v done="$(number completed)" -v failed="$(number failed)" -v hour="$(number proofs_per_hour)" -v each="$(number seconds_per_proof)" \
        -v peak="$(cat "$work/peak")" -v workers="${workers:-?}" -v jobs="$concurrency" 'BEGIN {
        room = peak < 1048576 ? sprintf("%.0f MiB", peak / 1024) : sprintf("%.2f GiB", peak / 1048576)
        printf "\n%-15s %.1f\n%-15s %.2f\n%-15s %s (proportional set size of the daemon and all its processes)\n", "proofs an hour", hour,
            "seconds a proof", each, "peak memory", room
        printf "%-15s %d completed, %d failed; %s partition workers, %d jobs at once\n", "", done, failed, workers, jobs }'
    why=$(member why)
    [ -n "$why" ] && [ -n "$advice" ] || { echo "benchmark.sh: the daemon has no advice" >&2; exit 1; }
    echo "settings        $why"
    echo "advice          $advice"
fi
exit "$code"
