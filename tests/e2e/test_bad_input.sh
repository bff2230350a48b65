#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every bad input named in the documentation: one clear line, the documented exit code, nothing written.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

c=$work/c
commit "$c"
reply "$c" 4
prove "$c"
good=("$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work/F.proof")
hex=$(id_of "$c")

# Usage.
refused 2 'missing option: model' cp_commit
refused 2 'missing option: out' cp_commit --model "$model"
refused 2 'unknown option: --modle' cp_commit --modle x
refused 2 'unknown option: -x' cp_commit -x
refused 2 'needs a value' cp_commit --model
refused 2 'given twice' cp_commit --model a --model b
refused 2 'takes no value' cp_commit --quiet=1
refused 2 'too many arguments' cp_commit extra
refused 2 'security' cp_commit --model "$model" --out "$work/x" --security 101
refused 2 'security' cp_commit --model "$model" --out "$work/x" --security 128bits
refused 2 'lifetime' cp_commit --model "$model" --out "$work/x" --lifetime 0
refused 2 'lifetime' cp_commit --model "$model" --out "$work/x" --lifetime 99999999
refused 2 'missing option: id' cp_verify "${good[@]}"
refused 2 'missing arguments' cp_verify -id "$hex" "$c/config"
refused 2 'no command' assay
refused 2 'no such command: tell' assay tell
refused 2 'missing arguments' assay ask
refused 2 'give one of PROMPT and --user' assay ask "$c"
refused 2 'I/K' assay ask "$c" x --share 3/2
refused 2 'range' assay ask "$c" x -n -1
refused 2 'range' assay ask "$c" x --threads 0

# Missing, unreadable, wrong folder.
refused 2 'missing: no such file' cp_verify "$c/config" "$c/ivk" "$work/missing" "$work/F.y" "$work/F.proof" -id "$hex"
refused 2 'missing: no such file' cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/missing" "$work/F.proof" -id "$hex"
refused 2 'missing: no such file' cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work/missing" -id "$hex"
refused 2 'not a regular file' cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work" -id "$hex"
refused 2 'config.bin: no such file' cp_verify "$c/ivk" "$c/config" "${good[@]:2}" -id "$hex"
refused 2 'config.bin: no such file' cp_verify "$work" "$c/ivk" "${good[@]:2}" -id "$hex"
refused 2 'ivk.bin: no such file' cp_verify "$c/config" "$c" "${good[@]:2}" -id "$hex"
refused 2 'no such folder' cp_prove --commitment "$work/missing" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
refused 2 'ID.txt: no such file' cp_prove --commitment "$c/config" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
refused 2 'missing: no such file' cp_prove --commitment "$c" --req "$work/missing" --y "$work/F.y" --out "$work/x"
refused 2 'cannot be opened|no such file' cp_commit --model "$work/missing" --out "$work/x"
refused 2 'tokenizer.json|config.json' cp_commit --model "$work" --out "$work/x"
refused 2 'no such file' cp_commit --model "$model" --out "$work/x" --calibrate "$work/missing"
refused 2 'no such file' assay info "$work/missing"
refused 2 'not a file of Assay' assay info "$model/tokenizer.json"
refused 2 'not a folder of Assay' assay info "$work"
refused 2 'cannot be opened \(part of the path is not a folder\)' cp_verify "$c/config" "$c/ivk" "$work/F.req/x" "$work/F.y" "$work/F.proof" -id "$hex"
refused 4 'cannot be created \(no such file or folder\)' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/no/such"
if [ "$(id -u)" -ne 0 ]; then
    cp "$work/F.proof" "$work/locked"
    chmod 0 "$work/locked"
    refused 2 'cannot be opened' cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$work/locked" -id "$hex"
fi

# The ID.
refused 2 'ID: does not have 64' cp_verify "${good[@]}" -id "${hex:1}"
refused 2 'ID: does not have 64' cp_verify "${good[@]}" -id "${hex}0"
refused 2 'ID: .*hexadecimal' cp_verify "${good[@]}" -id "g${hex:1}"

