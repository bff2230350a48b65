/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer of a GGUF file: byte-level BPE ("gpt2", whose cutting rule the value tokenizer.ggml.pre names) and
 * SentencePiece BPE ("llama", whose merges follow from scores). Source: https://github.com/ggml-org/ggml, docs/gguf.md;
 * what a name stands for is the tokenizer.json of the family. */
#include "base/mem.h"
#include "model/gguf.h"
#include "model/tokenizer_impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GGUF_NORMAL = 1, GGUF_UNKNOWN, GGUF_CONTROL, GGUF_USER_DEFINED, GGUF_UNUSED, GGUF_BYTE };

typedef struct loader {
    assay_tokenizer *t;
    const assay_gguf *g;
    const assay_gguf_value *tokens, *types, *scores, *merges;
    assay_errinfo *err;
} loader;

static assay_status malformed(loader *l, const char *key, const char *reason)
{
    return ASSAY_FAIL(l->err, ASSAY_EFORMAT, key, reason);
}

/* --- Rules -----------------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    uint32_t rules;
    assay_cut cut[2];
} byte_level_kinds[] = {
    {"gpt-2", 0, {ASSAY_CUT_GPT2}},
    {"default", 0, {ASSAY_CUT_GPT2}},
    {"smollm", 0, {ASSAY_CUT_EACH_DIGIT, ASSAY_CUT_GPT2}},
    {"llama-bpe", RULE_IGNORE_MERGES | RULE_BOS, {ASSAY_CUT_LLAMA3}},
    {"llama3", RULE_IGNORE_MERGES | RULE_BOS, {ASSAY_CUT_LLAMA3}},
    {"llama-v3", RULE_IGNORE_MERGES | RULE_BOS, {ASSAY_CUT_LLAMA3}},
    {"qwen2", RULE_NFC, {ASSAY_CUT_QWEN2}},
};

static assay_status read_byte_level(loader *l)
{
    static const char key[] = "tokenizer.ggml.pre";
    const assay_gguf_value *pre = assay_gguf_find(l->g, key);
    l->t->rules = RULE_BYTE_LEVEL;
    for (size_t i = 0; i < sizeof byte_level_kinds / sizeof *byte_level_kinds; i++) {
        if (!pre || !assay_gguf_is_text(pre, byte_level_kinds[i].name)) continue;
        l->t->rules |= byte_level_kinds[i].rules;
        for (size_t j = 0; j < 2 && byte_level_kinds[i].cut[j]; j++)
            l->t->cut[l->t->n_cuts++] = byte_level_kinds[i].cut[j];
        return ASSAY_OK;
    }
    return ASSAY_FAIL(l->err, ASSAY_EUNSUPPORTED, key,
                      pre ? "this version does not handle this cutting rule"
                          : "is missing: how text is cut is not known");
}

/* Flags that may be left out. */
static bool flag(const loader *l, const char *key, bool otherwise)
{
    const assay_gguf_value *v = assay_gguf_find(l->g, key);
    bool value;
    return v && assay_gguf_bool(&value, v) ? value : otherwise;
}

static assay_status read_sentencepiece(loader *l)
{
    l->t->rules = RULE_BY_RANK | RULE_BYTE_FALLBACK | RULE_FUSE_UNKNOWN | RULE_REPLACE | RULE_BOS;
    if (flag(l, "tokenizer.ggml.add_space_prefix", true)) l->t->rules |= RULE_PREPEND | RULE_STRIP;
    if (flag(l, "tokenizer.ggml.remove_extra_whitespaces", false))
        return ASSAY_FAIL(l->err, ASSAY_EUNSUPPORTED, "tokenizer.ggml.remove_extra_whitespaces", "is not handled");
    if (assay_gguf_find(l->g, "tokenizer.ggml.precompiled_charsmap"))
        return ASSAY_FAIL(l->err, ASSAY_EUNSUPPORTED, "tokenizer.ggml.precompiled_charsmap", "is not handled");
    return ASSAY_OK;
}

static assay_status read_rules(loader *l)
{
    static const char key[] = "tokenizer.ggml.model";
    const assay_gguf_value *model = assay_gguf_find(l->g, key);
    assay_status s;
    if (model && assay_gguf_is_text(model, "gpt2"))
        s = read_byte_level(l);
    else if (model && assay_gguf_is_text(model, "llama"))
        s = read_sentencepiece(l);
    else
        s = ASSAY_FAIL(l->err, ASSAY_EUNSUPPORTED, key, "this version handles gpt2 and llama");
    bool bos = flag(l, "tokenizer.ggml.add_bos_token", (l->t->rules & RULE_BOS) != 0);
    l->t->rules = (l->t->rules & ~(uint32_t)RULE_BOS) | (bos ? RULE_BOS : 0) | RULE_BOS_SAID;
    return s;
}

