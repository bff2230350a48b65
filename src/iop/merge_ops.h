/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's half of merge and fold, behind the table that assay_merge_prover carries (merge_prove.c, fold_prove.c).
 */
#ifndef ASSAY_IOP_MERGE_OPS_H
#define ASSAY_IOP_MERGE_OPS_H

#include "iop/merge.h"

typedef struct assay_merge_state assay_merge_state;

struct assay_merge_ops {
    /* Sum of the mask polynomial over {0,1}^n. */
    kel (*mask_sum)(const assay_merge_prover *mp, unsigned n_vars);
    /* The masked sumcheck of <phi, stack> = value. On failure *st is NULL. */
    assay_status (*rounds_new)(assay_merge_state **st, assay_sumcheck_prover *sp, const assay_merge_shape *shape,
                               const assay_merge_prover *mp, kel value, kel rho);
    /* Frees; gives the first failure of a round. NULL is fine. */
    assay_status (*rounds_free)(assay_merge_state *st);
    /* u = fold(stack) at the row point (allocated); e = <eq(z), fold>, mu = <eq(z), M>, f = <prefix, fold>. */
    assay_status (*fold)(const assay_merge_shape *shape, const assay_merge_prover *mp, const assay_merge_result *at,
                         assay_kvec *u, kel out[3]);
    /* u = M + eps u */
    void (*mask)(const assay_merge_shape *shape, const assay_merge_prover *mp, kel eps, assay_kvec *u);
};

#endif
