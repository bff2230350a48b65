/* SPDX-License-Identifier: Apache-2.0 */
/* Placing boxes in rows: free segments of powers of two, the largest box first; docs/protocol.md §6.3. */
#include "base/mem.h"
#include "cp/layout.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_LOG = 40 };

/* Free segments of one size, a binary heap by address. */
typedef struct heap {
    uint64_t *at;
    size_t n, cap;
} heap;

typedef struct rows {
    heap free_of[MAX_LOG + 1];
    unsigned top;       /* largest segment size */
    assay_box *out;     /* placed boxes of all grids, in order of placing */
    uint32_t *out_grid; /* the grid of each */
    size_t n_out, cap_out;
    bool oom;
} rows;

static void heap_push(rows *r, unsigned k, uint64_t at)
{
    heap *h = &r->free_of[k];
    if (h->n == h->cap) {
        size_t cap = h->cap ? 2 * h->cap : 16;
        uint64_t *p = assay_mem_grow(h->at, h->cap, cap, sizeof *p);
        if (!p) {
            r->oom = true;
            return;
        }
        h->at = p;
        h->cap = cap;
    }
    size_t i = h->n++;
    for (; i > 0 && h->at[(i - 1) / 2] > at; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = at;
}

static uint64_t heap_pop(heap *h)
{
    uint64_t top = h->at[0], last = h->at[--h->n];
    size_t i = 0;
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= h->n) break;
        if (c + 1 < h->n && h->at[c + 1] < h->at[c]) c++;
        if (h->at[c] >= last) break;
        h->at[i] = h->at[c];
        i = c;
    }
    if (h->n) h->at[i] = last;
    return top;
}

/* Takes 2^k cells from the lowest of the smallest sufficient segments; false when none is large enough. */
static bool take(rows *r, unsigned k, uint64_t *at)
{
    for (unsigned m = k; m <= r->top; m++) {
        if (r->free_of[m].n == 0) continue;
        *at = heap_pop(&r->free_of[m]);
        while (m > k) {
            m--;
            heap_push(r, m, *at + ((uint64_t)1 << m));
        }
        return true;
    }
    return false;
}

static void emit(rows *r, uint32_t grid, const assay_box *b)
{
    if (r->n_out == r->cap_out) {
        size_t cap = r->cap_out ? 2 * r->cap_out : 256;
        assay_box *p = assay_mem_grow(r->out, r->cap_out, cap, sizeof *p);
        if (p) r->out = p;
        uint32_t *q = p ? assay_mem_grow(r->out_grid, r->cap_out, cap, sizeof *q) : NULL;
        if (q) r->out_grid = q;
        if (!p || !q) {
            r->oom = true;
            return;
        }
        r->cap_out = cap;
    }
    r->out[r->n_out] = *b;
    r->out_grid[r->n_out++] = grid;
}

/* Depth of recursion: at most log_n, for each call halves the box. */
static bool place(rows *r, uint32_t grid, assay_box b)
{
    if (r->oom) return false;
    if (take(r, b.log_n, &b.base)) {
        emit(r, grid, &b);
        return !r->oom;
    }
    if (b.log_n == 0) return false;
    unsigned a = 0;
    while (b.log_len[a] == 0) a++;
    b.log_len[a]--;
    b.log_n--;
    if (!place(r, grid, b)) return false;
    b.start[a] += (uint32_t)1 << b.log_len[a];
    return place(r, grid, b);
}

typedef struct item {
    uint32_t grid, box;
    uint8_t log_n;
} item;

static int item_compare(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->log_n != b->log_n) return a->log_n > b->log_n ? -1 : 1;
    if (a->grid != b->grid) return a->grid < b->grid ? -1 : 1;
    return a->box < b->box ? -1 : 1;
}

