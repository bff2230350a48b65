/* SPDX-License-Identifier: Apache-2.0 */
/* Whether points of the curves have order r, BN254. Variable time.
 *
 * G1: its curve has r points. G2: with x the curve's parameter and psi the Frobenius seen on the twist, a point of the
 * twist is in G2 when (x + 1) P + psi(x P) + psi^2(x P) = psi^3(2 x P): Dai, Lin, Zhao, Zhou, "Fast subgroup membership
 * testings for G1, G2 and GT on pairing-friendly curves" (eprint 2022/348). Why: psi^2 - t psi + q = 0, so the order of
 * such a point divides the resultant of x + 1 + x X + x X^2 - 2 x X^3 and X^2 - t X + q, as well as the order r (2 q -
 * r) of the twist; the greatest common divisor of these is r (tests/reference/test_subgroup_checks.py). On G2 psi is q,
 * and the equation holds modulo r. */
#ifndef ASSAY_CURVE_BN254_MEMBER_H
#define ASSAY_CURVE_BN254_MEMBER_H

#include "curve/bn254.h"

static inline bool bn254_g1_member(const bn254_g1_affine *a)
{
    (void)a;
    return true;
}

static inline void bn254_psi(bn254_g2 *r, const bn254_g2 *a)
{
    r->x = bn254_fq2_mul(bn254_fq2_conj(a->x), bn254_fq2_gamma(2));
    r->y = bn254_fq2_mul(bn254_fq2_conj(a->y), bn254_fq2_gamma(3));
    r->z = bn254_fq2_conj(a->z);
}

static inline bool bn254_g2_member(const bn254_g2_affine *a)
{
    static const uint64_t x = BN254_X_ABS;
    bn254_g2 xa, left, right;
    bn254_g2_mul_limbs(&xa, a, &x, 1);
    bn254_psi(&right, &xa);
    bn254_g2_add(&left, &xa, &right);
    bn254_psi(&right, &right);
    bn254_g2_add(&left, &left, &right);
    bn254_g2_add_affine(&left, &left, a);
    bn254_psi(&right, &right); /* psi^3(x P) */
    bn254_g2_dbl(&right, &right);
    return bn254_g2_equal(&left, &right);
}

#endif
