/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens: added tokens are cut out, what lies between them is normalised and cut into words, and each word is
 * merged. The order of the steps is that of the Hugging Face tokenizers library. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include "model/unicode.h"
#include <string.h>

void assay_encoder_clear(assay_encoder *e)
{
    assay_mem_free_secret(e->ids, e->cap * sizeof *e->ids);
    assay_bpe_work_clear(&e->bpe);
    e->ids = NULL;
    e->n = e->cap = 0;
}

static assay_status make_room(assay_encoder *e, size_t more)
{
    if (more <= e->cap - e->n) return ASSAY_OK;
    size_t cap = e->cap ? e->cap : 64;
    while (cap - e->n < more) cap *= 2;
    uint32_t *ids = assay_mem_grow(e->ids, e->cap, cap, sizeof *ids);
    if (!ids) return ASSAY_FAIL(e->err, ASSAY_ENOMEM, "text", "out of memory");
    e->ids = ids;
    e->cap = cap;
    return ASSAY_OK;
}

assay_status assay_encoder_put_id(assay_encoder *e, uint32_t id)
{
    assay_status s = make_room(e, 1);
    if (s == ASSAY_OK) e->ids[e->n++] = id;
    return s;
}

/* A word's first symbols are written to ids[n ..], counted in *count; room was made. What is no token becomes the
 * unknown one, or is left out where there is none. */
static void put_unknown(assay_encoder *e, size_t *count)
{
    const assay_tokenizer *t = e->t;
    bool fused = (t->rules & RULE_FUSE_UNKNOWN) && *count > 0 && e->ids[e->n + *count - 1] == t->unknown;
    if (t->unknown != ASSAY_NO_TOKEN && !fused) e->ids[e->n + (*count)++] = t->unknown;
}

static void put_bytes(assay_encoder *e, size_t *count, const uint8_t *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t id = e->t->byte_id[s[i]];
        if (id == ASSAY_NO_TOKEN)
            put_unknown(e, count);
        else
            e->ids[e->n + (*count)++] = id;
    }
}

/* A character that is a token is one symbol; else its bytes are, if there is a token for each of them. */
static void put_characters(assay_encoder *e, size_t *count, const uint8_t *s, size_t n)
{
    const assay_tokenizer *t = e->t;
    for (size_t at = 0, len; at < n; at += len) {
        uint32_t c = assay_utf8_read(s + at, n - at, &len);
        uint32_t id = c == ASSAY_BROKEN_BYTE ? ASSAY_NO_TOKEN : assay_tokenizer_find(t, s + at, len);
        bool bytes = (t->rules & RULE_BYTE_FALLBACK) != 0;
        for (size_t i = 0; i < len; i++) bytes = bytes && t->byte_id[s[at + i]] != ASSAY_NO_TOKEN;
        if (id != ASSAY_NO_TOKEN)
            e->ids[e->n + (*count)++] = id;
        else if (bytes)
            put_bytes(e, count, s + at, len);
        else
            put_unknown(e, count);
    }
}

static assay_status put_word(assay_encoder *e, const uint8_t *s, size_t n)
{
    const assay_tokenizer *t = e->t;
    size_t count = 0;
    assay_status status = make_room(e, n);
    if (status != ASSAY_OK) return status;
    if (t->rules & RULE_IGNORE_MERGES) {
        uint32_t id = assay_tokenizer_find(t, s, n);
        if (id != ASSAY_NO_TOKEN) return assay_encoder_put_id(e, id);
    }
    if (t->rules & RULE_BYTE_LEVEL)
        put_bytes(e, &count, s, n);
    else
        put_characters(e, &count, s, n);
    status = assay_bpe_merge(t, &e->bpe, e->ids + e->n, &count, e->err);
    if (status == ASSAY_OK) e->n += count;
    return status;
}

static assay_status put_cut(assay_encoder *e, size_t step, const uint8_t *s, size_t n, bool first);

