/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of RoPE scaling from the parameters of a checkpoint. */
#include "model/rope_scaling.h"
#include <math.h>

void assay_rope_scale_pair(assay_hf_config *c, uint32_t i, double x)
{
    if (c->n_rope == 0) {
        c->n_rope = c->head_dim / 2;
        for (uint32_t k = 0; k < c->n_rope; k++) c->rope_factor[k] = 1;
    }
    c->rope_factor[i] = (float)((double)c->rope_factor[i] * x);
}

void assay_rope_scale_linear(assay_hf_config *c, double factor)
{
    for (uint32_t i = 0; i < c->head_dim / 2; i++) assay_rope_scale_pair(c, i, factor);
}

void assay_rope_scale_llama3(assay_hf_config *c, double factor, double low, double high, double context)
{
    const double turn = 2 * acos(-1.0);
    for (uint32_t i = 0; i < c->head_dim / 2; i++) {
        double turns = context * pow(c->rope_theta, -(double)(2 * i) / (double)c->head_dim) / turn;
        double s = fmin(fmax((turns - low) / (high - low), 0.0), 1.0);
        assay_rope_scale_pair(c, i, 1 / ((1 - s) / factor + s));
    }
}

bool assay_rope_settle(assay_hf_config *c)
{
    bool one = true;
    for (uint32_t i = 0; i < c->n_rope; i++) {
        if (!(c->rope_factor[i] >= 1 && c->rope_factor[i] <= ASSAY_MAX_ROPE_FACTOR)) return false;
        one = one && c->rope_factor[i] <= 1;
    }
    if (one) c->n_rope = 0;
    return true;
}
