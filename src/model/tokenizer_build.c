/* SPDX-License-Identifier: Apache-2.0 */
/* Building a tokenizer from the lists that a file holds: the same checks for every kind of file. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include <string.h>

static assay_status no_memory(assay_errinfo *err)
{
    return ASSAY_FAIL(err, ASSAY_ENOMEM, "tokenizer", "out of memory");
}

assay_status assay_tokenizer_blank(assay_tokenizer **t, assay_errinfo *err)
{
    *t = assay_mem_alloc(1, sizeof **t);
    if (!*t) return no_memory(err);
    (*t)->unknown = (*t)->bos = (*t)->eos = ASSAY_NO_TOKEN;
    return ASSAY_OK;
}

void assay_tokenizer_free(assay_tokenizer *t)
{
    if (!t) return;
    assay_mem_free(t->token);
    assay_mem_free(t->bytes);
    assay_mem_free(t->slot);
    assay_mem_free(t->merge);
    assay_mem_free(t->added);
    assay_mem_free(t->patterns);
    assay_mem_free(t->raw.at);
    assay_mem_free(t->normalized.at);
    assay_mem_free(t);
}

assay_status assay_tokenizer_reserve(assay_tokenizer *t, uint32_t vocab, size_t nbytes, assay_errinfo *err)
{
    if (vocab == 0 || vocab > ASSAY_MAX_TOKENS || nbytes > ASSAY_MAX_VOCAB_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "tokenizer", "no tokens, or too many (tokens, bytes of text)", vocab,
                           nbytes);
    t->vocab = vocab;
    t->cap_bytes = nbytes;
    t->token = assay_mem_alloc(vocab, sizeof *t->token);
    t->bytes = assay_mem_alloc(nbytes + 1, 1);
    return t->token && t->bytes ? ASSAY_OK : no_memory(err);
}

/* Copies text behind what is there; *at: where it begins. */
static assay_status put_bytes(assay_tokenizer *t, uint32_t *at, const void *text, size_t n, const char *path,
                              assay_errinfo *err)
{
    if (n == 0 || n > ASSAY_MAX_TOKEN_BYTES)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, path, "a token is empty or too long");
    if (n > t->cap_bytes - t->n_bytes) return ASSAY_FAIL(err, ASSAY_EINTERNAL, path, "tokens were measured wrong");
    memcpy(t->bytes + t->n_bytes, text, n);
    *at = (uint32_t)t->n_bytes;
    t->n_bytes += n;
    return ASSAY_OK;
}

assay_status assay_tokenizer_put(assay_tokenizer *t, uint32_t id, const void *text, size_t n, assay_token_kind kind,
                                 bool in_model, const char *path, assay_errinfo *err)
{
    if (id >= t->vocab)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, path, "a token's id is too large (id, limit)", id, t->vocab);
    assay_token *k = &t->token[id];
    if (k->kind != TOKEN_ABSENT) return ASSAY_FAIL1(err, ASSAY_EFORMAT, path, "two tokens have one id", id);
    assay_status s = put_bytes(t, &k->at, text, n, path, err);
    if (s != ASSAY_OK) return s;
    k->len = (uint32_t)n;
    k->kind = (uint8_t)kind;
    k->in_model = in_model;
    return ASSAY_OK;
}

/* Not special tokens: no text, merged in whatever way, becomes one. */
static bool is_found_by_bytes(const assay_token *k)
{
    return k->in_model && (k->kind == TOKEN_ORDINARY || k->kind == TOKEN_ADDED);
}

static uint64_t hash_step(uint64_t h, uint8_t b)
{
    return (h ^ b) * 0x100000001b3u; /* FNV-1a */
}
static const uint64_t hash_start = 0xcbf29ce484222325u;

/* The slot of these bytes, or the free one where they would go. */
static size_t find_slot(const assay_tokenizer *t, const uint8_t *text, size_t n, uint64_t hash)
{
    size_t i = (size_t)(hash ^ hash >> 29) & (t->slot_cap - 1);
    for (;; i = (i + 1) & (t->slot_cap - 1)) {
        if (t->slot[i] == ASSAY_NO_TOKEN) return i;
        const assay_token *k = &t->token[t->slot[i]];
        if (k->len == n && memcmp(t->bytes + k->at, text, n) == 0) return i;
    }
}

static size_t slot_of(const assay_tokenizer *t, const uint8_t *text, size_t n)
{
    uint64_t h = hash_start;
    for (size_t i = 0; i < n; i++) h = hash_step(h, text[i]);
    return find_slot(t, text, n, h);
}

uint32_t assay_tokenizer_find(const assay_tokenizer *t, const void *text, size_t n)
{
    return t->slot[slot_of(t, text, n)];
}

