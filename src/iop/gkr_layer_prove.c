/* SPDX-License-Identifier: Apache-2.0 */
/* The sumcheck of one layer of the fraction tree:  sum_x eq(r, x) f(x),  f = p0 q1 + p1 q0 + lambda q0 q1.
 *
 * With the first variables bound to rr, round j's polynomial is  g(X) = eq(r_<j, rr_<j) eq(r_j, X) t(X),  where
 * t(X) = sum over the later variables of eq(r_>j, y) f(rr, X, y) has degree 2 (Gruen, 2024/108, section 3.2). t(0) and
 * its leading coefficient are summed; t(1) follows from the claim. Only real nodes are stored: padding nodes have f =
 * lambda whatever X is, so they add lambda times the sum of their eq weights, in closed form. */
#include "iop/prove.h"
#include "poly/eq.h"

enum { EQ_BLOCK_VARS = 12, EQ_BLOCK = 1 << EQ_BLOCK_VARS };

size_t assay_gkr_eq_room(size_t n_real)
{
    return ((n_real + 1) / 2 + EQ_BLOCK) / EQ_BLOCK * EQ_BLOCK;
}

typedef struct eq_job {
    const assay_backend *be;
    assay_kvec *out;
    const kel *r;
    unsigned n, low;
} eq_job;

static void eq_block(void *ctx, size_t job)
{
    const eq_job *e = (const eq_job *)ctx;
    assay_kvec part = assay_kvec_at(e->out, job << e->low, (size_t)1 << e->low);
    e->be->k_eq(e->be, &part, assay_eq_index(e->r + e->low, e->n - e->low, job), e->r, e->low);
}

/* out[x] = eq(r, x) for x < count, by whole blocks. */
static void eq_blocks(const assay_backend *be, assay_kvec *out, const kel *r, unsigned n, size_t count)
{
    eq_job e = {be, out, r, n, n < EQ_BLOCK_VARS ? n : EQ_BLOCK_VARS};
    assay_pool_run(be->pool, (count - 1) / ((size_t)1 << e.low) + 1, eq_block, &e);
}

void assay_gkr_layer_start(gkr_layer *l, const kel *point, kel claim)
{
    for (unsigned i = 0; i < l->n_vars; i++) l->r[i] = point[i];
    l->at = 0;
    l->before = k_one();
    l->claim = claim;
    if (l->n_vars) eq_blocks(l->be, &l->eq, point + 1, l->n_vars - 1, (l->n_real + 1) / 2);
}

/* Completes the last pair with a padding node. A last run of odd length is never one of ones. */
static size_t close_pairs(gkr_layer *l)
{
    const gkr_run *last = &l->run[l->n_runs - 1];
    if (l->n_real % 2)
        for (int j = 0; j < 4; j++)
            kvec_set(&l->a[j], j < 2 ? last->p_from + last->n : l->n_real, j < 2 ? k_zero() : k_one());
    return (l->n_real + 1) / 2;
}

/* sum of the eq weights of a run's pairs */
static kel run_weight(const gkr_layer *l, const gkr_run *run)
{
    const kel *later = l->r + l->at + 1;
    unsigned n = l->n_vars - 1 - l->at;
    return k_sub(assay_eq_below(later, n, (run->from + run->n) / 2), assay_eq_below(later, n, run->from / 2));
}

/* A run's part of t(0) and of t's leading coefficient. */
static void sum_run(const gkr_layer *l, const gkr_run *run, kel out[2])
{
    size_t n_pairs = (run->n + 1) / 2, n = 2 * n_pairs;
    assay_kvec w = assay_kvec_at(&l->eq, run->from / 2, n_pairs);
    assay_kvec q0 = assay_kvec_at(&l->a[2], run->from, n), q1 = assay_kvec_at(&l->a[3], run->from, n);
    if (run->ones) {
        l->be->round_dot3w(l->be, out, &w, &q0, &q1, n_pairs);
        out[0] = k_sub(k_mul(l->lambda, out[0]), k_mul(l->lambda_inv, run_weight(l, run)));
        out[1] = k_mul(l->lambda, out[1]);
        return;
    }
    assay_kvec p0 = assay_kvec_at(&l->a[0], run->p_from, n), p1 = assay_kvec_at(&l->a[1], run->p_from, n);
    l->be->round_frac(l->be, out, &w, l->lambda, &p0, &p1, &q0, &q1, n_pairs);
}

