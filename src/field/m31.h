/* SPDX-License-Identifier: Apache-2.0 */
/* The base field F = GF(p), p = 2^31 - 1 (docs/protocol.md, "Field"). Elements are plain integers in [0, p).
 * C11 and C++17 clean: the accelerator kernels include it too. */
#ifndef ASSAY_FIELD_M31_H
#define ASSAY_FIELD_M31_H

#include <stdint.h>

#define M31_P    0x7fffffffu
#define M31_BITS 31

/* x < 2p to canonical: x - p wraps to a large number when x < p. */
static inline uint32_t m31_once(uint32_t x)
{
    uint32_t y = x - M31_P;
    return y < x ? y : x;
}

static inline uint32_t m31_add(uint32_t a, uint32_t b)
{
    return m31_once(a + b);
}

static inline uint32_t m31_sub(uint32_t a, uint32_t b)
{
    uint32_t d = a - b, e = d + M31_P;
    return d < e ? d : e;
}

static inline uint32_t m31_neg(uint32_t a)
{
    return m31_sub(0, a);
}
static inline uint32_t m31_double(uint32_t a)
{
    return m31_add(a, a);
}

/* Any 64-bit integer modulo p: 2^31 = 1, so the 31-bit digits add up. */
static inline uint32_t m31_reduce64(uint64_t x)
{
    x = (x & M31_P) + (x >> 31);
    x = (x & M31_P) + (x >> 31);
    return m31_once((uint32_t)x);
}

/* s + t modulo p for any two 64-bit integers: for sums of products that do not fit one word. */
static inline uint32_t m31_reduce_pair(uint64_t s, uint64_t t)
{
    uint64_t x = (s & M31_P) + (s >> 31) + (t & M31_P) + (t >> 31);
    x = (x & M31_P) + (x >> 31);
    return m31_once((uint32_t)x);
}

static inline uint32_t m31_mul(uint32_t a, uint32_t b)
{
    uint64_t x = (uint64_t)a * b;
    return m31_once((uint32_t)(x & M31_P) + (uint32_t)(x >> 31));
}

static inline uint32_t m31_sqr(uint32_t a)
{
    return m31_mul(a, a);
}

static inline uint32_t m31_from_i64(int64_t v)
{
    return v >= 0 ? m31_reduce64((uint64_t)v) : m31_neg(m31_reduce64(0 - (uint64_t)v));
}

/* The representative in [-(p-1)/2, (p-1)/2]. */
static inline int64_t m31_to_i64(uint32_t a)
{
    return a > M31_P / 2 ? (int64_t)a - (int64_t)M31_P : (int64_t)a;
}

/* a^e; 0^0 = 1. */
static inline uint32_t m31_pow(uint32_t a, uint64_t e)
{
    uint32_t r = 1;
    for (; e; e >>= 1) {
        if (e & 1) r = m31_mul(r, a);
        a = m31_sqr(a);
    }
    return r;
}

/* a^(2^n). */
static inline uint32_t m31_sqr_n(uint32_t a, int n)
{
    while (n-- > 0) a = m31_sqr(a);
    return a;
}

/* 1/a, and 0 for 0: a^(p-2), p - 2 = 2^31 - 3, by runs of ones doubled in length: 30 squarings, 8 products. */
static inline uint32_t m31_inv(uint32_t a)
{
    uint32_t a2 = m31_mul(m31_sqr(a), a);          /* 2 ones */
    uint32_t a4 = m31_mul(m31_sqr_n(a2, 2), a2);   /* 4 ones */
    uint32_t a8 = m31_mul(m31_sqr_n(a4, 4), a4);   /* 8 ones */
    uint32_t a16 = m31_mul(m31_sqr_n(a8, 8), a8);  /* 16 ones */
    uint32_t a24 = m31_mul(m31_sqr_n(a16, 8), a8); /* 24 ones */
    uint32_t a28 = m31_mul(m31_sqr_n(a24, 4), a4); /* 28 ones */
    uint32_t a29 = m31_mul(m31_sqr(a28), a);       /* 29 ones */
    return m31_mul(m31_sqr_n(a29, 2), a);          /* 29 ones, then 01 */
}

#endif
