/* SPDX-License-Identifier: Apache-2.0 */
/* The width layer of the prime fields: little-endian arrays of 64-bit limbs. All functions take time that depends on n
 * alone. C11 with the 128-bit integer that gcc and clang have on 64-bit targets. */
#ifndef ASSAY_FIELD_LIMBS_H
#define ASSAY_FIELD_LIMBS_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 limb2;
__extension__ typedef __int128 limb2s;

enum { LIMB_BITS = 64, LIMB_BYTES = 8 };

/* a + b + *carry; *carry is 0 or 1. */
static inline uint64_t limb_add(uint64_t a, uint64_t b, uint64_t *carry)
{
    limb2 s = (limb2)a + b + *carry;
    *carry = (uint64_t)(s >> LIMB_BITS);
    return (uint64_t)s;
}

/* a - b - *borrow; *borrow is 0 or 1. */
static inline uint64_t limb_sub(uint64_t a, uint64_t b, uint64_t *borrow)
{
    limb2 d = (limb2)a - b - *borrow;
    *borrow = (uint64_t)(d >> LIMB_BITS) & 1;
    return (uint64_t)d;
}

/* Low limb of t + a b + *carry, which is below 2^128; *carry becomes the high limb. */
static inline uint64_t limb_mac(uint64_t t, uint64_t a, uint64_t b, uint64_t *carry)
{
    limb2 s = (limb2)a * b + t + *carry;
    *carry = (uint64_t)(s >> LIMB_BITS);
    return (uint64_t)s;
}

/* r = a - b over n limbs; returns the borrow. */
static inline uint64_t limbs_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i < n; i++) r[i] = limb_sub(a[i], b[i], &borrow);
    return borrow;
}

/* r = mask ? a : b, mask all ones or 0. */
static inline void limbs_select(uint64_t *r, const uint64_t *a, const uint64_t *b, uint64_t mask, int n)
{
    for (int i = 0; i < n; i++) r[i] = (a[i] & mask) | (b[i] & ~mask);
}

/* a < b. */
static inline bool limbs_less(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i < n; i++) limb_sub(a[i], b[i], &borrow);
    return borrow != 0;
}

static inline bool limbs_equal(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t d = 0;
    for (int i = 0; i < n; i++) d |= a[i] ^ b[i];
    return d == 0;
}

static inline bool limbs_zero(const uint64_t *a, int n)
{
    uint64_t d = 0;
    for (int i = 0; i < n; i++) d |= a[i];
    return d == 0;
}

static inline unsigned limbs_bit(const uint64_t *a, unsigned i)
{
    return (unsigned)(a[i / LIMB_BITS] >> i % LIMB_BITS) & 1;
}

/* A limb from and to bytes, the lowest first; written so that compilers make one load or store of it. */
static inline uint64_t limb_load(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline void limb_store(uint8_t *p, uint64_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
    p[4] = (uint8_t)(v >> 32);
    p[5] = (uint8_t)(v >> 40);
    p[6] = (uint8_t)(v >> 48);
    p[7] = (uint8_t)(v >> 56);
}

static inline uint64_t limb_swap(uint64_t v)
{
    v = (v & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (v >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    v = (v & UINT64_C(0x0000ffff0000ffff)) << 16 | (v >> 16 & UINT64_C(0x0000ffff0000ffff));
    return v << 32 | v >> 32;
}

/* From and to bytes, the lowest first, or (big) the highest first. */
static inline void limbs_from_bytes(uint64_t *a, const uint8_t *p, int n, bool big)
{
    for (int i = 0; i < n; i++) {
        uint64_t v = limb_load(p + LIMB_BYTES * (big ? n - 1 - i : i));
        a[i] = big ? limb_swap(v) : v;
    }
}

static inline void limbs_to_bytes(uint8_t *p, const uint64_t *a, int n, bool big)
{
    for (int i = 0; i < n; i++) limb_store(p + LIMB_BYTES * (big ? n - 1 - i : i), big ? limb_swap(a[i]) : a[i]);
}

/* Zero bits below the lowest one of a, which is not 0. */
static inline int limb_trailing_zeros(uint64_t a)
{
    return __builtin_ctzll(a);
}

/* Names of templates: NAME_of(bn254_fq, mul) is bn254_fq_mul. */
#define LIMB_JOIN_(a, b) a##_##b
#define LIMB_JOIN(a, b)  LIMB_JOIN_(a, b)

#endif
