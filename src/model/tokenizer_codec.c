/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json of the Hugging Face tokenizers library: byte-level BPE without a splitting rule. Everything else is
 * refused by the path of the value in the file. Byte-level means that each byte is written as one printable character:
 * a byte that is a printable Latin-1 character as itself, the others, in order, as U+0100 and on. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JSON = 64 << 20, MAX_TOKENS = 1 << 22, MAX_GAP = 1 << 16, MAX_ADDED = 1 << 14, N_CHARACTERS = 256 + 68 };

typedef struct loader {
    assay_tokenizer *t;
    json_t *vocab, *merges, *added;
    size_t at; /* bytes used of t->bytes */
    int16_t byte_of[N_CHARACTERS];
    assay_errinfo *err;
} loader;

static assay_status unsupported(loader *l, const char *path)
{
    return ASSAY_FAIL(l->err, ASSAY_EUNSUPPORTED, path, "this version does not handle this value of tokenizer.json");
}

static assay_status malformed(loader *l, const char *path, const char *reason)
{
    return ASSAY_FAIL(l->err, ASSAY_EFORMAT, path, reason);
}

static assay_status no_memory(loader *l)
{
    return ASSAY_FAIL(l->err, ASSAY_ENOMEM, "tokenizer.json", "out of memory");
}

static void fill_byte_of(int16_t byte_of[N_CHARACTERS])
{
    int extra = 256;
    for (int i = 0; i < N_CHARACTERS; i++) byte_of[i] = -1;
    for (int b = 0; b < 256; b++) {
        bool printable = (b > 32 && b < 127) || (b > 160 && b != 173);
        byte_of[printable ? b : extra++] = (int16_t)b;
    }
}

/* One character of valid UTF-8 at *p, which moves past it. */
static uint32_t next_character(const char **p)
{
    const uint8_t *s = (const uint8_t *)*p;
    int more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t c = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) c = c << 6 | (s[i] & 0x3fu);
    *p += more + 1;
    return c;
}

/* The bytes that a token's text stands for, in out (room for strlen(text)); a text with a character that is no byte
 * stands for itself. */
static size_t token_bytes(const loader *l, uint8_t *out, const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p;) {
        uint32_t c = next_character(&p);
        if (c >= N_CHARACTERS || l->byte_of[c] < 0) {
            n = strlen(text);
            memcpy(out, text, n);
            return n;
        }
        out[n++] = (uint8_t)l->byte_of[c];
    }
    return n;
}

static bool is_null(const json_t *v)
{
    return !v || json_is_null(v);
}
static bool is_false(const json_t *v)
{
    return is_null(v) || json_is_false(v);
}
static bool is_empty(const json_t *v)
{
    return is_null(v) || (json_is_string(v) && json_string_length(v) == 0);
}

static bool has_type(const json_t *v, const char *type)
{
    const json_t *t = json_object_get(v, "type");
    return json_is_string(t) && strcmp(json_string_value(t), type) == 0;
}

/* Everything in the file that decides how text is cut and written. */
static assay_status check_kind(loader *l, json_t *root)
{
    const json_t *model = json_object_get(root, "model"), *pre = json_object_get(root, "pre_tokenizer");
    const json_t *post = json_object_get(root, "post_processor"), *dropout = json_object_get(model, "dropout");
    if (!has_type(model, "BPE")) return unsupported(l, "model.type");
    if (!is_null(dropout) && !(json_number_value(dropout) == 0.0 && json_is_number(dropout)))
        return unsupported(l, "model.dropout");
    if (!is_empty(json_object_get(model, "continuing_subword_prefix")))
        return unsupported(l, "model.continuing_subword_prefix");
    if (!is_empty(json_object_get(model, "end_of_word_suffix"))) return unsupported(l, "model.end_of_word_suffix");
    if (!is_false(json_object_get(model, "byte_fallback"))) return unsupported(l, "model.byte_fallback");
    if (!is_false(json_object_get(model, "ignore_merges"))) return unsupported(l, "model.ignore_merges");
    if (!is_null(json_object_get(root, "normalizer"))) return unsupported(l, "normalizer");
    if (!has_type(pre, "ByteLevel")) return unsupported(l, "pre_tokenizer.type");
    if (!json_is_false(json_object_get(pre, "use_regex"))) return unsupported(l, "pre_tokenizer.use_regex");
    if (!has_type(json_object_get(root, "decoder"), "ByteLevel")) return unsupported(l, "decoder.type");
    if (!is_null(post) && !has_type(post, "ByteLevel") && !has_type(post, "TemplateProcessing"))
        return unsupported(l, "post_processor.type");
    const json_t *space = json_object_get(pre, "add_prefix_space");
    l->t->prefix_space = !space || json_is_true(space);
    l->vocab = json_object_get(model, "vocab");
    l->merges = json_object_get(model, "merges");
    l->added = json_object_get(root, "added_tokens");
    if (!json_is_object(l->vocab)) return malformed(l, "model.vocab", "is not an object");
    if (!json_is_array(l->merges)) return malformed(l, "model.merges", "is not a list");
    if (!is_null(l->added) && !json_is_array(l->added)) return malformed(l, "added_tokens", "is not a list");
    return ASSAY_OK;
}

