/* SPDX-License-Identifier: Apache-2.0 */
/* The pairing of BLS12-381: loop |x|, conjugated since x < 0; the hard power times 3, which changes no product
 * equation, by Hayashida, Hayasaka, Teruya, "Efficient final exponentiation via cyclotomic structure for pairings over
 * families of elliptic curves" (2020): 3 (q^4 - q^2 + 1) / r = (x - 1)^2 (x + q)(x^2 + q^2 - 1) + 3. */
#ifndef ASSAY_CURVE_BLS381_PAIRING_H
#define ASSAY_CURVE_BLS381_PAIRING_H

#include "curve/bls381.h"

#define CURVE                          bls381
#define FQ                             bls381_fq
#define TWIST_B                        BLS381_B2
#define PAIRING_LOOP                   BLS381_LOOP
#define PAIRING_LOOP_DIGITS            BLS381_LOOP_DIGITS
#define PAIRING_HARD_LIMBS             BLS381_HARD_LIMBS
#define PAIRING_HARD_EXPONENT          BLS381_HARD
#define PAIRING_LINE(f, a, b, c)       bls381_fq12_mul_014((f), (c), (b), (a))
#define PAIRING_LAST_LINES(f, t, p, q) ((void)0)
#define PAIRING_END(f)                 bls381_fq12_conj((f), (f))
#define PAIRING_HARD                   bls381_hard_power

static inline void bls381_hard_power(bls381_fq12 *f);

#include "curve/pairing.tmpl.h"

/* a^x in the cyclotomic group. */
static inline void bls381_power_x(bls381_fq12 *r, const bls381_fq12 *a)
{
    static const uint64_t x = BLS381_X_ABS;
    bls381_fq12_cyclotomic_pow(r, a, x, 2);
    bls381_fq12_conj(r, r);
}

static inline void bls381_hard_power(bls381_fq12 *f)
{
    bls381_fq12 a, b, c;
    for (int i = 0; i < 2; i++) { /* a = f^((x - 1)^2) */
        const bls381_fq12 *from = i == 0 ? f : &a;
        bls381_power_x(&b, from);
        bls381_fq12_conj(&c, from);
        bls381_fq12_mul(&a, &b, &c);
    }
    bls381_power_x(&b, &a);
    bls381_fq12_frobenius(&c, &a);
    bls381_fq12_mul(&a, &b, &c); /* ^(x + q) */
    bls381_power_x(&b, &a);
    bls381_power_x(&b, &b);
    bls381_fq12_frobenius(&c, &a);
    bls381_fq12_frobenius(&c, &c);
    bls381_fq12_mul(&b, &b, &c);
    bls381_fq12_conj(&c, &a);
    bls381_fq12_mul(&a, &b, &c); /* ^(x^2 + q^2 - 1) */
    bls381_fq12_cyclotomic_sqr(&b, f);
    bls381_fq12_mul(&b, &b, f);
    bls381_fq12_mul(f, &a, &b);
}

#endif
