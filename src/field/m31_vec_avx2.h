/* SPDX-License-Identifier: Apache-2.0 */
/* M31 arithmetic on eight lanes with AVX2. The same names as m31_vec_avx512.h: kernels are written once. */
#ifndef ASSAY_FIELD_M31_VEC_AVX2_H
#define ASSAY_FIELD_M31_VEC_AVX2_H

#include "field/m31.h"
#include <immintrin.h>

#define VEC_WIDTH 8
#define VEC_LOG   3

typedef __m256i vec;

static inline vec v_load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline void v_store(uint32_t *p, vec a)
{
    _mm256_storeu_si256((__m256i *)(void *)p, a);
}
static inline vec v_set1(uint32_t a)
{
    return _mm256_set1_epi32((int)a);
}
static inline vec v_zero(void)
{
    return _mm256_setzero_si256();
}

/* Lanes below 2p to canonical. */
static inline vec v_once(vec a)
{
    return _mm256_min_epu32(a, _mm256_sub_epi32(a, v_set1(M31_P)));
}
static inline vec v_add(vec a, vec b)
{
    return v_once(_mm256_add_epi32(a, b));
}
/* Differences of canonical numbers, wrapped at zero, to canonical; more generally a signed number from -p on. */
static inline vec v_wrap(vec a)
{
    return _mm256_min_epu32(a, _mm256_add_epi32(a, v_set1(M31_P)));
}
static inline vec v_sub(vec a, vec b)
{
    return v_wrap(_mm256_sub_epi32(a, b));
}

/* ---- 64-bit lanes: the even lanes of a vector, and the odd ones moved onto them. */

static inline vec v_odd(vec a)
{
    return _mm256_srli_epi64(a, 32);
}
static inline vec v_mul_wide_u(vec a, vec b)
{
    return _mm256_mul_epu32(a, b);
}
static inline vec v_mul_wide_s(vec a, vec b)
{
    return _mm256_mul_epi32(a, b);
}
static inline vec v_add64(vec a, vec b)
{
    return _mm256_add_epi64(a, b);
}
static inline vec v_sub64(vec a, vec b)
{
    return _mm256_sub_epi64(a, b);
}
static inline vec v_add32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}

/* High and low halves of 64-bit lanes back into 32-bit lanes: even ones from e, odd ones from o. */
static inline vec v_high_halves(vec e, vec o)
{
    return _mm256_blend_epi32(_mm256_srli_epi64(e, 32), o, 0xaa);
}
static inline vec v_low_halves(vec e, vec o)
{
    return _mm256_blend_epi32(e, _mm256_slli_epi64(o, 32), 0xaa);
}

static inline vec v_srl1(vec a)
{
    return _mm256_srli_epi32(a, 1);
}
/* 2a + (b & 1), a < 2^31. */
static inline vec v_double_plus_bit(vec a, vec b)
{
    return _mm256_or_si256(_mm256_add_epi32(a, a), _mm256_and_si256(b, v_set1(1)));
}
/* The representative in [-(p-1)/2, (p-1)/2] as a signed number. */
static inline vec v_center(vec a)
{
    vec big = _mm256_cmpgt_epi32(a, v_set1(M31_P / 2));
    return _mm256_sub_epi32(a, _mm256_and_si256(big, v_set1(M31_P)));
}

/* ---- pairs */

/* Odd lanes become odd - even. */
static inline vec v_diff_odd(vec a)
{
    return v_wrap(_mm256_sub_epi32(a, _mm256_slli_epi64(a, 32)));
}
/* Lanes 2i and 2i+1 = p[i]; reads 4 words. */
static inline vec v_load_twice(const uint32_t *p)
{
    vec a = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)p));
    return _mm256_or_si256(a, _mm256_slli_epi64(a, 32));
}
/* 16 words to the 8 of even and the 8 of odd index, and back. */
static inline void v_deinterleave(vec *even, vec *odd, vec a, vec b)
{
    vec x = _mm256_shuffle_epi32(a, 0xd8), y = _mm256_shuffle_epi32(b, 0xd8);
    *even = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(x, y), 0xd8);
    *odd = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(x, y), 0xd8);
}
static inline void v_interleave(vec *a, vec *b, vec even, vec odd)
{
    vec x = _mm256_unpacklo_epi32(even, odd), y = _mm256_unpackhi_epi32(even, odd);
    *a = _mm256_permute2x128_si256(x, y, 0x20);
    *b = _mm256_permute2x128_si256(x, y, 0x31);
}

/* ---- transpositions of 2x2 blocks of d words: (a0 a1 a2 a3 ..), (b0 b1 b2 b3 ..) become (a0 b0 a2 b2 ..),
 * (a1 b1 a3 b3 ..). Each undoes itself. d = 1, 2, 4. */

static inline void v_transpose4(vec *a, vec *b)
{
    vec x = _mm256_permute2x128_si256(*a, *b, 0x20), y = _mm256_permute2x128_si256(*a, *b, 0x31);
    *a = x;
    *b = y;
}
static inline void v_transpose2(vec *a, vec *b)
{
    vec x = _mm256_unpacklo_epi64(*a, *b), y = _mm256_unpackhi_epi64(*a, *b);
    *a = x;
    *b = y;
}
static inline void v_transpose1(vec *a, vec *b)
{
    vec x = _mm256_blend_epi32(*a, _mm256_slli_epi64(*b, 32), 0xaa);
    vec y = _mm256_blend_epi32(_mm256_srli_epi64(*a, 32), *b, 0xaa);
    *a = x;
    *b = y;
}

/* p[0 .. k-1], each repeated to fill the vector: k = 2, 4. */
static inline vec v_spread2(const uint32_t *p)
{
    return _mm256_blend_epi32(v_set1(p[0]), v_set1(p[1]), 0xf0);
}
static inline vec v_spread4(const uint32_t *p)
{
    const vec i = _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0);
    return _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p)), i);
}

#endif
