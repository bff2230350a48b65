/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of the scalar field's arrays and transforms (backend/groups.h), a line an operation, a column an instruction
 * set; medians of RUNS runs. Arrays: nanoseconds of processor time an element. Transforms: milliseconds that passed,
 * and in brackets nanoseconds of processor time (of all threads) for each of the products that the network needs (k / 2
 * a value). bench_groups [THREADS [LARGEST_LOG_N]]       1 and 19 when not given; 0: all CPUs */
#include "backend/groups.h"
#include "base/cpu.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, ARRAY = 1 << 16, SETUPS = 3 };

typedef struct bench {
    assay_group_backend be;
    const assay_curve *curve;
    assay_ntt *ntt;
    unsigned k;
    assay_fr *x, *y, *z, shift;
} bench;

typedef void bench_fn(bench *b);

static void fr_mul(bench *b)
{
    b->be.fr_mul(&b->be, b->curve, b->z, b->x, b->y, ARRAY);
}

static void fr_mul_sub(bench *b)
{
    b->be.fr_mul_sub(&b->be, b->curve, b->z, b->x, b->y, b->z, ARRAY);
}

static void fr_powers(bench *b)
{
    b->be.fr_powers(&b->be, b->curve, b->z, b->shift, b->shift, ARRAY);
}

static void fr_from_scalars(bench *b)
{
    b->be.fr_from_scalars(&b->be, b->curve, b->z, (const assay_scalar *)b->x, ARRAY);
}

static void forward(bench *b)
{
    b->be.ntt_forward(&b->be, b->ntt, b->x, NULL);
}

static void inverse(bench *b)
{
    b->be.ntt_inverse(&b->be, b->ntt, b->x, NULL);
}

static void extend(bench *b)
{
    b->be.ntt_extend(&b->be, b->ntt, b->x, b->shift);
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of one call. */
typedef struct cost {
    double passed, processor; /* seconds */
} cost;

static cost median(bench *b, bench_fn *fn)
{
    double passed[RUNS], processor[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        clock_t ticks = clock();
        fn(b);
        processor[i] = (double)(clock() - ticks) / CLOCKS_PER_SEC;
        passed[i] = now() - start;
    }
    qsort(passed, RUNS, sizeof passed[0], ascending);
    qsort(processor, RUNS, sizeof processor[0], ascending);
    return (cost){passed[RUNS / 2], processor[RUNS / 2]};
}

static const unsigned masks[SETUPS] = {0, ASSAY_CPU_ADX, ~0u};

static void arrays(bench *b, assay_pool *pool)
{
    static const struct {
        const char *name;
        bench_fn *fn;
    } ops[] = {
        {"fr_mul", fr_mul}, {"fr_mul_sub", fr_mul_sub}, {"fr_powers", fr_powers}, {"fr_from_scalars", fr_from_scalars}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        printf("%-10s %-16s", b->curve->title, ops[i].name);
        for (int s = 0; s < SETUPS; s++) {
            assay_cpu_mask(masks[s]);
            assay_group_backend_cpu_init(&b->be, pool);
            printf(" %12.2f ns", median(b, ops[i].fn).processor / ARRAY * 1e9);
        }
        printf("\n");
    }
}

static int transforms(bench *b, assay_pool *pool, unsigned k)
{
    static const struct {
        const char *name;
        bench_fn *fn;
        int networks;
    } ops[] = {{"forward", forward, 1}, {"inverse", inverse, 1}, {"extend", extend, 2}};
    b->shift = b->curve->fr_root(k + 1);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        printf("%-10s %-10s 2^%-3u", b->curve->title, ops[i].name, k);
        for (int s = 0; s < SETUPS; s++) {
            assay_cpu_mask(masks[s]);
            assay_group_backend_cpu_init(&b->be, pool);
            if (b->be.ntt_new(&b->be, &b->ntt, b->curve, k, NULL)) return 1;
            cost t = median(b, ops[i].fn);
            double products = (double)((size_t)k << (k - 1)) * ops[i].networks;
            printf(" %9.2f (%5.2f)", t.passed * 1e3, t.processor / products * 1e9);
            b->be.ntt_free(b->ntt);
        }
        printf("\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    unsigned largest = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 19;
    assay_pool *pool;
    if (largest > 27 || assay_pool_new(&pool, threads, NULL)) {
        fprintf(stderr, "usage: bench_groups [THREADS [LARGEST_LOG_N]], LARGEST_LOG_N at most 27\n");
        return 2;
    }
    size_t n = (size_t)1 << largest > ARRAY ? (size_t)1 << largest : ARRAY;
    int failed = 0;
    printf("%u threads; an operation, then plain C, ADX, the best of this machine\n", assay_pool_threads(pool));
    for (int curve = 0; curve < ASSAY_CURVE_COUNT && !failed; curve++) {
        bench b = {.curve = assay_curve_get((assay_curve_id)curve)};
        b.x = assay_mem_alloc(n, sizeof *b.x);
        b.y = assay_mem_alloc(ARRAY, sizeof *b.y);
        b.z = assay_mem_alloc(ARRAY, sizeof *b.z);
        failed = !b.x || !b.y || !b.z;
        b.shift = b.curve->fr_root(20);
        for (size_t i = 0; !failed && i < n; i++) b.x[i] = i ? b.curve->fr_mul(b.x[i - 1], b.shift) : b.shift;
        for (size_t i = 0; !failed && i < ARRAY; i++) b.y[i] = b.x[ARRAY - 1 - i];
        if (!failed) arrays(&b, pool);
        for (unsigned k = 10; !failed && k <= largest; k += k + 3 > largest && k < largest ? largest - k : 3)
            failed = transforms(&b, pool, k);
        assay_mem_free(b.x);
        assay_mem_free(b.y);
        assay_mem_free(b.z);
    }
    assay_pool_free(pool);
    return failed;
}
