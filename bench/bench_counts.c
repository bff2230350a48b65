/* SPDX-License-Identifier: Apache-2.0 */
/* Exact work of one proof: the array operations are wrapped by ones that count multiplications, butterflies and hashed
 * bytes before they call the real ones. Beside the counts: the rates measured here and now, and the floor, work over
 * rate, that the proof's time is compared with.
 *     bench_counts [MODEL_DIR [TOKENS [THREADS]]] */
#include "cp_setup.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* K x K and K x F multiplications, butterflies (one F multiplication each), bytes hashed. */
typedef struct counts {
    atomic_ullong kk, kf, butterflies, hashed;
} counts;

static counts now;
static assay_backend real;

static void add(atomic_ullong *c, size_t n)
{
    atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}

/* Each wrapper: count, then the real operation with this table, whose pool and private pointer are the real one's. */
static void c_fft(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c)
{
    add(&now.butterflies, ((size_t)1 << c) / 2 * (size_t)c);
    real.fft(be, row, tw, c);
}
/* What is needed: at each stage the nodes with a wanted block. */
static void c_fft_blocks(const assay_backend *be, uint32_t *out, const uint32_t *in, const uint32_t *tw, unsigned c,
                         unsigned log_block, const uint64_t *blocks, size_t n)
{
    for (unsigned i = 0; i < c; i++) {
        size_t nodes = 0;
        unsigned above = i + 1 > log_block ? i + 1 - log_block : 0;
        for (size_t k = 0; k < n; k++) nodes += k == 0 || blocks[k] >> above != blocks[k - 1] >> above;
        add(&now.butterflies, nodes << (i + 1 > log_block ? i : log_block - 1));
    }
    real.fft_blocks(be, out, in, tw, c, log_block, blocks, n);
}
static void c_fft_transpose(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c)
{
    add(&now.butterflies, ((size_t)1 << c) / 2 * (size_t)c);
    real.fft_transpose(be, row, tw, c);
}
static void c_hash_leaves(const assay_backend *be, uint8_t *out, const assay_leaf_params *lp, size_t n,
                          const uint32_t *const *rows, size_t nrows)
{
    add(&now.hashed, n * (16u + (lp->salt_key ? 32u + 44u : 0u) + 4 * nrows));
    real.hash_leaves(be, out, lp, n, rows, nrows);
}
static void c_hash_nodes(const assay_backend *be, uint8_t *out, const uint8_t *in, size_t n, uint8_t tree,
                         uint8_t level, uint64_t first)
{
    add(&now.hashed, n * 80);
    real.hash_nodes(be, out, in, n, tree, level, first);
}
static void c_stream(const assay_backend *be, uint8_t *out, const uint8_t key[32], uint64_t label, uint64_t first,
                     size_t n)
{
    add(&now.hashed, n * 48);
    real.stream(be, out, key, label, first, n);
}
static void c_k_axpy(const assay_backend *be, assay_kvec *y, kel a, const assay_kvec *x, size_t n)
{
    add(&now.kk, n);
    real.k_axpy(be, y, a, x, n);
}
static void c_kf_axpy(const assay_backend *be, assay_kvec *y, kel a, const uint32_t *f, size_t n)
{
    add(&now.kf, n);
    real.kf_axpy(be, y, a, f, n);
}
static void c_kf_axpy_many(const assay_backend *be, assay_kvec *y, const kel *a, const uint32_t *const *rows,
                           size_t nrows, size_t n)
{
    add(&now.kf, n * nrows);
    real.kf_axpy_many(be, y, a, rows, nrows, n);
}
static void c_k_scale(const assay_backend *be, assay_kvec *y, kel a, size_t n)
{
    add(&now.kk, n);
    real.k_scale(be, y, a, n);
}
static kel c_k_dot(const assay_backend *be, const assay_kvec *a, const assay_kvec *b, size_t n)
{
    add(&now.kk, n);
    return real.k_dot(be, a, b, n);
}
static kel c_kf_dot(const assay_backend *be, const assay_kvec *a, const uint32_t *b, size_t n)
{
    add(&now.kf, n);
    return real.kf_dot(be, a, b, n);
}
static void c_k_fold(const assay_backend *be, assay_kvec *out, const assay_kvec *in, kel r, size_t n)
{
    add(&now.kk, n);
    real.k_fold(be, out, in, r, n);
}
static void c_f_fold(const assay_backend *be, assay_kvec *out, const uint32_t *in, kel r, size_t n)
{
    add(&now.kf, n);
    real.f_fold(be, out, in, r, n);
}
static void c_k_eq(const assay_backend *be, assay_kvec *out, kel scale, const kel *r, unsigned n)
{
    add(&now.kk, ((size_t)1 << n) - 1);
    real.k_eq(be, out, scale, r, n);
}
static void c_round_dot2(const assay_backend *be, kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n)
{
    add(&now.kk, 2 * n);
    real.round_dot2(be, out, a, b, n);
}
static void c_round_dot2_kf(const assay_backend *be, kel out[2], const assay_kvec *a, const uint32_t *b, size_t n)
{
    add(&now.kf, 2 * n);
    real.round_dot2_kf(be, out, a, b, n);
}
static void c_round_dot3w(const assay_backend *be, kel out[2], const assay_kvec *w, const assay_kvec *a,
                          const assay_kvec *b, size_t n)
{
    add(&now.kk, 4 * n);
    real.round_dot3w(be, out, w, a, b, n);
}
static void c_round_frac(const assay_backend *be, kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0,
                         const assay_kvec *p1, const assay_kvec *q0, const assay_kvec *q1, size_t n)
{
    add(&now.kk, (k_is_zero(lambda) ? 6 : 8) * n);
    real.round_frac(be, out, w, lambda, p0, p1, q0, q1, n);
}
static void c_frac_up(const assay_backend *be, assay_kvec *po, assay_kvec *qo, const assay_kvec *p, const assay_kvec *q,
                      size_t n)
{
    add(&now.kk, 3 * n);
    real.frac_up(be, po, qo, p, q, n);
}
static void c_frac_up_f(const assay_backend *be, assay_kvec *po, assay_kvec *qo, const uint32_t *p, const assay_kvec *q,
                        size_t n)
{
    add(&now.kk, n);
    add(&now.kf, 2 * n);
    real.frac_up_f(be, po, qo, p, q, n);
}
static void c_k_affine(const assay_backend *be, assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols,
                       size_t ncols, size_t n)
{
    add(&now.kf, ncols * n);
    real.k_affine(be, out, c0, coef, cols, ncols, n);
}

