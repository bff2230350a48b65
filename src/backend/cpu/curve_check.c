/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel checks points on this CPU. */
#include "backend/cpu/curve_check.h"
#include "backend/groups.h"
#include "base/cpu.h"
#include "base/isa.h"

size_t assay_points_on_curve(const assay_group *g, const void *points, size_t n)
{
    const struct {
        unsigned needs;
        const assay_curve_check_table *table;
    } choices[] = {{ASSAY_CPU_IFMA, ASSAY_X86_FN(&assay_curve_check_ifma)},
                   {ASSAY_CPU_ADX, ASSAY_X86_FN(&assay_curve_check_adx)}};
    unsigned have = assay_cpu_features();
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (choices[i].table && have & choices[i].needs) return choices[i].table->of[g->curve][g->id](points, n);
    for (size_t i = 0; i < n; i++) {
        assay_affine copy;
        if (!g->from_lem(&copy, (const uint8_t *)points + i * g->affine_bytes) || !g->on_curve(&copy)) return i;
    }
    return n;
}
