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

void assay_trace_place(char out[ASSAY_TRACE_PLACE], const assay_trace *t, uint32_t p)
{
    if (p + 1 < t->shape.n_checked)
        snprintf(out, ASSAY_TRACE_PLACE, "reply token %u", p + 1);
    else
        snprintf(out, ASSAY_TRACE_PLACE, "the token after the reply");
}

static assay_status not_chosen(const assay_trace *t, uint32_t p, assay_errinfo *err)
{
    char subject[ASSAY_TRACE_PLACE];
    assay_trace_place(subject, t, p);
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "is not the model's choice");
}

static assay_status too_far_apart(const assay_trace *t, uint32_t p, assay_errinfo *err)
{
    char subject[96];
    snprintf(subject, sizeof subject, "layer %u, logits, position %u", t->shape.cfg->n_layers,
             t->shape.n_prompt - 1 + p);
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "difference outside 30 bits");
}

/* The logits of checked position p lie in LLO: in their place LM - l[v] - [v < tie] in two parts. In field mode d is
 * taken mod p in [0, p), so hi = floor(d / 2^16) may have 15 bits and the range check of a proof fails. */
static void differences(assay_trace *t, uint32_t p, uint32_t tie, bool field, int64_t *least, int64_t *most)
{
    const uint32_t n = t->shape.cfg->vocab;
    int32_t *hi = t->t[TEN_LHI] + (size_t)p * n, *lo = t->t[TEN_LLO] + (size_t)p * n;
    *least = *most = 0;
    for (uint32_t v = 0; v < n; v++) {
        int64_t d = forward_difference(t->t[TEN_LM][p], lo[v], v < tie, field);
        *least = d < *least ? d : *least;
        *most = d > *most ? d : *most;
        hi[v] = (int32_t)(d >> 16);
        lo[v] = (int32_t)(d & 0xffff);
    }
}

/* The exact policy: y is the smallest index of the maximum, or forced (tests): whatever is claimed. */
static assay_status check_choice(assay_trace *t, uint32_t p, uint32_t y, const assay_run_options *opt,
                                 assay_errinfo *err)
{
    const bool force = opt && opt->force, field = force || (opt && opt->field);
    int64_t least, most;
    t->t[TEN_LM][p] = t->t[TEN_LLO][(size_t)p * t->shape.cfg->vocab + y];
    differences(t, p, y, field, &least, &most);
    if (force || (least >= 0 && most < (int64_t)1 << ACC_BITS)) return ASSAY_OK;
    return field || least < 0 ? not_chosen(t, p, err) : too_far_apart(t, p, err);
}

/* The gap policy: LM is the largest logit, whatever the token. */
static assay_status measure_gap(assay_trace *t, uint32_t p, uint32_t y, const assay_run_options *opt,
                                assay_errinfo *err)
{
    const uint32_t n = t->shape.cfg->vocab;
    const int32_t *logit = t->t[TEN_LLO] + (size_t)p * n;
    int64_t least, most;
    t->t[TEN_LM][p] = logit[0];
    for (uint32_t v = 1; v < n; v++)
        if (logit[v] > t->t[TEN_LM][p]) t->t[TEN_LM][p] = logit[v];
    differences(t, p, 0, opt->field || opt->force, &least, &most);
    if (!opt->force && most >= (int64_t)1 << ACC_BITS) return too_far_apart(t, p, err);
    assay_trace_gap(t, p, y);
    return ASSAY_OK;
}

static assay_status claim(assay_trace *t, const uint32_t *claimed, uint32_t y, const assay_run_options *opt,
                          assay_errinfo *err)
{
    const uint32_t n = t->shape.n_checked;
    assay_status s = ASSAY_OK;
    for (uint32_t p = 0; s == ASSAY_OK && p < n; p++) {
        const uint32_t token = p + 1 < n ? claimed[p] : y;
        s = t->shape.n_gap ? measure_gap(t, p, token, opt, err) : check_choice(t, p, token, opt, err);
    }
    if (s == ASSAY_OK && t->shape.n_gap) s = assay_trace_gap_bounds(t, opt->policy, opt->force, err);
    return s;
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
    const bool gap = opt && opt->policy && opt->policy->kind == ASSAY_POLICY_GAP;
    s = gap ? assay_gap_config_check(&m->cfg, err) : ASSAY_OK;
    if (s != ASSAY_OK) return s;
    assay_run_shape_init(&out->shape, &m->cfg, n_prompt, n_tokens, gap);
    s = trace_alloc(out, err);
    if (s == ASSAY_OK) s = assay_forward_open(&f, m, tb, n_tokens, out, opt, err);
    if (s != ASSAY_OK) goto out;
    s = assay_forward_block(&f, ids, 0, n_tokens, err);
    if (s == ASSAY_OK) s = assay_forward_logits(&f, out->t[TEN_LLO], out->shape.n_checked, err);
    if (s == ASSAY_OK) s = claim(out, ids + n_prompt, y, opt, err);
    assay_forward_close(&f);
out:
    if (s != ASSAY_OK) assay_trace_clear(out);
    return s;
}
