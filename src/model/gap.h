/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: how far a claimed token lies below the largest logit, in steps of 2^-step_f nat. Source: docs/model.md, "Gap".
 *
 * A gap of d logit units is ceil(d / 2^shift) steps: rounded against the prover. The configuration's logit unit is the
 * committer's, so it is pinned: with 8 <= logit_f <= 26 a step is 1/256 to 1/1024 nat, and the largest gap that can be
 * said, 2^bits - 1 steps, is 15 nats or more. */
#ifndef ASSAY_MODEL_GAP_H
#define ASSAY_MODEL_GAP_H

#include "assay/policy.h"
#include "model/config.h"
#include <stdbool.h>

enum {
    GAP_LOGIT_F_MIN = 8,
    GAP_LOGIT_F_MAX = 26,
    GAP_STEP_F = 10,
    GAP_BITS = 16,
    GAP_SPARE_BITS = 8, /* of what a position may add to the sum that is stated */
    GAP_DIFF_BITS = 30  /* of a difference of logits */
};

/* What a proof states: no gap is above `most` steps, all gaps together are not above `sum` steps, and at most `count`
 * tokens have a gap at all. All zero under the exact policy, which states more. Public. */
typedef struct assay_gap_bounds {
    uint32_t policy; /* assay_policy_kind */
    uint32_t most, sum, count;
} assay_gap_bounds;

static inline int32_t gap_step_f(const assay_model_config *c)
{
    return c->logit_f < GAP_STEP_F ? c->logit_f : GAP_STEP_F;
}
/* log2 of the logit units in a step: 0 .. 16. */
static inline int32_t gap_shift(const assay_model_config *c)
{
    return c->logit_f - gap_step_f(c);
}
/* Bits of a gap in steps: 2^(bits + shift) <= 2^30, the range of a difference, so that nothing wraps. */
static inline int32_t gap_bits(const assay_model_config *c)
{
    int32_t room = GAP_DIFF_BITS - gap_shift(c);
    return room < GAP_BITS ? room : GAP_BITS;
}

/* Whether the logit unit is one for which gaps are defined: ASSAY_EUNSUPPORTED. */
ASSAY_MUST_USE assay_status assay_gap_config_check(const assay_model_config *c, assay_errinfo *err);
/* Whether bounds can be stated for n_checked positions of this model: most < 2^bits, count <= n_checked, and
 * n_checked (most + 2^8 - 1) < p, so that the relation of the sum does not wrap. ASSAY_ERANGE; unknown policies
 * ASSAY_EUNSUPPORTED. */
ASSAY_MUST_USE assay_status assay_gap_bounds_check(const assay_gap_bounds *b, const assay_model_config *c,
                                                   uint32_t n_checked, assay_errinfo *err);
/* Limits of a gap policy in whole steps, rounded down, no larger than can be stated. */
void assay_gap_limits(uint32_t *most, uint32_t *sum, const assay_policy *policy, const assay_model_config *c);
/* steps as millionths of a nat, rounded up. */
uint64_t assay_gap_micronats(uint64_t steps, const assay_model_config *c);

#endif
