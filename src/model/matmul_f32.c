/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product: blocks of lanes, and the plain kernel. */
#include "model/matmul_f32.h"
#include "base/cpu.h"
#include "base/isa.h"

enum { LANES = ASSAY_MATMUL_LANES };

void assay_matmul_f32_ref(float *y, const float *xt, const float *w, size_t n_lanes, size_t n_in, size_t n_out)
{
    for (size_t j = 0; j < n_out; j++) {
        float acc[LANES] = {0};
        for (size_t k = 0; k < n_in; k++) {
            float f = w[j * n_in + k];
            for (size_t l = 0; l < LANES; l++) {
                float product = f * xt[k * LANES + l];
                acc[l] += product;
            }
        }
        for (size_t l = 0; l < n_lanes; l++) y[l * n_out + j] = acc[l];
    }
}

void assay_matmul_f32(float *y, const float *x, const float *w, size_t n, size_t n_in, size_t n_out, float *scratch)
{
    assay_matmul_f32_fn *fast = ASSAY_X86_FN(assay_matmul_f32_avx2);
    assay_matmul_f32_fn *kernel = fast && (assay_cpu_features() & ASSAY_CPU_AVX2) ? fast : assay_matmul_f32_ref;
    for (size_t at = 0; at < n; at += LANES) {
        size_t n_lanes = n - at < LANES ? n - at : LANES;
        for (size_t k = 0; k < n_in; k++)
            for (size_t l = 0; l < LANES; l++) scratch[k * LANES + l] = l < n_lanes ? x[(at + l) * n_in + k] : 0.0f;
        kernel(y + at * n_out, scratch, w, n_lanes, n_in, n_out);
    }
}
