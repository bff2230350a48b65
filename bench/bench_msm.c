/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples, and multiples of one point: time, additions, and what the additions alone would take.
 *     bench_msm [--threads N] [--log LOG] [--curve bn254|bls12381] [--group 1|2] [--bits] [--runs N]
 * Counts: additions of the plan that the size leads to; the floor is additions times the time of one addition of
 * pairs that lie in the second cache, on as many threads. */
#define _DEFAULT_SOURCE
#include "backend/cpu/groups.h"
#include "backend/cpu/msm.h"
#include "backend/cpu/windows.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static uint64_t state = 88172645463325252u;
static uint64_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

typedef struct options {
    unsigned threads, log, runs;
    const char *curve;
    int group;
    bool bits;
} options;

static options read_options(int argc, char **argv)
{
    options o = {2, 18, 5, "bn254", 1, false};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--bits") == 0)
            o.bits = true;
        else if (strcmp(argv[i], "--threads") == 0)
            o.threads = (unsigned)atoi(value), i++;
        else if (strcmp(argv[i], "--log") == 0)
            o.log = (unsigned)atoi(value), i++;
        else if (strcmp(argv[i], "--runs") == 0)
            o.runs = (unsigned)atoi(value), i++;
        else if (strcmp(argv[i], "--group") == 0)
            o.group = atoi(value), i++;
        else if (strcmp(argv[i], "--curve") == 0)
            o.curve = value, i++;
    }
    return o;
}

/* Seconds of one addition, pairs of 4096 points in order. */
static double addition(const assay_affine_ops *ops, const uint8_t *points, size_t bytes)
{
    enum { N = 2048, TIMES = 40 };
    uint8_t *out = assay_mem_alloc(N, bytes);
    void *scratch = assay_mem_alloc(1, assay_affine_scratch(ops, N));
    double best = 1;
    assay_affine_pairs p = {out, points, points + N * bytes, NULL, NULL, NULL, false, NULL, 0};
    for (int i = 0; out && scratch && i < TIMES; i++) {
        double t = now();
        ops->add(scratch, &p, N);
        t = (now() - t) / N;
        if (t < best) best = t;
    }
    assay_mem_free(out);
    assay_mem_free(scratch);
    return best;
}

static int smaller(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    const assay_curve *c = assay_curve_by_name(o.curve);
    size_t n = (size_t)1 << o.log;
    assay_pool *pool;
    assay_group_backend be;
    if (!c || o.log > 24 || o.group < 1 || o.group > 2 || o.runs < 1 || o.runs > 99) return 2;
    if (assay_pool_new(&pool, o.threads, NULL)) return 1;
    assay_group_backend_cpu_init(&be, pool);
    assay_group_id g = o.group == 1 ? ASSAY_G1 : ASSAY_G2;
    const assay_group *group = &c->group[g];
    const assay_affine_ops *ops = assay_affine_select(c, g);
    uint8_t *points = assay_mem_alloc(n < 4096 ? 4096 : n, group->affine_bytes);
    assay_scalar *k = assay_mem_alloc(n < 4096 ? 4096 : n, sizeof *k);
    if (!points || !k) return 1;
    for (size_t i = 0; i < (n < 4096 ? 4096 : n); i++) {
        for (int j = 0; j < 4; j++) k[i][j] = random_word();
        k[i][3] >>= 4;
    }
    assay_affine generator;
    group->generator(&generator);
    double t = now(), work = cpu();
    if (be.fixed_base(&be, c, g, points, &generator, (const assay_scalar *)k, n < 4096 ? 4096 : n, NULL, NULL))
        return 1;
    printf("%s G%d 2^%u, %u threads, additions by %s\n", c->title, o.group, o.log, o.threads, ops->name);
    printf("multiples of one point: %.3f s, %.3f s of processor time\n", now() - t, cpu() - work);
    if (o.bits)
        for (size_t i = 0; i < n; i++) {
            uint64_t kind = random_word() % 1000;
            k[i][1] = k[i][2] = k[i][3] = 0;
            k[i][0] = kind < 586 ? 0 : kind < 999 ? 1 : random_word();
        }
    double wall[99], used[99];
    for (unsigned r = 0; r < o.runs; r++) {
        assay_msm *m;
        assay_point out;
        t = now();
        work = cpu();
        if (be.msm_new(&be, &m, c, g, n, 0, NULL)) return 1;
        if (be.msm_add(m, points, (const assay_scalar *)k, n, NULL, NULL) || be.msm_finish(m, &out, NULL)) return 1;
        be.msm_free(m);
        wall[r] = now() - t;
        used[r] = cpu() - work;
    }
    qsort(wall, o.runs, sizeof wall[0], smaller);
    qsort(used, o.runs, sizeof used[0], smaller);
    assay_msm_shape s;
    unsigned bits = 253 + (c->id == ASSAY_BLS381);
    (void)assay_msm_plan(&s, ops, group->affine_bytes, bits, n, o.threads, 0);
    double one = addition(ops, points, group->affine_bytes), count = (double)(s.windows * (n + s.buckets));
    printf("sum: %.4f s (median of %u), %.4f s of processor time (least %.4f); %.1f MB\n", wall[o.runs / 2], o.runs,
           used[o.runs / 2], used[0], 1e-6 * (double)be.msm_bytes(&be, c, g, n));
    printf("windows of %u bits, %u of them, %u at a time; %.0f additions at most, %.1f ns each alone: floor %.4f s of "
           "processor time\n",
           s.width, s.windows, s.group, count, 1e9 * one, count * one);
    assay_mem_free(points);
    assay_mem_free(k);
    assay_pool_free(pool);
    return 0;
}
