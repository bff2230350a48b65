/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of functions of both curves against what they must satisfy: encodings there and back, square roots, names,
 * roots of unity, the pairing product. */
#include "curve/curve.h"
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

TEST(bn254)
{
    check_curve(ASSAY_BN254);
    check_pairing(ASSAY_BN254);
}

TEST(bls381)
{
    check_curve(ASSAY_BLS381);
    check_pairing(ASSAY_BLS381);
}

TEST(names)
{
    CHECK(assay_curve_by_name("bls12-381") == assay_curve_get(ASSAY_BLS381));
    CHECK(!assay_curve_by_name("bn12") && !assay_curve_get(ASSAY_CURVE_COUNT));
}
