/* SPDX-License-Identifier: Apache-2.0 */
/* The challenge field K = C[w]/(w^3 - (2+i)), C = F[i]/(i^2 + 1), of p^6 elements (docs/protocol.md, "Field").
 * Plain C with delayed reductions; the verifier uses nothing else. C11 and C++17 clean. */
#ifndef ASSAY_FIELD_K_H
#define ASSAY_FIELD_K_H

#include "field/m31.h"
#include <stdbool.h>
#include <stdint.h>

#define K_WORDS 6
#define K_BYTES 24 /* six little-endian words wherever elements are stored or absorbed */

/* v[2*j + h] is the coefficient of i^h w^j, canonical. */
typedef struct kel {
    uint32_t v[K_WORDS];
} kel;

/* An element x + i y of C. */
typedef struct cel {
    uint32_t x, y;
} cel;

static inline cel c_make(uint32_t x, uint32_t y)
{
    cel r;
    r.x = x;
    r.y = y;
    return r;
}
static inline cel c_add(cel a, cel b)
{
    return c_make(m31_add(a.x, b.x), m31_add(a.y, b.y));
}
static inline cel c_sub(cel a, cel b)
{
    return c_make(m31_sub(a.x, b.x), m31_sub(a.y, b.y));
}
static inline cel c_mul(cel a, cel b)
{
    uint64_t re = (uint64_t)a.x * b.x + (uint64_t)(M31_P - a.y) * b.y;
    uint64_t im = (uint64_t)a.x * b.y + (uint64_t)a.y * b.x;
    return c_make(m31_reduce64(re), m31_reduce64(im));
}
/* Times 2 + i. */
static inline cel c_mul_xi(cel a)
{
    return c_make(m31_sub(m31_double(a.x), a.y), m31_add(a.x, m31_double(a.y)));
}
/* 1/a, and 0 for 0: the conjugate over the norm, which vanishes only at 0 because -1 is no square. */
static inline cel c_inv(cel a)
{
    uint32_t d = m31_inv(m31_reduce64((uint64_t)a.x * a.x + (uint64_t)a.y * a.y));
    return c_make(m31_mul(a.x, d), m31_mul(m31_neg(a.y), d));
}

static inline kel k_zero(void)
{
    kel r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = 0;
    return r;
}
static inline kel k_from_f(uint32_t a)
{
    kel r = k_zero();
    r.v[0] = a;
    return r;
}
static inline kel k_one(void)
{
    return k_from_f(1);
}
static inline kel k_from_i64(int64_t a)
{
    return k_from_f(m31_from_i64(a));
}
static inline cel k_part(const kel *a, int j)
{
    return c_make(a->v[2 * j], a->v[2 * j + 1]);
}
static inline kel k_from_parts(cel a0, cel a1, cel a2)
{
    kel r;
    r.v[0] = a0.x;
    r.v[1] = a0.y;
    r.v[2] = a1.x;
    r.v[3] = a1.y;
    r.v[4] = a2.x;
    r.v[5] = a2.y;
    return r;
}

static inline kel k_add(kel a, kel b)
{
    for (int j = 0; j < K_WORDS; j++) a.v[j] = m31_add(a.v[j], b.v[j]);
    return a;
}
static inline kel k_sub(kel a, kel b)
{
    for (int j = 0; j < K_WORDS; j++) a.v[j] = m31_sub(a.v[j], b.v[j]);
    return a;
}
static inline kel k_neg(kel a)
{
    return k_sub(k_zero(), a);
}
static inline kel k_double(kel a)
{
    return k_add(a, a);
}
static inline kel k_mul_f(kel a, uint32_t b)
{
    for (int j = 0; j < K_WORDS; j++) a.v[j] = m31_mul(a.v[j], b);
    return a;
}
static inline kel k_add_f(kel a, uint32_t b)
{
    a.v[0] = m31_add(a.v[0], b);
    return a;
}
static inline kel k_sub_f(kel a, uint32_t b)
{
    a.v[0] = m31_sub(a.v[0], b);
    return a;
}
static inline bool k_eq(kel a, kel b)
{
    uint32_t d = 0;
    for (int j = 0; j < K_WORDS; j++) d |= a.v[j] ^ b.v[j];
    return d == 0;
}
static inline bool k_is_zero(kel a)
{
    return k_eq(a, k_zero());
}
/* Whether all words are canonical: what a parser checks. */
static inline bool k_is_canonical(kel a)
{
    for (int j = 0; j < K_WORDS; j++)
        if (a.v[j] >= M31_P) return false;
    return true;
}

