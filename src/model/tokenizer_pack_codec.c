/* SPDX-License-Identifier: Apache-2.0 */
/* The packed form of a tokenizer: what a commitment stores when no tokenizer.json holds everything. Laid out in
 * docs/formats.md. */
#include "base/bytes.h"
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include <string.h>

enum { VERSION = 1, MAX_PACKED = 32 << 20, ADDED_LSTRIP = 1, ADDED_RSTRIP = 2, ADDED_WORD = 4, ADDED_NORMALIZED = 8 };
enum { CHAT_BOS = 1, CHAT_SYSTEM = 2 };

static const char path[] = "packed tokenizer";

/* --- Writing --------------------------------------------------------------------------------------------------------
 */

static void write_text(assay_writer *w, const void *p, size_t n)
{
    assay_write_u16(w, (uint16_t)n);
    assay_write_bytes(w, p, n);
}

static void write_chat(assay_writer *w, const assay_chat *c)
{
    assay_write_u8(w, (uint8_t)c->family);
    assay_write_u8(w, (uint8_t)((c->bos ? CHAT_BOS : 0) | (c->has_system ? CHAT_SYSTEM : 0)));
    write_text(w, c->system, strlen(c->system));
    write_text(w, c->open, strlen(c->open));
    write_text(w, c->close, strlen(c->close));
}

/* Added tokens that no file has given bytes of their own are written with the added ones only. */
static bool is_added_only(const assay_tokenizer *t, uint32_t id)
{
    const assay_token *k = &t->token[id];
    if (k->kind != TOKEN_ADDED && k->kind != TOKEN_SPECIAL) return false;
    for (size_t i = 0; i < t->n_added; i++)
        if (t->added[i].id == id) return k->at == t->added[i].text;
    return false;
}

static void write_tokens(assay_writer *w, const assay_tokenizer *t)
{
    assay_write_u32(w, t->vocab);
    for (uint32_t id = 0; id < t->vocab; id++) {
        const assay_token *k = &t->token[id];
        bool absent = k->kind == TOKEN_ABSENT || is_added_only(t, id);
        assay_write_u8(w, absent ? TOKEN_ABSENT : k->kind == TOKEN_BYTE ? TOKEN_BYTE : TOKEN_ORDINARY);
        if (absent) continue;
        assay_write_u8(w, k->in_model);
        write_text(w, t->bytes + k->at, k->len);
        if (t->rules & RULE_BY_RANK) assay_write_u32(w, k->rank);
    }
}

static void write_added(assay_writer *w, const assay_tokenizer *t)
{
    assay_write_u32(w, (uint32_t)t->n_added);
    for (size_t i = 0; i < t->n_added; i++) {
        const assay_added *a = &t->added[i];
        assay_write_u32(w, a->id);
        assay_write_u8(w, t->token[a->id].kind);
        assay_write_u8(w, (uint8_t)((a->lstrip ? ADDED_LSTRIP : 0) | (a->rstrip ? ADDED_RSTRIP : 0) |
                                    (a->single_word ? ADDED_WORD : 0) | (a->normalized ? ADDED_NORMALIZED : 0)));
        write_text(w, t->bytes + a->text, a->len);
    }
}

/* Merges in the order of their ranks, which are 0, 1, ... then. */
static assay_status write_merges(assay_writer *w, const assay_tokenizer *t, assay_errinfo *err)
{
    size_t n = t->rules & RULE_BY_RANK ? 0 : t->n_merges;
    assay_write_u32(w, (uint32_t)n);
    if (n == 0) return ASSAY_OK;
    const assay_merge **order = assay_mem_alloc(n, sizeof *order);
    if (!order) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    for (size_t i = 0; i < t->merge_cap; i++)
        if (t->merge[i].out != ASSAY_NO_TOKEN) order[t->merge[i].rank] = &t->merge[i];
    for (size_t i = 0; i < n; i++) {
        assay_write_u32(w, order[i]->left);
        assay_write_u32(w, order[i]->right);
    }
    assay_mem_free(order);
    return ASSAY_OK;
}

