#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Chats: --system and --user in the form of the model's template, in every program that takes a prompt, and where they are
# refused.
# ctest: timeout 600
. "$(dirname "$0")/lib.sh"

# with_template FOLDER TEMPLATE: the example model with a chat template. Its tokenizer has bytes, <s> (256) and </s> (257).
with_template() {
    cp -r "$model" "$1"
    /usr/bin/python3 - "$1/tokenizer_config.json" "$2" <<'PY'
import json, sys
with open(sys.argv[1], "w") as f:
    json.dump({"bos_token": "<s>", "eos_token": "</s>", "chat_template": sys.argv[2]}, f)
PY
}
role() { printf "{%% if message['role'] == '%s' %%}\n{{ '<|%s|>\n' + message['content'] + eos_token }}\n{%% endif %%}\n" "$1" "$1"; }
with_template "$work/zephyr" "{% for message in messages %}
$(role user)
$(role system)
$(role assistant)
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"
with_template "$work/mistral" "{{ bos_token }}{% for message in messages %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% endfor %}"
with_template "$work/odd" '{{ messages }}'
plain=$work/plain
commit "$plain"
for name in zephyr mistral odd; do run 0 cp_commit --model "$work/$name" --out "$work/c.$name" --quiet; done

# prompt_is TEXT: the prompt's tokens in the JSON on the last line; <s> and </s> in TEXT are the special tokens.
prompt_is() {
    last | /usr/bin/python3 -c '
import json, re, sys
got, n = json.load(sys.stdin), 0
tokens = got["tokens"][:got["n_prompt"]] if "tokens" in got else got["prompt"]
want = []
for piece in re.split("(</?s>)", sys.argv[1]):
    want += {"<s>": [256], "</s>": [257]}.get(piece) or list(piece.encode())
sys.exit(tokens != want)' "$1" || fail "the prompt is not '$1'"
    ok "$1"
}
files=(--req "$work/G.req" --y-out "$work/G.y")
request() { run 0 assay request --config "$1/config" --reply-tokens 97 --y 32 "${files[@]}" --json "${@:2}"; }
c=$work/c.zephyr
request "$c" --user 'Hi there '
prompt_is $'<|user|>\nHi there </s>\n<|assistant|>\n'
request "$c" --system 'Be kind.' --user 'Hi'
prompt_is $'<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\n'
request "$c" --user 'Hi' --assistant 'Yes?' --user 'Bye'
prompt_is $'<|user|>\nHi</s>\n<|assistant|>\nYes?</s>\n<|user|>\nBye</s>\n<|assistant|>\n'
request "$work/c.mistral" --user 'Hi'
prompt_is '<s>[INST] Hi [/INST]'
request "$plain" --prompt 'Hi'
prompt_is '<s>Hi'

# The same prompt for the provider, for assay ask, and for the client's rule.
chat=(--system 'Be kind.' --user 'Hi')
run 0 assay reply --commitment "$c" "${chat[@]}" -n 3 --req "$work/F.req" --y "$work/F.y" --json
prompt_is $'<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\n'
run 0 assay ask "$c" "${chat[@]}" -n 3 --keep "$work/k"
last_is '^YES$'
cmp "$work/F.req" "$work/k.req" || fail "assay ask asks something else than assay reply"
check=(assay check --config "$c/config" --ivk "$c/ivk" --req "$work/k.req" --y "$work/k.y" --proof "$work/k.proof" -id "$(id_of "$c")" -n 3)
run 0 "${check[@]}" "${chat[@]}"
last_is '^ACCEPT$'
run 1 "${check[@]}" --user 'Hi'
last_is '^REFUSE: .*prompt'
run 1 "${check[@]}" --prompt 'Hi'
last_is '^REFUSE: .*prompt'
ok "assay reply, ask, check"

# Refused: no template, an unknown one, no system texts, and options that do not go together.
rm -f "$work"/G.*
refused 2 'chat template: the model brings none' assay request --config "$plain/config" --user Hi --reply-tokens 97 --y 32 "${files[@]}"
refused 2 'chat template: the model brings none' assay reply --commitment "$plain" --user Hi --req "$work/G.req" --y "$work/G.y"
refused 2 'chat template: the model brings none' assay ask "$plain" --user Hi
refused 2 'chat template: the model brings none' assay check --config "$plain/config" "${check[@]:4}" --user Hi
refused 2 'chat template: is of no known family' assay ask "$work/c.odd" --user Hi
refused 2 'system: .*no system text' assay ask "$work/c.mistral" --system S --user Hi
refused 2 '--system: goes with --user' assay request --config "$c/config" --system S --prompt Hi --reply-tokens 97 --y 32 "${files[@]}"
refused 2 'several turns are not known' assay ask "$work/c.mistral" --user Hi --assistant Yes --user Bye
refused 2 '--assistant: stands between two of --user \(.*2, 0' assay ask "$c" --user Hi --user Bye
refused 2 '--assistant: stands between two of --user \(.*1, 1' assay ask "$c" --user Hi --assistant Yes
refused 2 '--assistant: stands between two of --user$' assay ask "$c" --user A --assistant B --user C --user D --assistant E --assistant F --user G
refused 2 '--assistant: is empty' assay ask "$c" --user A --assistant '' --user C
refused 2 '--assistant: goes with --user' assay request --config "$c/config" --assistant S --prompt Hi --reply-tokens 97 --y 32 "${files[@]}"
refused 2 'give one of --prompt, --prompt-file and --user' assay request --config "$c/config" --user Hi --prompt Hi --reply-tokens 97 --y 32 "${files[@]}"
refused 2 'give one of PROMPT and --user' assay ask "$c" Hi --user Hi
refused 2 'give one of PROMPT and --user' assay ask "$c" --system S
refused 2 '--user: is empty' assay ask "$c" --user ''
refused 2 'prompt: .*context \(.*512' assay ask "$c" --user "$(printf 'a%.0s' {1..600})"
[ ! -e "$work/G.req" ] && [ ! -e "$work/G.y" ] || fail "something was written"
run 0 assay ask "$work/c.odd" 'Plain ' -n 1
ok "a plain prompt needs no template"
finish
