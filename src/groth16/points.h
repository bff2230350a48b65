/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of affine points in the form of .zkey and .ptau: x | y in little-endian Montgomery limbs (LEM), infinity all
 * zero. */
#ifndef ASSAY_GROTH16_POINTS_H
#define ASSAY_GROTH16_POINTS_H

#include "base/pool.h"
#include "curve/curve.h"
#include "groth16/source.h"

/* How much is asked of each point. A coordinate below q always is. */
typedef enum assay_point_check {
    ASSAY_POINT_COORDS, /* nothing more */
    ASSAY_POINT_CURVE,  /* on the curve, or infinity: about four multiplications */
    ASSAY_POINT_GROUP,  /* and of order r: about 100 point operations (nothing more in G1 of BN254) */
    ASSAY_POINT_FINITE  /* GROUP, and not infinity */
} assay_point_check;

/* Why a point is refused, NULL when it is not. Static text. */
const char *assay_point_fault(const assay_group *g, const void *affine, assay_point_check check);

/* n points from place `at` of the source into out (n * affine_bytes), each checked; part: their name in messages,
 * first: number of the first one there. On failure out is zeroed. pool may be NULL. ASSAY_EFORMAT, ASSAY_ERANGE,
 * ASSAY_EIO. Safe from several threads at once when they have no pool. */
ASSAY_MUST_USE assay_status assay_points_read(void *out, const assay_source *s, uint64_t at, uint64_t first, size_t n,
                                              const assay_curve *c, assay_group_id group, assay_point_check check,
                                              assay_pool *pool, const char *part, assay_errinfo *err);

/* The same for n points in memory, in place: LEM in, affine out. */
ASSAY_MUST_USE assay_status assay_points_decode(void *points, uint64_t first, size_t n, const assay_curve *c,
                                                assay_group_id group, assay_point_check check, assay_pool *pool,
                                                const char *name, const char *part, assay_errinfo *err);

#endif
