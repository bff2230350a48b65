/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU implementations of backend/groups.h. */
#ifndef ASSAY_BACKEND_CPU_GROUPS_H
#define ASSAY_BACKEND_CPU_GROUPS_H

#include "backend/groups.h"

void assay_group_backend_ref_init(assay_group_backend *be, assay_pool *pool);

/* The members msm_*, and fixed_base, in place of the reference's, for every CPU (affine.h chooses by its features). */
void assay_group_backend_msm_init(assay_group_backend *be);
void assay_group_backend_fixed_base_init(assay_group_backend *be);

#endif
