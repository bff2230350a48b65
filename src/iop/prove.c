/* SPDX-License-Identifier: Apache-2.0 */
/* What the prover adds to the shared text, and the cells that hide its messages. */
#include "iop/prove.h"

const assay_iop_ops assay_iop_prover_ops = {
    .gkr_new = assay_gkr_prover_new,
    .gkr_layer = assay_gkr_prover_layer,
    .gkr_ends = assay_gkr_prover_ends,
    .gkr_free = assay_gkr_prover_free,
    .products_start = assay_products_start,
    .products_end = assay_products_end,
};

void assay_iop_fill_cells(kel *cells, const assay_iop_plan *plan, const uint32_t (*products)[2], const uint32_t *words)
{
    uint32_t n = plan->n_hidden;
    for (uint32_t i = 0; i < n + 2; i++)
        for (int j = 0; j < K_WORDS; j++) cells[i].v[j] = words[(size_t)i * K_WORDS + (size_t)j];
    kel *made = cells + n + 2;
    for (uint32_t i = 0; i < plan->n_products; i++) made[i] = k_mul(cells[products[i][0]], cells[products[i][1]]);
    made[plan->n_products] = k_mul(cells[n], cells[n + 1]);
}
