/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of the array operations, one table: an operation a line, an implementation a column, on one thread. A cell is
 * the rate of the median of RUNS runs and its ratio to plain C; the last column is the best implementation's fastest
 * run over its median (1.00: a quiet machine). Machine-dependent: compare ratios, and rates of one run of this program.
 */
#include "backend/backend.h"
#include "backend/drbg.h"
#include "base/cpu.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* LOG_N: array elements (3 MB a K vector would leave the second-level cache; this stays in it). LOG_ROW: words of an
 * FFT row. ROWS: rows hashed into a leaf. */
enum { RUNS = 9, LOG_N = 13, N = 1 << LOG_N, LOG_ROW = 19, LEAVES = 8192, ROWS = 64, N_VECTORS = 5, MAX_SETUPS = 6 };

typedef struct data {
    assay_kvec v[N_VECTORS]; /* N elements each */
    uint32_t *words, *tw, *row;
    const uint32_t *rows[ROWS];
    uint8_t *digests;
    kel a;
    kel sink;
} data;

typedef void bench_fn(const assay_backend *be, data *d);

/* Scalar field arithmetic, the same for every implementation. */
static void scalar_k_mul(const assay_backend *be, data *d)
{
    (void)be;
    for (size_t i = 0; i < N; i++) kvec_set(&d->v[0], i, k_mul(kvec_get(&d->v[0], i), kvec_get(&d->v[1], i)));
}
static void scalar_m31_mul(const assay_backend *be, data *d)
{
    (void)be;
    uint32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < N; i++) x[i % 8] = m31_mul(x[i % 8], d->words[i]);
    for (int i = 0; i < 8; i++) d->sink.v[0] ^= x[i];
}
static void k_scale(const assay_backend *be, data *d)
{
    be->k_scale(be, &d->v[0], d->a, N);
}
static void k_axpy(const assay_backend *be, data *d)
{
    be->k_axpy(be, &d->v[0], d->a, &d->v[1], N);
}
static void kf_axpy(const assay_backend *be, data *d)
{
    be->kf_axpy(be, &d->v[0], d->a, d->words, N);
}
static void kf_axpy_many(const assay_backend *be, data *d)
{
    kel a[ROWS];
    for (int j = 0; j < ROWS; j++) a[j] = d->a;
    be->kf_axpy_many(be, &d->v[0], a, d->rows, ROWS, LEAVES);
}
static void affine(const assay_backend *be, data *d)
{
    const kel coef[3] = {d->a, d->a, d->a};
    be->k_affine(be, &d->v[0], d->a, coef, d->rows, 3, N);
}
static void k_dot(const assay_backend *be, data *d)
{
    d->sink = be->k_dot(be, &d->v[0], &d->v[1], N);
}
static void kf_dot(const assay_backend *be, data *d)
{
    d->sink = be->kf_dot(be, &d->v[0], d->words, N);
}
static void k_fold(const assay_backend *be, data *d)
{
    be->k_fold(be, &d->v[0], &d->v[1], d->a, N / 2);
}
static void k_eq_table(const assay_backend *be, data *d)
{
    kel r[LOG_N];
    for (int i = 0; i < LOG_N; i++) r[i] = d->a;
    be->k_eq(be, &d->v[0], d->a, r, LOG_N);
}
static void dot2(const assay_backend *be, data *d)
{
    kel out[2];
    be->round_dot2(be, out, &d->v[0], &d->v[1], N / 2);
    d->sink = out[0];
}
static void dot3w(const assay_backend *be, data *d)
{
    kel out[2];
    be->round_dot3w(be, out, &d->v[2], &d->v[0], &d->v[1], N / 2);
    d->sink = out[0];
}
static void frac(const assay_backend *be, data *d)
{
    kel out[2];
    be->round_frac(be, out, &d->v[4], d->a, &d->v[0], &d->v[1], &d->v[2], &d->v[3], N / 2);
    d->sink = out[0];
}
static void frac_up(const assay_backend *be, data *d)
{
    be->frac_up(be, &d->v[0], &d->v[1], &d->v[2], &d->v[3], N / 2);
}
static void fft(const assay_backend *be, data *d)
{
    be->fft(be, d->row, d->tw, LOG_ROW);
}
static void fft_transpose(const assay_backend *be, data *d)
{
    be->fft_transpose(be, d->row, d->tw, LOG_ROW);
}
static void fft_cached(const assay_backend *be, data *d)
{
    for (size_t i = 0; i < 64; i++) be->fft(be, d->row + (i << 12), d->tw, 12);
}
static void leaves(const assay_backend *be, data *d)
{
    assay_leaf_params lp = {1, 0, d->digests};
    be->hash_leaves(be, d->digests + 32, &lp, LEAVES, d->rows, ROWS);
}
static void nodes(const assay_backend *be, data *d)
{
    be->hash_nodes(be, d->digests, (const uint8_t *)d->row, LEAVES, 1, 1, 0);
}
static void expand(const assay_backend *be, data *d)
{
    assay_drbg_fill_f(be, d->words, N, d->digests, 1);
}

/* amount: what one call does, in units. */
typedef struct bench {
    const char *name, *unit;
    double amount;
    bench_fn *fn;
} bench;

#define ROW_BUTTERFLIES ((double)LOG_ROW * (1 << (LOG_ROW - 1)))

