/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizers of bytes with a chat template. */
#include "unit/model/chat_tokenizer.h"
#include "unit/harness.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_SPECIAL = 256 };

static const char *const specials[] = {
    "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"};
enum { N_SPECIALS = sizeof specials / sizeof *specials };

__attribute__((format(printf, 3, 4))) static void append(char out[CHAT_JSON], size_t *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(out + *n, CHAT_JSON - *n, format, args);
    va_end(args);
    if (CHECK(more >= 0 && (size_t)more < CHAT_JSON - *n)) *n += (size_t)more;
}

size_t assay_chat_tokenizer_json(char out[CHAT_JSON], const char *extra)
{
    size_t n = 0;
    append(out, &n, "{\"added_tokens\":[%s", extra);
    for (int i = 0; i < N_SPECIALS; i++)
        append(out, &n, "%s{\"id\":%d,\"content\":\"%s\",\"special\":true}", i ? "," : "", FIRST_SPECIAL + i,
               specials[i]);
    append(out, &n,
           "],\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false},"
           "\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{");
    for (unsigned b = 0, other = 256; b < 256; b++) {
        bool printable = (b > 32 && b < 127) || (b > 160 && b != 173);
        append(out, &n, "%s\"\\u%04x\":%u", b ? "," : "", printable ? b : other, b);
        other += !printable;
    }
    append(out, &n, "}}}");
    return n;
}

assay_tokenizer *assay_chat_tokenizer_make(const char *template, const char *extra)
{
    char json[CHAT_JSON], config[CHAT_JSON];
    size_t n = assay_chat_tokenizer_json(json, extra), m = 0;
    assay_tokenizer *t = NULL;
    append(config, &m, "{\"bos_token\":\"<s>\",\"eos_token\":{\"content\":\"</s>\"},\"chat_template\":%s}", template);
    CHECK_OK(assay_tokenizer_of_folder(&t, (const uint8_t *)json, n, (const uint8_t *)config, m, NULL, 0, NULL));
    return t;
}

void assay_chat_tokenizer_spell(char out[CHAT_TEXT], const uint32_t *ids, size_t n_ids)
{
    size_t n = 0;
    for (size_t i = 0; i < n_ids; i++) {
        if (!CHECK(n + 64 < CHAT_TEXT)) break;
        if (ids[i] < FIRST_SPECIAL)
            out[n++] = (char)ids[i];
        else
            n += (size_t)snprintf(out + n, CHAT_TEXT - n, "{%s}", specials[ids[i] - FIRST_SPECIAL]);
    }
    out[n] = 0;
}