/* The id of a token, checked against the number of tokens; text and its length are checked too. */
static assay_status read_id(loader *l, uint32_t *id, const json_t *v, const char *text, const char *path)
{
    size_t limit = json_object_size(l->vocab) + json_array_size(l->added) + MAX_GAP;
    if (limit > MAX_TOKENS) limit = MAX_TOKENS;
    if (!json_is_integer(v) || json_integer_value(v) < 0) return malformed(l, path, "a token's id is no whole number");
    if ((uint64_t)json_integer_value(v) >= limit)
        return malformed(l, path, "a token's id is far above the number of tokens");
    size_t n = strlen(text);
    if (n == 0 || n > ASSAY_MAX_TOKEN_BYTES) return malformed(l, path, "a token is empty or too long");
    *id = (uint32_t)json_integer_value(v);
    return ASSAY_OK;
}

static const char *added_text(const json_t *v)
{
    const char *text = json_string_value(json_object_get(v, "content"));
    return text ? text : "";
}

/* Sizes: highest id and total of bytes. */
static assay_status measure(loader *l)
{
    const char *key;
    json_t *v;
    size_t total = 0, i;
    uint32_t id;
    json_object_foreach(l->vocab, key, v)
    {
        assay_status s = read_id(l, &id, v, key, "model.vocab");
        if (s != ASSAY_OK) return s;
        if (id >= l->t->vocab) l->t->vocab = id + 1;
        total += strlen(key);
    }
    json_array_foreach(l->added, i, v)
    {
        assay_status s = read_id(l, &id, json_object_get(v, "id"), added_text(v), "added_tokens");
        if (s != ASSAY_OK) return s;
        if (id >= l->t->vocab) l->t->vocab = id + 1;
        total += strlen(added_text(v));
    }
    if (l->t->vocab == 0) return malformed(l, "model.vocab", "is empty");
    if (total > UINT32_MAX) return malformed(l, "model.vocab", "is too large");
    l->t->token = assay_mem_alloc(l->t->vocab, sizeof *l->t->token);
    l->t->bytes = assay_mem_alloc(total, 1);
    if (!l->t->token || !l->t->bytes) return no_memory(l);
    return ASSAY_OK;
}

static assay_status fill_vocab(loader *l)
{
    const char *key;
    json_t *v;
    json_object_foreach(l->vocab, key, v)
    {
        assay_token *k = &l->t->token[json_integer_value(v)];
        if (k->kind != TOKEN_ABSENT) return malformed(l, "model.vocab", "two tokens have one id");
        k->at = (uint32_t)l->at;
        k->len = (uint32_t)token_bytes(l, l->t->bytes + l->at, key);
        k->kind = TOKEN_ORDINARY;
        l->at += k->len;
    }
    return ASSAY_OK;
}

/* The single bytes that text starts from: ordinary tokens of one byte. */
static void fill_byte_ids(assay_tokenizer *t)
{
    for (int b = 0; b < 256; b++) t->byte_id[b] = ASSAY_NO_TOKEN;
    for (uint32_t id = 0; id < t->vocab; id++)
        if (t->token[id].kind == TOKEN_ORDINARY && t->token[id].len == 1) t->byte_id[t->bytes[t->token[id].at]] = id;
}

static uint32_t vocab_id(const loader *l, const char *text)
{
    const json_t *v = json_object_get(l->vocab, text);
    return v ? (uint32_t)json_integer_value(v) : ASSAY_NO_TOKEN;
}

static assay_status fill_added(loader *l)
{
    static const char *const plain[] = {"single_word", "lstrip", "rstrip"};
    assay_tokenizer *t = l->t;
    size_t n = json_array_size(l->added), i;
    json_t *v;
    if (n == 0) return ASSAY_OK;
    if (n > MAX_ADDED) return malformed(l, "added_tokens", "is too long");
    t->added = assay_mem_alloc(n, sizeof *t->added);
    if (!t->added) return no_memory(l);
    json_array_foreach(l->added, i, v)
    {
        for (size_t j = 0; j < sizeof plain / sizeof *plain; j++)
            if (!is_false(json_object_get(v, plain[j])))
                return unsupported(l, "added_tokens.single_word, lstrip or rstrip");
        uint32_t id = (uint32_t)json_integer_value(json_object_get(v, "id"));
        assay_token *k = &t->token[id];
        if (k->kind == TOKEN_ADDED || k->kind == TOKEN_SPECIAL)
            return malformed(l, "added_tokens", "two tokens have one id");
        uint32_t known = vocab_id(l, added_text(v));
        if ((known != ASSAY_NO_TOKEN || k->kind != TOKEN_ABSENT) && known != id)
            return malformed(l, "added_tokens", "a token has another id or another text than in model.vocab");
        k->at = (uint32_t)l->at;
        k->len = (uint32_t)strlen(added_text(v));
        k->kind = json_is_true(json_object_get(v, "special")) ? TOKEN_SPECIAL : TOKEN_ADDED;
        memcpy(t->bytes + l->at, added_text(v), k->len);
        l->at += k->len;
        size_t to = t->n_added++;
        for (; to > 0 && t->token[t->added[to - 1]].len < k->len; to--) t->added[to] = t->added[to - 1];
        t->added[to] = id;
    }
    return ASSAY_OK;
}

