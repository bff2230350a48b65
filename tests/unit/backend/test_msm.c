/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: labels threads
 *
 * Sums of multiples and multiples of one point. Points are known multiples of the generator, so that a sum is one
 * multiplication; small sums are compared with the plain reference too. */
#include "backend/cpu/groups.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "field/limbs.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { POOL_POINTS = 300 };

/* Points m G of one group for m = 0, 1, -1, 2, -2, 3, ... and random m, with m in the scalar field. */
typedef struct known {
    const assay_curve *curve;
    assay_group_id id;
    const assay_group *group;
    uint8_t points[POOL_POINTS * ASSAY_AFFINE_MAX_BYTES];
    assay_fr m[POOL_POINTS];
} known;

typedef struct sum_case {
    size_t n;
    uint8_t *points;
    assay_scalar *scalars;
    assay_fr m; /* the sum is m G */
} sum_case;

static void random_scalar(const assay_curve *c, uint64_t k[4])
{
    do {
        for (int i = 0; i < 4; i++) k[i] = assay_test_random();
        k[3] >>= 1;
    } while (k[3] >= c->fr_modulus[3]);
}

static void make_known(known *k, assay_curve_id c, assay_group_id g)
{
    assay_affine generator;
    assay_point step, t;
    k->curve = assay_curve_get(c);
    k->id = g;
    k->group = &k->curve->group[g];
    k->group->generator(&generator);
    k->group->from_affine(&step, &generator);
    assay_fr m = k->curve->fr_from_u64(0), one = k->curve->fr_from_u64(1);
    k->group->infinity(&t);
    for (size_t i = 0; i < POOL_POINTS; i++) {
        uint8_t *p = k->points + i * k->group->affine_bytes;
        if (i % 2) {
            k->group->add(&t, &t, &step);
            m = k->curve->fr_add(m, one);
            k->group->to_affine(p, &t);
            k->m[i] = m;
        } else {
            assay_point minus;
            k->group->neg(&minus, &t);
            k->group->to_affine(p, &minus);
            k->m[i] = k->curve->fr_sub(k->curve->fr_from_u64(0), m);
        }
        if (i == 20) { /* from here on far apart */
            uint64_t big[4];
            random_scalar(k->curve, big);
            k->group->mul(&step, &generator, big);
            one = k->curve->fr_from_limbs(big);
        }
    }
}

typedef enum kind { RANDOM, BITS, SMALL, EDGES, SAME_SCALAR, SAME_POINT, OPPOSITE, INFINITE, KINDS } kind;

static void edge_scalar(const assay_curve *c, uint64_t k[4], size_t i)
{
    uint64_t v[4] = {0}, borrow = 0;
    size_t bit = assay_test_random() % 253;
    v[bit / 64] = UINT64_C(1) << bit % 64;
    if (i % 3 == 0)
        for (int j = 0; j < 4; j++) v[j] = limb_sub(v[j], j == 0, &borrow);
    if (i % 2)
        limbs_sub(k, c->fr_modulus, v, 4);
    else
        memcpy(k, v, sizeof v);
    if (i % 7 == 0) /* (r - 1) / 2, (r + 1) / 2 */
        for (int j = 0; j < 4; j++) k[j] = c->fr_modulus[j] >> 1 | (j < 3 ? c->fr_modulus[j + 1] << 63 : 0);
    if (i % 14 == 0) k[0]++;
    if (limbs_equal(k, c->fr_modulus, 4)) memset(k, 0, sizeof v);
}

static void fill_scalar(const known *w, uint64_t k[4], kind what, size_t i)
{
    static const uint64_t fixed[4] = {0x123456789abcdef, 77, 0x8000000000000000, 0x1234567};
    memset(k, 0, sizeof(assay_scalar));
    switch (what) {
    case BITS:
        k[0] = assay_test_random() % 2;
        if (i % 5 == 0) limbs_sub(k, w->curve->fr_modulus, (const uint64_t[4]){1}, 4);
        break;
    case SMALL:
        k[0] = assay_test_random() % 300;
        if (i % 3 == 0 && k[0]) limbs_sub(k, w->curve->fr_modulus, (const uint64_t[4]){k[0]}, 4);
        break;
    case EDGES:
        edge_scalar(w->curve, k, i);
        break;
    case SAME_SCALAR:
        memcpy(k, fixed, sizeof fixed);
        break;
    case OPPOSITE:
        if (i % 2)
            memcpy(k, k - 4, sizeof(assay_scalar)); /* of the term before: never the first */
        else
            random_scalar(w->curve, k);
        break;
    case RANDOM:
    case SAME_POINT:
    case INFINITE:
    case KINDS:
        random_scalar(w->curve, k);
        break;
    }
}

