/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation adds pairs of points on this CPU. */
#include "backend/cpu/affine.h"

const assay_affine_ops *assay_affine_select(const assay_curve *c, assay_group_id g)
{
    return &assay_affine_ref.ops[c->id][g];
}
