/* SPDX-License-Identifier: Apache-2.0 */
/* Where each tensor of a file goes in a checkpoint, by the names that a kind of file uses. */
#ifndef ASSAY_MODEL_CHECKPOINT_SLOTS_H
#define ASSAY_MODEL_CHECKPOINT_SLOTS_H

#include "model/checkpoint.h"

/* In the order of assay_checkpoint_layer, and embedding, final gain, head. */
enum {
    ASSAY_SLOT_Q = 1,
    ASSAY_SLOT_K = 2,
    ASSAY_SLOT_BQ = 9,
    ASSAY_SLOT_BK = 10,
    ASSAY_LAYER_TENSORS = 14,
    ASSAY_END_TENSORS = 3,
    ASSAY_END_HEAD = 2,
    ASSAY_TENSOR_NAME_BYTES = 256
};

/* A tensor of layer l is called prefix, l, ".", layer[i]. */
typedef struct assay_tensor_names {
    const char *prefix;
    const char *layer[ASSAY_LAYER_TENSORS];
    const char *end[ASSAY_END_TENSORS];
} assay_tensor_names;

/* A tensor's place and shape; rows = 1 for a vector. which: ASSAY_SLOT_..., meaningful only for tensors of layers. */
typedef struct assay_slot {
    float **at;
    uint32_t rows, cols, which;
} assay_slot;

/* at = NULL when the model, as ck->cfg has it, has no tensor of that name. ck->cfg is filled and ck->layer allocated.
 */
assay_slot assay_checkpoint_slot(assay_checkpoint *ck, const assay_tensor_names *names, const char *name);

/* Room for the tensor of a slot. `file` and `name` are for messages. */
ASSAY_MUST_USE assay_status assay_slot_alloc(assay_slot to, const char *file, const char *name, assay_errinfo *err);

/* Every tensor is there; with tied embeddings the head becomes the embedding. */
ASSAY_MUST_USE assay_status assay_checkpoint_complete(assay_checkpoint *ck, const assay_tensor_names *names,
                                                      const char *file, assay_errinfo *err);

#endif