assay_status assay_tokenizer_pack(const assay_tokenizer *t, uint8_t **out, size_t *n, assay_errinfo *err)
{
    assay_writer w;
    *out = NULL;
    *n = 0;
    assay_writer_init(&w, MAX_PACKED);
    assay_write_bytes(&w, ASSAY_TOKENIZER_MAGIC, sizeof ASSAY_TOKENIZER_MAGIC - 1);
    assay_write_u32(&w, VERSION);
    assay_write_u32(&w, t->rules);
    assay_write_u8(&w, (uint8_t)t->n_cuts);
    for (size_t i = 0; i < t->n_cuts; i++) assay_write_u8(&w, (uint8_t)t->cut[i]);
    assay_write_u32(&w, t->unknown);
    assay_write_u32(&w, t->bos);
    assay_write_u32(&w, t->eos);
    write_chat(&w, &t->chat);
    write_tokens(&w, t);
    write_added(&w, t);
    assay_status s = write_merges(&w, t, err);
    if (s == ASSAY_OK && w.bad)
        s = ASSAY_FAIL1(err, ASSAY_ENOMEM, path, "out of memory, or too large (limit in bytes)", MAX_PACKED);
    if (s != ASSAY_OK) {
        assay_writer_clear(&w);
        return s;
    }
    *out = w.p;
    *n = w.n;
    return ASSAY_OK;
}

/* --- Reading --------------------------------------------------------------------------------------------------------
 */

static assay_status malformed(assay_errinfo *err, const char *reason)
{
    return ASSAY_FAIL(err, ASSAY_EFORMAT, path, reason);
}

static const uint8_t *read_text(assay_reader *r, size_t *n)
{
    *n = assay_read_u16(r);
    return assay_read_bytes(r, *n);
}

/* A text into a zero-terminated array; false when it does not fit or holds a zero byte. */
static bool read_string(assay_reader *r, char *out, size_t room)
{
    size_t n;
    const uint8_t *p = read_text(r, &n);
    if (!p || n >= room || memchr(p, 0, n)) return false;
    memcpy(out, p, n);
    out[n] = 0;
    return true;
}

static assay_status read_chat(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    assay_chat *c = &t->chat;
    uint8_t family = assay_read_u8(r), flags = assay_read_u8(r);
    if (family > ASSAY_CHAT_LAST || flags > (CHAT_BOS | CHAT_SYSTEM))
        return ASSAY_FAIL2(err, ASSAY_EUNSUPPORTED, path, "unknown chat template (family, flags)", family, flags);
    c->family = (assay_chat_family)family;
    c->bos = (flags & CHAT_BOS) != 0;
    c->has_system = (flags & CHAT_SYSTEM) != 0;
    if (!read_string(r, c->system, sizeof c->system) || !read_string(r, c->open, sizeof c->open) ||
        !read_string(r, c->close, sizeof c->close))
        return malformed(err, "a text of the chat template is too long or cut off");
    return ASSAY_OK;
}

static assay_status read_rules(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    t->rules = assay_read_u32(r);
    t->n_cuts = assay_read_u8(r);
    if (t->rules > RULE_ALL || t->n_cuts > ASSAY_MAX_CUTS)
        return ASSAY_FAIL2(err, ASSAY_EUNSUPPORTED, path, "unknown rules (flags, steps)", t->rules, t->n_cuts);
    for (size_t i = 0; i < t->n_cuts; i++) {
        uint8_t cut = assay_read_u8(r);
        if (cut == 0 || cut > ASSAY_CUT_LAST) return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, path, "unknown step", cut);
        t->cut[i] = (assay_cut)cut;
    }
    t->unknown = assay_read_u32(r);
    t->bos = assay_read_u32(r);
    t->eos = assay_read_u32(r);
    return read_chat(t, r, err);
}

