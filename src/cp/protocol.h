/* SPDX-License-Identifier: Apache-2.0 */
/* What prover and verifier do alike around the statement: plan, statement block, channel, openings' values. */
#ifndef ASSAY_CP_PROTOCOL_H
#define ASSAY_CP_PROTOCOL_H

#include "cp/public.h"
#include "cp/statement.h"
#include "iop/merge.h"

/* The proof's public frame: shape and plan, from the public data, the request and what is stated of its gaps (NULL:
 * the exact policy). leaf_limit: 0 for production's. */
typedef struct assay_frame {
    assay_cp_shape shape;
    assay_iop_plan plan;
    uint32_t (*products)[2]; /* pads that each product multiplies */
} assay_frame;
ASSAY_MUST_USE assay_status assay_frame_init(assay_frame *f, const assay_public *pub, const assay_request *rq,
                                             const assay_gap_bounds *gap, uint64_t leaf_limit, assay_errinfo *err);
/* The same without the cells' places: all counts are there, and assay_cp_shape_place does the rest. */
ASSAY_MUST_USE assay_status assay_frame_plan(assay_frame *f, const assay_public *pub, const assay_request *rq,
                                             const assay_gap_bounds *gap, uint64_t leaf_limit, assay_errinfo *err);
void assay_frame_clear(assay_frame *f);

/* Statement block, docs/protocol.md §11. */
ASSAY_MUST_USE assay_status assay_statement_block(assay_writer *w, const assay_public *pub, const assay_request *rq,
                                                  const assay_frame *f, assay_errinfo *err);

static inline assay_merge_shape frame_merge_shape(const assay_frame *f)
{
    assay_merge_shape m = {f->shape.params.c, f->shape.row_bits, f->shape.n_rows};
    return m;
}
/* Columns of a witness tree: six words of M, six of R, then the F-rows. */
static inline size_t frame_columns(const assay_frame *f)
{
    return 12u + f->shape.n_rows;
}

/* Positions of the main code as claims on u: columns are weights [n][2^jb] and witness [n][12 + n_rows]. */
ASSAY_MUST_USE assay_status assay_position_claims(const assay_frame *f, const assay_points *pt,
                                                  const assay_merge_result *mr, const uint64_t *pos, size_t n,
                                                  const uint32_t *weights, const uint32_t *witness,
                                                  assay_tail_claim *out);

#endif
