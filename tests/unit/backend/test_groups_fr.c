/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar field arrays and transforms of backend/groups.h: every instruction set, with and without threads, equals the
 * reference bit for bit; and the reference what the sums say.
 *     ctest: labels threads */
#include "backend/cpu/fr.h"
#include "backend/cpu/groups.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "harness.h"
#include <string.h>

enum { MOST = 5000 };

static assay_group_backend reference;

/* Runs check with every choice of instructions that this machine has, alone and with three threads. */
static void with_all(void (*check)(const assay_group_backend *be, const assay_curve *c))
{
    const unsigned masks[] = {0, ASSAY_CPU_ADX, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512, ~0u};
    assay_pool *pool;
    REQUIRE_OK(assay_pool_new(&pool, 3, NULL));
    assay_group_backend_ref_init(&reference, NULL);
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
        for (int threads = 0; threads < 2; threads++)
            for (int curve = 0; curve < ASSAY_CURVE_COUNT; curve++) {
                assay_group_backend be;
                assay_cpu_mask(masks[i]);
                assay_group_backend_cpu_init(&be, threads ? pool : NULL);
                check(&be, assay_curve_get((assay_curve_id)curve));
            }
    assay_cpu_mask(~0u);
    assay_pool_free(pool);
}

/* Random, and now and then 0, 1, r - 1 or a small number. */
static assay_fr any(const assay_curve *c)
{
    assay_fr a;
    uint8_t bytes[ASSAY_FR_BYTES];
    switch (assay_test_random() >> 40 & 15) {
    case 0:
        return c->fr_from_u64(0);
    case 1:
        return c->fr_from_u64(1);
    case 2:
        return c->fr_sub(c->fr_from_u64(0), c->fr_from_u64(1));
    case 3:
        return (assay_fr){{1, 0, 0, 0}};
    default:
        break;
    }
    do
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(assay_test_random() >> 40);
    while (!c->fr_from_bytes(&a, bytes, false));
    return a;
}

static void fill(const assay_curve *c, assay_fr *a, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] = any(c);
}

static void check_arrays(const assay_group_backend *be, const assay_curve *c)
{
    const size_t sizes[] = {0, 1, 2, 7, 8, 9, 31, 100, 4095, 4999};
    static assay_fr a[MOST], b[MOST], d[MOST], got[MOST], want[MOST];
    static assay_scalar scalars[MOST], wanted[MOST];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s], bytes = n * sizeof a[0];
        fill(c, a, n);
        fill(c, b, n);
        fill(c, d, n);
        memset(got, 7, sizeof got);
        memset(want, 7, sizeof want);
        be->fr_mul(be, c, got, a, b, n);
        reference.fr_mul(&reference, c, want, a, b, n);
        CHECK_EQ_MEM(got, want, sizeof got);
        be->fr_mul_sub(be, c, got, a, b, d, n);
        reference.fr_mul_sub(&reference, c, want, a, b, d, n);
        CHECK_EQ_MEM(got, want, sizeof got);
        memcpy(got, a, bytes);
        be->fr_mul(be, c, got, got, got, n);
        reference.fr_mul(&reference, c, want, a, a, n);
        CHECK_EQ_MEM(got, want, sizeof got);
        assay_fr start = any(c), ratio = any(c);
        memcpy(got, a, bytes);
        memcpy(want, a, bytes);
        be->fr_powers(be, c, got, start, ratio, n);
        reference.fr_powers(&reference, c, want, start, ratio, n);
        CHECK_EQ_MEM(got, want, sizeof got);
        memset(scalars, 5, sizeof scalars);
        memset(wanted, 5, sizeof wanted);
        be->fr_to_scalars(be, c, scalars, a, n);
        reference.fr_to_scalars(&reference, c, wanted, a, n);
        CHECK_EQ_MEM(scalars, wanted, sizeof scalars);
        be->fr_from_scalars(be, c, got, (const assay_scalar *)scalars, n);
        CHECK_EQ_MEM(got, a, bytes);
    }
}

TEST(arrays)
{
    with_all(check_arrays);
}

