/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381: y^2 = x^3 + 4 over Fq, its twist, and their pairing. Source: draft-irtf-cfrg-pairing-friendly-curves;
 * Barreto, Lynn, Scott, "Constructing elliptic curves with prescribed embedding degrees" (2002), x =
 * -0xd201000000010000. */
#ifndef ASSAY_CURVE_BLS381_H
#define ASSAY_CURVE_BLS381_H

#include "curve/curves_gen.h"
#include "field/bls381_fq.h"
#include "field/bls381_fr.h"

#define CURVE           bls381
#define FQ              bls381_fq
#define TOWER_XI        1
#define TOWER_FROBENIUS BLS381_FROBENIUS
#include "curve/tower.tmpl.h"

static inline bls381_fq bls381_b(void)
{
    bls381_fq b = {BLS381_B};
    return b;
}

static inline bls381_fq2 bls381_b2(void)
{
    static const bls381_fq b[2] = BLS381_B2;
    return bls381_fq2_make(b[0], b[1]);
}

#define POINT             bls381_g1
#define COORD             bls381_fq
#define POINT_B           bls381_b()
#define POINT_ORDER       BLS381_FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

#define POINT             bls381_g2
#define COORD             bls381_fq2
#define POINT_B           bls381_b2()
#define POINT_ORDER       BLS381_FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

static inline bls381_g1_affine bls381_g1_generator(void)
{
    bls381_g1_affine g = {{BLS381_G1_X}, {BLS381_G1_Y}};
    return g;
}

static inline bls381_g2_affine bls381_g2_generator(void)
{
    static const bls381_fq x[2] = BLS381_G2_X, y[2] = BLS381_G2_Y;
    bls381_g2_affine g = {bls381_fq2_make(x[0], x[1]), bls381_fq2_make(y[0], y[1])};
    return g;
}

/* Whether the product of e(p[i], q[i]) is 1, for points of the groups (infinity counts as 1). About 0.6 ms a pair and
 * 0.8 ms. */
bool assay_bls381_pairing_product_is_one(const bls381_g1_affine *p, const bls381_g2_affine *q, size_t n);

/* e(p, q) with the exponent (q^12 - 1) / r, as verification keys hold it. Several ms. */
void assay_bls381_pairing(bls381_fq12 *out, const bls381_g1_affine *p, const bls381_g2_affine *q);

#undef CURVE
#undef FQ
#undef TOWER_XI
#undef TOWER_FROBENIUS

#endif