# Tokens and prompts.
/usr/bin/python3 - "$work/F.req" "$work/bad.req" <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[-4:] = (300).to_bytes(4, "little")
open(sys.argv[2], "wb").write(b)
PY
refused 2 'bad.req: token id is outside the vocabulary \(300, 258\)' cp_prove --commitment "$c" --req "$work/bad.req" --y "$work/F.y" --out "$work/x"
refused 2 'F.y: is not such a file' cp_prove --commitment "$c" --req "$work/F.y" --y "$work/F.y" --out "$work/x"
refused 2 'F.req: is not such a file' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.req" --out "$work/x"
files=(--req "$work/x.req" --y "$work/x.y")
refused 2 'prompt: is empty' assay reply --commitment "$c" --prompt '' -n 4 "${files[@]}"
refused 2 'prompt: .*context \(.*512' assay reply --commitment "$c" --prompt "$(printf 'a%.0s' {1..600})" -n 4 "${files[@]}"
refused 2 'prompt: .*context \(.*512' assay reply --commitment "$c" --prompt 'a' -n 511 "${files[@]}"
refused 2 'prompt: is empty' assay ask "$c" ''
refused 2 'give one of --prompt, --prompt-file and --user' assay reply --commitment "$c" -n 4 "${files[@]}"
refused 2 'context: is longer' assay reply --commitment "$c" --prompt a -n 4 --context "$(printf 'a%.0s' {1..65})" "${files[@]}"
request=(assay request --config "$c/config" --req "$work/x.req" --y-out "$work/x.y" --prompt a)
refused 2 'reply-tokens: token id is outside the vocabulary \(258, 258\)' "${request[@]}" --reply-tokens 97,258 --y 32
refused 2 'y: token id is outside the vocabulary' "${request[@]}" --reply-tokens 97 --y 258
refused 2 'reply-tokens: is not a list' "${request[@]}" --reply-tokens 97,,98 --y 32
refused 2 'reply-tokens: is not a list' "${request[@]}" --reply-tokens 97, --y 32
refused 2 'give one of --reply and --reply-tokens' "${request[@]}" --y 32
[ ! -e "$work/x" ] && [ ! -e "$work/x.req" ] && [ ! -e "$work/x.y" ] || fail "something was written"

# Another reply than the model's: no proof, and no result (1).
/usr/bin/python3 - "$work/F.req" "$work/bad.req" <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[-4] ^= 1
open(sys.argv[2], "wb").write(b)
PY
refused 1 "not the model's choice" cp_prove --commitment "$c" --req "$work/bad.req" --y "$work/F.y" --out "$work/x"
[ ! -e "$work/x" ] || fail "something was written"

# Folders in the way, and how to replace one.
refused 4 'exists already' cp_commit --model "$model" --out "$c"
mkdir "$work/full"
touch "$work/full/file"
refused 4 'exists already' cp_commit --model "$model" --out "$work/full" --force
[ -e "$work/full/file" ] || fail "a folder that holds no commitment was replaced"
commit "$c" --force
[ "$(id_of "$c")" != "$hex" ] || fail "not replaced"
[ ! -e "$c.old" ] && [ ! -e "$c.new" ] || fail "left behind"
ok "--force"
mkdir "$work/empty"
commit "$work/empty"
refused 4 '' cp_commit --model "$model" --out "$work/no/such/parent"

# Files of different commitments, and damaged ones.
mix() { # mix FILE PATTERN: the file from another commitment
    cp -r "$c" "$work/mixed"
    cp "$work/empty/$1" "$work/mixed/$1"
    refused 2 "$2" cp_prove --commitment "$work/mixed" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
    rm -rf "$work/mixed"
}
mix ID.txt 'ID.txt'
mix ivk/ivk.bin 'another commitment'
mix isk/key.bin 'another commitment'
mix model/tree.bin 'tree.bin: .*do not lead to its root'
damage() { # damage FILE OFFSET PATTERN
    cp -r "$c" "$work/mixed"
    flip "$work/mixed/$1" "$2"
    refused 2 "$3" cp_prove --commitment "$work/mixed" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
    rm -rf "$work/mixed"
}
damage config/config.bin 20 'tokenizer.json'
damage config/tokenizer.json 20 'tokenizer.json'
damage ivk/ivk.bin 40 'another commitment'
damage isk/key.bin 0 'key.bin: is not such a file'
damage isk/key.bin 8 'key.bin: has an unknown version'
damage isk/key.bin 80 'mixed: the rows are not those that were committed'
damage isk/counter 0 'counter: is not such a file'
damage model/weights.bin 1000 'weights.bin: is damaged'
damage model/tree.bin 100000 'do not lead to its root'
rm "$c/isk/counter"
refused 2 'counter: no such file' cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y" --out "$work/x"
[ ! -e "$work/x" ] || fail "something was written"
no_leftovers "$work"
finish
