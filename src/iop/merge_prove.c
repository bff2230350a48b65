/* SPDX-License-Identifier: Apache-2.0 */
/* The prover of the merge's rounds. While column bits are bound the rows of the stack are independent: each round is
 * one pass over the rows. Then a value of phi and one of the stack is left per row, and a dot prover takes the row
 * bits.
 *
 * A row's folded values over K live in the upper half of its phi, which the fold of phi has just left: the rounds need
 * no memory of their own. The row R has phi = 0; it matters only when row bits mix it with others. */
#include "iop/merge_prove.h"
#include "backend/large.h"
#include "base/mem.h"
#include "iop/iop.h"
#include "iop/merge_ops.h"
#include "iop/quadratic.h"

struct assay_merge_state {
    const assay_backend *be;
    const assay_merge_shape *shape;
    const assay_merge_prover *mp;
    size_t n_stack; /* rows: 2 + n_rows */
    unsigned n_vars, at;
    kel rho;
    kel g[3];    /* the running polynomial, unmasked */
    kel mask[3]; /* this round's mask: constant, linear, quadratic coefficient, without the power of 2 */
    kel done;    /* M0 and the mask terms of the variables bound so far */
    assay_kvec *half;
    assay_kvec r_half; /* R's, which has no phi to live in */
    assay_dot_prover rows;
    assay_status status;
};

/* 2^n M0 + 2^(n-1) sum of all other coefficients. */
static kel mask_sum(const assay_merge_prover *mp, unsigned n_vars)
{
    kel rest = k_zero();
    for (size_t i = 1; i <= 2 * (size_t)n_vars; i++) rest = k_add(rest, kvec_get(mp->m, i));
    kel sum = k_add(k_double(kvec_get(mp->m, 0)), rest);
    return k_mul_f(sum, m31_pow(2, n_vars - 1));
}

/* With x_0 .. x_(i-1) bound, the sum of s over the later variables as a polynomial in x_i = X is
 *   2^(n-1-i) (done + M[2i+1] X + M[2i+2] X^2) + 2^(n-2-i) sum of the later coefficients. */
static void mask_round(assay_merge_state *st, kel values[2])
{
    unsigned i = st->at;
    kel later = k_zero();
    for (size_t j = 2 * (size_t)i + 3; j <= 2 * (size_t)st->n_vars; j++) later = k_add(later, kvec_get(st->mp->m, j));
    st->mask[0] = st->done;
    st->mask[1] = kvec_get(st->mp->m, 2 * (size_t)i + 1);
    st->mask[2] = kvec_get(st->mp->m, 2 * (size_t)i + 2);
    uint32_t scale = m31_pow(2, st->n_vars - 1 - i);
    kel at0 = k_add(st->mask[0], k_mul_f(later, m31_inv(2)));
    kel at2 = k_add(at0, k_add(k_double(st->mask[1]), k_mul_f(st->mask[2], 4)));
    values[0] = k_add(values[0], k_mul(st->rho, k_mul_f(at0, scale)));
    values[1] = k_add(values[1], k_mul(st->rho, k_mul_f(at2, scale)));
}

static void column_round(assay_merge_state *st)
{
    size_t n_pairs = (size_t)1 << (st->shape->c - 1 - st->at);
    st->g[1] = st->g[2] = k_zero();
    for (size_t row = 0; row < st->n_stack; row++) {
        const assay_kvec *phi = &st->mp->phi[row];
        kel out[2];
        if (row == 1) continue;
        if (st->at > 0)
            st->be->round_dot2(st->be, out, phi, &st->half[row], n_pairs);
        else if (row == 0)
            st->be->round_dot2(st->be, out, phi, st->mp->p, n_pairs);
        else
            st->be->round_dot2_kf(st->be, out, phi, st->mp->rows[row - 2], n_pairs);
        st->g[1] = k_add(st->g[1], out[0]);
        st->g[2] = k_add(st->g[2], out[1]);
    }
}

static void column_fold(assay_merge_state *st, kel r)
{
    const assay_backend *be = st->be;
    size_t n = (size_t)1 << (st->shape->c - 1 - st->at);
    for (size_t row = 0; row < st->n_stack; row++) {
        assay_kvec *phi = &st->mp->phi[row], *half = &st->half[row];
        if (row != 1) be->k_fold(be, phi, phi, r, n);
        if (st->at > 0)
            be->k_fold(be, half, half, r, n);
        else if (row >= 2)
            be->f_fold(be, half, st->mp->rows[row - 2], r, n);
        else
            be->k_fold(be, half, row ? st->mp->r : st->mp->p, r, n);
    }
}