static size_t point_of(kind what, size_t i)
{
    switch (what) {
    case SAME_POINT:
        return 77;
    case OPPOSITE:
        return 41 + i % 2; /* m and -m */
    case INFINITE:
        return assay_test_random() % 3 ? 0 : assay_test_random() % POOL_POINTS;
    case RANDOM:
    case BITS:
    case SMALL:
    case EDGES:
    case SAME_SCALAR:
    case KINDS:
        break;
    }
    return assay_test_random() % POOL_POINTS;
}

static sum_case make_case(const known *w, kind what, size_t n)
{
    size_t bytes = w->group->affine_bytes;
    sum_case s = {n, assay_mem_alloc(n + 1, bytes), assay_mem_alloc(n + 1, sizeof(assay_scalar)),
                  w->curve->fr_from_u64(0)};
    if (!CHECK(s.points && s.scalars)) s.n = 0;
    for (size_t i = 0; i < s.n; i++) {
        size_t p = point_of(what, i);
        fill_scalar(w, s.scalars[i], what, i);
        memcpy(s.points + i * bytes, w->points + p * bytes, bytes);
        s.m = w->curve->fr_add(s.m, w->curve->fr_mul(w->m[p], w->curve->fr_from_limbs(s.scalars[i])));
    }
    return s;
}

static void drop_case(sum_case *s)
{
    assay_mem_free(s->points);
    assay_mem_free(s->scalars);
}

/* m G. */
static assay_point expected(const known *w, assay_fr m)
{
    assay_affine generator;
    assay_point t;
    uint64_t k[4];
    w->group->generator(&generator);
    w->curve->fr_to_limbs(k, m);
    w->group->mul(&t, &generator, k);
    return t;
}

/* The sum, in pieces of at most `piece` terms and of varying length when that is not 0. */
static assay_status sum(const assay_group_backend *be, const known *w, const sum_case *s, size_t piece,
                        size_t max_bytes, const assay_progress *progress, assay_point *out)
{
    assay_msm *m;
    assay_status st = be->msm_new(be, &m, w->curve, w->id, s->n, max_bytes, NULL);
    for (size_t at = 0; !st && at < s->n;) {
        size_t n = piece ? 1 + assay_test_random() % piece : s->n;
        if (n > s->n - at) n = s->n - at;
        st = be->msm_add(m, s->points + at * w->group->affine_bytes, s->scalars + at, n, progress, NULL);
        at += n;
    }
    if (!st) st = be->msm_finish(m, out, NULL);
    be->msm_free(m);
    return st;
}

static void check_sum(const assay_group_backend *be, const known *w, const sum_case *s, size_t piece, size_t max_bytes,
                      const char *what)
{
    assay_point got, want = expected(w, s->m);
    if (!CHECK_OK(sum(be, w, s, piece, max_bytes, NULL, &got))) return;
    if (!CHECK(w->group->equal(&got, &want)))
        fprintf(stderr, "  %s G%d, %s, n = %zu\n", w->curve->title, w->id + 1, what, s->n);
}

typedef void backend_fn(const assay_group_backend *be, const known *w);

/* fn for every group, set of CPU features, and for 1 to 3 threads. */
static void for_each(backend_fn *fn, bool groups_2, unsigned max_threads)
{
    static const unsigned masks[] = {0, ASSAY_CPU_ADX | ASSAY_CPU_AVX2, ~0u & ~(unsigned)ASSAY_CPU_IFMA, ~0u};
    static known w;
    for (int c = 0; c < ASSAY_CURVE_COUNT; c++)
        for (int g = 0; g < (groups_2 ? 2 : 1); g++) {
            make_known(&w, (assay_curve_id)c, (assay_group_id)g);
            for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
                for (unsigned threads = 1; threads <= max_threads; threads++) {
                    assay_pool *pool;
                    assay_group_backend be;
                    REQUIRE_OK(assay_pool_new(&pool, threads, NULL));
                    assay_cpu_mask(masks[i]);
                    assay_group_backend_cpu_init(&be, pool);
                    fn(&be, &w);
                    assay_cpu_mask(~0u);
                    assay_pool_free(pool);
                }
        }
}