static assay_backend counting(const assay_backend *be)
{
    assay_backend c = real = *be;
    c.fft = c_fft;
    c.fft_blocks = c_fft_blocks;
    c.fft_transpose = c_fft_transpose;
    c.hash_leaves = c_hash_leaves;
    c.hash_nodes = c_hash_nodes;
    c.stream = c_stream;
    c.k_axpy = c_k_axpy;
    c.kf_axpy = c_kf_axpy;
    c.kf_axpy_many = c_kf_axpy_many;
    c.k_scale = c_k_scale;
    c.k_dot = c_k_dot;
    c.kf_dot = c_kf_dot;
    c.k_fold = c_k_fold;
    c.f_fold = c_f_fold;
    c.k_eq = c_k_eq;
    c.round_dot2 = c_round_dot2;
    c.round_dot2_kf = c_round_dot2_kf;
    c.round_dot3w = c_round_dot3w;
    c.round_frac = c_round_frac;
    c.frac_up = c_frac_up;
    c.frac_up_f = c_frac_up_f;
    c.k_affine = c_k_affine;
    return c;
}

enum { N = 1 << 14, REPEATS = 200 };

/* Operations a second of one thread, on arrays that stay in cache. */
static void rates(double out[4])
{
    static uint32_t row[N], tw[N];
    static uint8_t digests[32 * N];
    assay_backend be = real;
    assay_kvec a, b;
    double best[4] = {0};
    be.pool = NULL;
    if (!assay_kvec_new(&a, N) || !assay_kvec_new(&b, N)) exit(1);
    for (size_t i = 0; i < N; i++) {
        row[i] = tw[i] = (uint32_t)(i * 2654435761u) % M31_P;
        for (int j = 0; j < 6; j++) a.c[j][i] = b.c[j][i] = (uint32_t)(i * 40503u + (unsigned)j) % M31_P;
    }
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 7; r++) {
            double t = setup_now();
            for (int i = 0; i < (k == 3 ? REPEATS / 20 : REPEATS); i++) {
                if (k == 0) be.k_axpy(&be, &b, kvec_get(&a, 1), &a, N);
                if (k == 1) be.kf_axpy(&be, &b, kvec_get(&a, 1), row, N);
                if (k == 2) be.fft(&be, row, tw, 14);
                if (k == 3) be.hash_nodes(&be, digests, digests + 16 * N, N / 4, 0, 1, 0);
            }
            double per_call[4] = {N, N, N / 2 * 14, N / 4 * 80.0};
            double rate = per_call[k] * (k == 3 ? REPEATS / 20 : REPEATS) / (setup_now() - t);
            if (rate > best[k]) best[k] = rate;
        }
    memcpy(out, best, sizeof best);
    assay_kvec_free(&a);
    assay_kvec_free(&b);
}