/* t(1) summed, for the one case in which the claim does not tell it: r = 0. */
static kel sum_at_one(const gkr_layer *l)
{
    kel sum = k_zero();
    for (unsigned k = 0; k < l->n_runs; k++) {
        const gkr_run *run = &l->run[k];
        for (size_t i = 0; i < (run->n + 1) / 2; i++) {
            size_t x = run->from + 2 * i + 1, px = run->p_from + 2 * i + 1;
            kel q0 = kvec_get(&l->a[2], x), q1 = kvec_get(&l->a[3], x), f = k_mul(l->lambda, k_mul(q0, q1));
            if (run->ones)
                f = k_sub(f, l->lambda_inv);
            else
                f = k_add(f, k_add(k_mul(kvec_get(&l->a[0], px), q1), k_mul(kvec_get(&l->a[1], px), q0)));
            sum = k_add(sum, k_mul(kvec_get(&l->eq, run->from / 2 + i), f));
        }
    }
    return sum;
}

/* t(x) */
static kel t_at(const gkr_layer *l, kel x)
{
    return k_add(l->t[0], k_mul(x, k_add(l->t[1], k_mul(l->t[2], x))));
}

void assay_gkr_layer_round(void *ctx, kel *values, kel claim)
{
    gkr_layer *l = (gkr_layer *)ctx;
    (void)claim;
    size_t n_pairs = close_pairs(l);
    unsigned later = l->n_vars - 1 - l->at;
    kel padding = k_zero(), r = l->r[l->at], at1;
    if (n_pairs < (size_t)1 << later)
        padding = k_mul(l->lambda, k_sub(k_one(), assay_eq_below(l->r + l->at + 1, later, n_pairs)));
    l->t[0] = padding;
    l->t[2] = k_zero();
    for (unsigned k = 0; k < l->n_runs; k++) {
        kel out[2];
        sum_run(l, &l->run[k], out);
        l->t[0] = k_add(l->t[0], out[0]);
        l->t[2] = k_add(l->t[2], out[1]);
    }
    if (k_is_zero(r))
        at1 = k_add(padding, sum_at_one(l));
    else
        at1 = k_mul(k_sub(l->claim, k_mul(k_sub(k_one(), r), l->t[0])), k_inv(r));
    l->t[1] = k_sub(k_sub(at1, l->t[0]), l->t[2]);
    /* eq(r, X) = (1 - r) + X (2r - 1) */
    kel slope = k_sub(k_double(r), k_one()), line = k_sub(k_one(), r);
    for (uint32_t x = 0, j = 0; x <= 3; x++) {
        if (x != 1) values[j++] = k_mul(l->before, k_mul(line, t_at(l, k_from_f(x))));
        line = k_add(line, slope);
    }
}

static void fold_arrays(gkr_layer *l, kel x, size_t n_pairs)
{
    size_t n_p = 0; /* pairs whose p is stored */
    for (unsigned k = 0; k < l->n_runs; k++) {
        gkr_run *run = &l->run[k];
        run->n = (run->n + 1) / 2;
        run->from /= 2;
        run->p_from /= 2;
        if (!run->ones) n_p += run->n;
    }
    for (int j = 0; j < 4; j++) {
        size_t n = j < 2 ? n_p : n_pairs;
        if (n) l->be->k_fold(l->be, &l->a[j], &l->a[j], x, n);
    }
}

void assay_gkr_layer_fold(void *ctx, kel x)
{
    gkr_layer *l = (gkr_layer *)ctx;
    size_t n_pairs = (l->n_real + 1) / 2;
    kel r = l->r[l->at], rx = k_mul(r, x);
    fold_arrays(l, x, n_pairs);
    l->before = k_mul(l->before, k_sub(k_add(k_one(), k_double(rx)), k_add(r, x)));
    l->claim = t_at(l, x);
    l->n_real = n_pairs;
    l->at++;
    if (l->at == GKR_RUN_ROUNDS) assay_gkr_runs_dissolve(l);
    if (l->at == l->n_vars) return;
    l->be->k_halve(l->be, &l->eq, &l->eq, n_pairs / 2);
    if (n_pairs % 2)
        kvec_set(&l->eq, n_pairs / 2, assay_eq_index(l->r + l->at + 1, l->n_vars - 1 - l->at, n_pairs / 2));
}
