/* SPDX-License-Identifier: Apache-2.0 */
/* Signed digits of scalars, each found without its neighbours. With 2^(width - 1) added in every window but the
 * highest, a number is cut into pieces of `width` bits; 2^(width - 1) off a piece is the digit, from -2^(width - 1) to
 * 2^(width - 1) - 1. The highest digit has no sign and is at most 2^(width - 1), because width * windows exceeds the
 * bits of the number. Memory that held numbers or digits is to be wiped. */
#ifndef ASSAY_BACKEND_CPU_WINDOWS_H
#define ASSAY_BACKEND_CPU_WINDOWS_H

#include "curve/curve.h"
#include "field/limbs.h"

enum { ASSAY_WINDOW_LIMBS = ASSAY_FR_LIMBS + 2 }; /* carries, and one to read beyond the end */

typedef struct assay_windows {
    unsigned width, count;
    uint64_t offset[ASSAY_WINDOW_LIMBS];
} assay_windows;

/* Windows for numbers of so many bits. */
static inline unsigned assay_windows_count(unsigned bits, unsigned width)
{
    return bits / width + 1;
}

static inline assay_windows assay_windows_make(unsigned width, unsigned count)
{
    assay_windows w = {width, count, {0}};
    for (unsigned i = 0; i + 1 < count; i++) {
        unsigned bit = i * width + width - 1;
        w.offset[bit / LIMB_BITS] |= UINT64_C(1) << bit % LIMB_BITS;
    }
    return w;
}

/* k, with ASSAY_FR_LIMBS limbs set, to what assay_windows_digit takes. */
static inline void assay_windows_prepare(const assay_windows *w, uint64_t k[ASSAY_WINDOW_LIMBS])
{
    uint64_t carry = 0;
    for (int i = ASSAY_FR_LIMBS; i < ASSAY_WINDOW_LIMBS; i++) k[i] = 0;
    for (int i = 0; i < ASSAY_WINDOW_LIMBS; i++) k[i] = limb_add(k[i], w->offset[i], &carry);
}

/* The digit of window i plus 2^(width - 1); whatever k is, at most 2^width. */
static inline uint32_t assay_windows_digit(const assay_windows *w, const uint64_t k[ASSAY_WINDOW_LIMBS], unsigned i)
{
    unsigned bit = i * w->width, limb = bit / LIMB_BITS, shift = bit % LIMB_BITS;
    uint32_t half = UINT32_C(1) << (w->width - 1);
    uint64_t v = k[limb] >> shift | k[limb + 1] << 1 << (LIMB_BITS - 1 - shift);
    uint32_t d = (uint32_t)v & (2 * half - 1);
    if (i + 1 == w->count) d = (d < half ? d : half) + half;
    return d;
}

#endif
