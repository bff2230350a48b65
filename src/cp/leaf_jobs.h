/* SPDX-License-Identifier: Apache-2.0 */
/* The leaves of an instance cut in chunks, as jobs for the pool. */
#ifndef ASSAY_CP_LEAF_JOBS_H
#define ASSAY_CP_LEAF_JOBS_H

#include "cp/shape.h"

enum { ASSAY_LEAF_CHUNK = 4096 };

/* n cells from cell `from` on of a box of a family, or, when family is NULL, of a table. */
typedef struct assay_leaf_job {
    const assay_family *family;
    const assay_instance_table *table;
    const assay_box *box;
    size_t from, n;
} assay_leaf_job;

typedef struct assay_leaf_jobs {
    assay_leaf_job *job;
    size_t n, cap;
} assay_leaf_jobs;

/* Jobs for all leaves of families, and of tables if with_tables. */
ASSAY_MUST_USE assay_status assay_leaf_jobs_make(assay_leaf_jobs *j, const assay_cp_shape *s, uint32_t instance,
                                                 bool with_tables);
void assay_leaf_jobs_clear(assay_leaf_jobs *j);

#endif