static bool begins_with(const uint8_t *s, size_t n, const char *with)
{
    size_t len = strlen(with);
    return n >= len && memcmp(s, with, len) == 0;
}

/* The steps that change the text of a piece instead of cutting it. */
static assay_status put_changed(assay_encoder *e, size_t step, const uint8_t *s, size_t n, bool first)
{
    assay_cut cut = e->t->cut[step];
    if (cut == ASSAY_CUT_SPACE && s[0] == ' ') return put_cut(e, step + 1, s, n, first);
    size_t room = 3 * n + 3, len;
    uint8_t *text = assay_mem_alloc_raw(room, 1);
    if (!text) return ASSAY_FAIL(e->err, ASSAY_ENOMEM, "text", "out of memory");
    if (cut == ASSAY_CUT_SPACE) {
        text[0] = ' ';
        memcpy(text + 1, s, n);
        len = n + 1;
    } else {
        bool wanted = cut == ASSAY_CUT_BLOCK_EACH || (cut == ASSAY_CUT_BLOCK_FIRST && first);
        len = assay_blocks_for_spaces(text, s, n, wanted && s[0] != ' ' && !begins_with(s, n, ASSAY_BLOCK));
    }
    assay_status status = put_cut(e, step + 1, text, len, first);
    assay_mem_free_secret(text, room);
    return status;
}

/* The piece after the first `step` of the cuts. */
static assay_status put_cut(assay_encoder *e, size_t step, const uint8_t *s, size_t n, bool first)
{
    if (step == e->t->n_cuts) return put_word(e, s, n);
    if (cut_changes(e->t->cut[step])) return put_changed(e, step, s, n, first);
    assay_status status = ASSAY_OK;
    for (size_t at = 0, len; status == ASSAY_OK && at < n; at += len) {
        len = assay_cut_next(e->t->cut[step], s + at, n - at);
        status = put_cut(e, step + 1, s + at, len, first && at == 0);
    }
    return status;
}

/* Text after normalising. */
static assay_status put_normalized(assay_encoder *e, const uint8_t *s, size_t n, bool special, bool first)
{
    assay_added_match m;
    size_t at = 0;
    assay_status status = ASSAY_OK;
    while (status == ASSAY_OK && assay_added_next(e->t, &e->t->normalized, &m, s, n, at, special)) {
        if (m.start > at) status = put_cut(e, 0, s + at, m.start - at, first && at == 0);
        if (status == ASSAY_OK) status = assay_encoder_put_id(e, m.id);
        at = m.stop;
    }
    return status == ASSAY_OK && at < n ? put_cut(e, 0, s + at, n - at, first && at == 0) : status;
}

static assay_status put_raw(assay_encoder *e, const uint8_t *s, size_t n, bool special, bool first)
{
    const uint8_t *text;
    uint8_t *own;
    size_t len, n_own;
    assay_status status = assay_tokenizer_normalize(e->t, &text, &len, &own, &n_own, s, n, e->err);
    if (status == ASSAY_OK) status = put_normalized(e, text, len, special, first);
    assay_mem_free_secret(own, n_own);
    return status;
}

assay_status assay_encoder_put_text(assay_encoder *e, const char *text, size_t n, bool special, bool first)
{
    const uint8_t *s = (const uint8_t *)text;
    assay_added_match m;
    size_t at = 0;
    if (n > ASSAY_MAX_TEXT_BYTES)
        return ASSAY_FAIL2(e->err, ASSAY_ERANGE, "text", "too long (bytes, limit)", n, ASSAY_MAX_TEXT_BYTES);
    assay_status status = ASSAY_OK;
    while (status == ASSAY_OK && assay_added_next(e->t, &e->t->raw, &m, s, n, at, special)) {
        if (m.start > at) status = put_raw(e, s + at, m.start - at, special, first && at == 0);
        if (status == ASSAY_OK) status = assay_encoder_put_id(e, m.id);
        at = m.stop;
    }
    return status == ASSAY_OK && at < n ? put_raw(e, s + at, n - at, special, first && at == 0) : status;
}
