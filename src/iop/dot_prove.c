/* SPDX-License-Identifier: Apache-2.0 */
/* The prover of sum_x sum_k a_k(x) b_k(x), x over {0,1}^n_vars, for arrays that are zero from some index on. */
#include "backend/large.h"
#include "base/mem.h"
#include "iop/iop.h"
#include "iop/quadratic.h"

assay_status assay_dot_prover_init(assay_dot_prover *d, const assay_backend *be, size_t n_terms, size_t n,
                                   unsigned n_vars)
{
    *d = (assay_dot_prover){0};
    if (n == 0 || n_terms == 0 || (n_vars < 63 && n > (size_t)1 << n_vars)) return ASSAY_EINVAL;
    d->be = be;
    d->n = n;
    d->n_terms = n_terms;
    d->a = (assay_kvec *)assay_mem_alloc(n_terms, sizeof *d->a);
    d->b = (assay_kvec *)assay_mem_alloc(n_terms, sizeof *d->b);
    bool made = d->a && d->b;
    for (size_t k = 0; made && k < n_terms; k++) { /* one more for the zero that completes the last pair */
        made = assay_large_kvec_new(be, &d->a[k], n + 1) && assay_large_kvec_new(be, &d->b[k], n + 1);
        d->a[k].n = d->b[k].n = n;
    }
    if (!made) assay_dot_prover_clear(d);
    return made ? ASSAY_OK : ASSAY_ENOMEM;
}

void assay_dot_prover_clear(assay_dot_prover *d)
{
    for (size_t k = 0; d->a && k < d->n_terms; k++) assay_large_kvec_free(d->be, &d->a[k]);
    for (size_t k = 0; d->b && k < d->n_terms; k++) assay_large_kvec_free(d->be, &d->b[k]);
    assay_mem_free(d->a);
    assay_mem_free(d->b);
    *d = (assay_dot_prover){0};
}

static void learn_sum(assay_dot_prover *d)
{
    d->g[0] = k_zero();
    for (size_t k = 0; k < d->n_terms; k++) d->g[0] = k_add(d->g[0], d->be->k_dot(d->be, &d->a[k], &d->b[k], d->n));
    d->started = true;
}

static void dot_round(void *ctx, kel *values, kel claim)
{
    assay_dot_prover *d = (assay_dot_prover *)ctx;
    (void)claim;
    if (!d->started) learn_sum(d);
    d->g[1] = d->g[2] = k_zero();
    for (size_t k = 0; k < d->n_terms; k++) {
        kel out[2];
        if (d->n % 2) {
            kvec_set(&d->a[k], d->n, k_zero());
            kvec_set(&d->b[k], d->n, k_zero());
        }
        d->be->round_dot2(d->be, out, &d->a[k], &d->b[k], (d->n + 1) / 2);
        d->g[1] = k_add(d->g[1], out[0]);
        d->g[2] = k_add(d->g[2], out[1]);
    }
    values[0] = d->g[1];
    values[1] = quadratic_at_two(d->g);
}

static void dot_fold(void *ctx, kel r)
{
    assay_dot_prover *d = (assay_dot_prover *)ctx;
    quadratic_fold(d->g, r);
    d->n = (d->n + 1) / 2;
    for (size_t k = 0; k < d->n_terms; k++) {
        d->be->k_fold(d->be, &d->a[k], &d->a[k], r, d->n);
        d->be->k_fold(d->be, &d->b[k], &d->b[k], r, d->n);
    }
}

assay_sumcheck_prover assay_dot_prover_side(assay_dot_prover *d)
{
    return (assay_sumcheck_prover){dot_round, dot_fold, d};
}
