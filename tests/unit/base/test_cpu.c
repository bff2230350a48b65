/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features: consistent with the compiler's own probe, narrowed by the mask and the environment. */
#define _POSIX_C_SOURCE 200809L
#include "base/cpu.h"
#include "base/isa.h"
#include "harness.h"
#include <stdlib.h>

TEST(environment_narrows)
{
    unsetenv("ASSAY_CPU");
    unsigned all = assay_cpu_features();
    if (all & ASSAY_CPU_AVX512) CHECK(all & ASSAY_CPU_AVX2);
#if ASSAY_ISA_X86
    CHECK_EQ_U64((all & ASSAY_CPU_AVX2) != 0,
                 __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"));
    CHECK_EQ_U64((all & ASSAY_CPU_AVX512) != 0,
                 __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"));
    if (all & ASSAY_CPU_IFMA) CHECK(all & ASSAY_CPU_AVX512 && all & ASSAY_CPU_ADX);
    CHECK_EQ_U64((all & ASSAY_CPU_IFMA) != 0, all & ASSAY_CPU_AVX512 && __builtin_cpu_supports("avx512ifma"));
#else
    CHECK_EQ_U64(all, 0);
#endif
    assay_cpu_mask(ASSAY_CPU_SHANI);
    CHECK_EQ_U64(assay_cpu_features(), all & ASSAY_CPU_SHANI);
    assay_cpu_mask(0);
    CHECK_EQ_U64(assay_cpu_features(), 0);
    assay_cpu_mask(~0u);
    CHECK_EQ_U64(assay_cpu_features(), all);
}
