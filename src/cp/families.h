/* SPDX-License-Identifier: Apache-2.0 */
/* The look-up families of docs/protocol.md §7.2, as data. */
#ifndef ASSAY_CP_FAMILIES_H
#define ASSAY_CP_FAMILIES_H

#include "cp/shape.h"

/* Fills s->family, n_family and s->constants; grids are not cut. */
ASSAY_MUST_USE assay_status assay_families_make(assay_cp_shape *s, assay_errinfo *err);

#endif