/* One value of phi and of the stack a row. */
static void start_rows(assay_merge_state *st)
{
    st->status = assay_dot_prover_init(&st->rows, st->be, 1, st->n_stack, st->shape->row_bits);
    if (st->status != ASSAY_OK) return;
    for (size_t row = 0; row < st->n_stack; row++) {
        if (row != 1) kvec_set(&st->rows.a[0], row, kvec_get(&st->mp->phi[row], 0));
        kvec_set(&st->rows.b[0], row, kvec_get(&st->half[row], 0));
    }
}

static void merge_round(void *ctx, kel *values, kel claim)
{
    assay_merge_state *st = (assay_merge_state *)ctx;
    (void)claim;
    if (st->status != ASSAY_OK) return;
    if (st->at < st->shape->c) {
        column_round(st);
        values[0] = st->g[1];
        values[1] = quadratic_at_two(st->g);
    } else {
        assay_sumcheck_prover rows = assay_dot_prover_side(&st->rows);
        rows.round(rows.ctx, values, k_zero());
    }
    mask_round(st, values);
}

static void merge_fold(void *ctx, kel r)
{
    assay_merge_state *st = (assay_merge_state *)ctx;
    if (st->status != ASSAY_OK) return;
    st->done = k_add(st->done, k_mul(r, k_add(st->mask[1], k_mul(st->mask[2], r))));
    if (st->at < st->shape->c) {
        column_fold(st, r);
        quadratic_fold(st->g, r);
        if (st->at + 1 == st->shape->c) start_rows(st);
    } else {
        assay_sumcheck_prover rows = assay_dot_prover_side(&st->rows);
        rows.fold(rows.ctx, r);
    }
    st->at++;
}

static assay_status rounds_free(assay_merge_state *st)
{
    if (!st) return ASSAY_OK;
    assay_status s = st->status;
    for (size_t row = 0; row < st->n_stack; row++) assay_large_kvec_free(st->be, &st->mp->phi[row]);
    assay_mem_free(st->half);
    assay_kvec_free(&st->r_half);
    assay_dot_prover_clear(&st->rows);
    assay_mem_free_secret(st, sizeof *st);
    return s;
}

static assay_status rounds_new(assay_merge_state **out, assay_sumcheck_prover *sp, const assay_merge_shape *shape,
                               const assay_merge_prover *mp, kel value, kel rho)
{
    *out = NULL;
    unsigned n_vars = shape->c + shape->row_bits;
    size_t n_stack = 2 + shape->n_rows, half = (size_t)1 << (shape->c - 1);
    if (shape->c < 1 || n_stack > (size_t)1 << shape->row_bits || 2 * (size_t)n_vars + 1 > 2 * half)
        return ASSAY_EINVAL;
    assay_merge_state *st = (assay_merge_state *)assay_mem_alloc(1, sizeof *st);
    if (!st) return ASSAY_ENOMEM;
    st->be = mp->be;
    st->shape = shape;
    st->mp = mp;
    st->n_stack = n_stack;
    st->n_vars = n_vars;
    st->rho = rho;
    st->g[0] = value;
    st->done = kvec_get(mp->m, 0);
    st->half = (assay_kvec *)assay_mem_alloc(n_stack, sizeof *st->half);
    if (!st->half || !assay_kvec_new_raw(&st->r_half, half)) {
        (void)rounds_free(st);
        return ASSAY_ENOMEM;
    }
    for (size_t row = 0; row < n_stack; row++)
        st->half[row] = row == 1 ? assay_kvec_at(&st->r_half, 0, half) : assay_kvec_at(&mp->phi[row], half, half);
    *sp = (assay_sumcheck_prover){merge_round, merge_fold, st};
    *out = st;
    return ASSAY_OK;
}

const assay_merge_ops assay_merge_prover_ops = {
    .mask_sum = mask_sum,
    .rounds_new = rounds_new,
    .rounds_free = rounds_free,
    .fold = assay_merge_prover_fold,
    .mask = assay_merge_prover_mask,
};
