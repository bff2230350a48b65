/* SPDX-License-Identifier: Apache-2.0 */
/* Bit patterns of floating-point numbers, as weight files hold them. */
#ifndef ASSAY_MODEL_FLOAT_BITS_H
#define ASSAY_MODEL_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

enum { ASSAY_F32_EXPONENT = 0x7f800000 }; /* all ones: infinite or not a number */

static inline float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* IEEE 754 binary16 to binary32, exact. */
static inline uint32_t bits_of_half(uint32_t h)
{
    uint32_t sign = (h & 0x8000u) << 16, e = h >> 10 & 0x1f, m = h & 0x3ff;
    if (e == 0x1f) return sign | 0x7f800000u | m << 13;
    if (e > 0) return sign | (e + 112) << 23 | m << 13;
    if (m == 0) return sign;
    e = 113;
    while (!(m & 0x400)) {
        m <<= 1;
        e--;
    }
    return sign | e << 23 | (m & 0x3ff) << 13;
}

#endif
