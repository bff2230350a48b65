/* SPDX-License-Identifier: Apache-2.0 */
/* M31 arithmetic on sixteen lanes with AVX-512 F. The same names as m31_vec_avx2.h: kernels are written once. */
#ifndef ASSAY_FIELD_M31_VEC_AVX512_H
#define ASSAY_FIELD_M31_VEC_AVX512_H

#include "field/m31.h"
#include <immintrin.h>

#define VEC_WIDTH 16
#define VEC_LOG   4

typedef __m512i vec;

static inline vec v_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}
static inline void v_store(uint32_t *p, vec a)
{
    _mm512_storeu_si512(p, a);
}
static inline vec v_set1(uint32_t a)
{
    return _mm512_set1_epi32((int)a);
}
static inline vec v_zero(void)
{
    return _mm512_setzero_si512();
}

/* Lanes below 2p to canonical. */
static inline vec v_once(vec a)
{
    return _mm512_min_epu32(a, _mm512_sub_epi32(a, v_set1(M31_P)));
}
static inline vec v_add(vec a, vec b)
{
    return v_once(_mm512_add_epi32(a, b));
}
/* Differences of canonical numbers, wrapped at zero, to canonical; more generally a signed number from -p on. */
static inline vec v_wrap(vec a)
{
    return _mm512_min_epu32(a, _mm512_add_epi32(a, v_set1(M31_P)));
}
static inline vec v_sub(vec a, vec b)
{
    return v_wrap(_mm512_sub_epi32(a, b));
}

/* ---- 64-bit lanes: the even lanes of a vector, and the odd ones moved onto them. */

static inline vec v_odd(vec a)
{
    return _mm512_srli_epi64(a, 32);
}
static inline vec v_mul_wide_u(vec a, vec b)
{
    return _mm512_mul_epu32(a, b);
}
static inline vec v_mul_wide_s(vec a, vec b)
{
    return _mm512_mul_epi32(a, b);
}
static inline vec v_add64(vec a, vec b)
{
    return _mm512_add_epi64(a, b);
}
static inline vec v_sub64(vec a, vec b)
{
    return _mm512_sub_epi64(a, b);
}
static inline vec v_add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

/* High and low halves of 64-bit lanes back into 32-bit lanes: even ones from e, odd ones from o. */
static inline vec v_high_halves(vec e, vec o)
{
    return _mm512_mask_shuffle_epi32(o, 0x5555, e, _MM_PERM_DDBB);
}
static inline vec v_low_halves(vec e, vec o)
{
    return _mm512_mask_shuffle_epi32(e, 0xaaaa, o, _MM_PERM_CCAA);
}

static inline vec v_srl1(vec a)
{
    return _mm512_srli_epi32(a, 1);
}
/* 2a + (b & 1), a < 2^31. */
static inline vec v_double_plus_bit(vec a, vec b)
{
    return _mm512_ternarylogic_epi32(_mm512_slli_epi32(a, 1), b, v_set1(1), 0xf8);
}
/* The representative in [-(p-1)/2, (p-1)/2] as a signed number. */
static inline vec v_center(vec a)
{
    __mmask16 big = _mm512_cmpgt_epi32_mask(a, v_set1(M31_P / 2));
    return _mm512_mask_sub_epi32(a, big, a, v_set1(M31_P));
}

/* ---- pairs */

/* Odd lanes become odd - even. */
static inline vec v_diff_odd(vec a)
{
    return v_wrap(_mm512_sub_epi32(a, _mm512_slli_epi64(a, 32)));
}
/* Lanes 2i and 2i+1 = p[i]; reads 8 words. */
static inline vec v_load_twice(const uint32_t *p)
{
    vec a = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)p));
    return _mm512_or_si512(a, _mm512_slli_epi64(a, 32));
}
/* 32 words to the 16 of even and the 16 of odd index, and back. */
static inline void v_deinterleave(vec *even, vec *odd, vec a, vec b)
{
    const vec ie = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const vec io = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    *even = _mm512_permutex2var_epi32(a, ie, b);
    *odd = _mm512_permutex2var_epi32(a, io, b);
}
static inline void v_interleave(vec *a, vec *b, vec even, vec odd)
{
    const vec ia = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const vec ib = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
    *a = _mm512_permutex2var_epi32(even, ia, odd);
    *b = _mm512_permutex2var_epi32(even, ib, odd);
}

/* ---- transpositions of 2x2 blocks of d words: (a0 a1 a2 a3 ..), (b0 b1 b2 b3 ..) become (a0 b0 a2 b2 ..),
 * (a1 b1 a3 b3 ..). Each undoes itself. d = 1, 2, 4, 8. */

static inline void v_transpose8(vec *a, vec *b)
{
    vec x = _mm512_shuffle_i64x2(*a, *b, 0x44), y = _mm512_shuffle_i64x2(*a, *b, 0xee);
    *a = x;
    *b = y;
}
static inline void v_transpose4(vec *a, vec *b)
{
    const vec ix = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), iy = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    vec x = _mm512_permutex2var_epi64(*a, ix, *b), y = _mm512_permutex2var_epi64(*a, iy, *b);
    *a = x;
    *b = y;
}
static inline void v_transpose2(vec *a, vec *b)
{
    vec x = _mm512_unpacklo_epi64(*a, *b), y = _mm512_unpackhi_epi64(*a, *b);
    *a = x;
    *b = y;
}
static inline void v_transpose1(vec *a, vec *b)
{
    vec x = _mm512_mask_shuffle_epi32(*a, 0xaaaa, *b, _MM_PERM_CCAA);
    vec y = _mm512_mask_shuffle_epi32(*b, 0x5555, *a, _MM_PERM_DDBB);
    *a = x;
    *b = y;
}

/* p[0 .. k-1], each repeated to fill the vector: k = 2, 4, 8. */
static inline vec v_spread2(const uint32_t *p)
{
    return _mm512_mask_blend_epi32(0xff00, v_set1(p[0]), v_set1(p[1]));
}
static inline vec v_spread4(const uint32_t *p)
{
    const vec i = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return _mm512_permutexvar_epi32(i, _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
static inline vec v_spread8(const uint32_t *p)
{
    const vec i = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_epi32(i, _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}

#endif
