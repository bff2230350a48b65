/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the CPU backend, which share arrays out to the threads of the pool. be->impl is an
 * assay_cpu_kernels table. */
#ifndef ASSAY_BACKEND_CPU_OPS_H
#define ASSAY_BACKEND_CPU_OPS_H

#include "backend/backend.h"
#include "backend/cpu/kernels.h"

static inline const assay_cpu_kernels *cpu_kernels(const assay_backend *be)
{
    return (const assay_cpu_kernels *)be->impl;
}

/* Each fills the members of *be that its file implements. */
void assay_cpu_arrays_init(assay_backend *be);
void assay_cpu_sums_init(assay_backend *be);
void assay_cpu_fft_init(assay_backend *be);
void assay_cpu_hash_init(assay_backend *be);

#endif
