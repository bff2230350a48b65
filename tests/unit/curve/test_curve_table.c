/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of functions of both curves against what they must satisfy: encodings there and back, square roots, names,
 * roots of unity, the pairing product. */
#include "base/cpu.h"
#include "curve/curve.h"
#include "curve/digits.h"
#include "harness.h"
#include <string.h>

static void check_group(const assay_curve *c, assay_group_id id)
{
    const assay_group *g = &c->group[id];
    assay_affine gen, p, q;
    assay_point t, u;
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    g->generator(&gen);
    CHECK(g->in_group(&gen) && !g->affine_is_infinity(&gen));
    for (uint64_t k = 1; k < 40; k++) {
        uint64_t scalar[ASSAY_FR_LIMBS] = {k * 0x9e3779b97f4a7c15, k, 0, k};
        g->mul(&t, &gen, scalar);
        g->to_affine(&p, &t);
        CHECK(g->on_curve(&p));
        g->to_lem(bytes, &p);
        CHECK(memcmp(bytes, &p, g->affine_bytes) == 0); /* a little-endian machine */
        CHECK(g->from_lem(&q, bytes) && memcmp(&p, &q, g->affine_bytes) == 0);
        g->to_be(bytes, &p);
        CHECK(g->from_be(&q, bytes) && memcmp(&p, &q, g->affine_bytes) == 0);
        CHECK(g->from_x(&q, bytes, g->y_is_high(&p)) && memcmp(&p, &q, g->affine_bytes) == 0);
        CHECK(g->from_x(&q, bytes, !g->y_is_high(&p)));
        g->affine_neg(&q, &q);
        CHECK(memcmp(&p, &q, g->affine_bytes) == 0);
        g->neg(&u, &t);
        g->add(&u, &u, &t);
        CHECK(g->is_infinity(&u));
        g->dbl(&u, &t);
        g->add_affine(&t, &t, &p);
        CHECK(g->equal(&u, &t));
    }
    memset(bytes, 0xff, sizeof bytes);
    CHECK(!g->from_be(&q, bytes) && g->affine_is_infinity(&q));
    CHECK(!g->from_lem(&q, bytes) && g->affine_is_infinity(&q));
    CHECK(!g->from_x(&q, bytes, false) && g->affine_is_infinity(&q));
    int none = 0; /* about half of all x have no point */
    for (unsigned x = 0; x < 64; x++) {
        memset(bytes, 0, sizeof bytes);
        bytes[g->coord_bytes - 1] = (uint8_t)x;
        if (!g->from_x(&q, bytes, false))
            none++;
        else
            CHECK(g->on_curve(&q));
    }
    CHECK(none > 10 && none < 54);
}

static void check_curve(assay_curve_id id)
{
    const assay_curve *c = assay_curve_get(id);
    check_group(c, ASSAY_G1);
    check_group(c, ASSAY_G2);
    for (unsigned k = 0; k <= c->two_adicity; k++) {
        assay_fr w = c->fr_root(k), one = c->fr_from_u64(1);
        for (unsigned i = 0; i + 1 < k; i++) w = c->fr_mul(w, w);
        if (k) CHECK(memcmp(&w, &one, sizeof w) != 0);
        if (k) w = c->fr_mul(w, w);
        CHECK(memcmp(&w, &one, sizeof w) == 0);
    }
    assay_fr a = c->fr_from_u64(12345), b = c->fr_mul(a, c->fr_inv(a)), one = c->fr_from_u64(1);
    CHECK(memcmp(&b, &one, sizeof b) == 0);
    uint8_t bytes[ASSAY_FR_BYTES];
    c->fr_to_bytes(bytes, a, true);
    CHECK(bytes[30] == 12345 / 256 && bytes[31] == 12345 % 256 && c->fr_from_bytes(&b, bytes, true));
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    CHECK(c == assay_curve_by_name(c->name));
    memcpy(bytes, c->fr_modulus, sizeof bytes);
    CHECK(c == assay_curve_by_fr(bytes, sizeof bytes));
    CHECK(!assay_curve_by_fq(bytes, sizeof bytes) && !assay_curve_by_fr(bytes, sizeof bytes - 1));
    CHECK(!c->fr_from_bytes(&b, bytes, false));
}

