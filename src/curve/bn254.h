/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 (also alt_bn128, bn128): y^2 = x^3 + 3 over Fq, its twist, and their pairing. Source: EIP-196, EIP-197;
 * Barreto and Naehrig, "Pairing-friendly elliptic curves of prime order" (2005), x = 4965661367192848881. */
#ifndef ASSAY_CURVE_BN254_H
#define ASSAY_CURVE_BN254_H

#include "curve/curves_gen.h"
#include "field/bn254_fq.h"
#include "field/bn254_fr.h"

#define CURVE           bn254
#define FQ              bn254_fq
#define TOWER_XI        9
#define TOWER_FROBENIUS BN254_FROBENIUS
#include "curve/tower.tmpl.h"

static inline bn254_fq bn254_b(void)
{
    bn254_fq b = {BN254_B};
    return b;
}

static inline bn254_fq2 bn254_b2(void)
{
    static const bn254_fq b[2] = BN254_B2;
    return bn254_fq2_make(b[0], b[1]);
}

#define POINT             bn254_g1
#define COORD             bn254_fq
#define POINT_B           bn254_b()
#define POINT_ORDER       BN254_FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

#define POINT             bn254_g2
#define COORD             bn254_fq2
#define POINT_B           bn254_b2()
#define POINT_ORDER       BN254_FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

static inline bn254_g1_affine bn254_g1_generator(void)
{
    bn254_g1_affine g = {{BN254_G1_X}, {BN254_G1_Y}};
    return g;
}

static inline bn254_g2_affine bn254_g2_generator(void)
{
    static const bn254_fq x[2] = BN254_G2_X, y[2] = BN254_G2_Y;
    bn254_g2_affine g = {bn254_fq2_make(x[0], x[1]), bn254_fq2_make(y[0], y[1])};
    return g;
}

/* Whether the product of e(p[i], q[i]) is 1, for points of the groups (infinity counts as 1). About 0.35 ms a pair and
 * 0.4 ms. */
bool assay_bn254_pairing_product_is_one(const bn254_g1_affine *p, const bn254_g2_affine *q, size_t n);

/* e(p, q) with the exponent (q^12 - 1) / r, as verification keys hold it. Several ms. */
void assay_bn254_pairing(bn254_fq12 *out, const bn254_g1_affine *p, const bn254_g2_affine *q);

#undef CURVE
#undef FQ
#undef TOWER_XI
#undef TOWER_FROBENIUS

#endif
