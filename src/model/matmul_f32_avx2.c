/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product, AVX2: four outputs by sixteen lanes in registers. No fused multiply-add: its single rounding
 * would give other bits than the plain kernel. */
#include "model/matmul_f32.h"
#include <immintrin.h>

enum { LANES = ASSAY_MATMUL_LANES, ROWS = 4, HALF = 8 };

/* Sixteen lanes of one output. */
typedef struct sums {
    __m256 a, b;
} sums;

static inline sums add_product(sums s, const float *f, __m256 a, __m256 b)
{
    __m256 x = _mm256_broadcast_ss(f);
    s.a = _mm256_add_ps(s.a, _mm256_mul_ps(x, a));
    s.b = _mm256_add_ps(s.b, _mm256_mul_ps(x, b));
    return s;
}

/* y points at the output's column. */
static inline void put(float *y, sums s, size_t n_lanes, size_t stride)
{
    float out[LANES];
    _mm256_storeu_ps(out, s.a);
    _mm256_storeu_ps(out + HALF, s.b);
    for (size_t l = 0; l < n_lanes; l++) y[l * stride] = out[l];
}

/* Outputs in variables of their own: an array of them would be written to memory at every step. */
static void four(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in)
{
    const float *w1 = w + n_in, *w2 = w1 + n_in, *w3 = w2 + n_in;
    sums s0 = {_mm256_setzero_ps(), _mm256_setzero_ps()}, s1 = s0, s2 = s0, s3 = s0;
    for (size_t k = 0; k < n_in; k++) {
        __m256 a = _mm256_loadu_ps(xt + k * LANES), b = _mm256_loadu_ps(xt + k * LANES + HALF);
        s0 = add_product(s0, w + k, a, b);
        s1 = add_product(s1, w1 + k, a, b);
        s2 = add_product(s2, w2 + k, a, b);
        s3 = add_product(s3, w3 + k, a, b);
    }
    put(y, s0, n_lanes, stride);
    put(y + 1, s1, n_lanes, stride);
    put(y + 2, s2, n_lanes, stride);
    put(y + 3, s3, n_lanes, stride);
}

static void one(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in)
{
    sums s = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t k = 0; k < n_in; k++)
        s = add_product(s, w + k, _mm256_loadu_ps(xt + k * LANES), _mm256_loadu_ps(xt + k * LANES + HALF));
    put(y, s, n_lanes, stride);
}

void assay_matmul_f32_avx2(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                           size_t n_out)
{
    size_t j = 0;
    for (; j + ROWS <= n_out; j += ROWS) four(y + j, stride, xt, w + j * n_in, n_lanes, n_in);
    for (; j < n_out; j++) one(y + j, stride, xt, w + j * n_in, n_lanes, n_in);
}