/* e(2 P, Q) e(-P, Q) e(-P, Q) = 1, and without one of them not. */
static void check_pairing(assay_curve_id id)
{
    const assay_curve *c = assay_curve_get(id);
    const assay_group *g1 = &c->group[ASSAY_G1], *g2 = &c->group[ASSAY_G2];
    _Alignas(8) uint8_t ps[3 * ASSAY_AFFINE_MAX_BYTES], qs[3 * ASSAY_AFFINE_MAX_BYTES];
    const uint64_t two[ASSAY_FR_LIMBS] = {2};
    assay_affine a, g;
    assay_point t;
    g1->generator(&g);
    g1->mul(&t, &g, two);
    g1->to_affine(&a, &t);
    memcpy(ps, &a, g1->affine_bytes);
    g1->affine_neg(&a, &g);
    memcpy(ps + g1->affine_bytes, &a, g1->affine_bytes);
    memcpy(ps + 2 * g1->affine_bytes, &a, g1->affine_bytes);
    g2->generator(&g);
    for (int i = 0; i < 3; i++) memcpy(qs + (size_t)i * g2->affine_bytes, &g, g2->affine_bytes);
    CHECK(c->pairing_product_is_one(ps, qs, 3));
    CHECK(!c->pairing_product_is_one(ps, qs, 2));
}

static const unsigned masks[] = {0, ASSAY_CPU_ADX, ~0u};

static void check_all(assay_curve_id id)
{
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        assay_cpu_mask(masks[i]);
        check_curve(id);
        check_pairing(id);
    }
    assay_cpu_mask(~0u);
}

TEST(bn254)
{
    check_all(ASSAY_BN254);
}

TEST(bls381)
{
    check_all(ASSAY_BLS381);
}

static void random_scalar(const assay_curve *c, uint64_t k[ASSAY_FR_LIMBS])
{
    for (int i = 0; i < ASSAY_FR_LIMBS; i++) k[i] = assay_test_random();
    k[ASSAY_FR_LIMBS - 1] %= c->fr_modulus[ASSAY_FR_LIMBS - 1];
}

/* What two tables make of the same points: equal, bit for bit, Jacobian coordinates included. */
static void same_group(const assay_curve *a, const assay_curve *b, assay_group_id id)
{
    const assay_curve *const c[2] = {a, b};
    assay_affine p[2], q[2], generator;
    assay_point s[2], t[2];
    uint8_t bytes[2][ASSAY_AFFINE_MAX_BYTES];
    uint64_t k[2][ASSAY_FR_LIMBS];
    for (int round = 0; round < 20; round++) {
        memset(bytes, 0, sizeof bytes);
        memset(p, 0, sizeof p);
        random_scalar(a, k[0]);
        random_scalar(a, k[1]);
        bytes[0][a->group[id].coord_bytes - 1] = (uint8_t)round;
        for (int i = 0; i < 2; i++) {
            const assay_group *g = &c[i]->group[id];
            g->generator(&generator);
            g->mul(&s[i], &generator, k[0]);
            g->to_affine(&q[i], &s[i]);
            g->mul(&t[i], &q[i], k[1]);
            g->add(&t[i], &t[i], &s[i]);
            g->add_affine(&s[i], &t[i], &q[i]);
            g->dbl(&t[i], &t[i]);
        }
        CHECK_EQ_MEM(&q[0], &q[1], a->group[id].affine_bytes);
        CHECK_EQ_MEM(&s[0], &s[1], a->group[id].point_bytes);
        CHECK_EQ_MEM(&t[0], &t[1], a->group[id].point_bytes);
        bool found = a->group[id].from_x(&p[0], bytes[0], round % 2);
        CHECK(b->group[id].from_x(&p[1], bytes[0], round % 2) == found);
        CHECK_EQ_MEM(&p[0], &p[1], a->group[id].affine_bytes);
        CHECK(a->group[id].in_group(&p[0]) == b->group[id].in_group(&p[0]));
        CHECK(a->group[id].in_group(&q[0]) && b->group[id].in_group(&q[0]));
        for (int i = 0; i < 2; i++) c[i]->group[id].sum(&s[i], &q[0], (const uint64_t(*)[ASSAY_FR_LIMBS])k, 1);
        CHECK_EQ_MEM(&s[0], &s[1], a->group[id].point_bytes);
    }
}

/* The table compiled for ADX against the one in plain C. */
TEST(tables_are_equal)
{
    unsigned compared = 0;
    for (int id = 0; id < ASSAY_CURVE_COUNT; id++) {
        uint8_t e[2][ASSAY_GT_COORDS * ASSAY_FQ_MAX_BYTES];
        assay_affine p, q;
        assay_point t;
        uint64_t k[ASSAY_FR_LIMBS];
        assay_cpu_mask(0);
        const assay_curve *plain = assay_curve_get((assay_curve_id)id);
        assay_cpu_mask(~0u);
        const assay_curve *best = assay_curve_get((assay_curve_id)id);
        if (best == plain) continue;
        compared++;
        same_group(plain, best, ASSAY_G1);
        same_group(plain, best, ASSAY_G2);
        random_scalar(plain, k);
        plain->group[ASSAY_G1].generator(&p);
        plain->group[ASSAY_G1].mul(&t, &p, k);
        plain->group[ASSAY_G1].to_affine(&p, &t);
        plain->group[ASSAY_G2].generator(&q);
        plain->pairing(e[0], &p, &q);
        best->pairing(e[1], &p, &q);
        CHECK_EQ_MEM(e[0], e[1], ASSAY_GT_COORDS * plain->fq_bytes);
        assay_fr x = plain->fr_from_u64(977), y = best->fr_from_u64(977);
        CHECK_EQ_MEM(&x, &y, sizeof x);
        x = plain->fr_mul(plain->fr_inv(x), plain->fr_sub(x, plain->fr_root(5)));
        y = best->fr_mul(best->fr_inv(y), best->fr_sub(y, best->fr_root(5)));
        CHECK_EQ_MEM(&x, &y, sizeof x);
    }
    if (!compared) assay_test_skip("this machine has no ADX");
}

