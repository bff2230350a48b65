#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where programs write: what is no regular file is never replaced, two results never get one name, what cannot be written
# is said before the work and before a proof is spent; pipes as inputs; one line whatever a name holds; what a killed
# process leaves.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

spent() { od -An -tu8 -j 12 -N 8 "$1/isk/counter" | tr -d ' '; }

c=$work/c
commit "$c" --lifetime 100
reply "$c" 2
made=$(spent "$c")
prover=(cp_prove --commitment "$c" --req "$work/F.req" --y "$work/F.y")
replier=(assay reply --commitment "$c" --prompt 'The ' -n 2)

# Outputs that are no regular files.
echo kept >"$work/target"
ln -s target "$work/link"
ln -s nowhere "$work/broken"
mkfifo "$work/pipe"
mkdir "$work/folder"
for name in link broken pipe folder; do
    refused 4 "$name: exists and is not a regular file" "${prover[@]}" --out "$work/$name"
    refused 4 "$name: exists and is not a regular file" "${replier[@]}" --req "$work/$name" --y "$work/new"
    refused 4 "$name: exists and is not a regular file" "${replier[@]}" --req "$work/new" --y "$work/$name"
done
[ -L "$work/link" ] && [ -L "$work/broken" ] && [ -p "$work/pipe" ] && [ "$(cat "$work/target")" = kept ] || fail "something was replaced"
[ ! -e "$work/new" ] || fail "half of a pair was written"
[ "$(spent "$c")" -eq "$made" ] || fail "a proof was spent on an output that is no regular file"
# A place that nothing can be written to is found before the work too.
refused 4 'none/F.proof: ' "${prover[@]}" --out "$work/none/F.proof"
refused 4 'none/new: ' "${replier[@]}" --req "$work/new" --y "$work/none/new"
[ ! -e "$work/new" ] || fail "half of a pair was written"
[ "$(spent "$c")" -eq "$made" ] || fail "a proof was spent on an output in a folder that is missing"
ln -s F.proof "$work/kept.proof"
refused 4 'kept.proof: exists and is not a regular file' assay ask "$c" 'The ' -n 1 --keep "$work/kept"
[ ! -e "$work/kept.req" ] || fail "part of what was to be kept was written"
[ "$(spent "$c")" -eq "$made" ] || fail "a proof was spent on an output that cannot be written"
ok "no proof was spent"

# One name for two files, however it is spelled.
cp "$work/F.req" "$work/F.req.before"
refused 2 'two different files' "${prover[@]}" --out "$work/F.req"
refused 2 'two different files' "${prover[@]}" --out "$work/./F.req"
refused 2 'two different files' "${prover[@]}" --out "$work/folder/../F.y"
refused 2 'two different files' "${replier[@]}" --req "$work/new" --y "$work/folder/../new"
refused 2 'two different files' assay request --config "$c/config" --prompt a --reply-tokens 97 --y 32 --req "$work/new" --y-out "$work/./new"
cmp -s "$work/F.req" "$work/F.req.before" && [ ! -e "$work/new" ] || fail "something was written"
[ "$(spent "$c")" -eq "$made" ] || fail "a proof was spent"

# Pipes as inputs: refused, not waited for.
bounded() { # bounded PATTERN PROGRAM ARGS...
    local got=0
    timeout 20 "$bin/$2" "${@:3}" >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" -eq 2 ] && grep -q "$1" "$work/err" || fail "exit code $got: ${*:2}"
    ok "${*:2} -> 2: $(cat "$work/err")"
}
bounded 'pipe: not a regular file' cp_prove --commitment "$c" --req "$work/pipe" --y "$work/F.y" --out "$work/x"
bounded 'pipe: not a regular file' assay reply --commitment "$c" --prompt-file "$work/pipe" --req "$work/x" --y "$work/z"
bounded 'pipe: not a regular file' cp_commit --model "$model" --calibrate "$work/pipe" --out "$work/x"
bounded 'pipe: not a regular file' assay info "$work/pipe"
cp -r "$model" "$work/model"
rm "$work/model/model.safetensors"
mkfifo "$work/model/model.safetensors"
bounded 'safetensors: not a regular file' cp_commit --model "$work/model" --out "$work/x"

# Names with control characters: one line, and no escape reaches the terminal.
odd=$work/$'a\nb\x1b[2Jc'
refused 2 'a\?b\?\[2Jc: no such file' cp_prove --commitment "$c" --req "$odd" --y "$work/F.y" --out "$work/x"
refused 2 'unknown option: --x\?y' cp_prove $'--x\ny'
refused 2 'no such command: x\?y' assay $'x\ny'
cp "$work/F.y" "$odd"
refused 2 'a\?b\?\[2Jc: is not such a file' cp_prove --commitment "$c" --req "$odd" --y "$work/F.y" --out "$work/x"
prove "$c"
run 1 cp_verify "$c/config" "$c/ivk" "$work/F.req" "$work/F.y" "$odd" -id "$(id_of "$c")"
[ "$(grep -c . "$work/out")" -eq 1 ] || fail "not one line: $(cat "$work/out")"
last_is '^NO: .*a\?b\?\[2Jc'

# cp_commit asks for its folder before the work: with a model that it cannot read, the folder's fault is the one told.
made=$(id_of "$c")
none=$work/no-model
refused 4 'exists already' cp_commit --model "$none" --out "$c"
refused 4 'cannot be made' cp_commit --model "$none" --out "$work/no/such/parent"
ln -s "$c" "$work/alias"
refused 4 'alias: is a link' cp_commit --model "$none" --out "$work/alias" --force
for way in old new; do
    mkdir "$c.$way"
    refused 4 "c.$way: is in the way" cp_commit --model "$none" --out "$c/" --force
    rmdir "$c.$way"
done
for extra in notes.txt isk/notes.txt config/notes.txt; do
    touch "$c/$extra"
    refused 4 "$extra: is not part of a commitment" cp_commit --model "$none" --out "$c" --force
    [ -e "$c/$extra" ] || fail "$extra was removed"
    rm "$c/$extra"
done
[ "$(id_of "$c")" = "$made" ] || fail "replaced"

# Killed (SIGKILL): temporary files stay, and stop nothing afterwards; those of the counter go with the next run.
mkdir "$work/here"
for delay in 0.1 0.3 0.5 0.7; do
    timeout -s KILL "$delay" "$bin/cp_commit" --model "$model" --out "$work/here/k" --quiet >/dev/null 2>&1 || true
    rm -rf "$work/here/k"
done
mkdir -p "$work/here/k.tmpabcdef/isk" && touch "$work/here/k.tmpabcdef/isk/key.bin" "$work/here/F.proof.tmpabcdef" "$c/isk/counter.tmpabcdef"
commit "$work/here/k"
run 0 "${prover[@]}" --out "$work/here/F.proof"
[ ! -e "$c/isk/counter.tmpabcdef" ] || fail "the counter's leftover is still there"
[ -e "$work/here/F.proof.tmpabcdef" ] || fail "another process's file was removed"
touch "$c/isk/counter.tmpabcdef"
commit "$c" --force
[ "$(id_of "$c")" != "$made" ] || fail "not replaced"
ok "killed"
finish
