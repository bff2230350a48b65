/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's values as words of F: tensors of the run, score distances, multiplicities, hiding cells; and tuples of
 * look-ups. Secret (class B), wiped by clear. */
#ifndef ASSAY_CP_WITNESS_H
#define ASSAY_CP_WITNESS_H

#include "backend/backend.h"
#include "cp/shape.h"

typedef struct assay_witness {
    const assay_cp_shape *shape;
    const assay_tables *tables;
    const assay_backend *be;
    assay_trace trace;        /* storage of the tensors */
    uint32_t *ten[TEN_COUNT]; /* canonical words, in the trace's order */
    uint32_t *h;              /* [S,T,D] */
    uint32_t *dist;           /* [L,H] times causal cells: CMAX - q.k */
    uint32_t **mult;          /* by grid: multiplicities, NULL for other grids */
    kel *cells;               /* hiding cells */
    uint32_t n_cells;
} assay_witness;

/* Takes over a trace: its words become canonical in place. */
ASSAY_MUST_USE assay_status assay_witness_init(assay_witness *w, const assay_cp_shape *shape,
                                               const assay_tables *tables, const assay_backend *be, assay_trace *trace,
                                               assay_errinfo *err);
void assay_witness_clear(assay_witness *w);
/* Drops what is not needed once all claims are made (tensors, distances). */
void assay_witness_drop_tensors(assay_witness *w);

/* Words of dist. */
static inline size_t witness_distances(const assay_cp_shape *s)
{
    return (size_t)assay_tensor_cells(&s->run, TEN_EX);
}
/* Score distances from CMAX and the rotated rows. */
ASSAY_MUST_USE assay_status assay_witness_distances(assay_witness *w, assay_errinfo *err);
/* Counts, for every instance, how often each table row is looked up; tuples in no row count nowhere. */
ASSAY_MUST_USE assay_status assay_witness_count(assay_witness *w, assay_errinfo *err);

/* Tuples of n cells of a family's box from cell `from` on (row-major): columns[k][i], k < n_comps; table[i]: table id.
 */
void assay_witness_tuples(const assay_witness *w, const assay_family *f, const assay_box *b, size_t from, size_t n,
                          uint32_t *const *columns, uint32_t *table);

/* Words of a tensor grid's box (row-major in the layout's axes) into out[2^log_n]. */
void assay_witness_box(const assay_witness *w, uint32_t grid, const assay_box *b, uint32_t *out);

/* The E values of head a (those of q, then those of k) at layer l, token t. */
static inline const uint32_t *witness_head(const assay_witness *w, uint32_t l, uint32_t t, uint32_t a)
{
    const assay_model_config *c = w->shape->run.cfg;
    const size_t row = (size_t)l * w->shape->run.n_tokens + t;
    return a < c->n_heads ? w->ten[TEN_Q] + (row * c->n_heads + a) * c->head_dim
                          : w->ten[TEN_K] + (row * c->n_kv + a - c->n_heads) * c->head_dim;
}

/* Index of a cell of a tensor in the trace's order, given its index on the layout's axes. */
static inline size_t witness_causal_index(const assay_run_shape *r, uint32_t i, uint32_t j, uint32_t l, uint32_t h)
{
    size_t cells = (size_t)r->n_tokens * (r->n_tokens + 1u) / 2;
    return ((size_t)l * r->cfg->n_heads + h) * cells + (size_t)i * (i + 1u) / 2 + j;
}

#endif
