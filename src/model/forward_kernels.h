/* SPDX-License-Identifier: Apache-2.0 */
/* The two inner loops of the fast path, one table an instruction set (internal). Sums are taken mod 2^32; the caller
 * knows that the true sum fits, or computes it again in int64. */
#ifndef ASSAY_MODEL_FORWARD_KERNELS_H
#define ASSAY_MODEL_FORWARD_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct assay_forward_kernels {
    /* acc[r] = sum_k x[k] w[r stride + k], r < n_rows, k < n */
    void (*dots)(int32_t *acc, const int16_t *x, const int16_t *w, size_t stride, size_t n, size_t n_rows);
    /* acc[e] = sum_j a[j] v[j n_e + e], e < n_e, j < n_j */
    void (*mix)(int32_t *acc, const int32_t *a, const int16_t *v, size_t n_e, size_t n_j);
} assay_forward_kernels;

extern const assay_forward_kernels assay_forward_kernels_ref, assay_forward_kernels_avx2, assay_forward_kernels_avx512;

/* The fastest that assay_cpu_features() allows. */
const assay_forward_kernels *assay_forward_kernels_pick(void);

#endif
