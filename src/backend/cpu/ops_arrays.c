/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operations on K arrays, in pieces over the pool. */
#include "backend/cpu/ops.h"

/* Elements a job: about ten microseconds of multiplications, or of additions. CACHED: elements of K that stay in the
 * first-level cache beside what is read. */
enum { GRAIN_MUL = 4096, GRAIN_ADD = 16384, CACHED = 1024 };

/* Arguments of any operation here; each uses some. Job ranges count from `base`. */
typedef struct args {
    const assay_cpu_kernels *k;
    assay_kvec *y, *z;
    const assay_kvec *x, *w;
    const uint32_t *f;
    const kel *coef;
    const uint32_t *const *cols;
    size_t ncols, base;
    kel a;
} args;

static void k_axpy_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec y = assay_kvec_at(g->y, begin, end - begin), x = assay_kvec_at(g->x, begin, end - begin);
    g->k->k_axpy(&y, g->a, &x, end - begin);
}

static void k_axpy(const assay_backend *be, assay_kvec *y, kel a, const assay_kvec *x, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = y, .x = x, .a = a};
    assay_pool_range(be->pool, n, GRAIN_MUL, k_axpy_range, &g);
}

static void kf_axpy_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec y = assay_kvec_at(g->y, begin, end - begin);
    g->k->kf_axpy(&y, g->a, g->f + begin, end - begin);
}

static void kf_axpy(const assay_backend *be, assay_kvec *y, kel a, const uint32_t *x, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = y, .f = x, .a = a};
    assay_pool_range(be->pool, n, GRAIN_MUL, kf_axpy_range, &g);
}

/* All rows for one piece of y that stays in the cache, eight at a time. */
static void kf_axpy_many_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    for (size_t at = begin, n; at < end; at += n) {
        n = end - at < CACHED ? end - at : CACHED;
        assay_kvec y = assay_kvec_at(g->y, at, n);
        for (size_t j = 0, m; j < g->ncols; j += m) {
            m = g->ncols - j < ASSAY_CPU_TERMS ? g->ncols - j : ASSAY_CPU_TERMS;
            g->k->kf_axpy_many(&y, g->coef + j, g->cols + j, m, at, n);
        }
    }
}

static void kf_axpy_many(const assay_backend *be, assay_kvec *y, const kel *a, const uint32_t *const *rows,
                         size_t nrows, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = y, .coef = a, .cols = rows, .ncols = nrows};
    assay_pool_range(be->pool, n, CACHED, kf_axpy_many_range, &g);
}

static void k_scale_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec y = assay_kvec_at(g->y, begin, end - begin);
    g->k->k_scale(&y, g->a, end - begin);
}

static void k_scale(const assay_backend *be, assay_kvec *y, kel a, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = y, .a = a};
    assay_pool_range(be->pool, n, GRAIN_MUL, k_scale_range, &g);
}

static void k_add_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec y = assay_kvec_at(g->y, begin, end - begin), x = assay_kvec_at(g->x, begin, end - begin);
    g->k->k_add(&y, &x, end - begin);
}

static void k_add_arrays(const assay_backend *be, assay_kvec *y, const assay_kvec *x, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = y, .x = x};
    assay_pool_range(be->pool, n, GRAIN_ADD, k_add_range, &g);
}

/* Halving operations, out[i] from in[2i] and in[2i+1]. In place, outputs m .. 2m-1 may be made at the same time: they
 * overwrite inputs of outputs below m only. So the array is done in waves that double. */
static void run_halving(const assay_backend *be, args *g, size_t n_out, size_t grain, assay_range_fn *fn)
{
    if (!g->x || g->y->c[0] != g->x->c[0]) {
        assay_pool_range(be->pool, n_out, grain, fn, g);
        return;
    }
    size_t done = n_out < grain ? n_out : grain;
    if (done) fn(g, 0, done);
    while (done < n_out) {
        size_t wave = done < n_out - done ? done : n_out - done;
        g->base = done;
        assay_pool_range(be->pool, wave, grain, fn, g);
        done += wave;
    }
}

static void k_fold_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    size_t at = g->base + begin, n = end - begin;
    assay_kvec out = assay_kvec_at(g->y, at, n), in = assay_kvec_at(g->x, 2 * at, 2 * n);
    g->k->k_fold(&out, &in, g->a, n);
}

static void k_fold(const assay_backend *be, assay_kvec *out, const assay_kvec *in, kel r, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = out, .x = in, .a = r};
    run_halving(be, &g, n_out, GRAIN_MUL, k_fold_range);
}

