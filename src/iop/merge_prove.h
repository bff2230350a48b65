/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the merge's prover that lives in fold_prove.c. Contracts: iop/merge_ops.h. */
#ifndef ASSAY_IOP_MERGE_PROVE_H
#define ASSAY_IOP_MERGE_PROVE_H

#include "iop/merge_ops.h"

assay_status assay_merge_prover_fold(const assay_merge_shape *shape, const assay_merge_prover *mp,
                                     const assay_merge_result *at, assay_kvec *u, kel out[3]);
void assay_merge_prover_mask(const assay_merge_shape *shape, const assay_merge_prover *mp, kel eps, assay_kvec *u);

#endif
