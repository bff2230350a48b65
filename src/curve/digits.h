/* SPDX-License-Identifier: Apache-2.0 */
/* Signed digits for multiples and powers by public numbers: the non-adjacent form of width w (Solinas, "Efficient
 * arithmetic on Koblitz curves", 2000). Time depends on the number. */
#ifndef ASSAY_CURVE_DIGITS_H
#define ASSAY_CURVE_DIGITS_H

#include "field/limbs.h"
#include <string.h>

/* k = sum_i d[i] 2^i, where each d[i] is 0 or odd and below 2^(w - 1) in size, and of w neighbours at most one is not
 * 0. k: n limbs; d: room for 64 n + 1; w from 2 to 7. How many digits there are; the last of them is positive. */
static inline unsigned limbs_digits(int8_t *d, const uint64_t *k, unsigned n, unsigned w)
{
    const unsigned bits = n * LIMB_BITS;
    unsigned carry = 0, length = 0;
    memset(d, 0, bits + 1);
    for (unsigned i = 0; i < bits;) {
        if (limbs_bit(k, i) == carry) {
            i++;
            continue;
        }
        unsigned word = carry;
        for (unsigned j = 0; j < w && i + j < bits; j++) word += limbs_bit(k, i + j) << j; /* odd */
        carry = word >> (w - 1) & 1;
        d[i] = (int8_t)((int)word - (int)(carry << w));
        length = i + 1;
        i += w;
    }
    if (carry) d[bits] = 1;
    return carry ? bits + 1 : length;
}

#endif
