/* SPDX-License-Identifier: Apache-2.0 */
/* Identity of a commitment, and requests as values. */
#include "cp/public.h"

#include "base/mem.h"
#include "hash/sha256.h"
#include <string.h>

void assay_public_clear(assay_public *p)
{
    assay_model_config_clear(&p->cfg);
    memset(p, 0, sizeof *p);
}

/* ID = SHA-256("assay id 1" || SHA-256(configuration) || SHA-256(tokenizer) || le32 security, c, a, jb || weight root).
 */
assay_status assay_public_identify(assay_public *p, assay_errinfo *err)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_model_config_encode(&w, &p->cfg);
    bool bad = w.bad;
    if (!bad) assay_sha256_digest(p->cfg_hash, w.p, w.n);
    assay_writer_clear(&w);
    if (bad) return ASSAY_FAIL(err, ASSAY_ENOMEM, "configuration", "out of memory");

    assay_sha256 s;
    uint8_t b[16];
    assay_store_u32(b, p->params.security);
    assay_store_u32(b + 4, p->params.c);
    assay_store_u32(b + 8, p->params.a);
    assay_store_u32(b + 12, p->params.jb);
    assay_sha256_init(&s);
    assay_sha256_update(&s, "assay id 1", 10);
    assay_sha256_update(&s, p->cfg_hash, 32);
    assay_sha256_update(&s, p->tokenizer_hash, 32);
    assay_sha256_update(&s, b, sizeof b);
    assay_sha256_update(&s, p->root, 32);
    assay_sha256_final(&s, p->id);
    return ASSAY_OK;
}

assay_status assay_request_new(assay_request *r, const uint32_t *ids, uint32_t n_prompt, uint32_t n_tokens, uint32_t y,
                               const void *context, size_t n_context, assay_errinfo *err)
{
    memset(r, 0, sizeof *r);
    if (n_prompt == 0) return ASSAY_FAIL(err, ASSAY_ERANGE, "prompt", "is empty");
    if (n_tokens < n_prompt || n_tokens > ASSAY_MAX_TOKENS)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "request", "number of tokens is out of range", n_tokens,
                           ASSAY_MAX_TOKENS);
    if (n_context > ASSAY_MAX_CONTEXT)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "context", "is longer than allowed", n_context, ASSAY_MAX_CONTEXT);
    r->ids = assay_mem_alloc((size_t)n_tokens + 1, sizeof *r->ids);
    if (!r->ids) return ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory");
    memcpy(r->ids, ids, n_tokens * sizeof *ids);
    r->ids[n_tokens] = y;
    r->n_prompt = n_prompt;
    r->n_tokens = n_tokens;
    if (n_context) memcpy(r->context, context, n_context);
    r->n_context = (uint32_t)n_context;
    return ASSAY_OK;
}

void assay_request_clear(assay_request *r)
{
    assay_mem_free(r->ids);
    memset(r, 0, sizeof *r);
}

assay_status assay_request_check(const assay_request *r, const assay_model_config *cfg, assay_errinfo *err)
{
    if (r->n_tokens > cfg->max_positions)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "request", "has more tokens than the model's context", r->n_tokens,
                           cfg->max_positions);
    assay_status s = assay_model_prompt_check(cfg, r->ids, r->n_prompt, err);
    if (s != ASSAY_OK) return s;
    for (uint32_t i = 0; i <= r->n_tokens; i++)
        if (r->ids[i] >= cfg->vocab)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, i < r->n_tokens ? "request" : "next token",
                               "token id is outside the vocabulary", r->ids[i], cfg->vocab);
    return ASSAY_OK;
}
