/* SPDX-License-Identifier: Apache-2.0 */
/* Subgroup checks by endomorphisms equal the multiplication by r: on the groups, on points of the curves, on points
 * whose order divides the cofactor, and on sums of both. */
#include "curve/bls381_member.h"
#include "curve/bn254_member.h"
#include "curve/curve.h"
#include "harness.h"
#include <string.h>

enum { POINTS = 24 };

/* in: whether r P = 0, by the reference. */
static bool by_order(const assay_curve *c, assay_group_id g, const assay_affine *p)
{
    if (c->id == ASSAY_BN254)
        return g == ASSAY_G1 ? bn254_g1_in_group((const bn254_g1_affine *)p)
                             : bn254_g2_in_group((const bn254_g2_affine *)p);
    return g == ASSAY_G1 ? bls381_g1_in_group((const bls381_g1_affine *)p)
                         : bls381_g2_in_group((const bls381_g2_affine *)p);
}

static void check_points(const assay_curve *c, assay_group_id id)
{
    const assay_group *g = &c->group[id];
    unsigned inside = 0, outside = 0;
    assay_affine p, q, generator;
    assay_point t, u;
    g->generator(&generator);
    memset(&p, 0, sizeof p);
    CHECK(g->in_group(&p)); /* infinity */
    for (unsigned x = 1; inside + outside < 4 * POINTS; x++) {
        uint8_t bytes[ASSAY_AFFINE_MAX_BYTES] = {0};
        bytes[g->coord_bytes - 1] = (uint8_t)x;
        bytes[g->coord_bytes - 2] = (uint8_t)(x >> 8);
        if (!g->from_x(&p, bytes, x % 2)) continue;
        for (int part = 0; part < 4;
             part++) { /* P; P in the group; P without its part in the group; that and another */
            q = p;
            if (part == 1) {
                uint64_t k[ASSAY_FR_LIMBS] = {x * 0x9e3779b97f4a7c15, x, 3, x};
                g->mul(&t, &generator, k);
                g->to_affine(&q, &t);
            } else if (part > 1) {
                g->mul(&t, &p, c->fr_modulus);
                if (part == 3) {
                    g->from_affine(&u, &generator);
                    g->add(&t, &t, &u);
                }
                g->to_affine(&q, &t);
            }
            bool in = by_order(c, id, &q);
            CHECK(g->in_group(&q) == in);
            if (in)
                inside++;
            else
                outside++;
        }
    }
    CHECK(inside >= POINTS);
    CHECK(c->id == ASSAY_BN254 && id == ASSAY_G1 ? outside == 0 : outside >= 2 * POINTS);
}

TEST(members)
{
    for (int i = 0; i < 2 * ASSAY_CURVE_COUNT; i++)
        check_points(assay_curve_get((assay_curve_id)(i / 2)), i % 2 ? ASSAY_G2 : ASSAY_G1);
}

/* Points of order 3, which divides the cofactor 0x396c8c005555e1568c00aaab0000aaab of G1 of
 * BLS12-381: (cofactor / 3) r times a point of the curve. */
TEST(least_orders)
{
    static const uint64_t third[2] = {0x2eaae38e55558e39, 0x13242eaac71ca072};
    const assay_curve *c = assay_curve_get(ASSAY_BLS381);
    const assay_group *g = &c->group[ASSAY_G1];
    unsigned found = 0;
    for (unsigned x = 1; x < 40; x++) {
        uint8_t bytes[ASSAY_AFFINE_MAX_BYTES] = {0};
        bls381_g1_affine p, q;
        bls381_g1 t;
        bytes[47] = (uint8_t)x;
        if (!g->from_x(&p, bytes, false)) continue;
        bls381_g1_mul_limbs(&t, &p, c->fr_modulus, 4);
        q = bls381_g1_to_affine(&t);
        bls381_g1_mul_limbs(&t, &q, third, 2);
        q = bls381_g1_to_affine(&t);
        if (bls381_g1_affine_is_infinity(&q)) continue;
        bls381_g1_dbl(&t, &t);
        bls381_g1_add_affine(&t, &t, &q);
        CHECK(bls381_g1_is_infinity(&t)); /* order 3 */
        CHECK(!g->in_group(&q));
        found++;
    }
    CHECK(found > 3);
}
