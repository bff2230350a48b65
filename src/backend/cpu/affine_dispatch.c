/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation adds pairs of points on this CPU. */
#include "backend/cpu/affine.h"
#include "base/cpu.h"
#include "base/isa.h"

const assay_affine_ops *assay_affine_select(const assay_curve *c, assay_group_id g)
{
    const assay_affine_table *ifma = ASSAY_X86_FN(&assay_affine_ifma);
    const assay_affine_table *t = ifma && (assay_cpu_features() & ASSAY_CPU_IFMA) ? ifma : &assay_affine_ref;
    return &t->ops[c->id][g];
}
