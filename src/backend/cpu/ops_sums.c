/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that add up whole arrays: sums, dot products, sumcheck rounds. Addition in K is exact, so the pieces may
 * be added in any order. */
#include "backend/cpu/ops.h"

/* GRAIN: elements, or pairs, a job takes at least; a multiple of 64. More than MAX_JOBS jobs would not help. */
enum { GRAIN = 2048, MAX_JOBS = 64 };

typedef struct sums sums;
/* Adds the terms begin .. begin + n - 1 of a sum into out[0] and, for rounds, out[1]. */
typedef void sum_fn(const sums *g, kel out[2], size_t begin, size_t n);

struct sums {
    const assay_cpu_kernels *k;
    sum_fn *fn;
    const assay_kvec *a, *b, *c, *d, *w;
    const uint32_t *f;
    kel lambda;
    size_t n, chunk;
    kel part[MAX_JOBS][2];
};

static void run_chunk(void *ctx, size_t job)
{
    sums *g = ctx;
    size_t begin = job * g->chunk, n = g->n - begin < g->chunk ? g->n - begin : g->chunk;
    g->fn(g, g->part[job], begin, n);
}

static void run(const assay_backend *be, sums *g, sum_fn *fn, kel out[2])
{
    out[0] = out[1] = k_zero();
    if (g->n == 0) return;
    g->k = cpu_kernels(be);
    g->fn = fn;
    size_t chunk = (g->n - 1) / MAX_JOBS + 1;
    g->chunk = chunk < GRAIN ? GRAIN : (chunk - 1) / 64 * 64 + 64;
    size_t njobs = (g->n - 1) / g->chunk + 1;
    assay_pool_run(be->pool, njobs, run_chunk, g);
    for (size_t i = 0; i < njobs; i++) {
        out[0] = k_add(out[0], g->part[i][0]);
        out[1] = k_add(out[1], g->part[i][1]);
    }
}

static void sum_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec a = assay_kvec_at(g->a, begin, n);
    out[0] = g->k->k_sum(&a, n);
    out[1] = k_zero();
}

static kel k_sum(const assay_backend *be, const assay_kvec *x, size_t n)
{
    kel out[2];
    sums g = {.a = x, .n = n};
    run(be, &g, sum_chunk, out);
    return out[0];
}

static void dot_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec a = assay_kvec_at(g->a, begin, n), b = assay_kvec_at(g->b, begin, n);
    out[0] = g->k->k_dot(&a, &b, n);
    out[1] = k_zero();
}

static kel k_dot(const assay_backend *be, const assay_kvec *a, const assay_kvec *b, size_t n)
{
    kel out[2];
    sums g = {.a = a, .b = b, .n = n};
    run(be, &g, dot_chunk, out);
    return out[0];
}

static void kf_dot_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec a = assay_kvec_at(g->a, begin, n);
    out[0] = g->k->kf_dot(&a, g->f + begin, n);
    out[1] = k_zero();
}

static kel kf_dot(const assay_backend *be, const assay_kvec *a, const uint32_t *b, size_t n)
{
    kel out[2];
    sums g = {.a = a, .f = b, .n = n};
    run(be, &g, kf_dot_chunk, out);
    return out[0];
}

static assay_kvec pairs_at(const assay_kvec *v, size_t begin, size_t n)
{
    return assay_kvec_at(v, 2 * begin, 2 * n);
}

static void dot2_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec a = pairs_at(g->a, begin, n), b = pairs_at(g->b, begin, n);
    g->k->round_dot2(out, &a, &b, n);
}

static void round_dot2(const assay_backend *be, kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n_pairs)
{
    sums g = {.a = a, .b = b, .n = n_pairs};
    run(be, &g, dot2_chunk, out);
}

static void dot2_kf_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec a = pairs_at(g->a, begin, n);
    g->k->round_dot2_kf(out, &a, g->f + 2 * begin, n);
}

static void round_dot2_kf(const assay_backend *be, kel out[2], const assay_kvec *a, const uint32_t *b, size_t n_pairs)
{
    sums g = {.a = a, .f = b, .n = n_pairs};
    run(be, &g, dot2_kf_chunk, out);
}

static void dot3w_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec w = assay_kvec_at(g->w, begin, n), a = pairs_at(g->a, begin, n), b = pairs_at(g->b, begin, n);
    g->k->round_dot3w(out, &w, &a, &b, n);
}

static void round_dot3w(const assay_backend *be, kel out[2], const assay_kvec *w, const assay_kvec *a,
                        const assay_kvec *b, size_t n_pairs)
{
    sums g = {.w = w, .a = a, .b = b, .n = n_pairs};
    run(be, &g, dot3w_chunk, out);
}

static void frac_chunk(const sums *g, kel out[2], size_t begin, size_t n)
{
    assay_kvec w = assay_kvec_at(g->w, begin, n);
    assay_kvec p0 = pairs_at(g->a, begin, n), p1 = pairs_at(g->b, begin, n);
    assay_kvec q0 = pairs_at(g->c, begin, n), q1 = pairs_at(g->d, begin, n);
    g->k->round_frac(out, &w, g->lambda, &p0, &p1, &q0, &q1, n);
}

static void round_frac(const assay_backend *be, kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0,
                       const assay_kvec *p1, const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs)
{
    sums g = {.w = w, .a = p0, .b = p1, .c = q0, .d = q1, .lambda = lambda, .n = n_pairs};
    run(be, &g, frac_chunk, out);
}

void assay_cpu_sums_init(assay_backend *be)
{
    be->k_sum = k_sum;
    be->k_dot = k_dot;
    be->kf_dot = kf_dot;
    be->round_dot2 = round_dot2;
    be->round_dot2_kf = round_dot2_kf;
    be->round_dot3w = round_dot3w;
    be->round_frac = round_frac;
}
