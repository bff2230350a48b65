/* SPDX-License-Identifier: Apache-2.0 */
/* The weight arrays of a model as one list, in the order of the weights file: embedding, head (unless tied), final
 * gain, then q, k, v, o, gate, up, down of each layer, in models with norms of heads each followed by the gains of q
 * and k, and, where the first token is fixed, its keys and values. */
#ifndef ASSAY_MODEL_WEIGHTS_H
#define ASSAY_MODEL_WEIGHTS_H

#include "model/model.h"

enum { ASSAY_LAYER_MATRICES = 7, ASSAY_LAYER_ARRAYS = 9 /* at most */ };
/* Arrays of a layer. */
static inline uint32_t assay_layer_arrays(uint32_t parts)
{
    return parts & ASSAY_PART_QK_NORM ? ASSAY_LAYER_ARRAYS : ASSAY_LAYER_MATRICES;
}

/* rows is the output axis; a gain is one row. */
typedef struct assay_weight_array {
    int16_t **slot; /* the pointer inside the model */
    uint32_t rows, cols;
} assay_weight_array;

/* Biases in the order of the weights file, after the weights: q, k, v of each layer. None in models without. */
enum { ASSAY_LAYER_BIASES = 3 };
typedef struct assay_bias_array {
    int32_t **slot;
    uint32_t n;
} assay_bias_array;
uint32_t assay_bias_count(const assay_model_config *c);
/* i < assay_bias_count(&m->cfg). */
assay_bias_array assay_bias_at(assay_model *m, uint32_t i);
/* Biases of all layers. */
uint64_t assay_bias_total(const assay_model_config *c);

uint32_t assay_weight_count(const assay_model_config *c);
/* Index of the first token's keys, after all layers; its values follow. */
static inline uint32_t assay_weight_first(const assay_model_config *c)
{
    return (c->tied ? 2u : 3u) + assay_layer_arrays(c->parts) * c->n_layers;
}
/* i < assay_weight_count(&m->cfg). */
assay_weight_array assay_weight_at(assay_model *m, uint32_t i);
/* Sum of rows cols over all arrays; the configuration is checked, so this is below 2^50. */
uint64_t assay_weight_total(const assay_model_config *c);

/* Wipes and frees the weights; the configuration stays. */
void assay_weights_clear(assay_model *m);

/* The weights file's bytes, piece by piece. Stops at the first failure of `put`. */
typedef assay_status assay_weights_sink(void *ctx, const void *p, size_t n, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_model_weights_emit(const assay_model *m, assay_weights_sink *put, void *ctx,
                                                     assay_errinfo *err);

/* The weights file from memory. `name` is for messages. Decoding needs m->cfg and allocates the weights; on failure
 * no weights are left. */
ASSAY_MUST_USE assay_status assay_model_weights_decode(assay_model *m, const char *name, const uint8_t *p, size_t n,
                                                       assay_errinfo *err);

#endif
