/* SPDX-License-Identifier: Apache-2.0 */
/* The interactive proof's large pieces: a fraction tree of look-ups (rate, K multiplications and memory a look-up) and
 * the merge of a stack. Usage: bench_iop [leaves] [threads] [columns, log2] [rows over F]. Multiplications are counted
 * by a backend that passes each call on; one by a base-field word counts a sixth. Machine-dependent: compare ratios. */
#include "base/mem.h"
#include "iop/merge.h"
#include "iop/tape.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static const assay_backend *inner;
static double k_muls;

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the counting backend: the operations that a fraction tree uses */
static void count_fold(const assay_backend *be, assay_kvec *out, const assay_kvec *in, kel r, size_t n_out)
{
    (void)be;
    k_muls += (double)n_out;
    inner->k_fold(inner, out, in, r, n_out);
}
static void count_eq(const assay_backend *be, assay_kvec *out, kel scale, const kel *r, unsigned n)
{
    (void)be;
    k_muls += (double)((size_t)1 << n);
    inner->k_eq(inner, out, scale, r, n);
}
static void count_frac(const assay_backend *be, kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0,
                       const assay_kvec *p1, const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs)
{
    (void)be;
    k_muls += 8.0 * (double)n_pairs;
    inner->round_frac(inner, out, w, lambda, p0, p1, q0, q1, n_pairs);
}
static void count_dot3w(const assay_backend *be, kel out[2], const assay_kvec *w, const assay_kvec *a,
                        const assay_kvec *b, size_t n_pairs)
{
    (void)be;
    k_muls += 4.0 * (double)n_pairs;
    inner->round_dot3w(inner, out, w, a, b, n_pairs);
}
static void count_up(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p,
                     const assay_kvec *q, size_t n_out)
{
    (void)be;
    k_muls += 3.0 * (double)n_out;
    inner->frac_up(inner, p_out, q_out, p, q, n_out);
}
static void count_up_f(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p,
                       const assay_kvec *q, size_t n_out)
{
    (void)be;
    k_muls += (1 + 2.0 / 6) * (double)n_out;
    inner->frac_up_f(inner, p_out, q_out, p, q, n_out);
}

static assay_backend counting(const assay_backend *be)
{
    assay_backend c = *be;
    inner = be;
    c.k_fold = count_fold;
    c.k_eq = count_eq;
    c.round_frac = count_frac;
    c.round_dot3w = count_dot3w;
    c.frac_up = count_up;
    c.frac_up_f = count_up_f;
    return c;
}

static uint64_t state = 88172645463325252u;
static uint32_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % M31_P;
}
static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = random_word();
    return k;
}

static size_t peak_kib(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (size_t)u.ru_maxrss;
}

/* All threads' time: what a busy machine leaves unchanged. */
static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double tree_time;
static assay_status timed_new(assay_gkr_prover **g, kel *root_q, const assay_backend *be, uint64_t n, const uint32_t *p,
                              assay_kvec *q)
{
    double t = now();
    assay_status s = assay_iop_prover_ops.gkr_new(g, root_q, be, n, p, q);
    tree_time = now() - t;
    return s;
}

/* One tree of n leaves, all 1/q but the last 65536, whose numerators are the multiplicities of a table. */
static void bench_gkr(const assay_backend *be, size_t n, bool count)
{
    assay_backend counter = counting(be);
    assay_iop_ops ops = assay_iop_prover_ops;
    ops.gkr_new = timed_new;
    assay_channel ch;
    assay_writer out;
    assay_iop *iop = NULL;
    assay_iop_plan plan;
    assay_claim pc, qc;
    kel point[64];
    assay_channel_init(&ch, ASSAY_PLAN, NULL, NULL);
    if (assay_iop_new(&iop, &ch, NULL, NULL, NULL, NULL, NULL) != ASSAY_OK) exit(1);
    assay_iop_gkr(iop, "look", n, NULL, NULL, &pc, &qc, point);
    assay_iop_plan_get(iop, &plan);
    assay_iop_free(iop);
    kel *cells = (kel *)assay_mem_alloc(iop_plan_cells(&plan), sizeof *cells);
    uint32_t *p = (uint32_t *)assay_mem_alloc(n, sizeof *p);
    assay_kvec q;
    if (!cells || !p || !assay_kvec_new(&q, n)) exit(1);
    for (size_t i = 0; i < n; i++) {
        p[i] = i + 65536 < n ? 1 : random_word();
        kvec_set(&q, i, random_k());
    }
    assay_writer_init(&out, (size_t)1 << 24);
    assay_channel_init(&ch, ASSAY_PROVE, &out, NULL);
    if (assay_iop_new(&iop, &ch, &ops, count ? &counter : be, &plan, cells, NULL) != ASSAY_OK) exit(1);
    size_t before = peak_kib();
    k_muls = 0;
    double t = now(), cpu = cpu_now();
    assay_iop_gkr(iop, "look", n, p, &q, &pc, &qc, point);
    t = now() - t;
    cpu = cpu_now() - cpu;
    if (!channel_ok(&ch)) exit(1);
    if (count)
        printf("  %.2f K multiplications a look-up\n", k_muls / (double)n);
    else
        printf("  %.3f s (tree %.3f s, processors %.3f s): %.2f M look-ups/s, peak %.0f MiB over %.0f MiB of leaves\n",
               t, tree_time, cpu, (double)n / t / 1e6, (double)(peak_kib() - before) / 1024, (double)n * 28 / 1048576);
    assay_iop_free(iop);
    assay_writer_clear(&out);
    assay_mem_free(p);
    assay_mem_free(cells);
}