static void check_one_size(const assay_group_backend *be, const assay_curve *c, unsigned k)
{
    static assay_fr x[1 << 12], got[1 << 12], want[1 << 12];
    size_t bytes = ((size_t)1 << k) * sizeof x[0];
    assay_ntt *t, *plain;
    assay_fr s = k % 2 ? any(c) : c->fr_root(k + 1);
    if (k % 4 == 3) s = c->fr_from_u64(7);
    while (memcmp(&s, &(assay_fr){{0}}, sizeof s) == 0) s = any(c);
    REQUIRE_OK(be->ntt_new(be, &t, c, k, NULL));
    REQUIRE_OK(reference.ntt_new(&reference, &plain, c, k, NULL));
    fill(c, x, (size_t)1 << k);
    for (int what = 0; what < 5; what++) {
        const assay_fr *shift = what % 2 ? &s : NULL;
        memcpy(got, x, bytes);
        memcpy(want, x, bytes);
        if (what < 2) {
            be->ntt_forward(be, t, got, shift);
            reference.ntt_forward(&reference, plain, want, shift);
        } else if (what < 4) {
            be->ntt_inverse(be, t, got, shift);
            reference.ntt_inverse(&reference, plain, want, shift);
        } else {
            be->ntt_extend(be, t, got, s);
            reference.ntt_extend(&reference, plain, want, s);
        }
        CHECK_EQ_MEM(got, want, bytes);
    }
    be->ntt_free(t);
    reference.ntt_free(plain);
}

/* Every m-th of the extended values, as extending all gives them. */
static void check_parts(const assay_group_backend *be, const assay_curve *c, unsigned k)
{
    static assay_fr x[1 << 12], got[1 << 12], all[1 << 12];
    const size_t n = (size_t)1 << k;
    const assay_fr s = k % 2 ? any(c) : c->fr_root(k + 1);
    assay_ntt *t, *plain;
    REQUIRE_OK(be->ntt_new(be, &t, c, k, NULL));
    REQUIRE_OK(reference.ntt_new(&reference, &plain, c, k, NULL));
    fill(c, x, n);
    memcpy(all, x, n * sizeof *x);
    reference.ntt_extend(&reference, plain, all, s);
    for (unsigned fewer = 0; fewer <= k && 1 << fewer <= ASSAY_NTT_PARTS; fewer++) {
        assay_ntt *part, *plain_part;
        assay_fr shift = s, root = c->fr_root(k);
        REQUIRE_OK(be->ntt_new(be, &part, c, k - fewer, NULL));
        REQUIRE_OK(reference.ntt_new(&reference, &plain_part, c, k - fewer, NULL));
        for (size_t first = 0; first >> fewer == 0; first++, shift = c->fr_mul(shift, root)) {
            memcpy(got, x, n * sizeof *x);
            be->ntt_part(be, t, part, got, shift);
            for (size_t j = 0; j < n >> fewer; j++) CHECK_EQ_MEM(&got[j], &all[first + (j << fewer)], sizeof *got);
            memcpy(got, x, n * sizeof *x);
            reference.ntt_part(&reference, plain, plain_part, got, shift);
            for (size_t j = 0; j < n >> fewer; j++) CHECK_EQ_MEM(&got[j], &all[first + (j << fewer)], sizeof *got);
        }
        be->ntt_free(part);
        reference.ntt_free(plain_part);
    }
    be->ntt_free(t);
    reference.ntt_free(plain);
}

static void check_transforms(const assay_group_backend *be, const assay_curve *c)
{
    for (unsigned k = 0; k <= (be->pool ? 9 : 12); k++) check_parts(be, c, k);
    for (unsigned k = 0; k <= (be->pool ? 10 : 12); k++) check_one_size(be, c, k);
}

TEST(transforms)
{
    with_all(check_transforms);
}

/* The reference: the sums that define the transform. */
TEST(definition)
{
    assay_group_backend_ref_init(&reference, NULL);
    for (int curve = 0; curve < ASSAY_CURVE_COUNT; curve++) {
        const assay_curve *c = assay_curve_get((assay_curve_id)curve);
        assay_fr x[16], y[16], s = c->fr_from_u64(5), w = c->fr_root(4), at = s;
        assay_ntt *t;
        REQUIRE_OK(reference.ntt_new(&reference, &t, c, 4, NULL));
        fill(c, x, 16);
        memcpy(y, x, sizeof y);
        reference.ntt_forward(&reference, t, y, &s);
        for (int j = 0; j < 16; j++, at = c->fr_mul(at, w)) {
            assay_fr sum = c->fr_from_u64(0);
            for (int i = 16; i-- > 0;) sum = c->fr_add(c->fr_mul(sum, at), x[i]);
            CHECK_EQ_MEM(&y[j], &sum, sizeof sum);
        }
        reference.ntt_inverse(&reference, t, y, &s);
        CHECK_EQ_MEM(y, x, sizeof y);
        reference.ntt_free(t);
    }
}

