/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen SHA-256 streams with AVX-512: rotations and three-input logic are single instructions. */
#include <immintrin.h>
#include <stdint.h>

#define HV_WIDTH 16
#define LANES_FN assay_sha256_lanes_avx512

typedef __m512i hv;

static inline hv hv_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}
static inline void hv_store(uint32_t *p, hv a)
{
    _mm512_storeu_si512(p, a);
}
static inline hv hv_set1(uint32_t a)
{
    return _mm512_set1_epi32((int)a);
}
static inline hv hv_add(hv a, hv b)
{
    return _mm512_add_epi32(a, b);
}
static inline hv hv_xor3(hv a, hv b, hv c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}
static inline hv hv_choose(hv a, hv b, hv c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xca);
}
static inline hv hv_majority(hv a, hv b, hv c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xe8);
}
/* The count must be a constant of the instruction, also without optimisation: hence macros. */
#define hv_rotr(a, n) _mm512_ror_epi32((a), (n))
#define hv_shr(a, n)  _mm512_srli_epi32((a), (n))
static inline hv hv_swap_bytes(hv a)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    return _mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(order));
}

#include "backend/cpu/sha256_lanes.tmpl.h"
