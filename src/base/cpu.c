/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features of x86-64, from CPUID leaves 1 and 7 and from XCR0 (Intel SDM vol. 1, ch. 13 and 14). On other targets
 * there are none. */
#include "base/cpu.h"
#include "base/isa.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN 0x80000000u /* set once the probe has run */

static _Atomic unsigned found;
static _Atomic unsigned shown = ~0u;

#if ASSAY_ISA_X86
#include <cpuid.h>

#define XCR0_YMM 0x06u /* SSE and AVX state */
#define XCR0_ZMM 0xE6u /* and opmask, upper ZMM0-15, ZMM16-31 */

/* XGETBV by its mnemonic, which the assembler takes without -mxsave. */
static unsigned xcr0_low(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static unsigned probe(void)
{
    unsigned a, b, c, d, b7, c7, d7, f = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) return 0;
    unsigned state = c & 1u << 27 ? xcr0_low() : 0; /* OSXSAVE */
    bool sse41 = c >> 19 & 1, avx = c >> 28 & 1, fma = c >> 12 & 1;
    bool bmi2 = b7 >> 8 & 1, avx2 = b7 >> 5 & 1, sha = b7 >> 29 & 1;
    bool avx512 = (b7 >> 16 & 1) && (b7 >> 17 & 1) && (b7 >> 30 & 1) && (b7 >> 31 & 1); /* F, DQ, BW, VL */
    if (sse41 && sha) f |= ASSAY_CPU_SHANI;
    if (avx && avx2 && bmi2 && fma && (state & XCR0_YMM) == XCR0_YMM) f |= ASSAY_CPU_AVX2;
    if (f & ASSAY_CPU_AVX2 && avx512 && (state & XCR0_ZMM) == XCR0_ZMM) f |= ASSAY_CPU_AVX512;
    if (bmi2 && b7 >> 19 & 1) f |= ASSAY_CPU_ADX;
    if (f & ASSAY_CPU_AVX512 && f & ASSAY_CPU_ADX && b7 >> 21 & 1) f |= ASSAY_CPU_IFMA;
    return f;
}
#else
static unsigned probe(void)
{
    return 0;
}
#endif

/* The features that a list such as "avx2,shani" leaves. avx512 needs avx2, whose kernels cover its
 * gaps; ifma needs avx512 and adx. */
static unsigned narrowed_by(const char *list)
{
    static const struct {
        const char *name;
        unsigned bits;
    } names[] = {{"ref", 0},
                 {"avx2", ASSAY_CPU_AVX2},
                 {"avx512", ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512},
                 {"shani", ASSAY_CPU_SHANI},
                 {"adx", ASSAY_CPU_ADX},
                 {"ifma", ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512 | ASSAY_CPU_ADX | ASSAY_CPU_IFMA}};
    unsigned bits = 0;
    while (*list) {
        size_t len = strcspn(list, ",");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strlen(names[i].name) == len && strncmp(list, names[i].name, len) == 0) bits |= names[i].bits;
        list += len;
        if (*list == ',') list++;
    }
    return bits;
}

unsigned assay_cpu_features(void)
{
    unsigned f = atomic_load_explicit(&found, memory_order_relaxed);
    if (!(f & KNOWN)) {
        const char *list = getenv("ASSAY_CPU");
        f = probe();
        if (list && *list) f &= narrowed_by(list);
        f |= KNOWN;
        atomic_store_explicit(&found, f, memory_order_relaxed);
    }
    return f & ~KNOWN & atomic_load_explicit(&shown, memory_order_relaxed);
}

void assay_cpu_mask(unsigned mask)
{
    atomic_store_explicit(&shown, mask, memory_order_relaxed);
}
