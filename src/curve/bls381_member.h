/* SPDX-License-Identifier: Apache-2.0 */
/* Whether points of the curves have order r, BLS12-381. Variable time. u < 0 is the curve's parameter; Scott, "A note
 * on group membership tests for G1, G2 and GT on BLS pairing-friendly curves" (eprint 2021/1130).
 *
 * G1: phi(x, y) = (beta x, y), beta^3 = 1, has phi^2 + phi + 1 = 0. If phi(P) = -u^2 P then (u^4 - u^2 + 1) P = r P =
 * 0. G2: psi, the Frobenius seen on the twist, has psi^2 - (u + 1) psi + q = 0. If psi(P) = u P then (q - u) P = 0, and
 * the greatest common divisor of q - u and the order of the twist is r (tests/reference/test_subgroup_checks.py). On
 * the groups both hold, the first for one of the two beta. */
#ifndef ASSAY_CURVE_BLS381_MEMBER_H
#define ASSAY_CURVE_BLS381_MEMBER_H

#include "curve/bls381.h"

/* xi^((q^2 - 1) / 3), the norm of xi^((q - 1) / 3): a cube root of 1 in Fq, as xi is no cube. */
static inline bls381_fq bls381_beta(void)
{
    bls381_fq2 g = bls381_fq2_gamma(2);
    return bls381_fq_add(bls381_fq_sqr(g.c[0]), bls381_fq_sqr(g.c[1]));
}

static inline bool bls381_g1_member(const bls381_g1_affine *a)
{
    static const uint64_t u = BLS381_X_ABS;
    bls381_g1_affine phi = {bls381_fq_mul(bls381_beta(), a->x), a->y};
    bls381_g1 t;
    bls381_g1_mul_limbs(&t, a, &u, 1);
    bls381_g1_mul_sparse(&t, &t, u);
    bls381_g1_add_affine(&t, &t, &phi);
    return bls381_g1_is_infinity(&t);
}

/* psi(x, y) = (conj(x) / gamma_2, conj(y) / gamma_3); without divisions. u P = -t for t = |u| P. */
static inline bool bls381_g2_member(const bls381_g2_affine *a)
{
    static const uint64_t u = BLS381_X_ABS;
    bls381_g2 t;
    bls381_g2_mul_limbs(&t, a, &u, 1);
    if (bls381_g2_is_infinity(&t)) return bls381_g2_affine_is_infinity(a);
    bls381_fq2 zz = bls381_fq2_sqr(t.z), zzz = bls381_fq2_mul(zz, t.z);
    bls381_fq2 x = bls381_fq2_mul(bls381_fq2_conj(a->x), zz), y = bls381_fq2_mul(bls381_fq2_conj(a->y), zzz);
    return bls381_fq2_equal(bls381_fq2_mul(t.x, bls381_fq2_gamma(2)), x) &&
           bls381_fq2_equal(bls381_fq2_neg(bls381_fq2_mul(t.y, bls381_fq2_gamma(3))), y);
}

#endif