static void all_kinds(const assay_group_backend *be, const known *w)
{
    static const size_t sizes[] = {0, 1, 2, 3, 9, 31, 513};
    static const char *const names[KINDS] = {"random",      "bits",       "small",    "edges",
                                             "same scalar", "same point", "opposite", "infinite"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int what = 0; what < KINDS; what++) {
            sum_case s = make_case(w, (kind)what, sizes[i]);
            check_sum(be, w, &s, 0, 0, names[what]);
            drop_case(&s);
        }
}

TEST(every_kind_of_term)
{
    for_each(all_kinds, true, 2);
}

static void large(const assay_group_backend *be, const known *w)
{
    sum_case s = make_case(w, RANDOM, 20011);
    check_sum(be, w, &s, 0, 0, "large");
    drop_case(&s);
    s = make_case(w, SMALL, 30000);
    check_sum(be, w, &s, 0, 0, "large and small");
    drop_case(&s);
}

TEST(large_sums)
{
    for_each(large, false, 3);
}

static void pieces(const assay_group_backend *be, const known *w)
{
    sum_case s = make_case(w, EDGES, 3000);
    size_t most = be->msm_bytes(be, w->curve, w->id, s.n);
    check_sum(be, w, &s, 700, 0, "in pieces");
    check_sum(be, w, &s, 0, most, "in just enough memory");
    check_sum(be, w, &s, 0, most / 2, "in half the memory");
    check_sum(be, w, &s, 900, most / 4, "in a quarter, in pieces");
    drop_case(&s);
}

TEST(pieces_and_bounds_of_memory)
{
    for_each(pieces, true, 2);
}

static void with_reference(const assay_group_backend *be, const known *w)
{
    assay_group_backend ref;
    assay_group_backend_ref_init(&ref, NULL);
    sum_case s = make_case(w, EDGES, 60);
    assay_point a, b;
    CHECK_OK(sum(&ref, w, &s, 0, 0, NULL, &a));
    CHECK_OK(sum(be, w, &s, 0, 0, NULL, &b));
    CHECK(w->group->equal(&a, &b));
    drop_case(&s);
}

TEST(equals_the_reference)
{
    for_each(with_reference, true, 1);
}

/* Points of the curve outside the group of order r, as a bad key may hold: not refused here, and no harm. */
TEST(outside_the_group)
{
    const assay_curve *c = assay_curve_get(ASSAY_BLS381);
    assay_group_backend be, ref;
    static known w;
    sum_case s;
    assay_point got, want;
    assay_group_backend_cpu_init(&be, NULL);
    assay_group_backend_ref_init(&ref, NULL);
    make_known(&w, ASSAY_BLS381, ASSAY_G1);
    s = make_case(&w, RANDOM, 50);
    for (size_t i = 0; i < s.n; i++) {
        uint8_t x[ASSAY_FQ_MAX_BYTES] = {0};
        do
            for (size_t j = 1; j < c->fq_bytes; j++) x[j] = (uint8_t)assay_test_random();
        while (!w.group->from_x(s.points + i * w.group->affine_bytes, x, i % 2));
        CHECK(!w.group->in_group(s.points + i * w.group->affine_bytes));
        s.scalars[i][3] >>= 2; /* at most r / 2, for which k P is exact */
    }
    CHECK_OK(sum(&ref, &w, &s, 0, 0, NULL, &want));
    CHECK_OK(sum(&be, &w, &s, 0, 0, NULL, &got));
    CHECK(w.group->equal(&got, &want));
    drop_case(&s);
}

/* What the object takes is what msm_bytes says. */
TEST(bytes_are_told_truly)
{
    static const size_t sizes[] = {10, 1000, 40000};
    static known w;
    make_known(&w, ASSAY_BN254, ASSAY_G1);
    for (size_t i = 0; i < 3; i++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            assay_pool *pool;
            assay_group_backend be;
            assay_point out;
            REQUIRE_OK(assay_pool_new(&pool, threads, NULL));
            assay_group_backend_cpu_init(&be, pool);
            sum_case s = make_case(&w, RANDOM, sizes[i]);
            size_t told = be.msm_bytes(&be, w.curve, w.id, s.n);
            assay_mem_peak_reset();
            uint64_t before = assay_mem_peak();
            CHECK_OK(sum(&be, &w, &s, 0, 0, NULL, &out));
            uint64_t took = assay_mem_peak() - before;
            CHECK(took <= told && (double)took >= 0.85 * (double)told);
            for (size_t part = 2; part <= 4; part *= 2) {
                assay_mem_peak_reset();
                assay_status st = sum(&be, &w, &s, 0, told / part, NULL, &out);
                CHECK(assay_mem_peak() - before <= told / part);
                CHECK(st == ASSAY_OK || s.n < 100); /* so small a sum cannot do with less */
            }
            drop_case(&s);
            assay_pool_free(pool);
        }
}

