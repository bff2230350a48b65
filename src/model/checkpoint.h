/* SPDX-License-Identifier: Apache-2.0 */
/* A float checkpoint: what the importer quantises. Float32, matrices [out][in] row-major. Secret (class B).
 *
 * Legend: D width, H query heads, G key/value heads, E head dimension, F hidden width, V vocabulary. */
#ifndef ASSAY_MODEL_CHECKPOINT_H
#define ASSAY_MODEL_CHECKPOINT_H

#include "model/hf_config.h"

typedef struct assay_checkpoint_layer {
    float *g1, *q, *k, *v, *o, *g2, *gate, *up, *down; /* [D] [HE,D] [GE,D] [GE,D] [D,HE] [D] [F,D] [F,D] [D,F] */
    float *bq, *bk, *bv;                               /* [HE] [GE] [GE] biases, or NULL */
    float *nq, *nk;                                    /* [E] [E] gains of q/k norms, or NULL */
} assay_checkpoint_layer;

typedef struct assay_checkpoint {
    assay_hf_config cfg;
    float *embed, *head, *gf; /* [V,D] [V,D] [D]; head = embed when tied */
    assay_checkpoint_layer *layer;
} assay_checkpoint;

/* Reads a GGUF file (model/gguf.h), or config.json, generation_config.json if there, and model.safetensors or every
 * model*.safetensors of a folder. Each tensor's memory is allocated only after the file was seen to hold it, so memory
 * stays below twice the files (quantised ones: below eight times). On failure *ck is empty and err names file, tensor
 * and reason. */
ASSAY_MUST_USE assay_status assay_checkpoint_open(assay_checkpoint *ck, const char *path, assay_errinfo *err);
void assay_checkpoint_clear(assay_checkpoint *ck); /* wipes */

/* The path of a file that comes with a model: in its folder, or in the folder in which its GGUF file lies. */
ASSAY_MUST_USE assay_status assay_checkpoint_companion(char *out, size_t nbytes, const char *path, const char *name,
                                                       assay_errinfo *err);

#endif