static const bench benches[] = {
    {"k_mul, scalar", "M/s", N / 1e6, scalar_k_mul},
    {"m31_mul, scalar", "M/s", N / 1e6, scalar_m31_mul},
    {"k_scale (K x const)", "M/s", N / 1e6, k_scale},
    {"k_axpy", "M/s", N / 1e6, k_axpy},
    {"kf_axpy", "M/s", N / 1e6, kf_axpy},
    {"kf_axpy_many, 64 rows", "M/s", LEAVES *ROWS / 1e6, kf_axpy_many},
    {"k_affine, 3 columns", "M/s", N / 1e6, affine},
    {"k_dot (K x K)", "M/s", N / 1e6, k_dot},
    {"kf_dot", "M/s", N / 1e6, kf_dot},
    {"k_fold", "M out/s", N / 2e6, k_fold},
    {"k_eq", "M out/s", N / 1e6, k_eq_table},
    {"round_dot2", "M pairs/s", N / 2e6, dot2},
    {"round_dot3w", "M pairs/s", N / 2e6, dot3w},
    {"round_frac", "M pairs/s", N / 2e6, frac},
    {"frac_up", "M nodes/s", N / 2e6, frac_up},
    {"fft 2^12 in cache", "G butterfly/s", 64 * 12.0 * 2048 / 1e9, fft_cached},
    {"fft 2^19", "G butterfly/s", ROW_BUTTERFLIES / 1e9, fft},
    {"fft_transpose 2^19", "G butterfly/s", ROW_BUTTERFLIES / 1e9, fft_transpose},
    {"hash_leaves, 64 rows", "GB/s", LEAVES * 4.0 * ROWS / 1e9, leaves},
    {"hash_nodes", "M/s", LEAVES / 1e6, nodes},
    {"drbg_fill_f", "M words/s", N / 1e6, expand},
};

static double now(void)
{
    struct timespec t;
    if (timespec_get(&t, TIME_UTC) != TIME_UTC) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds a call: sorted times of RUNS runs, each long enough for the clock. */
static void measure(const bench *b, const assay_backend *be, data *d, double times[RUNS])
{
    size_t reps = 1;
    for (;;) {
        double t = now();
        for (size_t i = 0; i < reps; i++) b->fn(be, d);
        t = now() - t;
        if (t > 2e-3) break;
        reps *= 2;
    }
    for (int r = 0; r < RUNS; r++) {
        double t = now();
        for (size_t i = 0; i < reps; i++) b->fn(be, d);
        times[r] = (now() - t) / (double)reps;
    }
    qsort(times, RUNS, sizeof *times, by_value);
}

static bool make_data(data *d)
{
    static const uint8_t key[32] = {1};
    size_t row = (size_t)1 << LOG_ROW;
    bool ok = true;
    for (int i = 0; i < N_VECTORS; i++) {
        ok = ok && assay_kvec_new(&d->v[i], N);
        for (size_t j = 0; ok && j < K_WORDS; j++) assay_drbg_fill_f(NULL, d->v[i].c[j], N, key, (uint64_t)i * 8 + j);
    }
    d->words = assay_mem_alloc(N, 4);
    d->tw = assay_mem_alloc(row, 4);
    d->row = assay_mem_alloc(row, 4);
    d->digests = assay_mem_alloc(LEAVES + 1, 32);
    ok = ok && d->words && d->tw && d->row && d->digests;
    if (!ok) return false;
    assay_drbg_fill_f(NULL, d->words, N, key, 100);
    assay_drbg_fill_f(NULL, d->tw, row, key, 101);
    assay_drbg_fill_f(NULL, d->row, row, key, 102);
    for (size_t i = 0; i < ROWS; i++) d->rows[i] = d->row + i * (row / ROWS);
    d->a = kvec_get(&d->v[0], 5);
    return true;
}

static void free_data(data *d)
{
    for (int i = 0; i < N_VECTORS; i++) assay_kvec_free(&d->v[i]);
    assay_mem_free(d->words);
    assay_mem_free(d->tw);
    assay_mem_free(d->row);
    assay_mem_free(d->digests);
}

/* The setups of this machine, plain C first; masks are kept for assay_cpu_mask. */
static size_t find_setups(assay_backend be[MAX_SETUPS], unsigned masks[MAX_SETUPS])
{
    static const unsigned wanted[] = {0, ASSAY_CPU_AVX2, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512};
    unsigned have = assay_cpu_features();
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        for (unsigned sha = 0; sha <= ASSAY_CPU_SHANI; sha += ASSAY_CPU_SHANI) {
            unsigned mask = wanted[i] | sha;
            if ((have & mask) != mask) continue;
            assay_cpu_mask(mask);
            assay_backend_cpu_init(&be[n], NULL);
            masks[n++] = mask;
        }
    return n;
}

int main(void)
{
    assay_backend be[MAX_SETUPS];
    unsigned masks[MAX_SETUPS];
    data d = {.a = {{0}}};
    size_t n_setups = find_setups(be, masks);
    if (!make_data(&d)) {
        free_data(&d);
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    printf("%-22s%-14s", "operation", "unit");
    for (size_t s = 0; s < n_setups; s++) printf("%16s", be[s].name);
    printf("%9s\n", "med/min");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++) {
        double first = 0, times[RUNS];
        printf("%-22s%-14s", benches[i].name, benches[i].unit);
        for (size_t s = 0; s < n_setups; s++) {
            assay_cpu_mask(masks[s]);
            measure(&benches[i], &be[s], &d, times);
            double rate = benches[i].amount / times[0];
            if (s == 0) first = rate;
            printf("%9.4g%6.1fx", rate, rate / first);
            fflush(stdout);
        }
        printf("%9.2f\n", times[RUNS / 2] / times[0]);
    }
    free_data(&d);
    return 0;
}
