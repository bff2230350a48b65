/* SPDX-License-Identifier: Apache-2.0 */
/* Replies and proofs of a committed model. */
#include "assay/prove.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cp/commitment.h"
#include <string.h>

void assay_commitment_count(const assay_commitment *c, uint64_t *spent, uint64_t *allowed)
{
    if (spent) *spent = c->counter.spent;
    if (allowed) *allowed = c->counter.allowed;
}

/* Prompt and room for the reply, checked against the model. */
static assay_status prepare(uint32_t **ids, const assay_model_config *cfg, const uint32_t *prompt, uint32_t n_prompt,
                            uint32_t n_new, assay_errinfo *err)
{
    *ids = NULL;
    if (n_prompt == 0) return ASSAY_FAIL(err, ASSAY_ERANGE, "prompt", "is empty");
    if (n_prompt > cfg->max_positions)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "has more tokens than the model's context", n_prompt,
                           cfg->max_positions);
    if (n_new > cfg->max_positions - n_prompt)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt",
                           "with the reply asked for has more tokens than the model's context",
                           (uint64_t)n_prompt + n_new, cfg->max_positions);
    for (uint32_t i = 0; i < n_prompt; i++)
        if (prompt[i] >= cfg->vocab)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "token id is outside the vocabulary", prompt[i],
                               cfg->vocab);
    *ids = assay_mem_alloc((size_t)n_prompt + n_new + 1, sizeof **ids);
    if (!*ids) return ASSAY_FAIL(err, ASSAY_ENOMEM, "reply", "out of memory");
    memcpy(*ids, prompt, n_prompt * sizeof *prompt);
    return ASSAY_OK;
}

void assay_commitment_watch(assay_commitment *c, const assay_progress *progress)
{
    c->watch = progress ? *progress : (assay_progress){NULL, NULL};
}

assay_status assay_commitment_reply(assay_commitment *c, assay_request **out, const uint32_t *prompt, uint32_t n_prompt,
                                    uint32_t n_new, const void *context, size_t n_context, assay_errinfo *err)
{
    const assay_run_options opt = {.pool = c->pool, .progress = c->watch};
    assay_tables tables;
    uint32_t *ids = NULL, n = 0, next = 0;
    memset(&tables, 0, sizeof tables);
    *out = NULL;
    assay_status s = prepare(&ids, &c->pub.cfg, prompt, n_prompt, n_new, err);
    if (s == ASSAY_OK) s = assay_tables_new(&tables, &c->pub.cfg, n_prompt + n_new, err);
    if (s == ASSAY_OK) s = assay_model_reply(&c->model, &tables, ids, n_prompt, n_new, &n, &next, &opt, err);
    if (s == ASSAY_OK) s = assay_request_make(out, ids, n_prompt, n, next, context, n_context, err);
    assay_tables_clear(&tables);
    assay_mem_free(ids);
    return s;
}

/* One proof a writer, written off when all are there. */
static assay_status prove_all(assay_commitment *c, assay_writer *w, assay_buffer *proofs,
                              const assay_request *const *requests, size_t n, const assay_policy *policy, size_t *at,
                              const assay_progress *progress, assay_errinfo *err)
{
    const assay_prover_key key = {&c->pub, &c->model, &c->rows, c->tree, c->key.seed};
    assay_status s = assay_cp_prove_many(w, &key, requests, n, policy, &c->be, progress, NULL, at, err);
    if (s == ASSAY_OK) s = assay_progress_tell(progress, "writing the counter", 0.99, err);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++)
        s = assay_counter_take(&c->counter, err); /* before a proof leaves this function */
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) s = assay_buffer_take(&proofs[i], &w[i], "proof", err);
    return s;
}

assay_status assay_commitment_prove_within(assay_commitment *c, assay_buffer *proofs,
                                           const assay_request *const *requests, size_t n, const assay_policy *policy,
                                           size_t *failed, const assay_progress *progress, assay_errinfo *err)
{
    size_t at = 0;
    assay_status s = ASSAY_OK;
    if (failed) *failed = 0;
    for (size_t i = 0; i < n; i++) proofs[i] = (assay_buffer){NULL, 0};
    if (n == 0) return ASSAY_FAIL(err, ASSAY_EINVAL, "requests", "are none");
    if (!c->can_prove) return ASSAY_FAIL(err, ASSAY_EINVAL, "commitment", "was opened for replies only");
    if ((s = assay_counter_left(&c->counter, n, err)) != ASSAY_OK) return s;
    for (; at < n && s == ASSAY_OK; at++) s = assay_request_check(requests[at], &c->pub.cfg, err);
    assay_writer *w = s == ASSAY_OK ? assay_mem_alloc(n, sizeof *w) : NULL;
    if (s != ASSAY_OK) {
        at--;
    } else if (!w) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "proofs", "out of memory");
    } else {
        for (size_t i = 0; i < n; i++) assay_writer_init(&w[i], ASSAY_MAX_PROOF_FILE);
        s = prove_all(c, w, proofs, requests, n, policy, &at, progress, err);
        for (size_t i = 0; i < n; i++) assay_writer_clear(&w[i]);
    }
    assay_mem_free(w);
    for (size_t i = 0; i < n && s != ASSAY_OK; i++) assay_buffer_free(&proofs[i]);
    if (failed && s != ASSAY_OK) *failed = at < n ? at : 0;
    return s;
}

assay_status assay_commitment_prove_many(assay_commitment *c, assay_buffer *proofs,
                                         const assay_request *const *requests, size_t n, size_t *failed,
                                         const assay_progress *progress, assay_errinfo *err)
{
    return assay_commitment_prove_within(c, proofs, requests, n, NULL, failed, progress, err);
}

assay_status assay_commitment_prove(assay_commitment *c, assay_buffer *proof, const assay_request *request,
                                    const assay_progress *progress, assay_errinfo *err)
{
    return assay_commitment_prove_many(c, proof, &request, 1, NULL, progress, err);
}