/* The id under a key: none is fine. */
static assay_status read_special(loader *l, uint32_t *id, const char *key)
{
    uint64_t value;
    const assay_gguf_value *v = assay_gguf_find(l->g, key);
    *id = ASSAY_NO_TOKEN;
    if (!v) return ASSAY_OK;
    if (!assay_gguf_whole(&value, v) || value >= l->t->vocab) return malformed(l, key, "is no token");
    *id = (uint32_t)value;
    return ASSAY_OK;
}

/* --- Lists
 * ------------------------------------------------------------------------------------------------------------ */

/* An array of `count` elements of a type; NULL when it is missing or another thing. */
static const assay_gguf_value *array_of(const loader *l, const char *key, assay_gguf_type type, uint64_t count)
{
    const assay_gguf_value *v = assay_gguf_find(l->g, key);
    return v && v->type == ASSAY_GGUF_ARRAY && v->element == type && v->count == count ? v : NULL;
}

static assay_status find_lists(loader *l)
{
    l->tokens = assay_gguf_find(l->g, "tokenizer.ggml.tokens");
    if (!l->tokens || l->tokens->type != ASSAY_GGUF_ARRAY || l->tokens->element != ASSAY_GGUF_STRING)
        return malformed(l, "tokenizer.ggml.tokens", "is not a list of texts");
    if (l->tokens->count == 0 || l->tokens->count > ASSAY_MAX_TOKENS)
        return malformed(l, "tokenizer.ggml.tokens", "is empty or too long");
    l->types = array_of(l, "tokenizer.ggml.token_type", ASSAY_GGUF_I32, l->tokens->count);
    if (!l->types) return malformed(l, "tokenizer.ggml.token_type", "is not a list of one 32-bit number a token");
    if (l->t->rules & RULE_BY_RANK) {
        l->scores = array_of(l, "tokenizer.ggml.scores", ASSAY_GGUF_F32, l->tokens->count);
        return l->scores ? ASSAY_OK
                         : malformed(l, "tokenizer.ggml.scores", "is not a list of one 32-bit float a token");
    }
    l->merges = assay_gguf_find(l->g, "tokenizer.ggml.merges");
    if (!l->merges || l->merges->type != ASSAY_GGUF_ARRAY || l->merges->element != ASSAY_GGUF_STRING)
        return malformed(l, "tokenizer.ggml.merges", "is not a list of texts");
    return l->merges->count <= ASSAY_MAX_TOKENS ? ASSAY_OK : malformed(l, "tokenizer.ggml.merges", "is too long");
}

static uint32_t type_of(const loader *l, uint32_t id)
{
    return assay_load_u32(l->types->p + (size_t)id * 4);
}

static assay_status put_one(loader *l, uint32_t id, const char *text, size_t n)
{
    static const char key[] = "tokenizer.ggml.tokens";
    const assay_added a = {.id = id};
    uint32_t type = type_of(l, id);
    switch (type) {
    case GGUF_NORMAL:
    case GGUF_BYTE:
        return assay_tokenizer_put_text(l->t, id, text, n, key, l->err);
    case GGUF_UNUSED:
        return assay_tokenizer_put(l->t, id, text, n, TOKEN_ORDINARY, false, key, l->err);
    case GGUF_USER_DEFINED:
        return assay_tokenizer_put_added(l->t, &a, text, n, TOKEN_ADDED, key, l->err);
    case GGUF_UNKNOWN:
    case GGUF_CONTROL:
        return assay_tokenizer_put_added(l->t, &a, text, n, TOKEN_SPECIAL, key, l->err);
    default:
        return ASSAY_FAIL2(l->err, ASSAY_EUNSUPPORTED, "tokenizer.ggml.token_type", "is no known kind (token, kind)",
                           id, type);
    }
}

static assay_status put_tokens(loader *l)
{
    const uint32_t count = (uint32_t)l->tokens->count;
    assay_reader r = assay_reader_of(l->tokens->p, l->tokens->n);
    size_t n, added = 0;
    for (uint32_t id = 0; id < count; id++) {
        uint32_t type = type_of(l, id);
        added += type == GGUF_UNKNOWN || type == GGUF_CONTROL || type == GGUF_USER_DEFINED;
    }
    assay_status s = assay_tokenizer_reserve(l->t, count, l->tokens->n, l->err);
    if (s == ASSAY_OK) s = assay_tokenizer_reserve_added(l->t, added, "tokenizer.ggml.token_type", l->err);
    for (uint32_t id = 0; s == ASSAY_OK && id < count; id++) {
        const char *text = assay_gguf_next_string(&r, &n);
        s = text ? put_one(l, id, text, n) : malformed(l, "tokenizer.ggml.tokens", "is cut off");
    }
    return s;
}

