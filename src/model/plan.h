/* SPDX-License-Identifier: Apache-2.0 */
/* From a float checkpoint and its maxima to the integer model (docs/model.md, "Plan"). */
#ifndef ASSAY_MODEL_PLAN_H
#define ASSAY_MODEL_PLAN_H

#include "model/maxima.h"
#include "model/model.h"
#include <stdbool.h>

/* A float matrix as it is quantised: w scale gain[column], each product rounded to float32. gain = NULL: none. */
typedef struct assay_folded {
    const float *w, *gain;
    float scale;
    size_t rows, cols;
} assay_folded;

/* Array i of the weights (model/weights.h) with what is folded into it. */
assay_folded assay_folded_at(const assay_checkpoint *ck, uint32_t i);
/* The bias of weight array i with what is folded into it: one row; w = NULL when it has none. */
assay_folded assay_folded_bias(const assay_checkpoint *ck, uint32_t i);
/* Largest |value|. */
float assay_folded_max(const assay_folded *a);

/* Whether the model is large enough for a fine plan (docs/model.md, "Plan"), and the bits of the residual that are left
 * above its calibrated maximum. */
bool assay_plan_is_fine(const assay_hf_config *c);
double assay_plan_resid_head(const assay_hf_config *c);

/* Every binary point: fills *c, and f[i] with the unit of weight array i: round(w 2^f) has the bits that the plan gives
 * weights, and a bias at the accumulator's unit 30. m: maxima after smoothing. f has room for assay_weight_count(c). On
 * failure *c is empty; err names the site that no shift can serve. */
ASSAY_MUST_USE assay_status assay_plan(assay_model_config *c, int32_t *f, const assay_checkpoint *ck,
                                       const assay_maxima *m, assay_errinfo *err);

/* Allocates the weights of m, whose configuration is planned, and fills them. */
ASSAY_MUST_USE assay_status assay_quantise(assay_model *m, const assay_checkpoint *ck, const int32_t *f,
                                           assay_pool *pool, assay_errinfo *err);

/* Keys and values of a fixed first token, [L][GE], at the units of rotated keys and of values. */
ASSAY_MUST_USE assay_status assay_quantise_first(assay_model *m, const float *first_k, const float *first_v,
                                                 assay_errinfo *err);

#endif