static void bench_merge(const assay_backend *be, unsigned c, size_t n_rows)
{
    assay_merge_shape shape = {c, 1, n_rows};
    size_t n = (size_t)1 << c;
    while ((size_t)1 << shape.row_bits < n_rows + 2) shape.row_bits++;
    assay_kvec p, r, m, u = {{0}, 0, NULL, 0};
    assay_kvec *phi = (assay_kvec *)assay_mem_alloc(n_rows + 2, sizeof *phi);
    uint32_t **rows = (uint32_t **)assay_mem_alloc(n_rows, sizeof *rows);
    if (!phi || !rows || !assay_kvec_new(&p, n) || !assay_kvec_new(&r, n) || !assay_kvec_new(&m, n)) exit(1);
    for (size_t x = 0; x < n; x++) {
        kvec_set(&p, x, random_k());
        kvec_set(&r, x, random_k());
        kvec_set(&m, x, random_k());
    }
    for (size_t i = 0; i < n_rows + 2; i++) {
        if (i == 1) continue;
        if (!assay_kvec_new(&phi[i], n)) exit(1);
        for (size_t x = 0; x < n; x++) kvec_set(&phi[i], x, random_k());
        if (i < 2) continue;
        rows[i - 2] = (uint32_t *)assay_mem_alloc(n, sizeof **rows);
        if (!rows[i - 2]) exit(1);
        for (size_t x = 0; x < n; x++) rows[i - 2][x] = random_word();
    }
    assay_merge_prover mp = {&assay_merge_prover_ops, be, &p, &r, &m, (const uint32_t *const *)rows, phi};
    assay_channel ch;
    assay_writer out;
    assay_merge_result res;
    assay_tail_claim claims[2];
    assay_writer_init(&out, 1 << 20);
    assay_channel_init(&ch, ASSAY_PROVE, &out, NULL);
    size_t before = peak_kib();
    double t0 = now(), cpu = cpu_now();
    assay_merge_run(&ch, &shape, &mp, k_one(), &res);
    double t1 = now();
    cpu = cpu_now() - cpu;
    assay_merge_fold(&ch, &shape, &mp, k_one(), &res, claims, &u);
    double t2 = now(), cells = (double)n * (double)n_rows;
    if (!channel_ok(&ch)) exit(1);
    printf("  rounds %.3f s (processors %.3f s): %.1f M cells/s, fold %.3f s: %.1f M cells/s, peak %.0f MiB over the "
           "caller's\n",
           t1 - t0, cpu, cells / (t1 - t0) / 1e6, t2 - t1, cells / (t2 - t1) / 1e6,
           (double)(peak_kib() - before) / 1024);
    for (size_t i = 0; i < n_rows; i++) assay_mem_free(rows[i]);
    assay_mem_free(rows);
    assay_mem_free(phi);
    assay_kvec_free(&p);
    assay_kvec_free(&r);
    assay_kvec_free(&m);
    assay_kvec_free(&u);
    assay_writer_clear(&out);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 2300000;
    unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned c = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 16;
    size_t n_rows = argc > 4 ? (size_t)strtoull(argv[4], NULL, 10) : 64;
    assay_pool *pool = NULL;
    assay_backend be;
    if (assay_pool_new(&pool, threads, NULL) != ASSAY_OK) return 1;
    assay_backend_cpu_init(&be, pool);
    printf("%s, %u threads\nfraction tree, %zu leaves\n", be.name, assay_pool_threads(pool), n);
    for (int run = 0; run < 3; run++) bench_gkr(&be, n, false);
    bench_gkr(&be, n, true);
    printf("merge, %zu rows of 2^%u columns\n", n_rows, c);
    for (int run = 0; run < 3; run++) bench_merge(&be, c, n_rows);
    assay_pool_free(pool);
    return 0;
}