TEST(too_little_memory)
{
    assay_group_backend be;
    assay_msm *m = (assay_msm *)&be;
    assay_group_backend_cpu_init(&be, NULL);
    CHECK_STATUS(be.msm_new(&be, &m, assay_curve_get(ASSAY_BN254), ASSAY_G2, 1000, 1000, NULL), ASSAY_ENOMEM);
    CHECK(!m);
    be.msm_free(NULL);
}

TEST(allocations_that_fail)
{
    static known w;
    assay_group_backend be;
    assay_point out;
    uint64_t used;
    assay_group_backend_cpu_init(&be, NULL);
    make_known(&w, ASSAY_BN254, ASSAY_G1);
    sum_case s = make_case(&w, BITS, 500);
    uint8_t *many = assay_mem_alloc(s.n, w.group->affine_bytes);
    (void)assay_mem_fail_after(0);
    CHECK_OK(sum(&be, &w, &s, 0, 0, NULL, &out));
    used = assay_mem_fail_after(0);
    for (uint64_t k = 1; k <= used; k++) {
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(sum(&be, &w, &s, 0, 0, NULL, &out), ASSAY_ENOMEM);
    }
    (void)assay_mem_fail_after(0);
    CHECK_OK(be.fixed_base(&be, w.curve, w.id, many, w.points, (const assay_scalar *)s.scalars, s.n, NULL, NULL));
    used = assay_mem_fail_after(0);
    for (uint64_t k = 1; k <= used; k++) {
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(
            be.fixed_base(&be, w.curve, w.id, many, w.points, (const assay_scalar *)s.scalars, s.n, NULL, NULL),
            ASSAY_ENOMEM);
    }
    (void)assay_mem_fail_after(0);
    assay_mem_free(many);
    drop_case(&s);
}

typedef struct steps {
    int calls, stop_at;
    double last;
} steps;

static int step(void *ctx, const char *stage, double done)
{
    steps *s = ctx;
    (void)stage;
    CHECK(done >= s->last && done <= 1);
    s->last = done;
    return s->calls++ == s->stop_at;
}

TEST(progress_and_cancellation)
{
    static known w;
    assay_group_backend be;
    assay_point out;
    steps all = {0, -1, 0};
    assay_progress p = {step, &all};
    assay_group_backend_cpu_init(&be, NULL);
    make_known(&w, ASSAY_BN254, ASSAY_G1);
    sum_case s = make_case(&w, RANDOM, 20000);
    uint8_t *many = assay_mem_alloc(2 * s.n, w.group->affine_bytes);
    REQUIRE(many);
    CHECK_OK(sum(&be, &w, &s, 0, 0, &p, &out));
    CHECK(all.calls >= 2);
    for (int i = 0; i < all.calls; i++) {
        steps some = {0, i, 0};
        assay_progress q = {step, &some};
        CHECK_STATUS(sum(&be, &w, &s, 0, 0, &q, &out), ASSAY_ECANCELED);
    }
    steps one = {0, 0, 0};
    p.ctx = &one;
    CHECK_STATUS(be.fixed_base(&be, w.curve, w.id, many, w.points, (const assay_scalar *)s.scalars, s.n, &p, NULL),
                 ASSAY_ECANCELED);
    assay_mem_free(many);
    drop_case(&s);
}

static void multiples(const assay_group_backend *be, const known *w)
{
    static const size_t sizes[] = {0, 1, 3, 8, 63, 700, 2100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sum_case s = make_case(w, i % 2 ? EDGES : RANDOM, sizes[i]);
        size_t bytes = w->group->affine_bytes, from = i == 3 ? 0 : 299;
        uint8_t *out = assay_mem_alloc(s.n + 1, bytes);
        REQUIRE(out);
        CHECK_OK(be->fixed_base(be, w->curve, w->id, out, w->points + from * bytes, (const assay_scalar *)s.scalars,
                                s.n, NULL, NULL));
        for (size_t j = 0; j < s.n; j += 1 + s.n / 20) {
            assay_point want = expected(w, w->curve->fr_mul(w->m[from], w->curve->fr_from_limbs(s.scalars[j])));
            assay_affine flat;
            w->group->to_affine(&flat, &want);
            CHECK_EQ_MEM(out + j * bytes, &flat, bytes);
        }
        assay_mem_free(out);
        drop_case(&s);
    }
}

TEST(multiples_of_one_point)
{
    for_each(multiples, true, 2);
}
