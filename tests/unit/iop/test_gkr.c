/* SPDX-License-Identifier: Apache-2.0 */
/* The fraction tree's prover against dense computation: every round polynomial of every layer at 0, 2, 3, and the
 * values at the end, at points that include 0 and 1 (where the claim does not tell t(1)). */
#include "base/mem.h"
#include "harness.h"
#include "iop/tape.h"
#include "poly/eq.h"
#include "toy.h"

typedef struct dense {
    unsigned depth;
    kel *p[16], *q[16]; /* layer i, 2^i nodes, padding included */
} dense;

static void dense_new(dense *d, size_t n, const uint32_t *p, const assay_kvec *q)
{
    d->depth = assay_gkr_depth(n);
    for (unsigned i = 0; i <= d->depth; i++) {
        d->p[i] = (kel *)assay_mem_alloc((size_t)1 << i, sizeof(kel));
        d->q[i] = (kel *)assay_mem_alloc((size_t)1 << i, sizeof(kel));
    }
    for (size_t x = 0; x < (size_t)1 << d->depth; x++) {
        d->p[d->depth][x] = x < n ? k_from_f(p[x]) : k_zero();
        d->q[d->depth][x] = x < n ? kvec_get(q, x) : k_one();
    }
    for (unsigned i = d->depth; i-- > 0;)
        for (size_t x = 0; x < (size_t)1 << i; x++) {
            const kel *cp = d->p[i + 1] + 2 * x, *cq = d->q[i + 1] + 2 * x;
            d->p[i][x] = k_add(k_mul(cp[0], cq[1]), k_mul(cp[1], cq[0]));
            d->q[i][x] = k_mul(cq[0], cq[1]);
        }
}

static void dense_free(dense *d)
{
    for (unsigned i = 0; i <= d->depth; i++) {
        assay_mem_free(d->p[i]);
        assay_mem_free(d->q[i]);
    }
}

/* Arrays of a layer's sumcheck: eq, p0, p1, q0, q1, all of 2^i elements. */
typedef struct sumcheck {
    kel *a[5];
    size_t n;
    kel lambda;
} sumcheck;

static kel line_at(const kel *a, size_t x, uint32_t at)
{
    return k_add(a[2 * x], k_mul_f(k_sub(a[2 * x + 1], a[2 * x]), at));
}

static kel round_at(const sumcheck *s, uint32_t at)
{
    kel sum = k_zero();
    for (size_t x = 0; x < s->n / 2; x++) {
        kel v[5];
        for (int j = 0; j < 5; j++) v[j] = line_at(s->a[j], x, at);
        kel f = k_add(k_mul(v[1], v[4]), k_mul(v[3], k_add(v[2], k_mul(s->lambda, v[4]))));
        sum = k_add(sum, k_mul(v[0], f));
    }
    return sum;
}

static void bind(sumcheck *s, kel r)
{
    s->n /= 2;
    for (int j = 0; j < 5; j++)
        for (size_t x = 0; x < s->n; x++) {
            kel lo = s->a[j][2 * x], hi = s->a[j][2 * x + 1];
            s->a[j][x] = k_add(lo, k_mul(r, k_sub(hi, lo)));
        }
}

static void dense_layer(sumcheck *s, const dense *d, unsigned i, const kel *point, kel lambda)
{
    s->n = (size_t)1 << i;
    s->lambda = lambda;
    for (int j = 0; j < 5; j++) s->a[j] = (kel *)assay_mem_alloc(s->n, sizeof(kel));
    assay_eq_table(s->a[0], point, i);
    for (size_t x = 0; x < s->n; x++)
        for (size_t side = 0; side < 2; side++) {
            s->a[1 + side][x] = d->p[i + 1][2 * x + side];
            s->a[3 + side][x] = d->q[i + 1][2 * x + side];
        }
}

/* A challenge: random, or 0 or 1 now and then when edges is set. */
static kel challenge(bool edges)
{
    uint64_t pick = assay_test_random() % 3;
    kel r = toy_random_k();
    if (edges && pick < 2) return k_from_f((uint32_t)pick);
    return r;
}

