/* SPDX-License-Identifier: Apache-2.0 */
/* What a proof takes in memory, and in which pieces it is made to fit a bound. */
#ifndef ASSAY_GROTH16_PLAN_H
#define ASSAY_GROTH16_PLAN_H

#include "groth16/key.h"
#include "groth16/wtns.h"

typedef struct assay_groth16_pieces {
    size_t points[ASSAY_ZKEY_H + 1]; /* points of a section read at a time; 0 for a resident key */
    size_t msm[ASSAY_ZKEY_H + 1];    /* most bytes of the sum over a section; 0: no bound */
    size_t coefs;                    /* coefficients read at a time */
    unsigned log_parts;              /* H's scalars are made in so many parts, one after the other */
    bool packed;                     /* the witness is packed for that */
} assay_groth16_pieces;

enum { ASSAY_GROTH16_LOG_PARTS = 3, ASSAY_GROTH16_WINDOWS = 16 }; /* at most */

/* Rows of one of the windows in which products of rows are made. */
static inline uint32_t assay_groth16_window_rows(uint32_t domain)
{
    return domain < ASSAY_GROTH16_WINDOWS ? 1 : domain / ASSAY_GROTH16_WINDOWS;
}

/* Fills *out and *pieces for a bound of `memory` bytes (0: none), for a witness; w NULL: for any. ASSAY_ENOMEM, with
 * the least number of MiB that would do and the bound, when it cannot be kept; *out is filled then too. */
ASSAY_MUST_USE assay_status assay_groth16_plan_pieces(assay_groth16_plan *out, assay_groth16_pieces *pieces,
                                                      const assay_groth16_key *key, const assay_group_backend *be,
                                                      uint64_t memory, const assay_wtns *w, assay_errinfo *err);

/* What stands in memory while a witness of n values is checked against a circuit, beside the circuit. */
uint64_t assay_groth16_plan_beside(uint64_t n);

#endif
