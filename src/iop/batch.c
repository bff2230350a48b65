/* SPDX-License-Identifier: Apache-2.0 */
/* Batching: requirement i gets weight chi^i, and one backward pass over the tape turns their sum into
 *   sum_functionals weight * functional + sum_cells cell_weight * cell = value. */
#include "base/mem.h"
#include "iop/tape.h"

/* Each node hands its weight on to its targets, which stand before it, and its constant to the value. */
static void run_back(assay_iop *iop)
{
    kel sum = k_zero();
    for (size_t i = iop->n_nodes; i-- > 0;) {
        kel w = iop->weights[i];
        sum = k_add(sum, k_mul(w, iop->nodes[i].c0));
        size_t end = tape_edges_end(iop, i);
        for (size_t e = iop->nodes[i].first; e < end; e++) {
            uint32_t target = iop->edges[e].target;
            kel *to = target & TAPE_CELL ? &iop->cell_weights[target & ~TAPE_CELL] : &iop->weights[target];
            *to = k_add(*to, k_mul(w, iop->edges[e].coef));
        }
    }
    iop->value = k_neg(sum);
}

void assay_iop_batch(assay_iop *iop)
{
    kel chi = assay_channel_challenge(iop->ch, "chi"), power = k_one();
    if (!iop->planned || tape_failed(iop)) return;
    const assay_iop_plan *plan = &iop->plan;
    if (iop->n_hidden != plan->n_hidden || iop->n_products != plan->n_products ||
        iop->n_requirements != plan->n_claims) {
        assay_tape_fail(iop, ASSAY_EINTERNAL);
        return;
    }
    iop->weights = (kel *)assay_mem_alloc(iop->n_nodes, sizeof *iop->weights);
    iop->cell_weights = (kel *)assay_mem_alloc(iop_plan_cells(plan), sizeof *iop->cell_weights);
    if (!iop->weights || !iop->cell_weights) {
        assay_mem_free(iop->cell_weights);
        iop->cell_weights = NULL;
        assay_tape_fail(iop, ASSAY_ENOMEM);
        return;
    }
    for (size_t i = 0; i < iop->n_requirements; i++) {
        kel *w = &iop->weights[iop->requirements[i].claim];
        *w = k_add(*w, power);
        power = k_mul(power, chi);
    }
    run_back(iop);
}

kel assay_iop_weight(const assay_iop *iop, assay_claim functional)
{
    return iop->cell_weights && functional < iop->n_nodes ? iop->weights[functional] : k_zero();
}

const kel *assay_iop_cell_weights(const assay_iop *iop)
{
    return iop->cell_weights;
}

kel assay_iop_value(const assay_iop *iop)
{
    return iop->value;
}
