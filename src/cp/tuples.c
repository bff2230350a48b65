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
            bool head = cp_joined_axis(axis[a]) != AX_NONE && f->axis[x] == cp_joined_axis(axis[a]);
            if (f->axis[x] != axis[a] && !head && !(axis[a] == AX_T && f->axis[x] == AX_I)) continue;
            s.stride[x] = stride;
            s.div[x] = head ? w->shape->run.cfg->head_dim : 1;
        }
        stride *= g->extent[a];
    }
    return s;
}

static size_t source_index(const assay_witness *w, const source *s, const uint32_t *i)
{
    size_t at = 0;
    if (s->causal) return witness_causal_index(&w->shape->run, i[0], i[1], i[2], i[3]);
    for (unsigned a = 0; a < ASSAY_GRID_AXES; a++) at += s->stride[a] * (i[a] / s->div[a]);
    return at;
}

static uint32_t source_at(const assay_witness *w, const source *s, const uint32_t *i)
{
    return m31_mul(s->coef, s->v[source_index(w, s, i)]);
}

typedef struct column {
    const assay_component *k;
    source src[ASSAY_COMP_REFS];
} column;

/* Head value at (l, t, (a, e)). */
static uint32_t head_at(const assay_witness *w, const uint32_t *i)
{
    const uint32_t n = w->shape->run.cfg->head_dim;
    return witness_head(w, i[0], i[1], i[2] / n)[i[2] % n];
}

static uint32_t column_at(const assay_witness *w, const column *c, const uint32_t *i)
{
    const assay_run_shape *r = &w->shape->run;
    int64_t base = (int64_t)c->k->c0 + (c->k->by_axis0 ? c->k->by_axis0[i[0]] : 0);
    uint32_t v = m31_from_i64(base);
    if (c->k->virt == VIRT_RESIDUAL) v = m31_add(v, w->h[((size_t)i[0] * r->n_tokens + i[1]) * r->cfg->d + i[2]]);
    if (c->k->virt == VIRT_HEADS) v = m31_add(v, head_at(w, i));
    /* A score's first reference is CMAX, which the distance already holds. */
    const bool score = c->k->virt == VIRT_SCORE;
    if (score) v = m31_add(v, w->dist[witness_causal_index(r, i[0], i[1], i[2], i[3])]);
    for (unsigned s = score; s < c->k->n_refs; s++) v = m31_add(v, source_at(w, &c->src[s], i));
    return v;
}

/* The axis that cells of a box run along: the last one that is longer than 1. */
static unsigned run_axis(const assay_family *f, const assay_box *b)
{
    unsigned a = f->n_axes - 1u;
    while (a > 0 && b->log_len[a] == 0) a--;
    return a;
}

/* Words from one cell of a causal tensor to the next along axis 2 (layers) or 3 (heads). */
static size_t causal_stride(const assay_witness *w, unsigned axis)
{
    const assay_run_shape *r = &w->shape->run;
    size_t cells = (size_t)r->n_tokens * (r->n_tokens + 1u) / 2;
    return axis == 3 ? cells : cells * r->cfg->n_heads;
}

/* out[x] += coef v[x stride] */
static void add_words(uint32_t *out, const uint32_t *v, size_t stride, uint32_t coef, size_t n)
{
    if (stride == 1 && coef == 1) {
        for (size_t x = 0; x < n; x++) out[x] = m31_add(out[x], v[x]);
    } else if (coef == 1) {
        for (size_t x = 0; x < n; x++) out[x] = m31_add(out[x], v[x * stride]);
    } else {
        for (size_t x = 0; x < n; x++) out[x] = m31_add(out[x], m31_mul(coef, v[x * stride]));
    }
}

