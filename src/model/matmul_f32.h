/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product for calibration and evaluation. Every sum runs in the order of the inner index, product and sum
 * rounded apart, so that the result is the same on every machine: the plan that follows from it is too. */
#ifndef ASSAY_MODEL_MATMUL_F32_H
#define ASSAY_MODEL_MATMUL_F32_H

#include <stddef.h>

enum { ASSAY_MATMUL_LANES = 16 }; /* rows of x at a time */

/* y[n][n_out] = x[n][n_in] w[n_out][n_in]^T. scratch: n_in * ASSAY_MATMUL_LANES floats. */
void assay_matmul_f32(float *y, const float *x, const float *w, size_t n, size_t n_in, size_t n_out, float *scratch);

/* One block: y[l * stride + j] = sum_k xt[k][l] w[j][k] for lanes l < n_lanes and j < n_out;
 * xt[n_in][ASSAY_MATMUL_LANES].
 */
typedef void assay_matmul_f32_fn(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                                 size_t n_out);
void assay_matmul_f32_ref(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                          size_t n_out);
void assay_matmul_f32_avx2(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                           size_t n_out);
void assay_matmul_f32_avx512(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                             size_t n_out);

#endif
