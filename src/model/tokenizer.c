/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of tokenizer.h that work on a finished tokenizer. */
#include "model/tokenizer.h"
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include <string.h>

uint32_t assay_tokenizer_vocab(const assay_tokenizer *t)
{
    return t->vocab;
}

int assay_tokenizer_first(const assay_tokenizer *t, uint32_t *id)
{
    *id = t->bos;
    return t->rules & RULE_BOS_SAID ? (t->rules & RULE_BOS) != 0 : -1;
}

const assay_chat *assay_tokenizer_chat(const assay_tokenizer *t)
{
    return &t->chat;
}

assay_status assay_tokenizer_encode(const assay_tokenizer *t, const char *text, size_t n, int parse_special,
                                    uint32_t **ids, size_t *n_ids, assay_errinfo *err)
{
    assay_encoder e = {.t = t, .err = err};
    *ids = NULL;
    *n_ids = 0;
    assay_status s = assay_encoder_put_text(&e, text, n, parse_special != 0, true);
    if (s == ASSAY_OK) {
        *ids = e.ids;
        *n_ids = e.n;
        e.ids = NULL;
        e.cap = 0;
    }
    assay_encoder_clear(&e);
    return s;
}

/* Bytes that id decodes to, in out if it is not NULL: none for special tokens. */
static size_t decoded(const assay_tokenizer *t, char *out, uint32_t id)
{
    enum { BLOCK_BYTES = sizeof ASSAY_BLOCK - 1 };
    const assay_token *k = &t->token[id];
    const uint8_t *s = t->bytes + k->at;
    size_t n = 0;
    if (k->kind == TOKEN_SPECIAL) return 0;
    bool blocks = !(t->rules & RULE_BYTE_LEVEL) && k->kind != TOKEN_BYTE;
    for (size_t i = 0; i < k->len; i++, n++) {
        bool space = blocks && k->len - i >= BLOCK_BYTES && memcmp(s + i, ASSAY_BLOCK, BLOCK_BYTES) == 0;
        if (out) out[n] = space ? ' ' : (char)s[i];
        if (space) i += BLOCK_BYTES - 1;
    }
    return n;
}

assay_status assay_tokenizer_decode(const assay_tokenizer *t, const uint32_t *ids, size_t n_ids, char **text, size_t *n,
                                    assay_errinfo *err)
{
    size_t total = 0, at = 0;
    *text = NULL;
    *n = 0;
    for (size_t i = 0; i < n_ids; i++) {
        if (ids[i] >= t->vocab || t->token[ids[i]].kind == TOKEN_ABSENT)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, "token", "outside the vocabulary (token, size)", ids[i], t->vocab);
        if (!assay_add_size(total, decoded(t, NULL, ids[i]), &total))
            return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "too long");
    }
    char *out = assay_mem_alloc_raw(total + 1, 1);
    if (!out) return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
    for (size_t i = 0; i < n_ids; i++) at += decoded(t, out + at, ids[i]);
    if ((t->rules & RULE_STRIP) && total > 0 && out[0] == ' ') memmove(out, out + 1, --total);
    out[total] = 0;
    *text = out;
    *n = total;
    return ASSAY_OK;
}
