/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation adds pairs of points on this CPU. */
#include "backend/cpu/affine.h"
#include "base/cpu.h"
#include "base/isa.h"

const assay_affine_ops *assay_affine_select(const assay_curve *c, assay_group_id g)
{
    const struct {
        unsigned needs; /* of assay_cpu_features() */
        const assay_affine_table *table;
    } choices[] = {{ASSAY_CPU_IFMA, ASSAY_X86_FN(&assay_affine_ifma)},
                   {ASSAY_CPU_ADX, ASSAY_X86_FN(&assay_affine_adx)},
                   {0, &assay_affine_ref}};
    unsigned features = assay_cpu_features(), i = 0;
    while (!choices[i].table || (features & choices[i].needs) != choices[i].needs) i++;
    return &choices[i].table->ops[c->id][g];
}