/* Moves the placed boxes to their grids, in order of natural boxes (halves in order of placing). */
static assay_status hand_out(rows *r, assay_grid *grids, size_t n)
{
    uint32_t *fill = NULL;
    for (size_t g = 0; g < n; g++) {
        assay_mem_free(grids[g].box);
        grids[g].box = NULL;
        grids[g].n_box = 0;
        memset(grids[g].natural_at, 0, ((size_t)grids[g].n_natural + 1) * sizeof *grids[g].natural_at);
    }
    for (size_t i = 0; i < r->n_out; i++) grids[r->out_grid[i]].natural_at[r->out[i].natural + 1]++;
    for (size_t g = 0; g < n; g++) {
        assay_grid *gr = &grids[g];
        for (uint32_t k = 0; k < gr->n_natural; k++) gr->natural_at[k + 1] += gr->natural_at[k];
        gr->n_box = gr->natural_at[gr->n_natural];
        if (gr->n_box && !(gr->box = assay_mem_alloc(gr->n_box, sizeof *gr->box))) return ASSAY_ENOMEM;
    }
    size_t total = 0;
    for (size_t g = 0; g < n; g++) total += grids[g].n_natural;
    if (total == 0) return ASSAY_OK;
    size_t *first = assay_mem_alloc(n, sizeof *first);
    fill = assay_mem_alloc(total, sizeof *fill);
    if (first && fill) {
        for (size_t g = 0, at = 0; g < n; at += grids[g].n_natural, g++) first[g] = at;
        for (size_t i = 0; i < r->n_out; i++) {
            assay_grid *gr = &grids[r->out_grid[i]];
            uint32_t k = r->out[i].natural;
            gr->box[gr->natural_at[k] + fill[first[r->out_grid[i]] + k]++] = r->out[i];
        }
    }
    assay_status s = first && fill ? ASSAY_OK : ASSAY_ENOMEM;
    assay_mem_free(first);
    assay_mem_free(fill);
    return s;
}

assay_status assay_rows_needed(uint32_t *n_rows, const assay_grid *grids, size_t n, unsigned c, unsigned slots,
                               uint32_t max_rows, assay_errinfo *err)
{
    uint64_t cells = 0, row = ((uint64_t)1 << c) - ((uint64_t)1 << slots);
    for (size_t g = 0; g < n; g++) cells += assay_grid_cells(&grids[g]);
    uint64_t need = (cells + row - 1) / row;
    if (need == 0) need = 1;
    if (max_rows && need > max_rows)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "layout", "cells do not fit", need, max_rows);
    if (need > (uint64_t)1 << 24) return ASSAY_FAIL1(err, ASSAY_ERANGE, "layout", "too many rows", need);
    *n_rows = (uint32_t)need;
    return ASSAY_OK;
}

assay_status assay_place_rows(assay_grid *grids, size_t n, unsigned c, unsigned slots, uint32_t max_rows,
                              uint32_t *n_rows, assay_errinfo *err)
{
    item *items = NULL;
    rows r;
    memset(&r, 0, sizeof r);
    size_t n_items = 0, at = 0;
    r.top = c - 1;

    assay_status s = assay_rows_needed(n_rows, grids, n, c, slots, max_rows, err);
    if (s != ASSAY_OK) return s;
    for (size_t g = 0; g < n; g++) {
        s = assay_grid_cut(&grids[g], err);
        if (s != ASSAY_OK) return s;
        n_items += grids[g].n_box;
    }
    if (n_items == 0) return ASSAY_OK;

    items = assay_mem_alloc(n_items, sizeof *items);
    if (!items) return ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");
    for (uint32_t g = 0; g < n; g++)
        for (uint32_t b = 0; b < grids[g].n_box; b++) items[at++] = (item){g, b, grids[g].box[b].log_n};
    qsort(items, n_items, sizeof *items, item_compare);
    for (uint64_t i = 0; i < *n_rows; i++)
        for (unsigned k = slots; k < c; k++) heap_push(&r, k, ((i + 1) << c) - ((uint64_t)2 << k));
    bool fits = !r.oom;
    for (size_t i = 0; i < n_items && fits; i++)
        fits = place(&r, items[i].grid, grids[items[i].grid].box[items[i].box]);
    if (r.oom)
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");
    else if (!fits)
        s = ASSAY_FAIL(err, ASSAY_EINTERNAL, "layout", "a box found no room");
    else if (hand_out(&r, grids, n) != ASSAY_OK)
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "layout", "out of memory");

    for (unsigned k = 0; k <= MAX_LOG; k++) assay_mem_free(r.free_of[k].at);
    assay_mem_free(r.out);
    assay_mem_free(r.out_grid);
    assay_mem_free(items);
    return s;
}
