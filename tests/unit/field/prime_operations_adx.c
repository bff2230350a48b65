/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of prime_adx.h. */
#include "field/bls381_fq.h"
#include "field/bls381_fr.h"
#include "field/bn254_fq.h"
#include "field/bn254_fr.h"
#include "field/prime_adx.h"
#include <string.h>

#define OPERATIONS(F)                                                                                                  \
    void prime_adx_##F(uint64_t *out, const uint64_t *a, const uint64_t *b)                                            \
    {                                                                                                                  \
        F x, y, r[3];                                                                                                  \
        memcpy(x.l, a, sizeof x);                                                                                      \
        memcpy(y.l, b, sizeof y);                                                                                      \
        r[0] = F##_mul(x, y);                                                                                          \
        r[1] = F##_add(x, y);                                                                                          \
        r[2] = F##_sub(x, y);                                                                                          \
        memcpy(out, r, sizeof r);                                                                                      \
    }

OPERATIONS(bn254_fq)
OPERATIONS(bn254_fr)
OPERATIONS(bls381_fq)
OPERATIONS(bls381_fr)

#define SUMS(F)                                                                                                        \
    void prime_adx_sum_##F(uint64_t *out, const uint64_t *four)                                                        \
    {                                                                                                                  \
        F x[4], r;                                                                                                     \
        memcpy(x, four, sizeof x);                                                                                     \
        F##_mul_sum(&r, x, x + 2);                                                                                     \
        memcpy(out, &r, sizeof r);                                                                                     \
    }

SUMS(bn254_fq)
SUMS(bn254_fr)
SUMS(bls381_fq)