/* a0 b0 + a1 b1 + a2 b2 in C: three products a 64-bit sum (each is at most p^2 < 2^62), one reduction a coordinate. */
static inline cel c_dot3(const kel *a, cel b0, cel b1, cel b2)
{
    const uint32_t *v = a->v;
    uint64_t re = (uint64_t)v[0] * b0.x + (uint64_t)v[2] * b1.x + (uint64_t)v[4] * b2.x;
    uint64_t ne = (uint64_t)(M31_P - v[1]) * b0.y + (uint64_t)(M31_P - v[3]) * b1.y + (uint64_t)(M31_P - v[5]) * b2.y;
    uint64_t im = (uint64_t)v[0] * b0.y + (uint64_t)v[2] * b1.y + (uint64_t)v[4] * b2.y;
    uint64_t mi = (uint64_t)v[1] * b0.x + (uint64_t)v[3] * b1.x + (uint64_t)v[5] * b2.x;
    return c_make(m31_reduce_pair(re, ne), m31_reduce_pair(im, mi));
}

/* Schoolbook, 36 products: with the factor 2 + i moved into b each coordinate is one sum of six products, and the
 * six reductions that remain cost less than the additions Karatsuba would put in their place. */
static inline kel k_mul(kel a, kel b)
{
    cel b0 = k_part(&b, 0), b1 = k_part(&b, 1), b2 = k_part(&b, 2);
    cel x1 = c_mul_xi(b1), x2 = c_mul_xi(b2);
    return k_from_parts(c_dot3(&a, b0, x2, x1), c_dot3(&a, b1, b0, x2), c_dot3(&a, b2, b1, b0));
}

/* 22 products, at most four a sum. */
static inline kel k_sqr(kel a)
{
    cel a0 = k_part(&a, 0), a1 = k_part(&a, 1), a2 = k_part(&a, 2);
    cel d0 = c_add(a0, a0), x2 = c_mul_xi(a2), y2 = c_add(x2, x2);
    uint32_t n0 = M31_P - a0.y, n1 = M31_P - a1.y, n2 = M31_P - a2.y, d1 = m31_double(a1.x);
    uint64_t r0 = (uint64_t)a0.x * a0.x + (uint64_t)n0 * a0.y + (uint64_t)a1.x * y2.x + (uint64_t)n1 * y2.y;
    uint64_t i0 = (uint64_t)d0.x * a0.y + (uint64_t)a1.x * y2.y + (uint64_t)a1.y * y2.x;
    uint64_t r1 = (uint64_t)d0.x * a1.x + (uint64_t)d0.y * n1 + (uint64_t)a2.x * x2.x + (uint64_t)n2 * x2.y;
    uint64_t i1 = (uint64_t)d0.x * a1.y + (uint64_t)d0.y * a1.x + (uint64_t)a2.x * x2.y + (uint64_t)a2.y * x2.x;
    uint64_t r2 = (uint64_t)d0.x * a2.x + (uint64_t)d0.y * n2 + (uint64_t)a1.x * a1.x + (uint64_t)n1 * a1.y;
    uint64_t i2 = (uint64_t)d0.x * a2.y + (uint64_t)d0.y * a2.x + (uint64_t)d1 * a1.y;
    return k_from_parts(c_make(m31_reduce64(r0), m31_reduce64(i0)), c_make(m31_reduce64(r1), m31_reduce64(i1)),
                        c_make(m31_reduce64(r2), m31_reduce64(i2)));
}

/* 1/a, and 0 for 0: adjugate over the norm to C, then c_inv; one base-field inversion. */
static inline kel k_inv(kel a)
{
    cel a0 = k_part(&a, 0), a1 = k_part(&a, 1), a2 = k_part(&a, 2);
    cel s0 = c_sub(c_mul(a0, a0), c_mul_xi(c_mul(a1, a2)));
    cel s1 = c_sub(c_mul_xi(c_mul(a2, a2)), c_mul(a0, a1));
    cel s2 = c_sub(c_mul(a1, a1), c_mul(a0, a2));
    cel norm = c_add(c_mul(a0, s0), c_mul_xi(c_add(c_mul(a2, s1), c_mul(a1, s2))));
    cel d = c_inv(norm);
    return k_from_parts(c_mul(s0, d), c_mul(s1, d), c_mul(s2, d));
}

/* a^e; 0^0 = 1. */
static inline kel k_pow_u64(kel a, uint64_t e)
{
    kel r = k_one();
    for (; e; e >>= 1) {
        if (e & 1) r = k_mul(r, a);
        a = k_sqr(a);
    }
    return r;
}

#endif
