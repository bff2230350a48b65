/* SPDX-License-Identifier: Apache-2.0 */
/* Tuples of the look-up families, evaluated on the witness. */
#include "base/mem.h"
#include "cp/witness.h"
#include <string.h>

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

enum { CHUNK = 4096 };

static void count_box(assay_witness *w, const assay_instance *in, const assay_family *f, const assay_box *b,
                      uint32_t *const *columns, uint32_t *table)
{
    size_t n = (size_t)1 << b->log_n;
    for (size_t from = 0; from < n; from += CHUNK) {
        size_t m = n - from < CHUNK ? n - from : CHUNK;
        assay_witness_tuples(w, f, b, from, m, columns, table);
        const assay_instance_table *t = in->table;
        for (size_t x = 0; x < m; x++) {
            uint32_t v[ASSAY_TABLE_WIDTH] = {0};
            for (unsigned k = 0; k < f->n_comps; k++) v[k] = columns[k][x];
            while (t->table < table[x]) t++;
            while (t->table > table[x]) t--;
            int64_t row = assay_table_find(w->shape->run.cfg, w->tables, table[x], v);
            if (row >= 0) w->mult[t->mult][row]++;
        }
    }
}

assay_status assay_witness_count(assay_witness *w, assay_errinfo *err)
{
    uint32_t *buf = assay_mem_alloc((ASSAY_MAX_TUPLE + 1) * (size_t)CHUNK, sizeof *buf), *columns[ASSAY_MAX_TUPLE];
    if (!buf) return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    for (unsigned k = 0; k < ASSAY_MAX_TUPLE; k++) columns[k] = buf + (size_t)k * CHUNK;
    for (uint32_t i = 0; i < w->shape->n_instance; i++) {
        const assay_instance *in = &w->shape->instance[i];
        for (uint32_t p = 0; p < in->n_part; p++) {
            const assay_family *f = &w->shape->family[in->part[p].family];
            for (uint32_t b = in->part[p].first_box; b < in->part[p].end_box; b++)
                count_box(w, in, f, &f->grid.box[b], columns, buf + (size_t)ASSAY_MAX_TUPLE * CHUNK);
        }
    }
    assay_mem_free_secret(buf, (ASSAY_MAX_TUPLE + 1) * (size_t)CHUNK * sizeof *buf);
    return ASSAY_OK;
}
