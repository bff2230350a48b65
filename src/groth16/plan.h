/* SPDX-License-Identifier: Apache-2.0 */
/* What a proof takes in memory, and in which pieces it is made to fit a bound. */
#ifndef ASSAY_GROTH16_PLAN_H
#define ASSAY_GROTH16_PLAN_H

#include "groth16/key.h"

typedef struct assay_groth16_pieces {
    size_t points[ASSAY_ZKEY_H + 1]; /* points of a section read at a time; 0 for a resident key */
    size_t msm[ASSAY_ZKEY_H + 1];    /* most bytes of the sum over a section; 0: no bound */
    size_t coefs;                    /* coefficients read at a time */
} assay_groth16_pieces;

/* Fills *out and *pieces for a bound of `memory` bytes (0: none). ASSAY_ENOMEM, with the least number of MiB that would
 * do and the bound, when it cannot be kept; *out is filled then too. */
ASSAY_MUST_USE assay_status assay_groth16_plan_pieces(assay_groth16_plan *out, assay_groth16_pieces *pieces,
                                                      const assay_groth16_key *key, const assay_group_backend *be,
                                                      uint64_t memory, assay_errinfo *err);

/* What stands in memory while a witness of n values is checked against a circuit, beside the circuit. */
uint64_t assay_groth16_plan_beside(uint64_t n);

#endif
