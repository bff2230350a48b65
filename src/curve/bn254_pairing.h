/* SPDX-License-Identifier: Apache-2.0 */
/* The pairing of BN254: loop 6x + 2 and two lines at Frobenius images (Vercauteren, "Optimal pairings", 2010); the hard
 * power by the addition chain of Scott, Benger, Charlemagne, Dominguez Perez, Kachisa, "On the final exponentiation for
 * calculating pairings on ordinary elliptic curves" (2009). */
#ifndef ASSAY_CURVE_BN254_PAIRING_H
#define ASSAY_CURVE_BN254_PAIRING_H

#include "curve/bn254.h"

#define CURVE                    bn254
#define FQ                       bn254_fq
#define TWIST_B                  BN254_B2
#define PAIRING_LOOP             BN254_LOOP
#define PAIRING_LOOP_DIGITS      BN254_LOOP_DIGITS
#define PAIRING_HARD_LIMBS       BN254_HARD_LIMBS
#define PAIRING_HARD_EXPONENT    BN254_HARD
#define PAIRING_LINE(f, a, b, c) bn254_fq12_mul_034((f), (a), (b), (c))
#define PAIRING_LAST_LINES       bn254_last_lines
#define PAIRING_END(f)           ((void)(f))
#define PAIRING_HARD             bn254_hard_power

struct bn254_twist_point;
static inline void bn254_last_lines(bn254_fq12 *f, struct bn254_twist_point *t, const bn254_g1_affine *p,
                                    const bn254_g2_affine *q);
static inline void bn254_hard_power(bn254_fq12 *f);

#include "curve/pairing.tmpl.h"

/* (x, y)^q of the curve, seen on the twist. */
static inline bn254_g2_affine bn254_untwist_frobenius(const bn254_g2_affine *a)
{
    bn254_g2_affine r = {bn254_fq2_mul(bn254_fq2_conj(a->x), bn254_fq2_gamma(2)),
                         bn254_fq2_mul(bn254_fq2_conj(a->y), bn254_fq2_gamma(3))};
    return r;
}

/* Lines through q^Frobenius and -q^(Frobenius^2). */
static inline void bn254_last_lines(bn254_fq12 *f, bn254_twist_point *t, const bn254_g1_affine *p,
                                    const bn254_g2_affine *q)
{
    bn254_fq2 l[3];
    bn254_g2_affine q1 = bn254_untwist_frobenius(q), q2 = bn254_untwist_frobenius(&q1);
    q2.y = bn254_fq2_neg(q2.y);
    bn254_line_add(t, l, &q1);
    bn254_line_apply(f, l, p);
    bn254_line_add(t, l, &q2);
    bn254_line_apply(f, l, p);
}

static inline void bn254_power_x(bn254_fq12 *r, const bn254_fq12 *a)
{
    static const uint64_t x = BN254_X_ABS;
    bn254_fq12_cyclotomic_pow(r, a, x, 4);
}

/* f^((q^4 - q^2 + 1) / r) = y0 y1^2 y2^6 y3^12 y4^18 y5^30 y6^36; in the cyclotomic group conjugates are inverses. */
static inline void bn254_hard_power(bn254_fq12 *f)
{
    bn254_fq12 fx, fx2, fx3, y0, y1, y2, y3, y4, y5, y6, t0, t1;
    bn254_power_x(&fx, f);
    bn254_power_x(&fx2, &fx);
    bn254_power_x(&fx3, &fx2);
    bn254_fq12_frobenius(&t0, f);
    bn254_fq12_frobenius(&t1, &t0);
    bn254_fq12_mul(&y0, &t0, &t1);
    bn254_fq12_frobenius(&t1, &t1);
    bn254_fq12_mul(&y0, &y0, &t1);
    bn254_fq12_conj(&y1, f);
    bn254_fq12_frobenius(&t0, &fx2);
    bn254_fq12_frobenius(&y2, &t0);
    bn254_fq12_mul(&y4, &fx, &t0);
    bn254_fq12_conj(&y4, &y4);
    bn254_fq12_frobenius(&y3, &fx);
    bn254_fq12_conj(&y3, &y3);
    bn254_fq12_conj(&y5, &fx2);
    bn254_fq12_frobenius(&t0, &fx3);
    bn254_fq12_mul(&y6, &fx3, &t0);
    bn254_fq12_conj(&y6, &y6);

    bn254_fq12_cyclotomic_sqr(&t0, &y6);
    bn254_fq12_mul(&t0, &t0, &y4);
    bn254_fq12_mul(&t0, &t0, &y5);
    bn254_fq12_mul(&t1, &y3, &y5);
    bn254_fq12_mul(&t1, &t1, &t0);
    bn254_fq12_mul(&t0, &t0, &y2);
    bn254_fq12_cyclotomic_sqr(&t1, &t1);
    bn254_fq12_mul(&t1, &t1, &t0);
    bn254_fq12_cyclotomic_sqr(&t1, &t1);
    bn254_fq12_mul(&t0, &t1, &y1);
    bn254_fq12_mul(&t1, &t1, &y0);
    bn254_fq12_cyclotomic_sqr(&t0, &t0);
    bn254_fq12_mul(f, &t0, &t1);
}

#endif