/* Three passes, a size at which the reference would take long: at some places the value of the polynomial itself, and
 * there and back. */
TEST(large)
{
    const unsigned k = 21;
    const size_t n = (size_t)1 << k;
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_fr *x = assay_mem_alloc(n, sizeof *x), *y = assay_mem_alloc(n, sizeof *y), s = c->fr_root(k + 1);
    assay_group_backend be;
    assay_pool *pool;
    assay_ntt *t;
    REQUIRE(x && y);
    REQUIRE_OK(assay_pool_new(&pool, 0, NULL));
    assay_group_backend_cpu_init(&be, pool);
    REQUIRE_OK(be.ntt_new(&be, &t, c, k, NULL));
    for (size_t i = 0; i < n; i++) x[i] = c->fr_from_u64(assay_test_random());
    memcpy(y, x, n * sizeof *x);
    be.ntt_forward(&be, t, y, NULL);
    const size_t places[] = {0, 1, n / 2 + 3, n - 1};
    for (int shifted = 0; shifted < 2; shifted++) {
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            assay_fr at = shifted ? s : c->fr_from_u64(1), sum = c->fr_from_u64(0), w = c->fr_root(k);
            for (size_t e = places[j]; e; e >>= 1, w = c->fr_mul(w, w))
                if (e & 1) at = c->fr_mul(at, w);
            for (size_t i = n; i-- > 0;) sum = c->fr_add(c->fr_mul(sum, at), x[i]);
            CHECK_EQ_MEM(&y[places[j]], &sum, sizeof sum);
        }
        if (!shifted) be.ntt_extend(&be, t, y, s);
    }
    be.ntt_inverse(&be, t, y, &s);
    CHECK_EQ_MEM(y, x, n * sizeof *x);
    be.ntt_free(t);
    assay_pool_free(pool);
    assay_mem_free(x);
    assay_mem_free(y);
}

/* Without memory no object comes to be; a transform that gets no scratch gives the same values. */
TEST(no_memory)
{
    const assay_curve *c = assay_curve_get(ASSAY_BLS381);
    static assay_fr x[256], got[256], want[256];
    assay_fr s = c->fr_from_u64(5);
    assay_group_backend be;
    assay_ntt *t = NULL, *fewer = NULL;
    assay_group_backend_cpu_init(&be, NULL);
    for (uint64_t i = 1; i <= 3; i++) {
        assay_mem_fail_after(i);
        CHECK_STATUS(be.ntt_new(&be, &t, c, 8, NULL), ASSAY_ENOMEM);
        CHECK(!t);
        assay_mem_fail_after(0);
    }
    CHECK_STATUS(be.ntt_new(&be, &t, c, c->two_adicity + 1, NULL), ASSAY_EINVAL);
    REQUIRE_OK(be.ntt_new(&be, &t, c, 8, NULL));
    fill(c, x, 256);
    REQUIRE_OK(be.ntt_new(&be, &fewer, c, 7, NULL));
    for (int what = 0; what < 4; what++)
        for (int fails = 0; fails < (what == 3 ? 3 : 2); fails++) { /* a part makes two transforms */
            assay_fr *y = fails ? got : want;
            const size_t bytes = what == 3 ? sizeof x / 2 : sizeof x;
            memcpy(y, x, sizeof x);
            assay_mem_fail_after((uint64_t)fails);
            if (what == 0)
                be.ntt_forward(&be, t, y, &s);
            else if (what == 1)
                be.ntt_inverse(&be, t, y, &s);
            else if (what == 2)
                be.ntt_extend(&be, t, y, s);
            else
                be.ntt_part(&be, t, fewer, y, s);
            assay_mem_fail_after(0);
            if (fails) CHECK_EQ_MEM(got, want, bytes);
        }
    be.ntt_free(fewer);
    be.ntt_free(t);
}
