/* SPDX-License-Identifier: Apache-2.0 */
/* AVX2 inner loops of the fast path: 16-bit products summed in pairs (vpmaddwd), 16 a step. */
#include "model/forward_kernels.h"
#include <immintrin.h>

static inline __m256i load16(const int16_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline uint32_t sum8(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(s);
}

static inline uint32_t tail(const int16_t *x, const int16_t *w, size_t from, size_t n)
{
    uint32_t sum = 0;
    for (size_t k = from; k < n; k++) sum += (uint32_t)(x[k] * w[k]);
    return sum;
}

static void dots_avx2(int32_t *acc, const int16_t *x, const int16_t *w, size_t stride, size_t n, size_t n_rows)
{
    const size_t whole = n & ~(size_t)15;
    size_t r = 0;
    for (; r + 4 <= n_rows; r += 4) {
        const int16_t *w0 = w + r * stride, *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
        __m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
        for (size_t k = 0; k < whole; k += 16) {
            const __m256i v = load16(x + k);
            s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(v, load16(w0 + k)));
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(v, load16(w1 + k)));
            s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(v, load16(w2 + k)));
            s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(v, load16(w3 + k)));
        }
        acc[r] = (int32_t)(sum8(s0) + tail(x, w0, whole, n));
        acc[r + 1] = (int32_t)(sum8(s1) + tail(x, w1, whole, n));
        acc[r + 2] = (int32_t)(sum8(s2) + tail(x, w2, whole, n));
        acc[r + 3] = (int32_t)(sum8(s3) + tail(x, w3, whole, n));
    }
    for (; r < n_rows; r++) {
        __m256i s = _mm256_setzero_si256();
        for (size_t k = 0; k < whole; k += 16)
            s = _mm256_add_epi32(s, _mm256_madd_epi16(load16(x + k), load16(w + r * stride + k)));
        acc[r] = (int32_t)(sum8(s) + tail(x, w + r * stride, whole, n));
    }
}

static void mix_avx2(int32_t *acc, const int32_t *a, const int16_t *v, size_t n_e, size_t n_j)
{
    size_t e = 0;
    for (; e + 8 <= n_e; e += 8) {
        __m256i s = _mm256_setzero_si256();
        for (size_t j = 0; j < n_j; j++) {
            const __m128i half = _mm_loadu_si128((const __m128i *)(const void *)(v + j * n_e + e));
            s = _mm256_add_epi32(s, _mm256_mullo_epi32(_mm256_set1_epi32(a[j]), _mm256_cvtepi16_epi32(half)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(acc + e), s);
    }
    for (; e < n_e; e++) {
        uint32_t s = 0;
        for (size_t j = 0; j < n_j; j++) s += (uint32_t)a[j] * (uint32_t)(int32_t)v[j * n_e + e];
        acc[e] = (int32_t)s;
    }
}

const assay_forward_kernels assay_forward_kernels_avx2 = {dots_avx2, mix_avx2};
