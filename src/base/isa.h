/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction-set kernels are in this build. The only place that asks: dispatchers name the kernels of
 * `*_avx2.c`, `*_avx512.c`, `*_shani.c`, `*_adx.c` and `*_ifma.c` through ASSAY_X86_FN, and need no conditional of
 * their own. */
#ifndef ASSAY_BASE_ISA_H
#define ASSAY_BASE_ISA_H

#include <stddef.h>

/* Set to 1 by CMake when the target is x86-64 and the kernel files are compiled; 0 elsewhere. */
#ifndef ASSAY_ISA_X86
#define ASSAY_ISA_X86 0
#endif

/* The kernel f (declared everywhere, defined only on x86-64), or NULL in a build without kernels. Use it in tables and
 * assignments of function pointers: table->dot = ASSAY_X86_FN(assay_kvec_dot_avx2). */
#if ASSAY_ISA_X86
#define ASSAY_X86_FN(f) (f)
#else
#define ASSAY_X86_FN(f) NULL
#endif

/* Whether this file is compiled for BMI2 and ADX: field/prime.tmpl.h then multiplies by field/limbs_adx.h, which needs
 * more registers than unoptimised code leaves. */
#if ASSAY_ISA_X86 && defined(__OPTIMIZE__) && defined(__ADX__) && defined(__BMI2__)
#define ASSAY_ISA_ADX 1
#else
#define ASSAY_ISA_ADX 0
#endif

/* In place of `static inline`, for functions so large that compilers keep them apart, at a cost. Not under sanitizers
 * (CMake says so): what they add to functions made of so many others takes compilers minutes a file. */
#if defined(__GNUC__) && !defined(ASSAY_SANITIZED)
#define ASSAY_FORCE_INLINE static inline __attribute__((always_inline))
#else
#define ASSAY_FORCE_INLINE static inline
#endif

/* For functions whose body, repeated at every call, would cost more than the call. */
#if defined(__GNUC__)
#define ASSAY_NO_INLINE static __attribute__((noinline, unused))
#else
#define ASSAY_NO_INLINE static
#endif

/* Calls for the cache line at p, which will be read soon. */
static inline void cpu_prefetch(const void *p)
{
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

/* Tells the processor that this is a spin loop. */
static inline void cpu_relax(void)
{
#if ASSAY_ISA_X86
    __builtin_ia32_pause();
#endif
}

#endif
