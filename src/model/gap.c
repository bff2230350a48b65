/* SPDX-License-Identifier: Apache-2.0 */
/* Units and bounds of gaps. */
#include "model/gap.h"

#include "base/status.h"

enum { MILLION = 1000000 };
static const uint64_t field_p = 2147483647;

assay_status assay_gap_config_check(const assay_model_config *c, assay_errinfo *err)
{
    if (c->logit_f >= GAP_LOGIT_F_MIN && c->logit_f <= GAP_LOGIT_F_MAX) return ASSAY_OK;
    return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, "policy gap", "is not defined for this model's logit unit (log2)",
                       c->logit_f);
}

assay_status assay_gap_bounds_check(const assay_gap_bounds *b, const assay_model_config *c, uint32_t n_checked,
                                    assay_errinfo *err)
{
    if (b->policy == ASSAY_POLICY_EXACT)
        return b->most || b->sum || b->count
                   ? ASSAY_FAIL(err, ASSAY_ERANGE, "proof", "states bounds under the exact policy")
                   : ASSAY_OK;
    if (b->policy != ASSAY_POLICY_GAP)
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, "proof", "states an unknown policy", b->policy);
    assay_status s = assay_gap_config_check(c, err);
    if (s != ASSAY_OK) return s;
    if (b->most >> gap_bits(c))
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "proof", "states a gap that is out of range", b->most);
    if (b->sum >= field_p) return ASSAY_FAIL1(err, ASSAY_ERANGE, "proof", "states a sum that is out of range", b->sum);
    if (b->count > n_checked)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "proof", "states more gaps than there are tokens", b->count, n_checked);
    if (n_checked * ((uint64_t)b->most + (1 << GAP_SPARE_BITS) - 1) >= field_p)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "proof", "states a gap too large for this many tokens", b->most,
                           n_checked);
    return ASSAY_OK;
}

void assay_gap_limits(uint32_t *most, uint32_t *sum, const assay_policy *policy, const assay_model_config *c)
{
    const int32_t f = gap_step_f(c);
    uint64_t m = (policy->gap_max << f) / MILLION, u = (policy->budget << f) / MILLION;
    const uint64_t top = ((uint64_t)1 << gap_bits(c)) - 1;
    *most = (uint32_t)(m < top ? m : top);
    *sum = (uint32_t)(u < field_p - 1 ? u : field_p - 1);
}

uint64_t assay_gap_micronats(uint64_t steps, const assay_model_config *c)
{
    const int32_t f = gap_step_f(c);
    return (steps * MILLION + ((uint64_t)1 << f) - 1) >> f;
}
