/* SPDX-License-Identifier: Apache-2.0 */
/* Numerators and denominators of an instance's leaves; docs/protocol.md §7.3. */
#include "base/mem.h"
#include "cp/prover.h"
#include <stdatomic.h>

enum { CHUNK = 4096 };

typedef struct box_job {
    const assay_family *f; /* or NULL: */
    const assay_instance_table *t;
    const assay_box *b;
    size_t from, n;
} box_job;

typedef struct leaves {
    assay_cp *cp;
    const assay_witness *w;
    assay_backend be; /* without a pool: jobs are parallel themselves */
    uint32_t *p;
    assay_kvec *q;
    box_job *job;
    size_t n_jobs, cap;
    atomic_bool failed;
} leaves;

static bool add_box(leaves *l, const assay_family *f, const assay_instance_table *t, const assay_box *b)
{
    size_t n = (size_t)1 << b->log_n;
    for (size_t from = 0; from < n; from += CHUNK) {
        if (l->n_jobs == l->cap) {
            size_t cap = l->cap ? 2 * l->cap : 256;
            box_job *j = assay_mem_grow(l->job, l->cap, cap, sizeof *j);
            if (!j) return false;
            l->job = j;
            l->cap = cap;
        }
        l->job[l->n_jobs++] = (box_job){f, t, b, from, n - from < CHUNK ? n - from : CHUNK};
    }
    return true;
}

/* Columns of tuples, the table id last. */
static void fill_columns(leaves *l, const box_job *j, uint32_t *const *columns, unsigned width, uint32_t *table)
{
    if (j->f) {
        assay_witness_tuples(l->w, j->f, j->b, j->from, j->n, columns, table);
        return;
    }
    for (size_t i = 0; i < j->n; i++) {
        uint32_t v[ASSAY_TABLE_WIDTH];
        assay_table_row(l->w->shape->run.cfg, l->w->tables, j->t->table, j->b->start[0] + (uint32_t)(j->from + i), v);
        for (unsigned k = 0; k < width; k++) columns[k][i] = v[k];
        table[i] = j->t->table;
    }
}

static void run_job(void *ctx, size_t job)
{
    leaves *l = ctx;
    const box_job *j = &l->job[job];
    const assay_points *pt = &l->cp->pt;
    unsigned width = j->f ? j->f->n_comps : assay_table_width(j->t->table);
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
    size_t at = (size_t)j->b->base + j->from;
    assay_kvec out = assay_kvec_at(l->q, at, j->n);
    l->be.k_affine(&l->be, &out, pt->alpha, coef, in, width + 1, j->n);
    const uint32_t *mult = j->f ? NULL : l->w->mult[j->t->mult] + j->b->start[0] + j->from;
    for (size_t i = 0; i < j->n; i++) l->p[at + i] = mult ? m31_neg(mult[i]) : 1;
    assay_mem_free_secret(buf, (ASSAY_MAX_TUPLE + 1) * j->n * sizeof *buf);
}

void assay_prover_leaves(void *ctx, assay_cp *cp, uint32_t instance, uint32_t **p, assay_kvec *q)
{
    assay_cp_prover *pr = ctx;
    const assay_instance *in = &cp->shape->instance[instance];
    leaves l = {cp, pr->w, *pr->be, NULL, q, NULL, 0, 0, false};
    l.be.pool = NULL;
    bool ok = assay_kvec_new(q, (size_t)in->n_leaves);
    *p = l.p = assay_mem_alloc_raw((size_t)in->n_leaves, sizeof *l.p);
    ok = ok && l.p;
    for (uint32_t k = 0; k < in->n_part && ok; k++)
        for (uint32_t b = in->part[k].first_box; b < in->part[k].end_box && ok; b++)
            ok = add_box(&l, &cp->shape->family[in->part[k].family], NULL,
                         &cp->shape->family[in->part[k].family].grid.box[b]);
    for (uint32_t k = 0; k < in->n_table && ok; k++)
        for (uint32_t b = 0; b < in->table[k].grid.n_box && ok; b++)
            ok = add_box(&l, NULL, &in->table[k], &in->table[k].grid.box[b]);
    if (ok) assay_pool_run(pr->be->pool, l.n_jobs, run_job, &l);
    if (!ok || atomic_load(&l.failed)) assay_channel_fail(pr->ch, ASSAY_ENOMEM);
    assay_mem_free(l.job);
}
