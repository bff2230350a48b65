/* SPDX-License-Identifier: Apache-2.0 */
#include "cp/leaf_jobs.h"
#include "base/mem.h"
#include <string.h>

static bool add_box(assay_leaf_jobs *l, const assay_family *f, const assay_instance_table *t, const assay_box *b)
{
    size_t n = (size_t)1 << b->log_n;
    for (size_t from = 0; from < n; from += ASSAY_LEAF_CHUNK) {
        if (l->n == l->cap) {
            size_t cap = l->cap ? 2 * l->cap : 256;
            assay_leaf_job *j = assay_mem_grow(l->job, l->cap, cap, sizeof *j);
            if (!j) return false;
            l->job = j;
            l->cap = cap;
        }
        l->job[l->n++] = (assay_leaf_job){f, t, b, from, n - from < ASSAY_LEAF_CHUNK ? n - from : ASSAY_LEAF_CHUNK};
    }
    return true;
}

assay_status assay_leaf_jobs_make(assay_leaf_jobs *j, const assay_cp_shape *s, uint32_t instance, bool with_tables)
{
    const assay_instance *in = &s->instance[instance];
    bool ok = true;
    memset(j, 0, sizeof *j);
    for (uint32_t k = 0; k < in->n_part; k++) {
        const assay_family *f = &s->family[in->part[k].family];
        for (uint32_t b = in->part[k].first_box; b < in->part[k].end_box && ok; b++)
            ok = add_box(j, f, NULL, &f->grid.box[b]);
    }
    for (uint32_t k = 0; with_tables && k < in->n_table; k++)
        for (uint32_t b = 0; b < in->table[k].grid.n_box && ok; b++)
            ok = add_box(j, NULL, &in->table[k], &in->table[k].grid.box[b]);
    if (!ok) assay_leaf_jobs_clear(j);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

void assay_leaf_jobs_clear(assay_leaf_jobs *j)
{
    assay_mem_free(j->job);
    memset(j, 0, sizeof *j);
}