static assay_status read_tokens(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    uint32_t vocab = assay_read_u32(r);
    if (vocab > assay_reader_left(r)) return malformed(err, "is cut off");
    /* The texts of all tokens and added tokens are no longer than what is left of the file. */
    assay_status s = assay_tokenizer_reserve(t, vocab, assay_reader_left(r), err);
    for (uint32_t id = 0; s == ASSAY_OK && id < vocab; id++) {
        size_t n;
        uint8_t kind = assay_read_u8(r);
        if (kind == TOKEN_ABSENT) continue;
        uint8_t in_model = assay_read_u8(r);
        const uint8_t *text = read_text(r, &n);
        uint32_t rank = t->rules & RULE_BY_RANK ? assay_read_u32(r) : 0;
        if (r->bad || kind > TOKEN_BYTE || in_model > 1 || (kind == TOKEN_BYTE && n != 1))
            return malformed(err, "a token is cut off or of no known kind");
        s = assay_tokenizer_put(t, id, text, n, (assay_token_kind)kind, in_model, path, err);
        t->token[id].rank = rank;
    }
    return s;
}

static assay_status read_added(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    uint32_t count = assay_read_u32(r);
    assay_status s = assay_tokenizer_reserve_added(t, count, path, err);
    for (uint32_t i = 0; s == ASSAY_OK && i < count; i++) {
        size_t n;
        assay_added a = {.id = assay_read_u32(r)};
        uint8_t kind = assay_read_u8(r), flags = assay_read_u8(r);
        const uint8_t *text = read_text(r, &n);
        if (r->bad || (kind != TOKEN_ADDED && kind != TOKEN_SPECIAL) ||
            flags > (ADDED_LSTRIP | ADDED_RSTRIP | ADDED_WORD | ADDED_NORMALIZED))
            return malformed(err, "an added token is cut off or of no known kind");
        a.lstrip = (flags & ADDED_LSTRIP) != 0;
        a.rstrip = (flags & ADDED_RSTRIP) != 0;
        a.single_word = (flags & ADDED_WORD) != 0;
        a.normalized = (flags & ADDED_NORMALIZED) != 0;
        s = assay_tokenizer_put_added(t, &a, text, n, (assay_token_kind)kind, path, err);
    }
    return s;
}

static assay_status read_merges(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    uint32_t count = assay_read_u32(r);
    if (r->bad || assay_reader_left(r) != (size_t)count * 8) return malformed(err, "is cut off or too long");
    if (t->rules & RULE_BY_RANK)
        return count ? malformed(err, "has merges beside ranks") : assay_tokenizer_merges_of_ranks(t, path, err);
    assay_status s = assay_tokenizer_reserve_merges(t, count, err);
    for (uint32_t i = 0; s == ASSAY_OK && i < count; i++) {
        uint32_t left = assay_read_u32(r), right = assay_read_u32(r);
        s = assay_tokenizer_put_merge(t, left, right, i, path, err);
    }
    return s;
}

static assay_status unpack(assay_tokenizer *t, assay_reader *r, assay_errinfo *err)
{
    uint32_t version = assay_read_u32(r);
    if (version != VERSION) return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, path, "unknown version", version);
    assay_status s = read_rules(t, r, err);
    if (s == ASSAY_OK) s = read_tokens(t, r, err);
    if (s == ASSAY_OK) s = read_added(t, r, err);
    if (s == ASSAY_OK) s = assay_tokenizer_index(t, path, err);
    if (s == ASSAY_OK) s = read_merges(t, r, err);
    return s == ASSAY_OK ? assay_tokenizer_finish(t, err) : s;
}

assay_status assay_tokenizer_unpack(assay_tokenizer **t, const uint8_t *p, size_t n, assay_errinfo *err)
{
    const size_t magic = sizeof ASSAY_TOKENIZER_MAGIC - 1;
    assay_tokenizer *made = NULL;
    *t = NULL;
    if (n > MAX_PACKED) return ASSAY_FAIL2(err, ASSAY_ERANGE, path, "too large (bytes, limit)", n, MAX_PACKED);
    if (n < magic) return malformed(err, "is cut off");
    assay_reader r = assay_reader_of(p + magic, n - magic);
    assay_status s = assay_tokenizer_blank(&made, err);
    if (s == ASSAY_OK) s = unpack(made, &r, err);
    if (s == ASSAY_OK)
        *t = made;
    else
        assay_tokenizer_free(made);
    return s;
}
