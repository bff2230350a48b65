/* SPDX-License-Identifier: Apache-2.0 */
/* Building functionals; see functional.h. */
#include "cp/functional.h"

#include "base/mem.h"
#include "poly/eq.h"
#include <string.h>

typedef struct chunk {
    struct chunk *next;
    kel w[];
} chunk;

void assay_functional_init(assay_functional *f, const assay_cp_shape *shape, bool counting)
{
    memset(f, 0, sizeof *f);
    f->shape = shape;
    f->counting = counting;
}

void assay_functional_clear(assay_functional *f)
{
    for (chunk *c = f->chunks; c;) {
        chunk *next = c->next;
        assay_mem_free(c);
        c = next;
    }
    assay_mem_free(f->term);
    memset(f, 0, sizeof *f);
}

kel *assay_functional_weights(assay_functional *f, size_t n)
{
    if (f->counting || f->failed) return NULL;
    size_t nbytes;
    chunk *c = NULL;
    if (assay_mul_size(n, sizeof(kel), &nbytes) && assay_add_size(nbytes, sizeof(chunk), &nbytes))
        c = assay_mem_alloc(1, nbytes);
    if (!c) {
        f->failed = true;
        return NULL;
    }
    c->next = f->chunks;
    f->chunks = c;
    return c->w;
}

assay_weights assay_functional_eq(assay_functional *f, kel scale, const kel *point, uint32_t extent)
{
    uint32_t n = layout_ceil_log2(extent);
    kel *w = assay_functional_weights(f, (size_t)1 << n);
    if (!w) return weights_ones(extent);
    assay_eq_table(w, point, n);
    if (!k_eq(scale, k_one()))
        for (uint32_t b = 0; b < extent; b++) w[b] = k_mul(w[b], scale);
    return weights_part(w, 0, extent);
}

assay_weights assay_functional_eq_at(assay_functional *f, const kel *point, unsigned n, uint32_t start)
{
    kel *copy = assay_functional_weights(f, n + 1u);
    if (copy && n) memcpy(copy, point, n * sizeof *copy);
    return (assay_weights){NULL, start, (uint32_t)1 << n, copy};
}

static void add_term(assay_functional *f, const assay_term *t)
{
    if (f->counting || f->failed) return;
    if (f->n == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 1024;
        assay_term *p = assay_mem_grow(f->term, f->cap, cap, sizeof *p);
        if (!p) {
            f->failed = true;
            return;
        }
        f->term = p;
        f->cap = cap;
    }
    f->term[f->n++] = *t;
}

static void add(assay_functional *f, assay_claim node, kel coef, uint32_t grid, const assay_weights *ax,
                uint32_t natural, uint32_t rotation)
{
    assay_term t = {node, grid, coef, natural, {{0}}, rotation};
    for (unsigned a = 0; a < assay_functional_grid(f->shape, grid)->n_axes; a++) t.ax[a] = ax[a];
    add_term(f, &t);
}

void assay_functional_add_rotation(assay_functional *f, assay_claim node, kel coef, uint32_t grid,
                                   const assay_weights *ax, const assay_rotation *r)
{
    if (f->counting) return;
    if (f->n_rotations == ASSAY_MAX_ROTATIONS || !r->token || !r->out) {
        f->failed = true;
        return;
    }
    f->rotation[f->n_rotations++] = *r;
    add(f, node, coef, grid, ax, ASSAY_EVERY_BOX, f->n_rotations);
}

void assay_functional_add(assay_functional *f, assay_claim node, kel coef, uint32_t grid, const assay_weights *ax)
{
    add(f, node, coef, grid, ax, ASSAY_EVERY_BOX, 0);
}

void assay_functional_add_in_box(assay_functional *f, assay_claim node, kel coef, uint32_t grid,
                                 const assay_weights *ax, uint32_t natural)
{
    add(f, node, coef, grid, ax, natural, 0);
}

void assay_functional_add_hidden(assay_functional *f, const kel *cell_weights)
{
    kel *basis = assay_functional_weights(f, K_WORDS);
    if (!basis) return;
    for (int j = 0; j < K_WORDS; j++) basis[j].v[j] = 1;
    const assay_grid *g = &f->shape->grid[f->shape->hid];
    const assay_weights ax[2] = {weights_part(basis, 0, K_WORDS), weights_part(cell_weights, 0, g->extent[1])};
    assay_functional_add(f, ASSAY_NODE_ONE, k_one(), f->shape->hid, ax);
}

const assay_grid *assay_functional_grid(const assay_cp_shape *s, uint32_t grid)
{
    return grid >= ASSAY_GRID_OF_MATRIX(0) ? &s->weights[grid - ASSAY_GRID_OF_MATRIX(0)] : &s->grid[grid];
}

kel assay_box_weight(const assay_box *b, const kel *point, unsigned depth)
{
    return assay_eq_index(point + b->log_n, depth - b->log_n, b->base >> b->log_n);
}

uint64_t assay_functional_address(const assay_cp_shape *s, uint32_t grid, const assay_box *b)
{
    return grid >= ASSAY_GRID_OF_MATRIX(0) ? b->base : b->base + ((uint64_t)2 << s->params.c);
}

bool assay_term_meets(const assay_term *t, const assay_grid *g, const assay_box *b, uint32_t *lo, uint32_t *hi)
{
    if (t->natural != ASSAY_EVERY_BOX && t->natural != b->natural) return false;
    unsigned plain = t->rotation ? g->n_axes - 2u : g->n_axes;
    for (unsigned a = 0; a < g->n_axes; a++) {
        lo[a] = b->start[a];
        hi[a] = b->start[a] + ((uint32_t)1 << b->log_len[a]);
        if (a >= plain) continue;
        if (t->ax[a].start > lo[a]) lo[a] = t->ax[a].start;
        if (t->ax[a].start + t->ax[a].len < hi[a]) hi[a] = t->ax[a].start + t->ax[a].len;
        if (lo[a] >= hi[a]) return false;
    }
    return true;
}