int main(int argc, char **argv)
{
    static cp_setup s;
    assay_errinfo err;
    assay_frame frame;
    assay_writer proof;
    char text[512];
    uint32_t tokens = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    memset(&err, 0, sizeof err);
    assay_writer_init(&proof, ASSAY_MAX_PROOF_FILE);
    assay_status st = setup_make(&s, argc > 1 ? argv[1] : "examples/tiny", tokens, threads, &err);
    if (st == ASSAY_OK) st = assay_frame_init(&frame, &s.pub, &s.rq, NULL, 0, &err);
    assay_backend be = counting(&s.be);
    const assay_prover_key key = setup_key(&s);
    double t0 = setup_now();
    if (st == ASSAY_OK) st = assay_cp_prove(&proof, &key, &s.rq, NULL, &be, NULL, NULL, &err);
    double wall = setup_now() - t0;
    if (st != ASSAY_OK) {
        printf("%s\n", assay_errinfo_text(&err, text, sizeof text));
        return 1;
    }
    uint64_t leaves = 0, families = 0, cells = 0;
    for (uint32_t i = 0; i < frame.shape.n_instance; i++) leaves += frame.shape.instance[i].n_leaves;
    for (uint32_t f = 0; f < frame.shape.n_family; f++) families += assay_grid_cells(&frame.shape.family[f].grid);
    for (uint32_t g = 0; g < frame.shape.n_grids; g++) cells += assay_grid_cells(&frame.shape.grid[g]);
    printf("%u + %u tokens: %llu look-ups, %llu leaves, %llu committed values in %u rows of 2^%u\n", s.rq.n_prompt,
           s.rq.n_tokens - s.rq.n_prompt, (unsigned long long)families, (unsigned long long)leaves,
           (unsigned long long)cells, frame.shape.n_rows, frame.shape.params.c);
    double rate[4], floor_s = 0;
    const double work[4] = {(double)now.kk, (double)now.kf, (double)now.butterflies, (double)now.hashed};
    static const char *const name[4] = {"K x K multiplications", "K x F multiplications", "FFT butterflies",
                                        "bytes hashed"};
    rates(rate);
    for (int k = 0; k < 4; k++) {
        printf("%-24s %12.0f  %8.2f a look-up %8.2f a committed value   %7.1f M/s a core  floor %7.1f ms\n", name[k],
               work[k], work[k] / (double)families, work[k] / (double)cells, rate[k] / 1e6, 1e3 * work[k] / rate[k]);
        floor_s += work[k] / rate[k];
    }
    floor_s /= assay_pool_threads(s.pool);
    printf("prove %.3f s on %u threads; floor %.3f s; ratio %.2f\n", wall, assay_pool_threads(s.pool), floor_s,
           wall / floor_s);
    assay_writer_clear(&proof);
    assay_frame_clear(&frame);
    return 0;
}
