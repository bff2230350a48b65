/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json of the Hugging Face tokenizers library: vocabulary, merges and added tokens. A byte-level vocabulary
 * writes each byte as one printable character: a byte that is a printable Latin-1 character as itself, the others, in
 * order, as U+0100 and on. */
#include "base/mem.h"
#include "model/json_tree.h"
#include "model/tokenizer_impl.h"
#include "model/unicode.h"
#include <string.h>

enum { MAX_JSON = 64 << 20, MAX_GAP = 1 << 16, N_CHARACTERS = 256 + 68 };

typedef struct loader {
    assay_tokenizer *t;
    json_t *vocab, *merges, *added;
    assay_errinfo *err;
} loader;

static assay_status malformed(loader *l, const char *path, const char *reason)
{
    return ASSAY_FAIL(l->err, ASSAY_EFORMAT, path, reason);
}

/* The byte that a character stands for, or -1. */
static int byte_of(uint32_t c)
{
    if (c < 256) return (c > 32 && c < 127) || (c > 160 && c != 173) ? (int)c : -1;
    if (c >= N_CHARACTERS) return -1;
    c -= 256; /* the c-th byte that is not printable: 0 .. 32, 127 .. 160, 173 */
    return (int)(c <= 32 ? c : c <= 66 ? 127 + (c - 33) : 173);
}

bool assay_byte_level_decode(uint8_t *out, size_t *n_out, const char *text, size_t n)
{
    const uint8_t *s = (const uint8_t *)text;
    *n_out = 0;
    for (size_t at = 0, len; at < n; at += len) {
        int b = byte_of(assay_utf8_read(s + at, n - at, &len));
        if (b < 0) {
            memcpy(out, text, n);
            *n_out = n;
            return false;
        }
        out[(*n_out)++] = (uint8_t)b;
    }
    return true;
}

/* The id of a token, checked against the number of tokens; text and its length are checked too. */
static assay_status read_id(loader *l, uint32_t *id, const json_t *v, size_t n, const char *path)
{
    size_t limit = json_object_size(l->vocab) + json_array_size(l->added) + MAX_GAP;
    if (limit > ASSAY_MAX_TOKENS) limit = ASSAY_MAX_TOKENS;
    if (!json_is_integer(v) || json_integer_value(v) < 0) return malformed(l, path, "a token's id is no whole number");
    if ((uint64_t)json_integer_value(v) >= limit)
        return malformed(l, path, "a token's id is far above the number of tokens");
    if (n == 0 || n > ASSAY_MAX_TOKEN_BYTES) return malformed(l, path, "a token is empty or too long");
    *id = (uint32_t)json_integer_value(v);
    return ASSAY_OK;
}

static const char *added_text(const json_t *v, size_t *n)
{
    const json_t *text = json_object_get(v, "content");
    *n = json_string_length(text);
    return json_string_value(text);
}

/* Sizes: highest id and total of bytes. */
static assay_status measure(loader *l)
{
    const char *key;
    json_t *v;
    size_t total = 0, i, n;
    uint32_t id, vocab = 0;
    json_object_foreach(l->vocab, key, v)
    {
        assay_status s = read_id(l, &id, v, strlen(key), "model.vocab");
        if (s != ASSAY_OK) return s;
        if (id >= vocab) vocab = id + 1;
        total += strlen(key);
    }
    json_array_foreach(l->added, i, v)
    {
        (void)added_text(v, &n);
        assay_status s = read_id(l, &id, json_object_get(v, "id"), n, "added_tokens");
        if (s != ASSAY_OK) return s;
        if (id >= vocab) vocab = id + 1;
        total += n;
    }
    if (vocab == 0) return malformed(l, "model.vocab", "is empty");
    return assay_tokenizer_reserve(l->t, vocab, total, l->err);
}

