/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on arrays of the scalar field: a table a curve and an instruction set, all equal bit for bit. They run on the
 * caller's thread. Arrays are in Montgomery form, below r; in and out may be the same array. */
#ifndef ASSAY_BACKEND_CPU_FR_H
#define ASSAY_BACKEND_CPU_FR_H

#include "backend/groups.h"

enum { ASSAY_FR_LANES = 8 };

/* Part of an NTT on eight lines of 2^b elements at once. Element u of lane i is at[i lane + u step]. In order, what is
 * not NULL:
 *   tower  levels t = 0 .. b-1: element pairs at distance 2^(b-1-t) in blocks q of 2^(b-t) elements,
 *          (a, b) to (a + f b, a - f b) with f = tower[q] * base_t
 *   scale  all elements times scale
 *   stair  levels t = 0 .. b-1: pairs at distance 2^t, q the index of the first modulo 2^t,
 *          (a, b) to (a + f b, a - f b) with f = stair[2^t + q] * base_t
 * base_(b-1) of the lanes is tower_base (stair_base), eight elements, base_(t-1) the square of base_t; NULL: 1.
 * tower, stair: splats (below), 2^(b-1) and 2^b of them (number 0 of stair unused). tower[0] is 1. */
typedef struct assay_ntt_lines {
    assay_fr *at;
    size_t lane, step;
    unsigned b; /* at most ASSAY_NTT_LEVELS */
    const void *tower, *stair;
    const assay_fr *tower_base, *stair_base, *scale;
} assay_ntt_lines;

enum { ASSAY_NTT_LEVELS = 10 };

typedef struct assay_fr_kernels {
    const char *name;
    size_t splat_bytes;  /* of a splat: an element as the kernels like to multiply by it */
    size_t vector_bytes; /* scratch of `lines`: 2^b vectors, aligned to 64 bytes */
    void (*splats)(void *out, const assay_fr *a, size_t n);
    void (*lines)(const assay_ntt_lines *l, void *scratch);

    /* As the members of backend/groups.h of these names. */
    void (*mul)(assay_fr *out, const assay_fr *a, const assay_fr *b, size_t n);
    void (*mul_sub)(assay_fr *out, const assay_fr *a, const assay_fr *b, const assay_fr *sub, size_t n);
    void (*powers)(assay_fr *x, assay_fr s, assay_fr g, size_t n);
    void (*to_scalars)(assay_scalar *out, const assay_fr *a, size_t n);
    void (*from_scalars)(assay_fr *out, const assay_scalar *a, size_t n);
} assay_fr_kernels;

/* The fastest for this CPU. */
const assay_fr_kernels *assay_fr_select(const assay_curve *c);

/* One table an instruction set. */
typedef struct assay_fr_table {
    assay_fr_kernels of[ASSAY_CURVE_COUNT];
} assay_fr_table;

extern const assay_fr_table assay_fr_plain, assay_fr_adx, assay_fr_ifma;

#endif