/* A source along axis a from cell i on; steps of `div` cells at a time share a word. */
static void add_source(const assay_witness *w, uint32_t *out, const source *s, const uint32_t *i, unsigned a, size_t n)
{
    const uint32_t *v = s->v + source_index(w, s, i);
    if (s->causal) {
        add_words(out, v, causal_stride(w, a), s->coef, n);
    } else if (s->div[a] == 1) {
        add_words(out, v, s->stride[a], s->coef, n);
    } else {
        for (size_t x = 0; x < n; v += s->stride[a]) {
            size_t m = s->div[a] - (i[a] + x) % s->div[a];
            if (m > n - x) m = n - x;
            add_words(out + x, v, 0, s->coef, m);
            x += m;
        }
    }
}

/* n cells along axis a > 0 from cell i on. */
static void column_run(const assay_witness *w, const column *c, const uint32_t *i, unsigned a, size_t n, uint32_t *out)
{
    const assay_run_shape *r = &w->shape->run;
    uint32_t base = m31_from_i64((int64_t)c->k->c0 + (c->k->by_axis0 ? c->k->by_axis0[i[0]] : 0));
    for (size_t x = 0; x < n; x++) out[x] = base;
    if (c->k->virt == VIRT_RESIDUAL) {
        const size_t stride[3] = {0, r->cfg->d, 1};
        add_words(out, w->h + ((size_t)i[0] * r->n_tokens + i[1]) * r->cfg->d + i[2], stride[a], 1, n);
    }
    for (size_t x = 0; c->k->virt == VIRT_HEADS && x < n; x++) {
        const uint32_t at[3] = {i[0], i[1] + (a == 1 ? (uint32_t)x : 0), i[2] + (a == 2 ? (uint32_t)x : 0)};
        out[x] = m31_add(out[x], head_at(w, at));
    }
    /* A score's first reference is CMAX, which the distance already holds. */
    const bool score = c->k->virt == VIRT_SCORE;
    if (score) add_words(out, w->dist + witness_causal_index(r, i[0], i[1], i[2], i[3]), causal_stride(w, a), 1, n);
    for (unsigned s = score; s < c->k->n_refs; s++) add_source(w, out, &c->src[s], i, a, n);
}

void assay_witness_tuples(const assay_witness *w, const assay_family *f, const assay_box *b, size_t from, size_t n,
                          uint32_t *const *columns, uint32_t *table)
{
    column col[ASSAY_MAX_TUPLE];
    unsigned run = run_axis(f, b);
    /* Along axis 0 constants and tables change, and causal tensors have no stride along tokens: cell by cell. */
    size_t len = run == 0 || (f->grid.causal && run < 2) ? 1 : (size_t)1 << b->log_len[run];
    for (unsigned k = 0; k < f->n_comps; k++) {
        col[k].k = &f->comp[k];
        for (unsigned s = 0; s < f->comp[k].n_refs; s++)
            col[k].src[s] = source_of(w, f, f->comp[k].ref[s].tensor, f->comp[k].ref[s].coef);
    }
    for (size_t x = 0, m; x < n; x += m) {
        uint32_t i[ASSAY_GRID_AXES] = {0};
        size_t at = from + x;
        m = len - (at & (len - 1)) < n - x ? len - (at & (len - 1)) : n - x;
        for (unsigned a = f->n_axes; a-- > 0;) {
            i[a] = b->start[a] + (uint32_t)(at & (((size_t)1 << b->log_len[a]) - 1));
            at >>= b->log_len[a];
        }
        uint32_t id = (uint32_t)(f->table + (f->table_by_axis0 ? f->table_by_axis0[i[0]] : 0));
        for (unsigned k = 0; k < f->n_comps; k++) {
            if (len == 1)
                columns[k][x] = column_at(w, &col[k], i);
            else
                column_run(w, &col[k], i, run, m, columns[k] + x);
        }
        for (size_t y = 0; y < m; y++) table[x + y] = id;
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
        if (table[x] == TABLE_RANGE && columns[0][x] <= 16) { /* most look-ups; as assay_table_find says it */
            uint32_t bits = columns[0][x], value = columns[1][x];
            if (value >> bits == 0 && t->table == TABLE_RANGE)
                atomic_add_u32(&w->mult[t->mult][((uint32_t)1 << bits) + value], 1);
            if (t->table == TABLE_RANGE) continue;
        }
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
