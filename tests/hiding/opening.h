/* SPDX-License-Identifier: Apache-2.0 */
/* The opening of a small stack by the real prover: commitments, merge, fold, tail and columns, with every coin and
 * every data cell in the test's hands and with fixed challenges. */
#ifndef ASSAY_TESTS_HIDING_OPENING_H
#define ASSAY_TESTS_HIDING_OPENING_H

#include "fixed.h"
#include "iop/merge.h"

typedef struct opening_shape {
    unsigned c, slots, row_bits, jb; /* slots: log2 of the random cells at the end of each row over F */
    size_t n_rows, t;                /* F-rows, opened positions */
} opening_shape;

/* What the prover leaves out. */
typedef struct opening_weakness {
    bool no_r, r_in_slots_only, mask_of_degree_one, no_mask;
    bool mask_used_twice; /* two answers u to two challenges eps over one M */
} opening_weakness;

typedef struct opening {
    opening_shape shape;
    opening_weakness weak;
    uint64_t seed; /* of the challenges */
    assay_backend be;
    assay_code *code;
    assay_kvec *phi;        /* 2 + n_rows vectors; zero at random cells, phi[1] is empty */
    size_t n, n_matrix;     /* cells a row; rows over F: of weights, then of the witness */
    size_t n_data, n_coins; /* words */
    kel value;              /* the claim of the run made last */
} opening;

void opening_new(opening *o, opening_shape shape, opening_weakness weak, uint64_t seed);
void opening_free(opening *o);

/* data: n_matrix rows of 2^c - 2^slots words; coins: M (6 rows), R (6 rows), then 2^slots words a row.
 * Gives all messages and columns that the prover sends as words in *view; checks that the verifier accepts them. */
void opening_view(opening *o, record *view, const uint32_t *data, const uint32_t *coins);

/* The change of the claim when data cell i grows by 1. */
kel opening_claim_of_cell(const opening *o, size_t i);

/* Equations over F that a verifier checks on what it sees: for two evaluations and each position. */
static inline size_t opening_equations(const opening *o)
{
    return K_WORDS * (2 + o->shape.t) * (o->weak.mask_used_twice ? 2 : 1);
}

#endif
