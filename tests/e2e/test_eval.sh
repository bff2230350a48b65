#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# assay eval: its options, what it prints, and what it refuses. That the figures are right: tests/reference/test_eval.py.
# ctest: timeout 300
. "$(dirname "$0")/lib.sh"

head -c 6000 "$model/calibration.txt" >"$work/text"
eval_it() { run 0 assay eval --text "$work/text" --json "$@"; }
figure() { # figure KEY EXPRESSION: of x, the field
    last | /usr/bin/python3 -c 'import json, sys; x = json.load(sys.stdin)[sys.argv[1]]; sys.exit(not eval(sys.argv[2]))' "$1" "$2" ||
        fail "$1: not $2"
}

run 0 assay eval --model "$model" --text "$work/text" --tokens 1024
for line in '^4 windows of 256 tokens$' '^perplexity, float: +1\.' '^perplexity, integers: +1\.' '^ratio: +1\.000' \
    '^same token: +[0-9.]+ % of 1024$' 'float margin > 0.02: .* of [0-9]+$' '^no result: 0 of 4 windows' '^largest acc' '^  gate \* up'; do
    grep -qE "$line" "$work/out" || fail "no line like '$line'"
done
[ ! -s "$work/err" ] || fail "progress without a terminal"
ok "text"

eval_it --model "$model" --tokens 1024
for key in perplexity_float perplexity_integer; do figure $key '1 < x < 2'; done
figure perplexity_ratio 'abs(x - 1) < 1e-3'
figure agreement '98 < x <= 100'
figure agreement_decisive '99 < x <= 100'
figure decisive '0 < x <= 1024'
figure accumulators 'len(x) == 12 and all(10 < a["log2"] < 30 for a in x)'
figure no_result 'x == []'
ratio=$(json perplexity_ratio) same=$(json same)
ok "JSON"
eval_it --model "$model" --tokens 1024 --threads 1
[ "$(json perplexity_ratio)" = "$ratio" ] || fail "threads change the figures"
ok "threads"
eval_it --model "$model" --tokens 1024 --margin 1000
[ "$(json decisive)" -eq 0 ] && [ "$(json same)" -eq "$same" ] || fail "--margin"
eval_it --model "$model" --tokens 1024 --margin 0
figure decisive 'x >= 1020'
ok "--margin"
eval_it --model "$model" --tokens 300 --window 100
[ "$(json windows)" -eq 3 ] && [ "$(json window)" -eq 100 ] || fail "--window"
ok "--window, --tokens"

# One model alone; a commitment's integers, alone and beside the checkpoint.
eval_it --model "$model" --tokens 512 --only float
figure perplexity_float '1 < x < 2'
! last | grep -q integer || fail "--only float ran the integers"
only=$(json perplexity_float)
eval_it --model "$model" --tokens 512 --only integer
integers=$(json perplexity_integer)
! last | grep -q float || fail "--only integer ran the floats"
ok "--only"
commit "$work/c"
eval_it --commitment "$work/c" --tokens 512
[ "$(json perplexity_integer)" = "$integers" ] || fail "the commitment's integers are others"
! last | grep -q float || fail "floats out of a commitment"
eval_it --commitment "$work/c" --model "$model" --tokens 512
[ "$(json perplexity_integer)" = "$integers" ] && [ "$(json perplexity_float)" = "$only" ] || fail "commitment and model"
ok "--commitment"
head -c 2000 "$model/calibration.txt" >"$work/calibration"
eval_it --model "$model" --tokens 512 --calibrate "$work/calibration"
[ "$(json perplexity_integer)" != "$integers" ] || fail "--calibrate changes nothing"
ok "--calibrate"

# How documents begin, and streams. A window of the stream holds its first token and the bytes that follow.
printf 'abc\n\ndef' >"$work/few"
first() { # first ARGS...: the windows of 3 tokens, by what float and integer runs make of them
    run 0 assay eval --model "$model" --text "$work/few" --window 3 --json --only float "$@"
}
first
[ "$(json windows)" -eq 2 ] || fail "documents: $(json windows)"
with_bos=$(json perplexity_float)
first --start bos
[ "$(json perplexity_float)" = "$with_bos" ] || fail "the model's first token is not put by itself"
first --start none
[ "$(json windows)" -eq 2 ] && [ "$(json perplexity_float)" != "$with_bos" ] || fail "--start none"
first --stream
[ "$(json windows)" -eq 4 ] || fail "--stream: $(json windows)" # 8 bytes, two a window
first --stream --start none
[ "$(json windows)" -eq 2 ] || fail "--stream --start none: $(json windows)" # three a window
printf '256 97 98 99\n256 100\n101 102\n' >"$work/ids"
run 0 assay eval --model "$model" --text "$work/ids" --ids --window 3 --json --only float
[ "$(json windows)" -eq 2 ] || fail "--ids: $(json windows)"
ok "--start, --stream, --ids"

# Refused.
bad=(assay eval --model "$model" --text "$work/text")
refused 2 'missing option: text' assay eval --model "$model"
refused 2 'give --model, --commitment, or both' assay eval --text "$work/text"
refused 2 'no such file' assay eval --model "$model" --text "$work/missing"
refused 2 'no such file|cannot be opened' assay eval --model "$work/missing" --text "$work/text"
refused 2 'no such folder' assay eval --commitment "$work/missing" --text "$work/text"
refused 2 'range' "${bad[@]}" --window 1
refused 2 'range' "${bad[@]}" --margin -1
refused 2 'range' "${bad[@]}" --margin x
refused 2 'none of those allowed: start' "${bad[@]}" --start eos
refused 2 'none of those allowed: only' "${bad[@]}" --only both
refused 2 '--window: is longer than the model.s context \(513, 512\)' "${bad[@]}" --window 513 --tokens 600
refused 2 '--tokens: are fewer than a window' "${bad[@]}" --tokens 100
refused 2 'chats begin with no special token' "${bad[@]}" --start chat
refused 2 'does not fill one window' assay eval --model "$model" --text "$work/few"
refused 2 'not a list of token ids \(line\) \(1\)' "${bad[@]}" --ids
printf '1 2\n3 258\n' >"$work/ids"
refused 2 'ids: there is a token that the model does not have \(258, 258\)' assay eval --model "$model" --text "$work/ids" --ids --window 2
refused 2 'without --stream and --start' "${bad[@]}" --ids --stream
refused 2 'only float: needs --model' assay eval --commitment "$work/c" --text "$work/text" --only float
refused 2 'calibrate: goes with a model that is imported' assay eval --commitment "$work/c" --text "$work/text" --calibrate "$work/text"
refused 2 'tokenizer.json|config.json' assay eval --model "$work" --text "$work/text"
: >"$work/empty"
refused 2 'does not fill one window' assay eval --model "$model" --text "$work/empty"
finish