/* sum against mul and add: no term, one, and more than are taken at once; zeros, infinity, equal and opposite points.
 */
static void check_sums(const assay_curve *c, assay_group_id id)
{
    enum { TERMS = 19 };
    const assay_group *g = &c->group[id];
    _Alignas(8) uint8_t p[TERMS * ASSAY_AFFINE_MAX_BYTES];
    uint64_t k[TERMS][ASSAY_FR_LIMBS];
    assay_affine a;
    assay_point want, got, t;
    g->infinity(&want);
    for (size_t i = 0; i <= TERMS; i++) {
        g->sum(&got, p, (const uint64_t(*)[ASSAY_FR_LIMBS])k, i);
        CHECK(g->equal(&got, &want));
        if (i == TERMS) break;
        random_scalar(c, k[i]);
        if (i % 5 == 3) memset(k[i], 0, sizeof k[i]);
        if (i == 9) memcpy(k[i], k[i - 1], sizeof k[i]);
        g->generator(&a);
        if (i != 8 && i != 9 && i != 10) {
            g->mul(&t, &a, k[i]);
            g->to_affine(&a, &t);
        }
        if (i == 9) g->affine_neg(&a, &a); /* takes the eighth off again */
        if (i == 6) memset(&a, 0, sizeof a);
        memcpy(p + i * g->affine_bytes, &a, g->affine_bytes);
        g->mul(&t, &a, k[i]);
        g->add(&want, &want, &t);
    }
}

TEST(sums)
{
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        assay_cpu_mask(masks[i]);
        for (int id = 0; id < ASSAY_CURVE_COUNT; id++)
            for (int g = 0; g < ASSAY_GROUP_COUNT; g++)
                check_sums(assay_curve_get((assay_curve_id)id), (assay_group_id)g);
    }
    assay_cpu_mask(~0u);
}

/* Digits of all widths make up the number again, are odd, small enough and far enough apart. */
static void check_digits(const uint64_t *k, unsigned n, unsigned w)
{
    int8_t d[4 * LIMB_BITS + 1];
    uint64_t back[5] = {0}, want[5] = {0};
    unsigned length = limbs_digits(d, k, n, w), last = 0;
    bool any = false;
    memcpy(want, k, n * sizeof *k);
    CHECK(length == 0 || d[length - 1] > 0);
    for (unsigned i = n * LIMB_BITS + 1; i-- > 0;) { /* back = 2 back + d, modulo 2^320 */
        uint64_t carry = 0, sign = d[i] < 0 ? UINT64_MAX : 0;
        for (int j = 0; j < 5; j++) back[j] = limb_add(back[j], back[j], &carry);
        carry = 0;
        for (int j = 0; j < 5; j++) back[j] = limb_add(back[j], j ? sign : (uint64_t)(int64_t)d[i], &carry);
        if (d[i] == 0) continue;
        CHECK(i < length && d[i] % 2 != 0 && d[i] < 1 << (w - 1) && -d[i] < 1 << (w - 1));
        CHECK(!any || last - i >= w);
        any = true;
        last = i;
    }
    CHECK_EQ_MEM(back, want, sizeof back);
}

TEST(digits)
{
    static const uint64_t fixed[][4] = {{0},
                                        {1},
                                        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
                                        {0, 0, 0, UINT64_C(1) << 63},
                                        {0x5555555555555555, 0, 0x7777777777777777, UINT64_MAX}};
    for (unsigned w = 2; w <= 7; w++)
        for (unsigned n = 1; n <= 4; n++)
            for (unsigned i = 0; i < 100; i++) {
                uint64_t k[4];
                for (int j = 0; j < 4; j++) k[j] = i < 5 ? fixed[i][j] : assay_test_random();
                check_digits(k, n, w);
            }
}

TEST(names)
{
    CHECK(assay_curve_by_name("bls12-381") == assay_curve_get(ASSAY_BLS381));
    CHECK(!assay_curve_by_name("bn12") && !assay_curve_get(ASSAY_CURVE_COUNT));
}
