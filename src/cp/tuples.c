/* SPDX-License-Identifier: Apache-2.0 */
/* Tuples of the look-up families, evaluated on the witness. */
#include "base/atomic.h"
#include "base/mem.h"
#include "cp/leaf_jobs.h"
#include "cp/witness.h"
#include <stdatomic.h>

/* One tensor of a component: index = sum over the family's axes of stride * (index / div). */
typedef struct source {
    const uint32_t *v;
    uint32_t coef;
    bool causal;
    size_t stride[ASSAY_GRID_AXES];
    uint32_t div[ASSAY_GRID_AXES];
} source;

static source source_of(const assay_witness *w, const assay_family *f, unsigned tensor, int32_t coef)
{
    const assay_grid *g = &w->shape->grid[tensor];
    const uint8_t *axis = assay_cp_grid_axes(w->shape, tensor);
    source s = {w->ten[tensor], m31_from_i64(coef), g->causal, {0}, {1, 1, 1, 1}};
    size_t stride = 1;
    for (unsigned a = g->n_axes; a-- > 0;) {
        for (unsigned x = 0; x < f->n_axes; x++) {
            bool head = axis[a] == AX_H && f->axis[x] == AX_HE;
            if (f->axis[x] != axis[a] && !head && !(axis[a] == AX_T && f->axis[x] == AX_I)) continue;
            s.stride[x] = stride;
            s.div[x] = head ? w->shape->run.cfg->head_dim : 1;
        }
        stride *= g->extent[a];
    }
    return s;
}

static uint32_t source_at(const assay_witness *w, const source *s, const uint32_t *i)
{
    size_t at = 0;
    if (s->causal)
        at = witness_causal_index(&w->shape->run, i[0], i[1], i[2], i[3]);
    else
        for (unsigned a = 0; a < ASSAY_GRID_AXES; a++) at += s->stride[a] * (i[a] / s->div[a]);
    return s->coef == 1 ? s->v[at] : m31_mul(s->coef, s->v[at]);
}

typedef struct column {
    const assay_component *k;
    source src[ASSAY_COMP_REFS];
} column;

static uint32_t column_at(const assay_witness *w, const column *c, const uint32_t *i)
{
    const assay_run_shape *r = &w->shape->run;
    int64_t base = (int64_t)c->k->c0 + (c->k->by_axis0 ? c->k->by_axis0[i[0]] : 0);
    uint32_t v = m31_from_i64(base);
    if (c->k->virt == VIRT_RESIDUAL) v = m31_add(v, w->h[((size_t)i[0] * r->n_tokens + i[1]) * r->cfg->d + i[2]]);
    /* A score's reference is CMAX, which the distance already holds. */
    if (c->k->virt == VIRT_SCORE) return m31_add(v, w->dist[witness_causal_index(r, i[0], i[1], i[2], i[3])]);
    for (unsigned s = 0; s < c->k->n_refs; s++) v = m31_add(v, source_at(w, &c->src[s], i));
    return v;
}

void assay_witness_tuples(const assay_witness *w, const assay_family *f, const assay_box *b, size_t from, size_t n,
                          uint32_t *const *columns, uint32_t *table)
{
    column col[ASSAY_MAX_TUPLE];
    for (unsigned k = 0; k < f->n_comps; k++) {
        col[k].k = &f->comp[k];
        for (unsigned s = 0; s < f->comp[k].n_refs; s++)
            col[k].src[s] = source_of(w, f, f->comp[k].ref[s].tensor, f->comp[k].ref[s].coef);
    }
    for (size_t x = 0; x < n; x++) {
        uint32_t i[ASSAY_GRID_AXES] = {0};
        size_t at = from + x;
        for (unsigned a = f->n_axes; a-- > 0;) {
            i[a] = b->start[a] + (uint32_t)(at & (((size_t)1 << b->log_len[a]) - 1));
            at >>= b->log_len[a];
        }
        for (unsigned k = 0; k < f->n_comps; k++) columns[k][x] = column_at(w, &col[k], i);
        table[x] = (uint32_t)(f->table + (f->table_by_axis0 ? f->table_by_axis0[i[0]] : 0));
    }
}

/* Counting in parallel: each job counts the rows that its leaves look up. */
typedef struct count {
    assay_witness *w;
    const assay_instance *in;
    assay_leaf_jobs jobs;
    atomic_bool failed;
} count;

static void count_chunk(void *ctx, size_t job)
{
    count *c = ctx;
    const assay_leaf_job *j = &c->jobs.job[job];
    const assay_witness *w = c->w;
    size_t n_words = (ASSAY_MAX_TUPLE + 1) * j->n;
    uint32_t *buf = assay_mem_alloc_raw(n_words, sizeof *buf), *columns[ASSAY_MAX_TUPLE];
    if (!buf) {
        atomic_store(&c->failed, true);
        return;
    }
    for (unsigned k = 0; k < ASSAY_MAX_TUPLE; k++) columns[k] = buf + k * j->n;
    const uint32_t *table = buf + ASSAY_MAX_TUPLE * j->n;
    assay_witness_tuples(w, j->family, j->box, j->from, j->n, columns, buf + ASSAY_MAX_TUPLE * j->n);
    const assay_instance_table *t = c->in->table;
    for (size_t x = 0; x < j->n; x++) {
        uint32_t v[ASSAY_TABLE_WIDTH] = {0};
        for (unsigned k = 0; k < j->family->n_comps; k++) v[k] = columns[k][x];
        while (t->table < table[x]) t++;
        while (t->table > table[x]) t--;
        int64_t row = assay_table_find(w->shape->run.cfg, w->tables, table[x], v);
        if (row >= 0) atomic_add_u32(&w->mult[t->mult][row], 1);
    }
    assay_mem_free_secret(buf, n_words * sizeof *buf);
}

assay_status assay_witness_count(assay_witness *w, assay_errinfo *err)
{
    for (uint32_t i = 0; i < w->shape->n_instance; i++) {
        count c = {w, &w->shape->instance[i], {NULL, 0, 0}, false};
        assay_status s = assay_leaf_jobs_make(&c.jobs, w->shape, i, false);
        if (s == ASSAY_OK) assay_pool_run(w->be->pool, c.jobs.n, count_chunk, &c);
        assay_leaf_jobs_clear(&c.jobs);
        if (s != ASSAY_OK || atomic_load(&c.failed)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    }
    return ASSAY_OK;
}
