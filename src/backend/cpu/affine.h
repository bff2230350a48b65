/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs of affine points, many at a time, with one division for all: the operation that sums of multiples stand
 * on. Per pair 5 multiplications and a squaring in Fq (G1), or 13 multiplications and 2 squarings (G2), and one
 * inversion a call. Source of the trick: Montgomery, "Speeding the Pollard and elliptic curve methods" (1987).
 *
 * Points are affine as curve/curve.h has them, in the same bytes whatever the instruction set. An index counts points
 * from a base; in the indices of the two summands the top bit negates the point. Time depends on the points. */
#ifndef ASSAY_BACKEND_CPU_AFFINE_H
#define ASSAY_BACKEND_CPU_AFFINE_H

#include "curve/curve.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASSAY_AFFINE_NEG UINT32_C(0x80000000)

/* Pair k is out[io[k]] = a[ia[k]] + b[ib[k]]; NULL indices count 0, 1, 2, ... An output may be a summand of its own
 * pair and of pairs before it, of no later one. */
typedef struct assay_affine_pairs {
    uint8_t *out;
    const uint8_t *a, *b;
    const uint32_t *io, *ia, *ib;
    bool far; /* summands lie scattered in memory: fetch them ahead (only with indices) */
    /* Points from a that a later call will want: fetched meanwhile. */
    const uint32_t *soon;
    size_t n_soon;
} assay_affine_pairs;

typedef struct assay_affine_ops {
    const char *name;
    unsigned lanes;    /* pairs that are worked on at once */
    size_t step_bytes; /* scratch for so many pairs, a multiple of 64 */
    /* All n pairs, complete: equal and opposite points, infinities. scratch: assay_affine_scratch bytes, aligned to 64
     * bytes. */
    void (*add)(void *scratch, const assay_affine_pairs *p, size_t n);
} assay_affine_ops;

static inline size_t assay_affine_scratch(const assay_affine_ops *ops, size_t n)
{
    return (n + ops->lanes - 1) / ops->lanes * ops->step_bytes;
}

/* The fastest for this CPU. */
const assay_affine_ops *assay_affine_select(const assay_curve *c, assay_group_id g);

/* One table an instruction set. */
typedef struct assay_affine_table {
    assay_affine_ops ops[ASSAY_CURVE_COUNT][ASSAY_GROUP_COUNT];
} assay_affine_table;

extern const assay_affine_table assay_affine_ref;
extern const assay_affine_table assay_affine_adx; /* these two in x86-64 builds only: name them by ASSAY_X86_FN(&...) */
extern const assay_affine_table assay_affine_ifma;

#endif
