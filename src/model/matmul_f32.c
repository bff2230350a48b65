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

void assay_matmul_f32_ref(float *y, size_t stride, const float *xt, const float *w, size_t n_lanes, size_t n_in,
                          size_t n_out)
{
    for (size_t j = 0; j < n_out; j++) {
        const float *f = w + j * n_in;
        float acc[LANES] = {0};
        size_t k = 0;
        for (; k + AHEAD <= n_in; k += AHEAD) add_ahead(acc, xt + k * LANES, f + k, n_lanes);
        for (; k < n_in; k++)
            for (size_t l = 0; l < n_lanes; l++) acc[l] = acc[l] + f[k] * xt[k * LANES + l];
        for (size_t l = 0; l < n_lanes; l++) y[l * stride + j] = acc[l];
    }
}

static assay_matmul_f32_fn *pick(void)
{
    const unsigned have = assay_cpu_features();
    assay_matmul_f32_fn *k512 = ASSAY_X86_FN(assay_matmul_f32_avx512), *k2 = ASSAY_X86_FN(assay_matmul_f32_avx2);
    if (k512 && (have & ASSAY_CPU_AVX512)) return k512;
    return k2 && (have & ASSAY_CPU_AVX2) ? k2 : assay_matmul_f32_ref;
}

/* Outputs are taken in chunks whose weights stay in the cache while all rows of x pass over them. */
void assay_matmul_f32(float *y, const float *x, const float *w, size_t n, size_t n_in, size_t n_out, float *scratch)
{
    enum { CHUNK_FLOATS = 1 << 18, CHUNK_MULTIPLE = 8 };
    assay_matmul_f32_fn *kernel = pick();
    const size_t fit = CHUNK_FLOATS / n_in / CHUNK_MULTIPLE * CHUNK_MULTIPLE, chunk = fit ? fit : CHUNK_MULTIPLE;
    for (size_t j = 0; j < n_out; j += chunk) {
        const size_t rows = n_out - j < chunk ? n_out - j : chunk;
        for (size_t at = 0; at < n; at += LANES) {
            const size_t n_lanes = n - at < LANES ? n - at : LANES;
            for (size_t k = 0; k < n_in; k++)
                for (size_t l = 0; l < LANES; l++) scratch[k * LANES + l] = l < n_lanes ? x[(at + l) * n_in + k] : 0.0f;
            kernel(y + at * n_out + j, n_out, scratch, w + j * n_in, n_lanes, n_in, rows);
        }
    }
}