/* <0x0A> and its like. */
static bool is_byte_name(uint8_t *byte, const char *text, size_t n)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *high = n == 6 && text[3] ? strchr(digits, text[3]) : NULL;
    const char *low = n == 6 && text[4] ? strchr(digits, text[4]) : NULL;
    if (!high || !low || memcmp(text, "<0x", 3) != 0 || text[5] != '>') return false;
    *byte = (uint8_t)((high - digits) << 4 | (low - digits));
    return true;
}

assay_status assay_tokenizer_put_text(assay_tokenizer *t, uint32_t id, const char *text, size_t n, const char *path,
                                      assay_errinfo *err)
{
    uint8_t bytes[ASSAY_MAX_TOKEN_BYTES];
    bool reachable = true;
    if (n == 0 || n > sizeof bytes) return ASSAY_FAIL(err, ASSAY_EFORMAT, path, "a token is empty or too long");
    if (t->rules & RULE_BYTE_LEVEL)
        reachable = assay_byte_level_decode(bytes, &n, text, n);
    else if ((t->rules & RULE_BYTE_FALLBACK) && is_byte_name(bytes, text, n))
        return assay_tokenizer_put(t, id, bytes, 1, TOKEN_BYTE, true, path, err);
    else
        memcpy(bytes, text, n);
    return assay_tokenizer_put(t, id, bytes, n, TOKEN_ORDINARY, reachable, path, err);
}

