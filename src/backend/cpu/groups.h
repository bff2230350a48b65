/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU implementations of backend/groups.h. */
#ifndef ASSAY_BACKEND_CPU_GROUPS_H
#define ASSAY_BACKEND_CPU_GROUPS_H

#include "backend/groups.h"

void assay_group_backend_ref_init(assay_group_backend *be, assay_pool *pool);

#endif
