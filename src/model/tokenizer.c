/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens and back: added tokens are cut out first, what lies between them is one word each. */
#include "model/tokenizer.h"
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include <string.h>

void assay_tokenizer_free(assay_tokenizer *t)
{
    if (!t) return;
    assay_mem_free(t->token);
    assay_mem_free(t->bytes);
    assay_mem_free(t->merge);
    assay_mem_free(t->added);
    assay_mem_free(t);
}

uint32_t assay_tokenizer_vocab(const assay_tokenizer *t)
{
    return t->vocab;
}

/* The added token that starts at text[0], the longest one; ASSAY_NO_TOKEN if none does. */
static uint32_t added_at(const assay_tokenizer *t, const char *text, size_t n, bool special)
{
    for (size_t i = 0; i < t->n_added; i++) {
        const assay_token *a = &t->token[t->added[i]];
        if (a->len > n || (uint8_t)text[0] != t->bytes[a->at]) continue;
        if (a->kind == TOKEN_SPECIAL && !special) continue;
        if (memcmp(text, t->bytes + a->at, a->len) == 0) return t->added[i];
    }
    return ASSAY_NO_TOKEN;
}

/* Appends the tokens of a piece without added tokens to ids[*n ..], which has room for n_text + 1. */
static assay_status encode_word(const assay_tokenizer *t, uint32_t *ids, size_t *n, const char *text, size_t n_text,
                                assay_errinfo *err)
{
    uint32_t *out = ids + *n;
    size_t count = 0;
    if (n_text == 0) return ASSAY_OK;
    if (t->prefix_space && text[0] != ' ') out[count++] = t->byte_id[' '];
    for (size_t i = 0; i < n_text; i++) out[count++] = t->byte_id[(uint8_t)text[i]];
    for (size_t i = 0; i < count; i++)
        if (out[i] == ASSAY_NO_TOKEN) return ASSAY_FAIL(err, ASSAY_ERANGE, "text", "holds a byte that is no token");
    assay_status s = assay_bpe_merge(t, out, &count, err);
    *n += count;
    return s;
}

assay_status assay_tokenizer_encode(const assay_tokenizer *t, const char *text, size_t n, int parse_special,
                                    uint32_t **ids, size_t *n_ids, assay_errinfo *err)
{
    *ids = NULL;
    *n_ids = 0;
    if (n > ASSAY_MAX_TEXT_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "text", "too long (bytes, limit)", n, ASSAY_MAX_TEXT_BYTES);
    /* A piece adds at most one space, and pieces are separated by tokens of at least one byte. */
    size_t room = 2 * n + 2, count = 0, start = 0;
    uint32_t *out = assay_mem_alloc_raw(room, sizeof *out);
    if (!out) return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
    assay_status s = ASSAY_OK;
    for (size_t at = 0; s == ASSAY_OK && at < n;) {
        uint32_t id = added_at(t, text + at, n - at, parse_special != 0);
        if (id == ASSAY_NO_TOKEN) {
            at++;
            continue;
        }
        s = encode_word(t, out, &count, text + start, at - start, err);
        if (s == ASSAY_OK) out[count++] = id;
        start = at += t->token[id].len;
    }
    if (s == ASSAY_OK) s = encode_word(t, out, &count, text + start, n - start, err);
    if (s != ASSAY_OK) {
        assay_mem_free_secret(out, room * sizeof *out);
        return s;
    }
    *ids = out;
    *n_ids = count;
    return ASSAY_OK;
}

/* Bytes that id decodes to: none for special tokens. */
static assay_status decoded_length(const assay_tokenizer *t, uint32_t id, size_t *len, assay_errinfo *err)
{
    if (id >= t->vocab || t->token[id].kind == TOKEN_ABSENT)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "token", "outside the vocabulary (token, size)", id, t->vocab);
    *len = t->token[id].kind == TOKEN_SPECIAL ? 0 : t->token[id].len;
    return ASSAY_OK;
}

assay_status assay_tokenizer_decode(const assay_tokenizer *t, const uint32_t *ids, size_t n_ids, char **text, size_t *n,
                                    assay_errinfo *err)
{
    size_t total = 0, len = 0;
    *text = NULL;
    *n = 0;
    for (size_t i = 0; i < n_ids; i++) {
        assay_status s = decoded_length(t, ids[i], &len, err);
        if (s != ASSAY_OK) return s;
        if (!assay_add_size(total, len, &total)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "too long");
    }
    char *out = assay_mem_alloc_raw(total + 1, 1);
    if (!out) return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
    size_t at = 0;
    for (size_t i = 0; i < n_ids; i++) {
        const assay_token *k = &t->token[ids[i]];
        if (k->kind == TOKEN_SPECIAL) continue;
        memcpy(out + at, t->bytes + k->at, k->len);
        at += k->len;
    }
    out[total] = 0;
    *text = out;
    *n = total;
    return ASSAY_OK;
}
