/* SPDX-License-Identifier: Apache-2.0 */
/* The prover of the product list: sum_l (eq(tau, l) pad[a_l]) pad[b_l], the dummy last. */
#include "iop/prove.h"

assay_status assay_products_start(assay_dot_prover *d, assay_sumcheck_prover *sp, const assay_iop *iop, const kel *eq,
                                  unsigned n_vars)
{
    assay_status s = assay_dot_prover_init(d, iop->be, 1, iop->n_products + 1, n_vars);
    if (s != ASSAY_OK) return s;
    for (size_t l = 0; l < iop->n_products; l++) {
        kvec_set(&d->a[0], l, k_mul(eq[l], iop->cells[iop->products[l][0]]));
        kvec_set(&d->b[0], l, iop->cells[iop->products[l][1]]);
    }
    const kel *dummy = iop->cells + iop->plan.n_hidden;
    kvec_set(&d->a[0], iop->n_products, k_mul(eq[iop->n_products], dummy[0]));
    kvec_set(&d->b[0], iop->n_products, dummy[1]);
    *sp = assay_dot_prover_side(d);
    return ASSAY_OK;
}

void assay_products_end(assay_dot_prover *d, kel out[2])
{
    out[0] = kvec_get(&d->a[0], 0);
    out[1] = kvec_get(&d->b[0], 0);
    assay_dot_prover_clear(d);
}
