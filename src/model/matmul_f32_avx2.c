/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product, AVX2: four outputs by sixteen lanes in registers. No fused multiply-add: its single rounding
 * would give other bits than the plain kernel. */
#include "model/matmul_f32.h"
#include <immintrin.h>

enum { LANES = ASSAY_MATMUL_LANES, ROWS = 4, HALF = 8 };

/* Outputs j .. j + rows - 1; w points at row j. rows <= ROWS is known at compile time after inlining. */
static inline void block(float *y, const float *xt, const float *w, size_t rows, size_t n_lanes, size_t n_in,
                         size_t n_out)
{
    __m256 acc[ROWS][2];
    float out[ROWS][LANES];
    for (size_t r = 0; r < rows; r++) acc[r][0] = acc[r][1] = _mm256_setzero_ps();
    for (size_t k = 0; k < n_in; k++) {
        __m256 a = _mm256_loadu_ps(xt + k * LANES), b = _mm256_loadu_ps(xt + k * LANES + HALF);
        for (size_t r = 0; r < rows; r++) {
            __m256 f = _mm256_broadcast_ss(w + r * n_in + k);
            acc[r][0] = _mm256_add_ps(acc[r][0], _mm256_mul_ps(f, a));
            acc[r][1] = _mm256_add_ps(acc[r][1], _mm256_mul_ps(f, b));
        }
    }
    for (size_t r = 0; r < rows; r++) {
        _mm256_storeu_ps(out[r], acc[r][0]);
        _mm256_storeu_ps(out[r] + HALF, acc[r][1]);
    }
    for (size_t l = 0; l < n_lanes; l++)
        for (size_t r = 0; r < rows; r++) y[l * n_out + r] = out[r][l];
}

void assay_matmul_f32_avx2(float *y, const float *xt, const float *w, size_t n_lanes, size_t n_in, size_t n_out)
{
    size_t j = 0;
    for (; j + ROWS <= n_out; j += ROWS) block(y + j, xt, w + j * n_in, ROWS, n_lanes, n_in, n_out);
    for (; j < n_out; j++) block(y + j, xt, w + j * n_in, 1, n_lanes, n_in, n_out);
}
