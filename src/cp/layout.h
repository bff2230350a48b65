/* SPDX-License-Identifier: Apache-2.0 */
/* Where cells stand: index sets cut in dyadic boxes, boxes placed in rows or in a list of leaves.
 * Source: docs/protocol.md §6.1, §6.3. Everything here is public and recomputed by the verifier.
 *
 * A box is aligned to its size, so the weight of an address, eq(r, address), is a product over the axes: functionals of
 * whole tensors cost the verifier a few multiplications a box and an axis entry, and no cell is padding. */
#ifndef ASSAY_CP_LAYOUT_H
#define ASSAY_CP_LAYOUT_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSAY_GRID_AXES = 4 };

/* A product of ranges [start, start + 2^log_len) of each axis, 2^log_n cells in row-major order from address base. */
typedef struct assay_box {
    uint32_t start[ASSAY_GRID_AXES];
    uint8_t log_len[ASSAY_GRID_AXES];
    uint8_t log_n;
    uint32_t natural; /* the box of the index set this is (a half of a half of) */
    uint64_t base;
} assay_box;

/* The index set of a tensor: n_axes extents, slowest first. causal: axes 0 and 1 are (i, j) with j <= i. */
typedef struct assay_grid {
    uint8_t n_axes;
    bool causal;
    uint32_t extent[ASSAY_GRID_AXES];
    uint32_t n_box, n_natural;
    assay_box *box;       /* sorted by natural box */
    uint32_t *natural_at; /* n_natural + 1: first box of each natural one */
} assay_grid;

/* n_axes in 1..4; an extent of 0 gives a grid with no boxes. */
assay_grid assay_grid_of(unsigned n_axes, const uint32_t *extent, bool causal);
uint64_t assay_grid_cells(const assay_grid *g);
/* log2 of the cells of the largest natural box, from the extents alone; 0 for an empty grid. At most 4 * 31. */
unsigned assay_grid_largest(const assay_grid *g);
void assay_grid_clear(assay_grid *g);
/* Fills box and natural_at with the natural boxes in order (base 0). */
ASSAY_MUST_USE assay_status assay_grid_cut(assay_grid *g, assay_errinfo *err);

/* How many rows of 2^c cells, whose last 2^slots are kept free, n grids take, from their extents alone: max_rows as
 * below; ASSAY_ERANGE for more than 2^24. */
ASSAY_MUST_USE assay_status assay_rows_needed(uint32_t *n_rows, const assay_grid *grids, size_t n, unsigned c,
                                              unsigned slots, uint32_t max_rows, assay_errinfo *err);
/* Places the boxes of n grids in rows of 2^c cells whose last 2^slots are kept free, 2^slots < 2^c. max_rows = 0: as
 * few rows as the cells need, otherwise ASSAY_ERANGE when they do not fit. The grids are cut first. */
ASSAY_MUST_USE assay_status assay_place_rows(assay_grid *grids, size_t n, unsigned c, unsigned slots, uint32_t max_rows,
                                             uint32_t *n_rows, assay_errinfo *err);

/* Gives boxes (borrowed pointers, any owners) bases from 0 on, largest first, stable; returns the number of leaves. */
ASSAY_MUST_USE assay_status assay_place_leaves(assay_box **boxes, size_t n, uint64_t *n_leaves, assay_errinfo *err);

static inline uint32_t layout_ceil_log2(uint64_t n) /* 0 for n <= 1 */
{
    uint32_t k = 0;
    while (((uint64_t)1 << k) < n) k++;
    return k;
}

#endif
