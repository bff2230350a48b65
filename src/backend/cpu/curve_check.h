/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that check whether affine points are points: a function a group and an instruction set. */
#ifndef ASSAY_BACKEND_CPU_CURVE_CHECK_H
#define ASSAY_BACKEND_CPU_CURVE_CHECK_H

#include "curve/curve.h"

/* How many points at the start of the array have coordinates below q and lie on the curve, or are infinity. */
typedef size_t assay_curve_check_fn(const void *points, size_t n);

typedef struct assay_curve_check_table {
    assay_curve_check_fn *of[ASSAY_CURVE_COUNT][ASSAY_GROUP_COUNT];
} assay_curve_check_table;

extern const assay_curve_check_table assay_curve_check_adx, assay_curve_check_ifma;

#endif
