/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a norm that is one a row: digits of the sum of squares, mantissa, exponent, shift and table entry.
 * Source: docs/protocol.md, "Norm". */
#include "model/forward.h"
#include <string.h>

enum { DIGIT = 15, LOW = (1 << DIGIT) - 1 };

static unsigned bit_length(uint64_t x)
{
    unsigned n = 0;
    for (; x != 0; x >>= 1) n++;
    return n;
}

static int32_t *slot(int32_t *v, assay_tensor t)
{
    return v + (t - TEN_NA0);
}

/* Digits s of S = 2^15 A + B + eps, with their carries. */
static void add_digits(int32_t *v, uint64_t s[5], uint64_t a, uint64_t b, uint64_t eps)
{
    const uint64_t a0 = a & LOW, a1 = a >> DIGIT, b0 = b & LOW, b1 = b >> DIGIT;
    const uint64_t e0 = eps & LOW, e1 = eps >> DIGIT & LOW, e2 = eps >> (2 * DIGIT);
    const uint64_t sum0 = b0 + e0, c0 = sum0 >> DIGIT;
    const uint64_t sum1 = a0 + b1 + e1 + c0, c1 = sum1 >> DIGIT;
    const uint64_t sum2 = a1 + e2 + c1, c2 = sum2 >> DIGIT;
    s[0] = sum0 & LOW, s[1] = sum1 & LOW, s[2] = sum2 & LOW, s[3] = c2, s[4] = 0;
    *slot(v, TEN_NA0) = (int32_t)a0, *slot(v, TEN_NA1) = (int32_t)a1;
    *slot(v, TEN_NB0) = (int32_t)b0, *slot(v, TEN_NB1) = (int32_t)b1;
    *slot(v, TEN_NC0) = (int32_t)c0, *slot(v, TEN_NC1) = (int32_t)c1, *slot(v, TEN_NC2) = (int32_t)c2;
    for (int k = 0; k < 3; k++) slot(v, TEN_NS0)[k] = (int32_t)s[k];
}

assay_refusal assay_norm_digits(int32_t v[NORM_DIGITS], const assay_model_config *c, const assay_tables *tb,
                                int64_t eps, int32_t fn, uint64_t a, uint64_t b)
{
    uint64_t s[5];
    add_digits(v, s, a, b, (uint64_t)eps);
    if (s[3] > LOW) return BAD_SQUARES;
    const uint64_t total = s[0] | s[1] << DIGIT | s[2] << (2 * DIGIT) | s[3] << (3 * DIGIT);
    const int e = (int)bit_length(total) - c->rsqrt_in;
    if (e < 0 || e >= 3 * DIGIT) return BAD_SQUARES;
    const int digit = e / DIGIT, r = e % DIGIT;
    const uint64_t window = s[digit + 1] << DIGIT | s[digit];
    *slot(v, TEN_NF0) = digit == 0, *slot(v, TEN_NF1) = digit == 1;
    *slot(v, TEN_NR) = r, *slot(v, TEN_NDR) = 1 << r;
    *slot(v, TEN_NM) = (int32_t)(window >> r), *slot(v, TEN_NRHO) = (int32_t)(window & ((1u << r) - 1));

    const int g = e + 2 * (c->rs_t - fn), par = e & 1, raw = (g - par) / 2;
    const int sigma = raw < NORM_SIGMA_MAX ? raw : NORM_SIGMA_MAX, over = raw - sigma;
    if (sigma < 0 || over > NORM_OVER_MAX) return BAD_SHIFT;
    const uint32_t rows = (uint32_t)1 << (c->rsqrt_in - 1);
    *slot(v, TEN_NPAR) = par, *slot(v, TEN_NSIG) = sigma, *slot(v, TEN_NOVER) = over;
    *slot(v, TEN_NDS) = 1 << sigma, *slot(v, TEN_NHF) = (1 << sigma) >> 1;
    *slot(v, TEN_NRT) = tb->rsqrt[((size_t)over * 2 + (size_t)par) * rows + (window >> r) - rows];
    return BAD_NONE;
}
