#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs from a model to a YES, and what must be a NO.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

run 0 cp_commit --model "$model" --out "$work/a"
last_is '^commitment ID: [0-9a-f]{64}$'
[ "$(last)" = "commitment ID: $(id_of "$work/a")" ] || fail "ID.txt holds another ID"
[ "$(stat -c %a "$work/a/isk" "$work/a/model" | sort -u)" = 700 ] || fail "secret folders are not 0700"
grep -q 'gate \* up' "$work/out" || fail "no range report"
ok "commit"
commit "$work/b" --security 100 --lifetime 5
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "--quiet is not quiet"
ok "commit, setting 100"

reply "$work/a" 12
text=$(cat "$work/out")
[ "${#text}" -gt 0 ] || fail "no reply"
prove "$work/a"
verify 0 "$work/a"
last_is '^YES$'
ok "reply, prove, verify"
verify 0 "$work/a" -v
grep -q 'worst round' "$work/out" || fail "no table"
last_is '^YES$'
verify 0 "$work/a" --json -v
[ "$(json verdict)" = YES ] && [ "$(json worst_bits)" = 130.19 ] || fail "JSON"
ok "the table, and JSON"

# The forms of -id, and options anywhere.
a="$work/a"
run 0 cp_verify -v -id "$(id_of "$a")" "$a/config" "$a/ivk" "$work/F.req" "$work/F.y" "$work/F.proof"
run 0 cp_verify "$a/config" "$a/ivk" --id="$(id_of "$a")" "$work/F.req" "$work/F.y" "$work/F.proof"
run 0 cp_verify "$a/config" "$a/ivk" "-id=$(id_of "$a" | tr a-f A-F)" -- "$work/F.req" "$work/F.y" "$work/F.proof"
ok "forms of -id"

# A client rebuilds the request from ids, and from text.
ids=$(run 0 assay info "$work/F.req" --json && json reply | tr -d '[] ')
next=$(run 0 assay info "$work/F.y" --json && json token)
run 0 assay request --config "$a/config" --prompt 'The ' --reply-tokens "$ids" --y "$next" --req "$work/G.req" --y-out "$work/G.y"
cmp "$work/F.req" "$work/G.req" && cmp "$work/F.y" "$work/G.y" || fail "request from ids differs"
run 0 assay request --config "$a/config" --prompt 'The ' --reply "$text" --y "$next" --req "$work/G.req" --y-out "$work/G.y"
cmp "$work/F.req" "$work/G.req" || fail "request from text differs"
printf 'The ' >"$work/prompt"
run 0 assay request --config "$a/config" --prompt-file "$work/prompt" --reply "$text" --y "$next" --req "$work/G.req" --y-out "$work/G.y"
cmp "$work/F.req" "$work/G.req" || fail "request with a prompt from a file differs"
ok "assay request"

# NO, each with a reason on the last line.
no() { # no WHAT PATTERN ARGS...
    run 1 cp_verify "${@:3}"
    last_is "^NO: .*($2)"
    ok "$1: $(last)"
}
other=$(printf '0%.0s' {1..64})
files=("$work/F.req" "$work/F.y" "$work/F.proof")
no "another ID" ID "$a/config" "$a/ivk" "${files[@]}" -id "$other"
no "another commitment's key" ID "$a/config" "$work/b/ivk" "${files[@]}" -id "$(id_of "$a")"
no "another commitment" . "$work/b/config" "$work/b/ivk" "${files[@]}" -id "$(id_of "$work/b")" --security 100
no "a proof as request" 'F.proof' "$a/config" "$a/ivk" "$work/F.proof" "$work/F.y" "$work/F.proof" -id "$(id_of "$a")"
no "a request as next token" 'F.req' "$a/config" "$a/ivk" "$work/F.req" "$work/F.req" "$work/F.proof" -id "$(id_of "$a")"
no "a request as proof" 'F.req' "$a/config" "$a/ivk" "$work/F.req" "$work/F.y" "$work/F.req" -id "$(id_of "$a")"
cp "$work/F.proof" "$work/x"
flip "$work/x" $(($(stat -c %s "$work/x") / 2))
no "one bit of the proof" . "$a/config" "$a/ivk" "$work/F.req" "$work/F.y" "$work/x" -id "$(id_of "$a")"
head -c 1000 "$work/F.proof" >"$work/x"
no "a short proof" length "$a/config" "$a/ivk" "$work/F.req" "$work/F.y" "$work/x" -id "$(id_of "$a")"
: >"$work/x"
no "an empty proof" short "$a/config" "$a/ivk" "$work/F.req" "$work/F.y" "$work/x" -id "$(id_of "$a")"
no "an empty request" short "$a/config" "$a/ivk" "$work/x" "$work/F.y" "$work/F.proof" -id "$(id_of "$a")"
cp "$work/F.req" "$work/x"
flip "$work/x" $(($(stat -c %s "$work/x") - 4)) # the last reply token
no "one reply token" . "$a/config" "$a/ivk" "$work/x" "$work/F.y" "$work/F.proof" -id "$(id_of "$a")"
cp "$work/F.y" "$work/x"
flip "$work/x" 12
no "another next token" . "$a/config" "$a/ivk" "$work/F.req" "$work/x" "$work/F.proof" -id "$(id_of "$a")"
/usr/bin/python3 - "$work/F.req" "$work/x" <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[-4:] = (1 << 20).to_bytes(4, "little")
open(sys.argv[2], "wb").write(b)
PY
no "a token outside the vocabulary" 'x: token id is outside the vocabulary \(1048576, 258\)' "$a/config" "$a/ivk" "$work/x" "$work/F.y" "$work/F.proof" -id "$(id_of "$a")"
cp -r "$a/config" "$work/config"
flip "$work/config/tokenizer.json" 40
no "another tokenizer" tokenizer "$work/config" "$a/ivk" "${files[@]}" -id "$(id_of "$a")"
cp "$a/config/tokenizer.json" "$work/config"
flip "$work/config/config.bin" 60
no "another configuration" . "$work/config" "$a/ivk" "${files[@]}" -id "$(id_of "$a")"
head -c 30 "$a/config/config.bin" >"$work/config/config.bin"
no "half a configuration" 'config.bin' "$work/config" "$a/ivk" "${files[@]}" -id "$(id_of "$a")"

# The setting is the client's to insist on.
reply "$work/b" 4
prove "$work/b" --check
verify 1 "$work/b"
last_is '^NO: .*security'
verify 0 "$work/b" --security 100
ok "setting 100 only for those who ask for it"

# assay ask, and what it keeps.
run 0 assay ask "$a" 'Once ' -n 5 --keep "$work/k"
last_is '^YES$'
run 0 cp_verify "$a/config" "$a/ivk" "$work/k.req" "$work/k.y" "$work/k.proof" -id "$(id_of "$a")"
run 0 assay ask "$a" 'Once ' -n 0 --json
[ "$(json verdict)" = YES ] && [ "$(json reply_tokens)" = 0 ] || fail "ask --json"
ok "assay ask"
no_leftovers "$work"
finish