static void check_layer(assay_gkr_prover *g, const dense *d, unsigned i, kel *point, bool edges)
{
    const assay_iop_ops *ops = &assay_iop_prover_ops;
    assay_sumcheck_prover sp;
    sumcheck s;
    kel rr[16], ends[4], lambda = challenge(edges);
    dense_layer(&s, d, i, point, lambda);
    REQUIRE_OK(ops->gkr_layer(g, &sp, i, point, lambda));
    for (unsigned j = 0; j < i; j++) {
        kel values[3];
        sp.round(sp.ctx, values, k_zero());
        CHECK(k_eq(values[0], round_at(&s, 0)));
        CHECK(k_eq(values[1], round_at(&s, 2)));
        CHECK(k_eq(values[2], round_at(&s, 3)));
        rr[j] = challenge(edges);
        sp.fold(sp.ctx, rr[j]);
        bind(&s, rr[j]);
    }
    ops->gkr_ends(g, ends);
    for (int j = 0; j < 4; j++) CHECK(k_eq(ends[j], s.a[1 + j][0]));
    for (int j = 0; j < 5; j++) assay_mem_free(s.a[j]);
    point[0] = challenge(edges);
    for (unsigned j = 0; j < i; j++) point[j + 1] = rr[j];
}

/* Numerators: 1 except in [from, from + n_other). */
static void tree_case(size_t n, size_t from, size_t n_other, bool edges)
{
    const assay_iop_ops *ops = &assay_iop_prover_ops;
    assay_backend be;
    assay_gkr_prover *g;
    assay_kvec q;
    dense d;
    kel root, point[16];
    uint32_t *p = (uint32_t *)assay_mem_alloc(n, sizeof *p);
    assay_backend_cpu_init(&be, NULL);
    REQUIRE(p && assay_kvec_new(&q, n));
    for (size_t x = 0; x < n; x++) {
        /* the sum of the tree need not be zero for this; runs of ones as look-ups have them, then anything */
        p[x] = x - from >= n_other ? 1 : (uint32_t)(assay_test_random() % M31_P);
        kvec_set(&q, x, toy_random_k());
    }
    dense_new(&d, n, p, &q);
    REQUIRE_OK(ops->gkr_new(&g, &root, &be, n, p, &q));
    CHECK(k_eq(root, d.q[0][0]));
    for (unsigned i = 0; i < d.depth; i++) check_layer(g, &d, i, point, edges);
    ops->gkr_free(g);
    dense_free(&d);
    assay_mem_free(p);
}

TEST(small_trees)
{
    for (size_t n = 1; n <= 70; n++) tree_case(n, 2 * n / 3, n, false);
}

TEST(larger_trees)
{
    static const size_t sizes[] = {511, 512, 513, 1000, 1025, 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) tree_case(sizes[i], 2 * sizes[i] / 3, sizes[i], false);
}

/* Runs of ones in the layer above the leaves: before, between and after other numerators, none, everywhere. */
TEST(runs_of_ones)
{
    tree_case(16384, 0, 0, false);
    tree_case(16384, 0, 16384, false);
    tree_case(16384, 12000, 5000, false);
    tree_case(30001, 0, 4096, false);
    tree_case(30001, 8192, 2048, false);
    tree_case(30001, 10000, 1, false);
    tree_case(30000, 29999, 1, false);
    tree_case(20479, 0, 0, true);
    tree_case(24577, 16384, 100, true);
}

/* One to three blocks of ones at the end, too few for a run, with and without a part of a block behind them. */
TEST(short_runs_of_ones_at_the_end)
{
    for (size_t n = 14336; n <= 18432; n += 2048) {
        tree_case(n, 8192, 4096, false);
        tree_case(n + 67, 8192, 4096, false);
    }
}

TEST(challenges_zero_and_one)
{
    for (size_t n = 1; n <= 70; n++) tree_case(n, n / 2, n / 3, true);
    tree_case(777, 500, 100, true);
}

TEST(sizes_out_of_range)
{
    const assay_iop_ops *ops = &assay_iop_prover_ops;
    assay_backend be;
    assay_gkr_prover *g;
    assay_kvec q;
    kel root;
    uint32_t p[4] = {1, 1, 1, 1};
    assay_backend_cpu_init(&be, NULL);
    REQUIRE(assay_kvec_new(&q, 4));
    CHECK_STATUS(ops->gkr_new(&g, &root, &be, 5, p, &q), ASSAY_EINVAL);
    CHECK(g == NULL && q.own == NULL);
    REQUIRE(assay_kvec_new(&q, 4));
    CHECK_STATUS(ops->gkr_new(&g, &root, &be, 0, p, &q), ASSAY_EINVAL);
    CHECK(g == NULL && q.own == NULL);
    CHECK_EQ_U64(assay_gkr_depth(1), 1);
    CHECK_EQ_U64(assay_gkr_depth(2), 1);
    CHECK_EQ_U64(assay_gkr_depth(3), 2);
    CHECK_EQ_U64(assay_gkr_depth((uint64_t)1 << 30), 30);
    CHECK_EQ_U64(assay_gkr_depth(((uint64_t)1 << 29) + 1), 30);
}
