/* SPDX-License-Identifier: Apache-2.0 */
/* Small models of any shape with random weights, for tests: checked configurations, requests with a result. */
#ifndef ASSAY_TESTS_MODEL_SMALL_MODEL_H
#define ASSAY_TESTS_MODEL_SMALL_MODEL_H

#include "model/model.h"

/* options: a sum of these; true and false are SMALL_TIED and nothing. */
enum {
    SMALL_TIED = 1,
    SMALL_BIAS = 2,
    SMALL_REMAINDER = 4 /* distances have remainders, of 4 bits */,
    SMALL_NORMS = 8 /* of heads */
};

typedef struct assay_small_shape {
    uint32_t n_layers, d, n_heads, n_kv, head_dim, ff, vocab;
    uint32_t options;
} assay_small_shape;

/* Weights from a seed. Reports through the harness and returns false when something fails. */
bool assay_small_model(assay_model *m, assay_small_shape shape, uint64_t seed);

/* Makes token 1 the fixed first token of such a model: its keys and values are random. */
bool assay_small_fix_first(assay_model *m, uint64_t seed);

/* n token ids below the vocabulary from a seed. */
void assay_small_ids(uint32_t *ids, uint32_t n, uint32_t vocab, uint64_t seed);

#endif
