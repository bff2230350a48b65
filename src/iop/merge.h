/* SPDX-License-Identifier: Apache-2.0 */
/* The masked merge and the masked fold (docs/protocol.md, "Merge" and "Fold"): from one claim <phi, stack> = value to
 * claims on one vector u = M + eps * fold(stack). One text for both parties; the evaluation of phi at the final point
 * is the statement's. */
#ifndef ASSAY_IOP_MERGE_H
#define ASSAY_IOP_MERGE_H

#include "backend/backend.h"
#include "commit/channel.h"
#include "commit/tail.h"

enum { ASSAY_MAX_STACK_VARS = 48 };

/* The prover's half (merge_prove.c), so that the shared text refers to no prover symbol. */
typedef struct assay_merge_ops assay_merge_ops;
extern const assay_merge_ops assay_merge_prover_ops;

/* Prover's data; ops is &assay_merge_prover_ops. Row 0 of the stack is P, row 1 R, both over K; rows 2 .. 2 + n_rows -
 * 1 are over F. All have 2^c entries. phi: one K vector a row, 2 + n_rows of them (phi[1] is taken as zero and may be
 * empty), consumed: freed by the rounds. */
typedef struct assay_merge_prover {
    const assay_merge_ops *ops;
    const assay_backend *be;
    const assay_kvec *p, *r, *m;
    const uint32_t *const *rows;
    assay_kvec *phi;
} assay_merge_prover;

typedef struct assay_merge_shape {
    unsigned c, row_bits; /* stack index = row 2^c + column; 2^row_bits >= 2 + n_rows; 2 (c + row_bits) + 1 <= 2^c */
    size_t n_rows;
} assay_merge_shape;

/* Everything that later steps need. */
typedef struct assay_merge_result {
    kel point[ASSAY_MAX_STACK_VARS];          /* c column coordinates, then row_bits row coordinates */
    kel prefix[2 * ASSAY_MAX_STACK_VARS + 1]; /* l_r = (1, r_0, r_0^2, r_1, ..) */
    kel eps, e, mu, f, last_claim, rho;
} assay_merge_result;

/* Merge rounds: value is the claimed <phi, stack>. Ends when the point is fixed: fills point, prefix, rho, last_claim.
 */
void assay_merge_run(assay_channel *ch, const assay_merge_shape *shape, const assay_merge_prover *mp, kel value,
                     assay_merge_result *out);
/* phi_at: phi's multilinear extension at point (the caller's). Sends e, mu, f, draws eps, gives the two claims on u
 * (kinds EQ on the c column coordinates and PREFIX). Prover: u is filled (2^c elements, allocated here). */
void assay_merge_fold(assay_channel *ch, const assay_merge_shape *shape, const assay_merge_prover *mp, kel phi_at,
                      assay_merge_result *io, assay_tail_claim claims[2], assay_kvec *u);
/* From opened columns to a value of u's codeword: m + eps (er[0] p + er[1] r + sum er[2+i] row_i), er = eq table of the
 * row point. column: 6 words of m, 6 of r, then n_rows words; p: the same position of the codeword of row P. */
kel assay_merge_position_value(const assay_merge_shape *shape, const assay_merge_result *res, const kel *er, kel p,
                               const uint32_t *column);

#endif
