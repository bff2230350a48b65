/* SPDX-License-Identifier: Apache-2.0 */
/* What a requirement's claim is worth on given cells: for tests, and to find which relation an implementation breaks.
 */
#include "base/mem.h"
#include "iop/tape.h"

static kel node_value(const assay_iop *iop, const kel *values, size_t i, assay_functional_value *fv, void *ctx)
{
    if (iop->nodes[i].kind == TAPE_FUNCTIONAL) return fv(ctx, (assay_claim)i);
    kel sum = iop->nodes[i].c0;
    size_t end = tape_edges_end(iop, i);
    for (size_t e = iop->nodes[i].first; e < end; e++) {
        uint32_t target = iop->edges[e].target;
        kel v = target & TAPE_CELL ? iop->cells[target & ~TAPE_CELL] : values[target];
        sum = k_add(sum, k_mul(iop->edges[e].coef, v));
    }
    return sum;
}

bool assay_iop_requirement_value(const assay_iop *iop, size_t i, assay_functional_value *fv, void *ctx,
                                 const char **name, kel *value)
{
    if (!iop->cells || tape_failed(iop) || i >= iop->n_requirements) return false;
    size_t n = (size_t)iop->requirements[i].claim + 1;
    kel *values = (kel *)assay_mem_alloc(n, sizeof *values);
    if (!values) return false;
    for (size_t j = 0; j < n; j++) values[j] = node_value(iop, values, j, fv, ctx);
    *name = iop->requirements[i].name;
    *value = values[n - 1];
    assay_mem_free_secret(values, n * sizeof *values);
    return true;
}