assay_status assay_tokenizer_index(assay_tokenizer *t, const char *path, assay_errinfo *err)
{
    bool byte_level = (t->rules & RULE_BYTE_LEVEL) != 0;
    for (t->slot_cap = 16; t->slot_cap < 2 * (size_t)t->vocab;) t->slot_cap *= 2;
    t->slot = assay_mem_alloc_raw(t->slot_cap, sizeof *t->slot);
    if (!t->slot) return no_memory(err);
    memset(t->slot, 0xff, t->slot_cap * sizeof *t->slot);
    for (int b = 0; b < 256; b++) t->byte_id[b] = ASSAY_NO_TOKEN;
    for (uint32_t id = 0; id < t->vocab; id++) {
        const assay_token *k = &t->token[id];
        if (is_found_by_bytes(k)) {
            uint32_t *to = &t->slot[slot_of(t, t->bytes + k->at, k->len)];
            if (*to != ASSAY_NO_TOKEN)
                return ASSAY_FAIL2(err, ASSAY_EFORMAT, path, "two tokens have one text", *to, id);
            *to = id;
        }
        if (k->len == 1 && (byte_level ? is_found_by_bytes(k) : k->kind == TOKEN_BYTE))
            t->byte_id[t->bytes[k->at]] = id;
    }
    return ASSAY_OK;
}

/* --- Merges ------------------------------------------------------------------------------------------------------- */

assay_status assay_tokenizer_reserve_merges(assay_tokenizer *t, size_t n, assay_errinfo *err)
{
    if (n == 0) return ASSAY_OK;
    if (n > ASSAY_MAX_TOKENS) return ASSAY_FAIL1(err, ASSAY_EFORMAT, "tokenizer", "too many merges", n);
    for (t->merge_cap = 16; t->merge_cap < 2 * n;) t->merge_cap *= 2;
    t->merge = assay_mem_alloc_raw(t->merge_cap, sizeof *t->merge);
    if (!t->merge) return no_memory(err);
    for (size_t i = 0; i < t->merge_cap; i++) t->merge[i] = (assay_merge){0, 0, ASSAY_NO_TOKEN, 0};
    return ASSAY_OK;
}

static assay_status put_known_merge(assay_tokenizer *t, assay_merge m, const char *path, assay_errinfo *err)
{
    assay_merge *to = &t->merge[merge_slot(t, m.left, m.right)];
    if (to->out != ASSAY_NO_TOKEN) return ASSAY_FAIL(err, ASSAY_EFORMAT, path, "a merge comes twice");
    *to = m;
    t->n_merges++;
    return ASSAY_OK;
}

assay_status assay_tokenizer_put_merge(assay_tokenizer *t, uint32_t left, uint32_t right, uint32_t rank,
                                       const char *path, assay_errinfo *err)
{
    uint8_t text[2 * ASSAY_MAX_TOKEN_BYTES];
    uint32_t out = ASSAY_NO_TOKEN;
    if (left < t->vocab && right < t->vocab) {
        const assay_token *l = &t->token[left], *r = &t->token[right];
        if (is_found_by_bytes(l) && is_found_by_bytes(r)) {
            memcpy(text, t->bytes + l->at, l->len);
            memcpy(text + l->len, t->bytes + r->at, r->len);
            out = assay_tokenizer_find(t, text, l->len + r->len);
        }
    }
    if (out == ASSAY_NO_TOKEN)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, path, "a merge has a part or a result that is no token (merge)", rank);
    return put_known_merge(t, (assay_merge){left, right, out, rank}, path, err);
}

