/* SPDX-License-Identifier: Apache-2.0 */
/* assay/text.h over the tokenizer and the public configuration. */
#include "assay/text.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "cp/public.h"
#include "hash/sha256.h"
#include "model/chat.h"
#include "model/tokenizer.h"
#include <string.h>

struct assay_text {
    assay_public pub; /* of which cfg and tokenizer_hash are known */
    assay_tokenizer *tokenizer;
};

assay_status assay_text_new(assay_text **out, const void *config, size_t n_config, const void *tokenizer,
                            size_t n_tokenizer, assay_errinfo *err)
{
    uint8_t digest[32];
    *out = NULL;
    if (!config || !tokenizer) return ASSAY_FAIL(err, ASSAY_EINVAL, "text", "a pointer is NULL");
    assay_text *t = assay_mem_alloc(1, sizeof *t);
    if (!t) return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
    assay_status s = assay_config_decode(&t->pub, config, n_config, err);
    assay_sha256_digest(digest, tokenizer, n_tokenizer);
    if (s == ASSAY_OK && memcmp(t->pub.tokenizer_hash, digest, 32) != 0)
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, "tokenizer.json", "is not the one that config.bin names");
    if (s == ASSAY_OK) s = assay_tokenizer_new(&t->tokenizer, tokenizer, n_tokenizer, err);
    if (s == ASSAY_OK)
        *out = t;
    else
        assay_text_free(t);
    return s;
}

void assay_text_free(assay_text *t)
{
    if (!t) return;
    assay_tokenizer_free(t->tokenizer);
    assay_public_clear(&t->pub);
    assay_mem_free(t);
}

assay_status assay_text_encode(const assay_text *t, assay_ids *out, const char *text, size_t n, assay_errinfo *err)
{
    out->p = NULL;
    out->n = 0;
    return assay_tokenizer_encode(t->tokenizer, text, n, 0, &out->p, &out->n, err);
}

assay_status assay_text_prompt(const assay_text *t, assay_ids *out, const char *text, size_t n, assay_errinfo *err)
{
    assay_ids plain;
    assay_status s = assay_text_encode(t, &plain, text, n, err);
    out->p = NULL;
    out->n = 0;
    if (s != ASSAY_OK) return s;
    if (t->pub.cfg.bos < 0) {
        *out = plain;
        return ASSAY_OK;
    }
    out->p = assay_mem_alloc(plain.n + 1, sizeof *out->p);
    if (out->p) {
        out->p[0] = (uint32_t)t->pub.cfg.bos;
        if (plain.n) memcpy(out->p + 1, plain.p, plain.n * sizeof *plain.p);
        out->n = plain.n + 1;
    } else {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "prompt", "out of memory");
    }
    assay_ids_free(&plain);
    return s;
}

assay_status assay_text_chat(const assay_text *t, assay_ids *out, const char *system, size_t n_system, const char *user,
                             size_t n_user, assay_errinfo *err)
{
    const assay_turn turn = {user, n_user};
    return assay_text_dialogue(t, out, system, n_system, &turn, 1, err);
}

assay_status assay_text_dialogue(const assay_text *t, assay_ids *out, const char *system, size_t n_system,
                                 const assay_turn *turns, size_t n, assay_errinfo *err)
{
    out->p = NULL;
    out->n = 0;
    return assay_chat_dialogue(t->tokenizer, &out->p, &out->n, system, n_system, turns, n, err);
}

const char *assay_text_chat_family(const assay_text *t)
{
    return assay_chat_name(assay_tokenizer_chat(t->tokenizer)->family);
}

assay_status assay_text_decode(const assay_text *t, assay_buffer *out, const uint32_t *ids, size_t n,
                               assay_errinfo *err)
{
    char *text = NULL;
    size_t n_text = 0;
    out->p = NULL;
    out->n = 0;
    assay_status s = assay_tokenizer_decode(t->tokenizer, ids, n, &text, &n_text, err);
    if (s != ASSAY_OK) return s;
    out->p = (uint8_t *)text;
    out->n = n_text;
    return ASSAY_OK;
}

int assay_text_is_stop(const assay_text *t, uint32_t id)
{
    for (uint32_t i = 0; i < t->pub.cfg.n_stop; i++)
        if (t->pub.cfg.stop[i] == id) return 1;
    return 0;
}

uint32_t assay_text_vocabulary(const assay_text *t)
{
    return t->pub.cfg.vocab;
}

uint32_t assay_text_max_tokens(const assay_text *t)
{
    return t->pub.cfg.max_positions;
}
