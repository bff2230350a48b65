/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a Hugging Face config.json that a model of the Llama family is made of. */
#ifndef ASSAY_MODEL_HF_CONFIG_H
#define ASSAY_MODEL_HF_CONFIG_H

#include "model/config.h"
#include <stdbool.h>

/* Largest shapes that any kind of checkpoint may have, as assay_model_config_check has them. */
enum {
    ASSAY_MAX_WIDTH = (1 << 15) - 1,
    ASSAY_MAX_HEADS = 1024,
    ASSAY_MAX_HEAD_DIM = 1024,
    ASSAY_MAX_FF = 1 << 18,
    ASSAY_MAX_VOCAB = 1 << 22,
    ASSAY_MAX_ROPE_FACTOR = 1 << 16
};

typedef struct assay_hf_config {
    uint32_t n_layers, d, n_heads, n_kv, head_dim, ff, vocab, max_positions, tied; /* as in assay_model_config */
    uint32_t parts;                                                                /* as there */
    double rope_theta, eps;
    uint32_t fixed_first;              /* chosen at import: see assay_model_config */
    uint32_t n_rope;                   /* 0, or E / 2: */
    float rope_factor[ASSAY_MAX_ROPE]; /* frequency of pair i is divided by it; 1 to ASSAY_MAX_ROPE_FACTOR */
    int32_t bos, eos;                  /* -1: none; eos: the first one, which ends a document of the calibration text */
    uint32_t n_stop;
    uint32_t stop[ASSAY_MAX_STOP_IDS]; /* increasing */
} assay_hf_config;

/* json is untrusted. name: the file, for messages, which name the key. ASSAY_EUNSUPPORTED for another kind of model.
 * Every number is inside the ranges that assay_model_config_check asks for. */
ASSAY_MUST_USE assay_status assay_hf_config_parse(assay_hf_config *c, const char *name, const uint8_t *json, size_t n,
                                                  assay_errinfo *err);
/* Adds the stop tokens of a generation_config.json. */
ASSAY_MUST_USE assay_status assay_hf_generation_parse(assay_hf_config *c, const char *name, const uint8_t *json,
                                                      size_t n, assay_errinfo *err);

/* Adds a stop token once, in its place; false when there is no room. */
bool assay_hf_config_add_stop(assay_hf_config *c, uint32_t id);

#endif