/* Every way to cut a token in two tokens: counted, or put in if there is room for them. */
static assay_status cut_token(assay_tokenizer *t, uint32_t id, size_t *count, const char *path, assay_errinfo *err)
{
    const assay_token *k = &t->token[id];
    const uint8_t *text = t->bytes + k->at;
    uint64_t h = hash_start;
    for (size_t i = 1; i < k->len; i++) {
        h = hash_step(h, text[i - 1]);
        uint32_t left = t->slot[find_slot(t, text, i, h)];
        if (left == ASSAY_NO_TOKEN) continue;
        uint32_t right = assay_tokenizer_find(t, text + i, k->len - i);
        if (right == ASSAY_NO_TOKEN) continue;
        ++*count;
        if (!t->merge) continue;
        assay_status s = put_known_merge(t, (assay_merge){left, right, id, k->rank}, path, err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

assay_status assay_tokenizer_merges_of_ranks(assay_tokenizer *t, const char *path, assay_errinfo *err)
{
    size_t count = 0;
    assay_status s = ASSAY_OK;
    for (int pass = 0; s == ASSAY_OK && pass < 2; pass++) {
        for (uint32_t id = 0; s == ASSAY_OK && id < t->vocab; id++) {
            if (t->token[id].kind != TOKEN_ORDINARY || !t->token[id].in_model) continue;
            if (t->token[id].len > ASSAY_MAX_PIECE_BYTES)
                return ASSAY_FAIL2(err, ASSAY_EFORMAT, path, "a token is too long (token, bytes)", id,
                                   t->token[id].len);
            s = cut_token(t, id, &count, path, err);
        }
        if (pass == 0 && s == ASSAY_OK) s = assay_tokenizer_reserve_merges(t, count, err);
        if (count == 0) break;
    }
    return s;
}

/* --- Added tokens ---------------------------------------------------------------------------------------------------
 */

assay_status assay_tokenizer_reserve_added(assay_tokenizer *t, size_t n, const char *path, assay_errinfo *err)
{
    if (n == 0) return ASSAY_OK;
    if (n > ASSAY_MAX_ADDED)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, path, "is too long (entries, limit)", n, ASSAY_MAX_ADDED);
    t->added = assay_mem_alloc(n, sizeof *t->added);
    return t->added ? ASSAY_OK : no_memory(err);
}

assay_status assay_tokenizer_put_added(assay_tokenizer *t, const assay_added *a, const void *text, size_t n,
                                       assay_token_kind kind, const char *path, assay_errinfo *err)
{
    if (a->id >= t->vocab)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, path, "a token's id is too large (id, limit)", a->id, t->vocab);
    assay_token *k = &t->token[a->id];
    if (k->kind == TOKEN_ADDED || k->kind == TOKEN_SPECIAL)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, path, "two tokens have one id", a->id);
    assay_added *to = &t->added[t->n_added];
    *to = *a;
    assay_status s = put_bytes(t, &to->text, text, n, path, err);
    if (s != ASSAY_OK) return s;
    to->len = (uint32_t)n;
    t->n_added++;
    if (k->kind == TOKEN_ABSENT) { /* shown as its text */
        k->at = to->text;
        k->len = to->len;
    }
    k->kind = (uint8_t)kind;
    return ASSAY_OK;
}

/* Patterns: the texts, normalised for the tokens that are looked for in normalised text. */
static assay_status make_patterns(assay_tokenizer *t, assay_errinfo *err)
{
    size_t total = 0, at = 0;
    assay_status s = ASSAY_OK;
    for (int pass = 0; s == ASSAY_OK && pass < 2; pass++) {
        if (pass == 1 && !(t->patterns = assay_mem_alloc(total + 1, 1))) return no_memory(err);
        for (size_t i = 0; s == ASSAY_OK && i < t->n_added; i++) {
            assay_added *a = &t->added[i];
            const uint8_t *p = t->bytes + a->text;
            uint8_t *own = NULL;
            size_t n = a->len, n_own = 0;
            if (a->normalized) s = assay_tokenizer_normalize(t, &p, &n, &own, &n_own, t->bytes + a->text, a->len, err);
            if (s == ASSAY_OK && pass == 0) total += n;
            if (s == ASSAY_OK && pass == 1) {
                memcpy(t->patterns + at, p, n);
                a->pattern = (uint32_t)at;
                a->pattern_len = (uint32_t)n;
                at += n;
            }
            assay_mem_free_secret(own, n_own);
        }
        if (total > UINT32_MAX) return ASSAY_FAIL(err, ASSAY_ERANGE, "added_tokens", "is too large");
    }
    return s;
}

static assay_status check_named(const assay_tokenizer *t, assay_errinfo *err)
{
    const uint32_t named[] = {t->unknown, t->bos, t->eos};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i] != ASSAY_NO_TOKEN && (named[i] >= t->vocab || t->token[named[i]].kind == TOKEN_ABSENT))
            return ASSAY_FAIL2(err, ASSAY_EFORMAT, "tokenizer",
                               "a special token is outside the vocabulary (token, size)", named[i], t->vocab);
    if ((t->rules & RULE_BOS) && t->bos == ASSAY_NO_TOKEN)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "tokenizer", "texts begin with a token that is not named");
    return ASSAY_OK;
}

assay_status assay_tokenizer_finish(assay_tokenizer *t, assay_errinfo *err)
{
    assay_status s = check_named(t, err);
    if (s == ASSAY_OK && t->n_added) s = make_patterns(t, err);
    if (s == ASSAY_OK) s = assay_added_list_new(t, &t->raw, false, err);
    if (s == ASSAY_OK) s = assay_added_list_new(t, &t->normalized, true, err);
    return s;
}
