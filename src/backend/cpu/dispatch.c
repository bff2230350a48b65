/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the CPU implementation. */
#include "backend/cpu/ops.h"
#include "base/cpu.h"
#include "base/isa.h"
#include "hash/sha256.h"

typedef struct choice {
    unsigned needs;                /* of assay_cpu_features() */
    const char *name, *shani_name; /* without and with SHA extensions */
    const assay_cpu_kernels *kernels;
} choice;

void assay_backend_cpu_init(assay_backend *be, assay_pool *pool)
{
    const choice choices[] = {
        {ASSAY_CPU_AVX512, "avx512", "avx512+shani", ASSAY_X86_FN(&assay_cpu_kernels_avx512)},
        {ASSAY_CPU_AVX2, "avx2", "avx2+shani", ASSAY_X86_FN(&assay_cpu_kernels_avx2)},
        {0, "ref", "ref+shani", &assay_cpu_kernels_ref},
    };
    unsigned features = assay_cpu_features();
    const choice *c = choices;
    while (!c->kernels || (features & c->needs) != c->needs) c++;
    be->name = features & ASSAY_CPU_SHANI ? c->shani_name : c->name;
    be->pool = pool;
    be->impl = c->kernels;
    assay_sha256_select();
    assay_cpu_arrays_init(be);
    assay_cpu_sums_init(be);
    assay_cpu_fft_init(be);
    assay_cpu_hash_init(be);
}
