/* SPDX-License-Identifier: Apache-2.0 */
/* Linear functionals of committed cells, as sums of terms that are products of weights over the axes of one grid.
 * A term is attached to a leaf of the claims' tape; after the batch its weight is known, and all terms together are phi
 * (docs/protocol.md §8.5). The verifier evaluates phi's extension at one point, the prover writes phi out.
 *
 * Weights are dense vectors over real indices, so a padded index has no weight: nothing here can name a cell that is
 * not one. */
#ifndef ASSAY_CP_FUNCTIONAL_H
#define ASSAY_CP_FUNCTIONAL_H

#include "cp/shape.h"
#include "iop/iop.h"

/* Weight w[i - start] at start <= i < start + len of an axis, 0 elsewhere; w = NULL: 1 there, or, with a point,
 * eq(point, i - start), len a power of two: weights of a long table that nobody writes out but a prover. */
typedef struct assay_weights {
    const kel *w;
    uint32_t start, len;
    const kel *point;
} assay_weights;

/* Grids of the committed matrices (cells of row P) come after those of the shape. */
#define ASSAY_GRID_OF_MATRIX(m) ((uint32_t)ASSAY_MAX_GRIDS + (uint32_t)(m))

enum { ASSAY_EVERY_BOX = 0xffffffff, ASSAY_MAX_ROTATIONS = 64 };

/* Weights over (token t, index x of joined heads) that undo a rotation: token[t] (cos out[x] + sin out[x + half]) in
 * the first half of a head, token[t] (cos out[x] - sin out[x - half]) in the second, with the tables' cos and sin
 * [t][pair]. Never written out as a whole. All borrowed; they must outlive the functional. */
typedef struct assay_rotation {
    const kel *token, *out;
    const int32_t *cos, *sin;
    uint32_t head_dim;
} assay_rotation;
/* That of x at token t without token[t] is  pair[0] cos + pair[1] sin. */
static inline void rotation_pair(const assay_rotation *r, uint32_t x, kel pair[2])
{
    const uint32_t half = r->head_dim / 2;
    pair[0] = r->out[x];
    pair[1] = x % r->head_dim < half ? r->out[x + half] : k_neg(r->out[x - half]);
}

static inline kel rotation_weight(const assay_rotation *r, size_t t, uint32_t x)
{
    const uint32_t half = r->head_dim / 2;
    const size_t at = t * half + x % half;
    kel pair[2];
    rotation_pair(r, x, pair);
    return k_mul(r->token[t],
                 k_add(k_mul_f(pair[0], m31_from_i64(r->cos[at])), k_mul_f(pair[1], m31_from_i64(r->sin[at]))));
}

typedef struct assay_term {
    assay_claim node;
    uint32_t grid;
    kel coef;
    uint32_t natural; /* the only natural box that the term touches, or ASSAY_EVERY_BOX */
    assay_weights ax[ASSAY_GRID_AXES];
    uint32_t rotation; /* 0, or 1 + index of one that replaces the last two weights */
} assay_term;

typedef struct assay_functional {
    const assay_cp_shape *shape;
    bool counting; /* the planner's run: terms are not kept */
    assay_term *term;
    size_t n, cap;
    assay_rotation rotation[ASSAY_MAX_ROTATIONS];
    uint32_t n_rotations;
    void *chunks; /* storage of weights */
    bool failed;  /* out of memory; sticky */
} assay_functional;

void assay_functional_init(assay_functional *f, const assay_cp_shape *shape, bool counting);
void assay_functional_clear(assay_functional *f); /* wipes nothing: all of it is public */

/* n zeroed weights that live as long as f; NULL when out of memory (then failed is set) or when counting. */
kel *assay_functional_weights(assay_functional *f, size_t n);
/* eq(point, i) for i < extent, point of ceil(log2 extent) coordinates, all times scale. w is NULL after a failure. */
assay_weights assay_functional_eq(assay_functional *f, kel scale, const kel *point, uint32_t extent);
static inline assay_weights weights_ones(uint32_t extent)
{
    return (assay_weights){NULL, 0, extent, NULL};
}
static inline assay_weights weights_part(const kel *w, uint32_t start, uint32_t len)
{
    return (assay_weights){w, start, len, NULL};
}
/* eq(point, i - start) for the 2^n indices from start on, not written out; point is copied. */
assay_weights assay_functional_eq_at(assay_functional *f, const kel *point, unsigned n, uint32_t start);

/* Adds coef * prod_a ax[a] on a grid to the functional leaf `node`. */
void assay_functional_add(assay_functional *f, assay_claim node, kel coef, uint32_t grid, const assay_weights *ax);
/* The same when the weights are zero outside one natural box of the grid (a hint that saves looking at the others). */
void assay_functional_add_in_box(assay_functional *f, assay_claim node, kel coef, uint32_t grid,
                                 const assay_weights *ax, uint32_t natural);
/* The same with a rotation in place of the weights of the last two axes; at most ASSAY_MAX_ROTATIONS of them. */
void assay_functional_add_rotation(assay_functional *f, assay_claim node, kel coef, uint32_t grid,
                                   const assay_weights *ax, const assay_rotation *r);
/* The hiding cells' weights, once the batch is done. */
void assay_functional_add_hidden(assay_functional *f, const kel *cell_weights);

enum { ASSAY_NODE_ONE = 0xffffffff }; /* a term whose weight is 1 */

const assay_grid *assay_functional_grid(const assay_cp_shape *s, uint32_t grid);
/* Stack address of a grid's box. */
uint64_t assay_functional_address(const assay_cp_shape *s, uint32_t grid, const assay_box *b);

/* eq of a point's coordinates above a box's own (depth in all) with the box's base. */
kel assay_box_weight(const assay_box *b, const kel *point, unsigned depth);

/* phi's multilinear extension at point (c + row_bits coordinates), all terms weighed by the batch.
 * Cost: about one K multiplication an axis entry of each term and box, plus 2 nvars a box. */
ASSAY_MUST_USE assay_status assay_functional_eval(const assay_functional *f, const assay_iop *iop, const kel *point,
                                                  kel *out);

/* Prover: phi[row] (2 + n_rows vectors of 2^c elements, zeroed) filled. */
ASSAY_MUST_USE assay_status assay_functional_write(const assay_functional *f, const assay_iop *iop,
                                                   const assay_backend *be, assay_kvec *phi);

/* The part of a box that a term touches: false when none. lo, hi per axis, absolute indices. */
bool assay_term_meets(const assay_term *t, const assay_grid *g, const assay_box *b, uint32_t *lo, uint32_t *hi);

#endif
