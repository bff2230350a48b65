/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting index sets in dyadic boxes and ordering them; docs/protocol.md §6.1. */
#include "cp/layout.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

assay_grid assay_grid_of(unsigned n_axes, const uint32_t *extent, bool causal)
{
    assay_grid g;
    memset(&g, 0, sizeof g);
    g.n_axes = (uint8_t)n_axes;
    g.causal = causal;
    for (unsigned a = 0; a < n_axes; a++) g.extent[a] = extent[a];
    return g;
}

uint64_t assay_grid_cells(const assay_grid *g)
{
    uint64_t n = 1;
    unsigned a = 0;
    if (g->causal) {
        n = (uint64_t)g->extent[0] * (g->extent[0] + 1u) / 2;
        a = 2;
    }
    for (; a < g->n_axes; a++) n *= g->extent[a];
    return n;
}

static unsigned floor_log2(uint32_t n) /* n >= 1 */
{
    unsigned k = 0;
    while (n >> k > 1) k++;
    return k;
}

/* Of a causal grid the largest box is the rectangle of the two largest pieces, or the largest of the first piece's
 * triangle: half of it times half of it. */
unsigned assay_grid_largest(const assay_grid *g)
{
    unsigned log = 0, a = 0;
    if (assay_grid_cells(g) == 0) return 0;
    if (g->causal) {
        unsigned top = floor_log2(g->extent[0]);
        uint32_t rest = g->extent[0] - ((uint32_t)1 << top);
        unsigned rectangle = rest ? top + floor_log2(rest) : 0, half = top ? 2 * (top - 1) : 0;
        log = rectangle > half ? rectangle : half;
        a = 2;
    }
    for (; a < g->n_axes; a++) log += floor_log2(g->extent[a]);
    return log;
}

void assay_grid_clear(assay_grid *g)
{
    assay_mem_free(g->box);
    assay_mem_free(g->natural_at);
    g->box = NULL;
    g->natural_at = NULL;
    g->n_box = g->n_natural = 0;
}

/* The m-th piece of [0, n): binary digits of n, the largest first. */
static bool piece_of(uint32_t n, unsigned m, uint32_t *start, uint8_t *log_len)
{
    uint32_t at = 0;
    for (int k = 31; k >= 0; k--) {
        if (!(n >> k & 1u)) continue;
        if (m == 0) {
            *start = at;
            *log_len = (uint8_t)k;
            return true;
        }
        m--;
        at += (uint32_t)1 << k;
    }
    return false;
}

/* Boxes are counted first (box == NULL) and written in a second pass by the same walk. */
typedef struct cut {
    const assay_grid *g;
    assay_box *box;
    uint32_t n;
} cut;

static void cut_emit(cut *k, const assay_box *b)
{
    if (k->box) {
        assay_box *o = &k->box[k->n];
        *o = *b;
        o->natural = k->n;
        o->log_n = 0;
        for (unsigned a = 0; a < k->g->n_axes; a++) o->log_n = (uint8_t)(o->log_n + b->log_len[a]);
    }
    k->n++;
}

static void cut_axes(cut *k, assay_box *b, unsigned axis)
{
    if (axis == k->g->n_axes) {
        cut_emit(k, b);
        return;
    }
    for (unsigned m = 0; piece_of(k->g->extent[axis], m, &b->start[axis], &b->log_len[axis]); m++)
        cut_axes(k, b, axis + 1);
}

static void cut_rectangle(cut *k, assay_box *b, uint32_t i, unsigned log_i, uint32_t j, unsigned log_j)
{
    b->start[0] = i;
    b->log_len[0] = (uint8_t)log_i;
    b->start[1] = j;
    b->log_len[1] = (uint8_t)log_j;
    cut_axes(k, b, 2);
}

/* Cells (i, j), j <= i, of [lo, lo + 2^k)^2. */
static void cut_triangle(cut *k, assay_box *b, uint32_t lo, unsigned log_n)
{
    if (log_n == 0) {
        cut_rectangle(k, b, lo, 0, lo, 0);
        return;
    }
    uint32_t half = (uint32_t)1 << (log_n - 1);
    cut_triangle(k, b, lo, log_n - 1);
    cut_rectangle(k, b, lo + half, log_n - 1, lo, log_n - 1);
    cut_triangle(k, b, lo + half, log_n - 1);
}

static void cut_walk(cut *k)
{
    assay_box b;
    memset(&b, 0, sizeof b);
    if (assay_grid_cells(k->g) == 0) return;
    if (!k->g->causal) {
        cut_axes(k, &b, 0);
        return;
    }
    uint32_t n = k->g->extent[0], lo, lo2;
    uint8_t log_n, log_n2;
    for (unsigned m = 0; piece_of(n, m, &lo, &log_n); m++) {
        for (unsigned q = 0; q < m; q++) {
            (void)piece_of(n, q, &lo2, &log_n2);
            cut_rectangle(k, &b, lo, log_n, lo2, log_n2);
        }
        cut_triangle(k, &b, lo, log_n);
    }
}

assay_status assay_grid_cut(assay_grid *g, assay_errinfo *err)
{
    assay_grid_clear(g);
    cut k = {g, NULL, 0};
    cut_walk(&k);
    uint32_t n = k.n;
    g->natural_at = assay_mem_alloc((size_t)n + 1, sizeof *g->natural_at);
    if (!g->natural_at) return ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");
    if (n == 0) return ASSAY_OK;
    k.box = assay_mem_alloc(n, sizeof *k.box);
    if (!k.box) return ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");
    k.n = 0;
    cut_walk(&k);
    g->box = k.box;
    g->n_box = g->n_natural = n;
    for (uint32_t i = 0; i <= n; i++) g->natural_at[i] = i;
    return ASSAY_OK;
}

typedef struct order {
    const assay_box *box;
    size_t at;
} order;

static int order_compare(const void *x, const void *y)
{
    const order *a = x, *b = y;
    if (a->box->log_n != b->box->log_n) return a->box->log_n > b->box->log_n ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

assay_status assay_place_leaves(assay_box **boxes, size_t n, uint64_t *n_leaves, assay_errinfo *err)
{
    *n_leaves = 0;
    if (n == 0) return ASSAY_OK;
    order *o = assay_mem_alloc(n, sizeof *o);
    if (!o) return ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");
    for (size_t i = 0; i < n; i++) o[i] = (order){boxes[i], i};
    qsort(o, n, sizeof *o, order_compare);
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        boxes[o[i].at]->base = at;
        at += (uint64_t)1 << o[i].box->log_n;
    }
    *n_leaves = at;
    assay_mem_free(o);
    return ASSAY_OK;
}
