/* SPDX-License-Identifier: Apache-2.0 */
/* RoPE scaling: the factor by which the frequency of each rotated pair is divided. Whatever a checkpoint says becomes a
 * list of float32 factors, one a pair, which the configuration holds exactly (model/config.h). */
#ifndef ASSAY_MODEL_ROPE_SCALING_H
#define ASSAY_MODEL_ROPE_SCALING_H

#include "model/hf_config.h"

/* Divides the frequency of every pair by factor; c->head_dim is set. */
void assay_rope_scale_linear(assay_hf_config *c, double factor);

/* Llama 3.1: pairs that turn less than `low` times in `context` positions are divided by factor, those that turn more
 * than `high` times are kept, those between by 1 / ((1 - s) / factor + s) with s linear in the number of turns.
 * 0 < low < high; c->head_dim and c->rope_theta are set. Source: transformers, modeling_rope_utils.py. */
void assay_rope_scale_llama3(assay_hf_config *c, double factor, double low, double high, double context);

/* Multiplies the factor of pair i by x. */
void assay_rope_scale_pair(assay_hf_config *c, uint32_t i, double x);

/* Whether every factor lies in 1 to ASSAY_MAX_ROPE_FACTOR (false for NaN). Factors that are all 1 are dropped. */
bool assay_rope_settle(assay_hf_config *c);

#endif