/* --- Merges
 * ----------------------------------------------------------------------------------------------------------- */

typedef struct scored {
    float score;
    uint32_t id;
} scored;

static int by_score(const void *a, const void *b)
{
    float x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return x > y ? -1 : x < y;
}

/* Ranks: 0 for the highest score, the same for equal scores. */
static assay_status rank_scores(loader *l)
{
    uint32_t rank = 0;
    const size_t n = l->t->vocab;
    scored *order = assay_mem_alloc(n, sizeof *order);
    if (!order) return ASSAY_FAIL(l->err, ASSAY_ENOMEM, "tokenizer.ggml.scores", "out of memory");
    bool finite = true;
    for (uint32_t id = 0; id < n; id++) {
        uint32_t bits = assay_load_u32(l->scores->p + (size_t)id * 4);
        memcpy(&order[id].score, &bits, 4);
        order[id].id = id;
        finite = finite && isfinite(order[id].score);
    }
    if (finite) qsort(order, n, sizeof *order, by_score);
    for (size_t i = 0; finite && i < n; i++) {
        if (i > 0 && order[i].score < order[i - 1].score) rank++;
        l->t->token[order[i].id].rank = rank;
    }
    assay_mem_free(order);
    return finite ? ASSAY_OK : malformed(l, "tokenizer.ggml.scores", "holds what is no number");
}

static assay_status put_merges(loader *l)
{
    static const char key[] = "tokenizer.ggml.merges";
    assay_reader r = assay_reader_of(l->merges->p, l->merges->n);
    const uint32_t count = (uint32_t)l->merges->count;
    assay_status s = assay_tokenizer_reserve_merges(l->t, count, l->err);
    for (uint32_t i = 0; s == ASSAY_OK && i < count; i++) {
        uint32_t left, right;
        size_t n;
        const char *text = assay_gguf_next_string(&r, &n);
        if (!text || !assay_tokenizer_split_merge(l->t, &left, &right, text, n))
            return malformed(l, key, "a merge is not of two tokens");
        s = assay_tokenizer_put_merge(l->t, left, right, i, key, l->err);
    }
    return s;
}

static assay_status load(loader *l)
{
    const assay_gguf_value *jinja = assay_gguf_find(l->g, "tokenizer.chat_template");
    const bool by_rank = (l->t->rules & RULE_BY_RANK) != 0;
    assay_status s = find_lists(l);
    if (s == ASSAY_OK) s = put_tokens(l);
    if (s == ASSAY_OK) s = read_special(l, &l->t->unknown, "tokenizer.ggml.unknown_token_id");
    if (s == ASSAY_OK) s = read_special(l, &l->t->bos, "tokenizer.ggml.bos_token_id");
    if (s == ASSAY_OK) s = read_special(l, &l->t->eos, "tokenizer.ggml.eos_token_id");
    if (s != ASSAY_OK) return s;
    if (!by_rank) l->t->unknown = ASSAY_NO_TOKEN; /* byte-level vocabularies hold all bytes */
    if (l->t->bos == ASSAY_NO_TOKEN) l->t->rules &= ~(uint32_t)RULE_BOS;
    s = assay_tokenizer_index(l->t, "tokenizer.ggml.tokens", l->err);
    if (s == ASSAY_OK && by_rank) s = rank_scores(l);
    if (s == ASSAY_OK)
        s = by_rank ? assay_tokenizer_merges_of_ranks(l->t, "tokenizer.ggml.tokens", l->err) : put_merges(l);
    if (s == ASSAY_OK && jinja && jinja->type == ASSAY_GGUF_STRING) {
        size_t n;
        assay_reader r = assay_reader_of(jinja->p, jinja->n);
        const char *text = assay_gguf_next_string(&r, &n);
        if (text) s = assay_chat_recognise(&l->t->chat, text, n, l->err);
    }
    return s == ASSAY_OK ? assay_tokenizer_finish(l->t, l->err) : s;
}

assay_status assay_tokenizer_of_gguf(assay_tokenizer **t, const struct assay_gguf *g, assay_errinfo *err)
{
    loader l = {.g = g, .err = err};
    *t = NULL;
    assay_status s = assay_tokenizer_blank(&l.t, err);
    if (s == ASSAY_OK) s = read_rules(&l);
    if (s == ASSAY_OK) s = load(&l);
    if (s == ASSAY_OK)
        *t = l.t;
    else
        assay_tokenizer_free(l.t);
    return s;
}
