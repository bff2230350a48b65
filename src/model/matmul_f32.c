/* SPDX-License-Identifier: Apache-2.0 */
/* Float matrix product: blocks of lanes, and the plain kernel. */
#include "model/matmul_f32.h"
#include "base/cpu.h"
#include "base/isa.h"

enum { LANES = ASSAY_MATMUL_LANES };

/* acc[l] += sum over AHEAD values of k, in order. A loop over lanes of a length that is known only at run time is what
 * compilers turn into vector code; a fixed length is unrolled into scalars instead. */
enum { AHEAD = 4 };

static void add_ahead(float *acc, const float *x, const float *f, size_t n_lanes)
{
    for (size_t l = 0; l < n_lanes; l++) {
        float a = acc[l] + f[0] * x[l];
        a = a + f[1] * x[l + LANES];
        a = a + f[2] * x[l + 2 * LANES];
        acc[l] = a + f[3] * x[l + 3 * LANES];
    }
}

void assay_matmul_f32_ref(float *y, const float *xt, const float *w, size_t n_lanes, size_t n_in, size_t n_out)
{
    for (size_t j = 0; j < n_out; j++) {
        const float *f = w + j * n_in;
        float acc[LANES] = {0};
        size_t k = 0;
        for (; k + AHEAD <= n_in; k += AHEAD) add_ahead(acc, xt + k * LANES, f + k, n_lanes);
        for (; k < n_in; k++)
            for (size_t l = 0; l < n_lanes; l++) acc[l] = acc[l] + f[k] * xt[k * LANES + l];
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
