/* SPDX-License-Identifier: Apache-2.0 */
/* Eight SHA-256 streams with AVX2, for processors without SHA extensions. */
#include <immintrin.h>
#include <stdint.h>

#define HV_WIDTH 8
#define LANES_FN assay_sha256_lanes_avx2

typedef __m256i hv;

static inline hv hv_load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline void hv_store(uint32_t *p, hv a)
{
    _mm256_storeu_si256((__m256i *)(void *)p, a);
}
static inline hv hv_set1(uint32_t a)
{
    return _mm256_set1_epi32((int)a);
}
static inline hv hv_add(hv a, hv b)
{
    return _mm256_add_epi32(a, b);
}
static inline hv hv_xor3(hv a, hv b, hv c)
{
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}
static inline hv hv_choose(hv a, hv b, hv c)
{
    return _mm256_xor_si256(c, _mm256_and_si256(a, _mm256_xor_si256(b, c)));
}
static inline hv hv_majority(hv a, hv b, hv c)
{
    return _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_or_si256(a, b)));
}
static inline hv hv_shr(hv a, int n)
{
    return _mm256_srli_epi32(a, n);
}
static inline hv hv_rotr(hv a, int n)
{
    return _mm256_or_si256(_mm256_srli_epi32(a, n), _mm256_slli_epi32(a, 32 - n));
}
static inline hv hv_swap_bytes(hv a)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(order));
}

#include "backend/cpu/sha256_lanes.tmpl.h"
