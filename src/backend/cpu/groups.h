/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU implementations of backend/groups.h. */
#ifndef ASSAY_BACKEND_CPU_GROUPS_H
#define ASSAY_BACKEND_CPU_GROUPS_H

#include "backend/groups.h"

void assay_group_backend_ref_init(assay_group_backend *be, assay_pool *pool);

/* The transforms that define, without tables. */
void assay_ntt_ref_forward(const assay_group_backend *be, const assay_curve *c, unsigned k, assay_fr *x,
                           const assay_fr *shift);
void assay_ntt_ref_inverse(const assay_group_backend *be, const assay_curve *c, unsigned k, assay_fr *x,
                           const assay_fr *shift);

/* The members fr_* and ntt_*, in place of the reference's, for every CPU (fr.h chooses by its features). */
void assay_group_backend_fr_init(assay_group_backend *be);
void assay_group_backend_ntt_init(assay_group_backend *be);

/* The members msm_*, and fixed_base, in place of the reference's, for every CPU (affine.h chooses by its features). */
void assay_group_backend_msm_init(assay_group_backend *be);
void assay_group_backend_fixed_base_init(assay_group_backend *be);

#endif
