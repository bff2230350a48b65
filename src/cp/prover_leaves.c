/* SPDX-License-Identifier: Apache-2.0 */
/* Numerators and denominators of an instance's leaves; docs/protocol.md §7.3. */
#include "base/mem.h"
#include "cp/leaf_jobs.h"
#include "cp/prover.h"
#include <stdatomic.h>

typedef struct leaves {
    const assay_cp *cp;
    const assay_witness *w;
    assay_backend be; /* without a pool: jobs are parallel themselves */
    uint32_t *p;
    assay_kvec *q;
    assay_leaf_jobs jobs;
    atomic_bool failed;
} leaves;

/* Columns of tuples, the table id last. */
static void fill_columns(leaves *l, const assay_leaf_job *j, uint32_t *const *columns, unsigned width, uint32_t *table)
{
    if (j->family) {
        assay_witness_tuples(l->w, j->family, j->box, j->from, j->n, columns, table);
        return;
    }
    for (size_t i = 0; i < j->n; i++) {
        uint32_t v[ASSAY_TABLE_WIDTH];
        assay_table_row(l->w->shape->run.cfg, l->w->tables, j->table->table, j->box->start[0] + (uint32_t)(j->from + i),
                        v);
        for (unsigned k = 0; k < width; k++) columns[k][i] = v[k];
        table[i] = j->table->table;
    }
}

static void run_job(void *ctx, size_t job)
{
    leaves *l = ctx;
    const assay_leaf_job *j = &l->jobs.job[job];
    const assay_points *pt = &l->cp->pt;
    unsigned width = j->family ? j->family->n_comps : assay_table_width(j->table->table);
    uint32_t *buf = assay_mem_alloc_raw((ASSAY_MAX_TUPLE + 1) * j->n, sizeof *buf), *columns[ASSAY_MAX_TUPLE + 1];
    const uint32_t *in[ASSAY_MAX_TUPLE + 1];
    kel coef[ASSAY_MAX_TUPLE + 1];
    if (!buf) {
        atomic_store(&l->failed, true);
        return;
    }
    for (unsigned k = 0; k <= width; k++) in[k] = columns[k] = buf + k * j->n;
    fill_columns(l, j, columns, width, columns[width]);
    for (unsigned k = 0; k < width; k++) coef[k] = k_neg(k ? pt->beta[k] : k_one());
    coef[width] = k_neg(pt->beta[0]);
    size_t at = (size_t)j->box->base + j->from;
    assay_kvec out = assay_kvec_at(l->q, at, j->n);
    l->be.k_affine(&l->be, &out, pt->alpha, coef, in, width + 1, j->n);
    const uint32_t *mult = j->family ? NULL : l->w->mult[j->table->mult] + j->box->start[0] + j->from;
    for (size_t i = 0; i < j->n; i++) l->p[at + i] = mult ? m31_neg(mult[i]) : 1;
    assay_mem_free_secret(buf, (ASSAY_MAX_TUPLE + 1) * j->n * sizeof *buf);
}

void assay_prover_leaves(void *ctx, assay_cp *cp, uint32_t instance, uint32_t **p, assay_kvec *q)
{
    assay_cp_prover *pr = ctx;
    const assay_instance *in = &cp->shape->instance[instance];
    leaves l = {cp, pr->w, *pr->be, NULL, q, {NULL, 0, 0}, false};
    l.be.pool = NULL;
    bool ok = assay_kvec_new_raw(q, (size_t)in->n_leaves);
    *p = l.p = assay_mem_alloc_raw((size_t)in->n_leaves, sizeof *l.p);
    ok = ok && l.p && assay_leaf_jobs_make(&l.jobs, cp->shape, instance, true) == ASSAY_OK;
    if (ok) assay_pool_run(pr->be->pool, l.jobs.n, run_job, &l);
    if (!ok || atomic_load(&l.failed)) assay_channel_fail(pr->ch, ASSAY_ENOMEM);
    assay_leaf_jobs_clear(&l.jobs);
}