static void f_fold_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec out = assay_kvec_at(g->y, begin, end - begin);
    g->k->f_fold(&out, g->f + 2 * begin, g->a, end - begin);
}

static void f_fold(const assay_backend *be, assay_kvec *out, const uint32_t *in, kel r, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = out, .f = in, .a = r};
    assay_pool_range(be->pool, n_out, GRAIN_MUL, f_fold_range, &g);
}

static void k_halve_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    size_t at = g->base + begin, n = end - begin;
    assay_kvec out = assay_kvec_at(g->y, at, n), in = assay_kvec_at(g->x, 2 * at, 2 * n);
    g->k->k_halve(&out, &in, n);
}

static void k_halve(const assay_backend *be, assay_kvec *out, const assay_kvec *in, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = out, .x = in};
    run_halving(be, &g, n_out, GRAIN_ADD, k_halve_range);
}

static void k_eq_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec lo = assay_kvec_at(g->y, begin, end - begin), hi = assay_kvec_at(g->z, begin, end - begin);
    g->k->k_eq_step(&lo, &hi, g->a, end - begin);
}

static void k_eq_table(const assay_backend *be, assay_kvec *out, kel scale, const kel *r, unsigned n)
{
    kvec_set(out, 0, scale);
    for (unsigned i = 0; i < n; i++) {
        size_t half = (size_t)1 << i;
        assay_kvec hi = assay_kvec_at(out, half, half);
        args g = {.k = cpu_kernels(be), .y = out, .z = &hi, .a = r[i]};
        assay_pool_range(be->pool, half, GRAIN_MUL, k_eq_range, &g);
    }
}

static void frac_up_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    size_t n = end - begin;
    assay_kvec p_out = assay_kvec_at(g->y, begin, n), q_out = assay_kvec_at(g->z, begin, n);
    assay_kvec q = assay_kvec_at(g->w, 2 * begin, 2 * n);
    if (g->f) {
        g->k->frac_up_f(&p_out, &q_out, g->f + 2 * begin, &q, n);
    } else {
        assay_kvec p = assay_kvec_at(g->x, 2 * begin, 2 * n);
        g->k->frac_up(&p_out, &q_out, &p, &q, n);
    }
}

static void frac_up(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p,
                    const assay_kvec *q, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = p_out, .z = q_out, .x = p, .w = q};
    assay_pool_range(be->pool, n_out, GRAIN_MUL / 2, frac_up_range, &g);
}

static void frac_up_f(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p,
                      const assay_kvec *q, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = p_out, .z = q_out, .f = p, .w = q};
    assay_pool_range(be->pool, n_out, GRAIN_MUL / 2, frac_up_range, &g);
}

static void k_split_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    size_t n = end - begin;
    assay_kvec even = assay_kvec_at(g->y, begin, n), odd = assay_kvec_at(g->z, begin, n);
    assay_kvec in = assay_kvec_at(g->x, 2 * begin, 2 * n);
    g->k->k_split(&even, &odd, &in, n);
}

static void k_split(const assay_backend *be, assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n_out)
{
    args g = {.k = cpu_kernels(be), .y = even, .z = odd, .x = in};
    assay_pool_range(be->pool, n_out, GRAIN_ADD, k_split_range, &g);
}

static void k_affine_range(void *ctx, size_t begin, size_t end)
{
    const args *g = ctx;
    assay_kvec out = assay_kvec_at(g->y, begin, end - begin);
    g->k->k_affine(&out, g->a, g->coef, g->cols, g->ncols, begin, end - begin);
}

static void k_affine(const assay_backend *be, assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols,
                     size_t ncols, size_t n)
{
    args g = {.k = cpu_kernels(be), .y = out, .a = c0, .coef = coef, .cols = cols, .ncols = ncols};
    assay_pool_range(be->pool, n, GRAIN_MUL, k_affine_range, &g);
}

void assay_cpu_arrays_init(assay_backend *be)
{
    be->k_axpy = k_axpy;
    be->kf_axpy = kf_axpy;
    be->kf_axpy_many = kf_axpy_many;
    be->k_scale = k_scale;
    be->k_add = k_add_arrays;
    be->k_fold = k_fold;
    be->f_fold = f_fold;
    be->k_halve = k_halve;
    be->k_eq = k_eq_table;
    be->frac_up = frac_up;
    be->frac_up_f = frac_up_f;
    be->k_split = k_split;
    be->k_affine = k_affine;
}
