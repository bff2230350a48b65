/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features, probed once: CPUID and, for vector state, XCR0. */
#ifndef ASSAY_BASE_CPU_H
#define ASSAY_BASE_CPU_H

enum {
    ASSAY_CPU_AVX2 = 1,   /* AVX2, BMI2, FMA with OS support for ymm state */
    ASSAY_CPU_AVX512 = 2, /* AVX-512 F, VL, BW, DQ with OS support for zmm state */
    ASSAY_CPU_SHANI = 4,  /* SHA extensions with SSE4.1 */
    ASSAY_CPU_ADX = 8,    /* ADX with BMI2: MULX, ADCX, ADOX */
    ASSAY_CPU_IFMA = 16   /* AVX-512 IFMA, with what AVX512 and ADX above stand for */
};

/* What this machine has, narrowed (never widened) by the environment variable ASSAY_CPU: a comma-separated
 * list of ref, avx2, avx512, shani, adx, ifma. Tests narrow it further with assay_cpu_mask. */
unsigned assay_cpu_features(void);

/* Test hook: features not in mask are hidden from now on. ~0u undoes it. */
void assay_cpu_mask(unsigned mask);

#endif
