/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512 inner loops of the fast path: 16-bit products summed in pairs (vpmaddwd), 32 a step, tails by masked loads.
 */
#include "model/forward_kernels.h"
#include <immintrin.h>

static inline __m512i step(__m512i sum, __m512i x, __mmask32 m, const int16_t *w)
{
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x, _mm512_maskz_loadu_epi16(m, w)));
}

/* The sums of the 16 words of four vectors. */
static inline __m128i sum_four(__m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

static void dots_avx512(int32_t *acc, const int16_t *x, const int16_t *w, size_t stride, size_t n, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r += 4) {
        const size_t last = n_rows - 1; /* rows beyond the last repeat it and are not stored */
        const int16_t *w0 = w + r * stride, *w1 = w + (r + 1 < last ? r + 1 : last) * stride;
        const int16_t *w2 = w + (r + 2 < last ? r + 2 : last) * stride,
                      *w3 = w + (r + 3 < last ? r + 3 : last) * stride;
        __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0;
        for (size_t k = 0; k < n; k += 32) {
            const __mmask32 m = n - k >= 32 ? 0xffffffffu : ((uint32_t)1 << (n - k)) - 1;
            const __m512i v = _mm512_maskz_loadu_epi16(m, x + k);
            s0 = step(s0, v, m, w0 + k);
            s1 = step(s1, v, m, w1 + k);
            s2 = step(s2, v, m, w2 + k);
            s3 = step(s3, v, m, w3 + k);
        }
        const __mmask8 keep = (__mmask8)(n_rows - r >= 4 ? 15 : (1u << (n_rows - r)) - 1);
        _mm_mask_storeu_epi32(acc + r, keep, sum_four(s0, s1, s2, s3));
    }
}

static void mix_avx512(int32_t *acc, const int32_t *a, const int16_t *v, size_t n_e, size_t n_j)
{
    for (size_t e = 0; e < n_e; e += 16) {
        const __mmask16 m = (__mmask16)(n_e - e >= 16 ? 0xffffu : (1u << (n_e - e)) - 1);
        __m512i s = _mm512_setzero_si512();
        for (size_t j = 0; j < n_j; j++) {
            const __m512i value = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(m, v + j * n_e + e));
            s = _mm512_add_epi32(s, _mm512_mullo_epi32(_mm512_set1_epi32(a[j]), value));
        }
        _mm512_mask_storeu_epi32(acc + e, m, s);
    }
}

const assay_forward_kernels assay_forward_kernels_avx512 = {dots_avx512, mix_avx512};
