/* SPDX-License-Identifier: Apache-2.0 */
/* A run that keeps every committed value: one block of all tokens, then the greedy check. Source: docs/protocol.md. */
#include "base/mem.h"
#include "model/forward.h"
#include <stdio.h>
#include <string.h>

static assay_status trace_alloc(assay_trace *t, assay_errinfo *err)
{
    const assay_run_shape *r = &t->shape;
    const uint64_t h_n = (uint64_t)model_sites(r->cfg) * r->n_tokens * r->cfg->d;
    uint64_t n = h_n;
    for (int k = 0; k < TEN_COUNT; k++) n += assay_tensor_cells(r, (assay_tensor)k);
    /* No zeroing: a run that succeeds writes every cell. */
    int32_t *at = n <= SIZE_MAX / sizeof *at ? assay_mem_alloc_raw((size_t)n, sizeof *at) : NULL;
    if (!at) return ASSAY_FAIL(err, ASSAY_ENOMEM, "trace", "out of memory");
    t->own = at;
    t->own_bytes = (size_t)n * sizeof *at;
    t->h = at;
    at += h_n;
    for (int k = 0; k < TEN_COUNT; k++) {
        t->t[k] = at;
        at += assay_tensor_cells(r, (assay_tensor)k);
    }
    return ASSAY_OK;
}

void assay_trace_clear(assay_trace *t)
{
    assay_mem_free_secret(t->own, t->own_bytes);
    memset(t, 0, sizeof *t);
}

static assay_status not_chosen(const assay_trace *t, uint32_t p, assay_errinfo *err)
{
    char subject[48];
    if (p + 1 < t->shape.n_checked)
        snprintf(subject, sizeof subject, "reply token %u", p + 1);
    else
        snprintf(subject, sizeof subject, "the token after the reply");
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "is not the model's choice");
}

/* The logits of checked position p lie in LLO: LM, and differences in two parts in their place. Forced (tests):
 * whatever is claimed, d is taken mod p in [0, p), so hi = floor(d / 2^16) may have 15 bits and the range check of a
 * proof fails. */
static assay_status check_choice(assay_trace *t, uint32_t p, uint32_t y, const assay_run_options *opt,
                                 assay_errinfo *err)
{
    const uint32_t n = t->shape.cfg->vocab, n_layers = t->shape.cfg->n_layers;
    const bool force = opt && opt->force, field = force || (opt && opt->field);
    int32_t *hi = t->t[TEN_LHI] + (size_t)p * n, *lo = t->t[TEN_LLO] + (size_t)p * n;
    const int64_t edge = (int64_t)1 << ACC_BITS;
    int64_t smallest = 0, largest = 0;
    t->t[TEN_LM][p] = lo[y];
    for (uint32_t v = 0; v < n; v++) {
        int64_t d = v == y ? 0 : forward_difference(t->t[TEN_LM][p], lo[v], v < y, field);
        smallest = d < smallest ? d : smallest;
        largest = d > largest ? d : largest;
        hi[v] = (int32_t)(d >> 16);
        lo[v] = (int32_t)(d & 0xffff);
    }
    if (force || (smallest >= 0 && largest < edge)) return ASSAY_OK;
    if (field || smallest < 0) return not_chosen(t, p, err);
    char subject[96];
    snprintf(subject, sizeof subject, "layer %u, logits, position %u", n_layers, t->shape.n_prompt - 1 + p);
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "difference outside 30 bits");
}

assay_status assay_model_trace(assay_trace *out, const assay_model *m, const assay_tables *tb, const uint32_t *ids,
                               uint32_t n_prompt, uint32_t n_tokens, uint32_t y, const assay_run_options *opt,
                               assay_errinfo *err)
{
    assay_forward f;
    memset(&f, 0, sizeof f);
    memset(out, 0, sizeof *out);
    if (n_prompt < 1 || n_tokens < n_prompt)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, "trace", "no prompt", n_prompt, n_tokens);
    assay_status s = assay_model_prompt_check(&m->cfg, ids, n_prompt, err);
    if (s != ASSAY_OK) return s;
    if (y >= m->cfg.vocab) return ASSAY_FAIL1(err, ASSAY_ERANGE, "token after the reply", "outside the vocabulary", y);
    assay_run_shape_init(&out->shape, &m->cfg, n_prompt, n_tokens);
    s = trace_alloc(out, err);
    if (s == ASSAY_OK) s = assay_forward_open(&f, m, tb, n_tokens, out, opt, err);
    if (s != ASSAY_OK) goto out;
    s = assay_forward_block(&f, ids, 0, n_tokens, err);
    if (s == ASSAY_OK) s = assay_forward_logits(&f, out->t[TEN_LLO], out->shape.n_checked, err);
    for (uint32_t p = 0; s == ASSAY_OK && p < out->shape.n_checked; p++)
        s = check_choice(out, p, p + 1 < out->shape.n_checked ? ids[n_prompt + p] : y, opt, err);
    assay_forward_close(&f);
out:
    if (s != ASSAY_OK) assay_trace_clear(out);
    return s;
}
