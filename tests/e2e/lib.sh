# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder: programs, a scratch folder, and checks. Sourced.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${ASSAY_BIN:-$root/build/bin}
model=$root/examples/tiny
work=$(mktemp -d)
passed=0
cleanup() { :; } # a script may replace it
trap 'cleanup; rm -rf "$work"' EXIT
export ASAN_OPTIONS=${ASAN_OPTIONS:-}

for program in cp_commit cp_prove cp_verify assay; do
    [ -x "$bin/$program" ] || { echo "skipped: $bin/$program is not built"; exit 77; }
done

ok() {
    passed=$((passed + 1))
    echo "ok: $1"
}
fail() {
    echo "FAILED: $1" >&2
    [ ! -s "$work/out" ] || sed 's/^/  stdout: /' "$work/out" >&2
    [ ! -s "$work/err" ] || sed 's/^/  stderr: /' "$work/err" >&2
    exit 1
}
finish() { echo "$passed passed, 0 failed"; }

# run CODE PROGRAM ARGS...: runs it, and wants the exit code. Output in $work/out and $work/err.
run() {
    local want=$1 got=0
    shift
    "$bin/$1" "${@:2}" >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" -eq "$want" ] || fail "exit code $got instead of $want: $*"
}
# refused CODE PATTERN PROGRAM ARGS...: the exit code, exactly one line on stderr, which matches and names the program.
refused() {
    local want=$1 pattern=$2
    shift 2
    run "$want" "$@"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not exactly one line on stderr: $*"
    grep -qE -- "^(cp_commit|cp_prove|cp_verify|assay)[^:]*: .*($pattern)" "$work/err" || fail "no line like '$pattern': $*"
    ok "$(printf %s "$*" | tr "[:cntrl:]" "?") -> $want: $(cat "$work/err")"
}
last() { tail -n 1 "$work/out"; }
# last_is PATTERN
last_is() { [[ $(last) =~ $1 ]] || fail "last line '$(last)' is not like '$1'"; }
# json KEY: a field of the object on the last line.
json() { last | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

# commit DIR OPTIONS...; id_of DIR
commit() { run 0 cp_commit --model "$model" --out "$1" --quiet "${@:2}"; }
id_of() { tr -d '\n' <"$1/ID.txt"; }
# reply DIR N: $work/F.req and $work/F.y
reply() { run 0 assay reply --commitment "$1" --prompt 'The ' -n "$2" --req "$work/F.req" --y "$work/F.y"; }
prove() { run 0 cp_prove --commitment "$1" --req "$work/F.req" --y "$work/F.y" --out "$work/F.proof" "${@:2}"; }
# verify CODE DIR OPTIONS...
verify() { run "$1" cp_verify "$2/config" "$2/ivk" "$work/F.req" "$work/F.y" "$work/F.proof" -id "$(id_of "$2")" "${@:3}"; }
# flip FILE OFFSET: the lowest bit of a byte.
flip() {
    /usr/bin/python3 - "$1" "$2" <<'PY'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    b = f.read(1)
    f.seek(int(sys.argv[2]))
    f.write(bytes([b[0] ^ 1]))
PY
}
# no_leftovers FOLDER: no temporary files or folders in it.
no_leftovers() { [ -z "$(find "$1" -name '*.tmp*' -print -quit)" ] || fail "left behind: $(find "$1" -name '*.tmp*')"; }
