/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product, AVX-512: eight outputs by sixteen lanes in registers. No fused multiply-add, as in the AVX2
 * kernel. */
#include "model/matmul_f32.h"
#include <immintrin.h>

enum { LANES = ASSAY_MATMUL_LANES, ROWS = 8 };

static inline __m512 add_product(__m512 s, const float *f, __m512 x)
{
    return _mm512_add_ps(s, _mm512_mul_ps(_mm512_set1_ps(*f), x));
}

/* y points at the output's column. */
static inline void put(float *y, __m512 s, size_t n_lanes, size_t stride)
{
    float out[LANES];
    _mm512_storeu_ps(out, s);
    for (size_t l = 0; l < n_lanes; l++) y[l * stride] = out[l];
}

/* Outputs in variables of their own: an array of them would be written to memory at every step. */
static void eight(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in)
{
    const float *w1 = w + n_in, *w2 = w1 + n_in, *w3 = w2 + n_in, *w4 = w3 + n_in, *w5 = w4 + n_in, *w6 = w5 + n_in,
                *w7 = w6 + n_in;
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (size_t k = 0; k < n_in; k++) {
        __m512 x = _mm512_loadu_ps(xt + k * LANES);
        s0 = add_product(s0, w + k, x);
        s1 = add_product(s1, w1 + k, x);
        s2 = add_product(s2, w2 + k, x);
        s3 = add_product(s3, w3 + k, x);
        s4 = add_product(s4, w4 + k, x);
        s5 = add_product(s5, w5 + k, x);
        s6 = add_product(s6, w6 + k, x);
        s7 = add_product(s7, w7 + k, x);
    }
    put(y, s0, n_lanes, stride);
    put(y + 1, s1, n_lanes, stride);
    put(y + 2, s2, n_lanes, stride);
    put(y + 3, s3, n_lanes, stride);
    put(y + 4, s4, n_lanes, stride);
    put(y + 5, s5, n_lanes, stride);
    put(y + 6, s6, n_lanes, stride);
    put(y + 7, s7, n_lanes, stride);
}

static void one(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in)
{
    __m512 s = _mm512_setzero_ps();
    for (size_t k = 0; k < n_in; k++) s = add_product(s, w + k, _mm512_loadu_ps(xt + k * LANES));
    put(y, s, n_lanes, stride);
}

void assay_matmul_f32_avx512(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                             size_t n_out)
{
    size_t j = 0;
    for (; j + ROWS <= n_out; j += ROWS) eight(y + j, stride, xt, w + j * n_in, n_lanes, n_in);
    for (; j < n_out; j++) one(y + j, stride, xt, w + j * n_in, n_lanes, n_in);
}
