/* SPDX-License-Identifier: Apache-2.0 */
/* The weight matrices as rows over F with their random slots, and their tree; docs/protocol.md §6.4. Secret. */
#ifndef ASSAY_CP_WEIGHT_ROWS_H
#define ASSAY_CP_WEIGHT_ROWS_H

#include "commit/matrix.h"
#include "commit/tail.h"
#include "cp/shape.h"
#include "model/model.h"

typedef struct assay_weight_rows {
    uint32_t **row; /* 2^jb pointers into words */
    uint32_t *words;
    size_t n_rows, n_words;
    assay_code *code; /* main code, shared with the witness */
    uint8_t salt_key[32];
} assay_weight_rows;

/* seed: the commitment's 32 secret bytes; slots and salts are streams of it. */
ASSAY_MUST_USE assay_status assay_weight_rows_new(assay_weight_rows *r, const assay_model *m,
                                                  const assay_commit_params *p, const uint8_t seed[32],
                                                  const assay_backend *be, assay_errinfo *err);
void assay_weight_rows_clear(assay_weight_rows *r); /* wipes */

#endif
