/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's hooks; see prover.h. */
#include "cp/prover.h"

#include "base/mem.h"
#include "poly/eq.h"
#include <string.h>

void assay_cp_prover_init(assay_cp_prover *p, assay_witness *w, const assay_backend *be,
                          const uint32_t *const *weight_rows, assay_channel *ch)
{
    memset(p, 0, sizeof *p);
    p->w = w;
    p->be = be;
    p->weight_rows = weight_rows;
    p->ch = ch;
}

void assay_cp_prover_clear(assay_cp_prover *p)
{
    assay_kvec_free(&p->p);
    assay_dot_prover_clear(&p->dot);
}

/* P = sum_j eq(r_J, j) W_j. */
static void bind_weights(void *ctx, assay_cp *cp)
{
    assay_cp_prover *p = ctx;
    const assay_commit_params *cm = &cp->shape->params;
    size_t n = (size_t)1 << cm->c, n_rows = (size_t)1 << cm->jb;
    kel *w = assay_mem_alloc(n_rows, sizeof *w);
    if (w && assay_kvec_new(&p->p, n)) {
        assay_eq_table(w, cp->pt.j, cm->jb);
        p->be->kf_axpy_many(p->be, &p->p, w, p->weight_rows, n_rows, n);
    } else {
        assay_channel_fail(p->ch, ASSAY_ENOMEM);
    }
    assay_mem_free(w);
}

/* After a failure the rounds go on with nothing. */
static void no_round(void *ctx, kel *values, kel claim)
{
    (void)ctx;
    (void)claim;
    values[0] = values[1] = k_zero();
}
static void no_fold(void *ctx, kel r)
{
    (void)ctx;
    (void)r;
}

static void start(void *ctx, assay_cp *cp, assay_dot_id id, uint32_t arg, kel theta, assay_sumcheck_prover *side)
{
    assay_cp_prover *p = ctx;
    if (cp->fn.failed) assay_channel_fail(p->ch, ASSAY_ENOMEM);
    if (id != DOT_MIX && channel_ok(p->ch))
        assay_prover_tables(p, cp, id, arg, theta);             /* mix_sum made that relation's */
    if (cp->fn.failed) assay_channel_fail(p->ch, ASSAY_ENOMEM); /* while making the tables */
    *side = channel_ok(p->ch) ? assay_dot_prover_side(&p->dot) : (assay_sumcheck_prover){no_round, no_fold, NULL};
}

static kel factor(void *ctx, unsigned k, unsigned side)
{
    const assay_cp_prover *p = ctx;
    if (!channel_ok(p->ch)) return k_zero();
    return kvec_get(side ? &p->dot.b[k] : &p->dot.a[k], 0);
}

static void stop(void *ctx)
{
    assay_cp_prover *p = ctx;
    assay_dot_prover_clear(&p->dot);
}

static kel mix_sum(void *ctx, assay_cp *cp, kel theta)
{
    assay_cp_prover *p = ctx;
    if (!channel_ok(p->ch)) return k_zero();
    assay_prover_tables(p, cp, DOT_MIX, 0, theta);
    if (!channel_ok(p->ch)) return k_zero();
    return p->be->k_dot(p->be, &p->dot.a[0], &p->dot.b[0], p->dot.n);
}

assay_cp_hooks assay_cp_prover_hooks(assay_cp_prover *p)
{
    assay_cp_hooks h = {p, bind_weights, assay_prover_leaves, start, factor, stop, mix_sum};
    return h;
}
