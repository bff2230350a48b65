/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the fastest implementation of backend/groups.h for this CPU. */
#include "backend/cpu/groups.h"

void assay_group_backend_cpu_init(assay_group_backend *be, assay_pool *pool)
{
    assay_group_backend_ref_init(be, pool);
    assay_group_backend_fr_init(be);
    assay_group_backend_ntt_init(be);
    assay_group_backend_msm_init(be);
    assay_group_backend_fixed_base_init(be);
}