/* The two parts of a merge, "left right" or ["left", "right"], as text; false when it is neither. */
static bool merge_parts(char left[ASSAY_MAX_TOKEN_BYTES + 1], char right[ASSAY_MAX_TOKEN_BYTES + 1], const json_t *v)
{
    const char *a = json_string_value(v), *b;
    size_t n;
    if (a) {
        const char *space = strchr(a, ' ');
        if (!space) return false;
        n = (size_t)(space - a);
        b = space + 1;
    } else {
        a = json_string_value(json_array_get(v, 0));
        b = json_string_value(json_array_get(v, 1));
        if (!a || !b || json_array_size(v) != 2) return false;
        n = strlen(a);
    }
    if (n > ASSAY_MAX_TOKEN_BYTES || strlen(b) > ASSAY_MAX_TOKEN_BYTES) return false;
    memcpy(left, a, n);
    left[n] = 0;
    memcpy(right, b, strlen(b) + 1);
    return true;
}

static assay_status fill_merge(loader *l, const json_t *v, uint32_t rank)
{
    char left[2 * ASSAY_MAX_TOKEN_BYTES + 1], right[ASSAY_MAX_TOKEN_BYTES + 1];
    if (!merge_parts(left, right, v)) return malformed(l, "model.merges", "a merge is not of two tokens");
    assay_merge m = {vocab_id(l, left), vocab_id(l, right), ASSAY_NO_TOKEN, rank};
    memcpy(left + strlen(left), right, strlen(right) + 1);
    m.out = vocab_id(l, left);
    if (m.left == ASSAY_NO_TOKEN || m.right == ASSAY_NO_TOKEN || m.out == ASSAY_NO_TOKEN)
        return malformed(l, "model.merges", "a merge has a part or a result that is no token");
    assay_merge *to = &l->t->merge[merge_slot(l->t, m.left, m.right)];
    if (to->out != ASSAY_NO_TOKEN) return malformed(l, "model.merges", "a merge comes twice");
    *to = m;
    return ASSAY_OK;
}

static assay_status fill_merges(loader *l)
{
    assay_tokenizer *t = l->t;
    size_t n = json_array_size(l->merges), i;
    json_t *v;
    if (n == 0) return ASSAY_OK;
    if (n > MAX_TOKENS) return malformed(l, "model.merges", "is too long");
    for (t->merge_cap = 16; t->merge_cap < 2 * n;) t->merge_cap *= 2;
    t->merge = assay_mem_alloc_raw(t->merge_cap, sizeof *t->merge);
    if (!t->merge) return no_memory(l);
    for (i = 0; i < t->merge_cap; i++) t->merge[i] = (assay_merge){0, 0, ASSAY_NO_TOKEN, 0};
    json_array_foreach(l->merges, i, v)
    {
        assay_status s = fill_merge(l, v, (uint32_t)i);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static assay_status load(loader *l, json_t *root)
{
    fill_byte_of(l->byte_of);
    assay_status s = check_kind(l, root);
    if (s == ASSAY_OK) s = measure(l);
    if (s == ASSAY_OK) s = fill_vocab(l);
    if (s != ASSAY_OK) return s;
    fill_byte_ids(l->t);
    s = fill_added(l);
    return s == ASSAY_OK ? fill_merges(l) : s;
}

assay_status assay_tokenizer_new(assay_tokenizer **t, const uint8_t *json, size_t n, assay_errinfo *err)
{
    json_error_t e;
    *t = NULL;
    if (n > MAX_JSON) return ASSAY_FAIL2(err, ASSAY_ERANGE, "tokenizer.json", "too large (bytes, limit)", n, MAX_JSON);
    json_t *root = json_loadb((const char *)json, n, JSON_REJECT_DUPLICATES, &e);
    if (!root)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, "tokenizer.json", "is not valid JSON (line, column)", e.line, e.column);
    loader l = {assay_mem_alloc(1, sizeof *l.t), NULL, NULL, NULL, 0, {0}, err};
    assay_status s = l.t ? load(&l, root) : no_memory(&l);
    json_decref(root);
    if (s != ASSAY_OK) {
        assay_tokenizer_free(l.t);
    } else {
        *t = l.t;
    }
    return s;
}
