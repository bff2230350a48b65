/* SPDX-License-Identifier: Apache-2.0 */
/* Portable inner loops of the fast path, and the choice of a table. Arithmetic mod 2^32 is done on unsigned words. */
#include "model/forward_kernels.h"
#include "base/cpu.h"
#include "base/isa.h"

static void dots_ref(int32_t *acc, const int16_t *x, const int16_t *w, size_t stride, size_t n, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r++) {
        const int16_t *row = w + r * stride;
        uint32_t sum = 0;
        for (size_t k = 0; k < n; k++) sum += (uint32_t)(x[k] * row[k]);
        acc[r] = (int32_t)sum;
    }
}

static void mix_ref(int32_t *acc, const int32_t *a, const int16_t *v, size_t n_e, size_t n_j)
{
    for (size_t e = 0; e < n_e; e++) acc[e] = 0;
    for (size_t j = 0; j < n_j; j++) {
        for (size_t e = 0; e < n_e; e++)
            acc[e] = (int32_t)((uint32_t)acc[e] + (uint32_t)a[j] * (uint32_t)(int32_t)v[j * n_e + e]);
    }
}

const assay_forward_kernels assay_forward_kernels_ref = {dots_ref, mix_ref};

const assay_forward_kernels *assay_forward_kernels_pick(void)
{
    const unsigned have = assay_cpu_features();
    const assay_forward_kernels *k512 = ASSAY_X86_FN(&assay_forward_kernels_avx512);
    const assay_forward_kernels *k2 = ASSAY_X86_FN(&assay_forward_kernels_avx2);
    if (k512 && (have & ASSAY_CPU_AVX512)) return k512;
    if (k2 && (have & ASSAY_CPU_AVX2)) return k2;
    return &assay_forward_kernels_ref;
}