static assay_status fill_vocab(loader *l)
{
    const char *key;
    json_t *v;
    assay_status s;
    json_object_foreach(l->vocab, key, v)
    {
        s = assay_tokenizer_put_text(l->t, (uint32_t)json_integer_value(v), key, strlen(key), "model.vocab", l->err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static assay_status fill_added(loader *l)
{
    const char *const path = "added_tokens";
    size_t i, n;
    json_t *v;
    assay_status s = assay_tokenizer_reserve_added(l->t, json_array_size(l->added), path, l->err);
    if (s != ASSAY_OK) return s;
    json_array_foreach(l->added, i, v)
    {
        const char *text = added_text(v, &n);
        const json_t *known = json_object_get(l->vocab, text), *normalized = json_object_get(v, "normalized");
        assay_added a = {.id = (uint32_t)json_integer_value(json_object_get(v, "id")),
                         .lstrip = json_is_true(json_object_get(v, "lstrip")),
                         .rstrip = json_is_true(json_object_get(v, "rstrip")),
                         .single_word = json_is_true(json_object_get(v, "single_word"))};
        bool special = json_is_true(json_object_get(v, "special"));
        a.normalized = normalized ? json_is_true(normalized) : !special;
        const assay_token *there = &l->t->token[a.id];
        if (known ? (uint64_t)json_integer_value(known) != a.id
                  : there->kind == TOKEN_ORDINARY || there->kind == TOKEN_BYTE)
            return malformed(l, path, "a token has another id or another text than in model.vocab");
        s = assay_tokenizer_put_added(l->t, &a, text, n, special ? TOKEN_SPECIAL : TOKEN_ADDED, path, l->err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

/* The token with this text in the file, or ASSAY_NO_TOKEN. */
static uint32_t find_text(const assay_tokenizer *t, const char *text, size_t n)
{
    uint8_t bytes[ASSAY_MAX_TOKEN_BYTES];
    if (n == 0 || n > sizeof bytes) return ASSAY_NO_TOKEN;
    if (!(t->rules & RULE_BYTE_LEVEL)) return assay_tokenizer_find(t, text, n);
    return assay_byte_level_decode(bytes, &n, text, n) ? assay_tokenizer_find(t, bytes, n) : ASSAY_NO_TOKEN;
}

bool assay_tokenizer_split_merge(const assay_tokenizer *t, uint32_t *left, uint32_t *right, const char *text, size_t n)
{
    const char *space = memchr(text, ' ', n);
    if (!space) return false;
    size_t before = (size_t)(space - text);
    *left = find_text(t, text, before);
    *right = find_text(t, space + 1, n - before - 1);
    return true;
}

/* A merge is "left right" or ["left", "right"]. */
static assay_status fill_merge(loader *l, const json_t *v, uint32_t rank)
{
    const json_t *a = json_array_get(v, 0), *b = json_array_get(v, 1);
    uint32_t left, right;
    bool good = json_is_string(a) && json_is_string(b) && json_array_size(v) == 2;
    if (good) {
        left = find_text(l->t, json_string_value(a), json_string_length(a));
        right = find_text(l->t, json_string_value(b), json_string_length(b));
    } else if (json_is_string(v)) {
        good = assay_tokenizer_split_merge(l->t, &left, &right, json_string_value(v), json_string_length(v));
    }
    if (!good) return malformed(l, "model.merges", "a merge is not of two tokens");
    return assay_tokenizer_put_merge(l->t, left, right, rank, "model.merges", l->err);
}

static assay_status fill_merges(loader *l)
{
    size_t i;
    json_t *v;
    assay_status s = assay_tokenizer_reserve_merges(l->t, json_array_size(l->merges), l->err);
    if (s != ASSAY_OK) return s;
    json_array_foreach(l->merges, i, v)
    {
        s = fill_merge(l, v, (uint32_t)i);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static assay_status fill_unknown(loader *l, const json_t *v)
{
    if (!v || json_is_null(v)) return ASSAY_OK;
    const json_t *id = json_is_string(v) ? json_object_get(l->vocab, json_string_value(v)) : NULL;
    if (!id) return malformed(l, "model.unk_token", "is not a token");
    l->t->unknown = (uint32_t)json_integer_value(id);
    return ASSAY_OK;
}

static assay_status load(loader *l, const json_t *root)
{
    const json_t *model = json_object_get(root, "model");
    assay_status s = assay_tokenizer_read_rules(l->t, root, l->err);
    if (s != ASSAY_OK) return s;
    l->vocab = json_object_get(model, "vocab");
    l->merges = json_object_get(model, "merges");
    l->added = json_object_get(root, "added_tokens");
    if (!json_is_object(l->vocab)) return malformed(l, "model.vocab", "is not an object");
    if (!json_is_array(l->merges)) return malformed(l, "model.merges", "is not a list");
    if (l->added && !json_is_null(l->added) && !json_is_array(l->added))
        return malformed(l, "added_tokens", "is not a list");
    s = measure(l);
    if (s == ASSAY_OK) s = fill_vocab(l);
    if (s == ASSAY_OK) s = fill_added(l);
    if (s == ASSAY_OK) s = fill_unknown(l, json_object_get(model, "unk_token"));
    if (s == ASSAY_OK) s = assay_tokenizer_index(l->t, "model.vocab", l->err);
    if (s == ASSAY_OK) s = fill_merges(l);
    return s == ASSAY_OK ? assay_tokenizer_finish(l->t, l->err) : s;
}

assay_status assay_tokenizer_new(assay_tokenizer **t, const uint8_t *file, size_t n, assay_errinfo *err)
{
    const size_t magic = sizeof ASSAY_TOKENIZER_MAGIC - 1;
    *t = NULL;
    if (n >= magic && memcmp(file, ASSAY_TOKENIZER_MAGIC, magic) == 0) return assay_tokenizer_unpack(t, file, n, err);
    json_t *root;
    assay_status s = assay_json_tree(&root, "tokenizer.json", file, n, MAX_JSON, 0, err);
    if (s != ASSAY_OK) return s;
    loader l = {NULL, NULL, NULL, NULL, err};
    s = assay_tokenizer_blank(&l.t, err);
    if (s == ASSAY_OK) s = load(&l, root);
    json_decref(root);
    if (s == ASSAY_OK)
        *t = l.t;
    else
        assay_tokenizer_free(l.t);
    return s;
}
