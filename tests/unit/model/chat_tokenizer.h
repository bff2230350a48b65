/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizers of bytes with a chat template: the text between special tokens can be read off the ids. */
#ifndef ASSAY_TESTS_MODEL_CHAT_TOKENIZER_H
#define ASSAY_TESTS_MODEL_CHAT_TOKENIZER_H

#include "model/tokenizer.h"

enum { CHAT_JSON = 1 << 14, CHAT_TEXT = 1024, CHAT_VOCAB = 263 };

/* A tokenizer.json in which every byte is a token, followed by `extra` and the special tokens. */
size_t assay_chat_tokenizer_json(char out[CHAT_JSON], const char *extra);
/* With a template, which is given as it stands in JSON, quotes and all. NULL: the harness was told. */
assay_tokenizer *assay_chat_tokenizer_make(const char *template, const char *extra);
/* The ids as text, special tokens spelled out in braces. */
void assay_chat_tokenizer_spell(char out[CHAT_TEXT], const uint32_t *ids, size_t n_ids);

/* Templates of the families, as they stand in JSON. */
#define CHATML_LOOP                                                                                                    \
    "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"             \
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}\""
#define CHATML_DEFAULT(text)                                                                                           \
    "\"{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"                           \
    "{{ '<|im_start|>system\\n" text "<|im_end|>\\n' }}{% endif %}" CHATML_LOOP
#define CHATML_PLAIN "\"{% for message in messages %}" CHATML_LOOP

#define LLAMA3_HEADER                                                                                                  \
    "'<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>'"

#define LLAMA3                                                                                                         \
    "\"{% for message in messages %}{% set content = " LLAMA3_HEADER " %}"                                             \
    "{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}"                         \
    "{% endfor %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\""
#define LLAMA31                                                                                                        \
    "\"{{- bos_token }}{%- if not date_string is defined %}{%- set date_string = '26 Jul 2024' %}{%- endif %}"         \
    "{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}{{- 'Cutting Knowledge Date: December 2023\\n' }}"       \
    "{{- 'Today Date: ' + date_string + '\\n\\n' }}{{- system_message }}{{- '<|eot_id|>' }}"                           \
    "{%- for message in messages %}{{- " LLAMA3_HEADER " }}{%- endfor %}"                                              \
    "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\""

#define ZEPHYR_ROLE(role)                                                                                              \
    "{% if message['role'] == '" role "' %}\\n{{ '<|" role "|>\\n' + message['content'] + eos_token }}\\n{% endif "    \
    "%}\\n"

#define ZEPHYR                                                                                                         \
    "\"{% for message in messages %}\\n" ZEPHYR_ROLE("user")                                                           \
        ZEPHYR_ROLE("system") "{% if loop.last and add_generation_prompt %}\\n{{ "                                     \
                              "'<|assistant|>' }}\\n{% endif %}\\n{% endfor %}\""

/* With a rule for the assistant's earlier messages. */
#define ZEPHYR_ASSISTANT(content)                                                                                      \
    "\"{% for message in messages %}\\n" ZEPHYR_ROLE("user")                                                           \
        ZEPHYR_ROLE("system") "{% if message['role'] == 'assistant' %}\\n{{ '<|assistant|>\\n' + " content             \
                              " + eos_token }}\\n{% endif %}\\n{% if loop.last and add_generation_prompt %}\\n{{ "     \
                              "'<|assistant|>' }}\\n{% endif %}\\n{% endfor %}\""

#define MISTRAL                                                                                                        \
    "\"{{ bos_token }}{% for message in messages %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"                  \
    "{% endfor %}\""
#define MISTRAL_SYSTEM                                                                                                 \
    "\"{{- bos_token }}{{- \\\"[INST] \\\" + system_message + \\\"\\\\n\\\\n\\\" + "                                   \
    "message[\\\"content\\\"] + "                                                                                      \
    "\\\"[/INST]\\\" }}"                                                                                               \
    "{{- \\\"[INST] \\\" + message[\\\"content\\\"] + \\\"[/INST]\\\" }}\""

#endif
