/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps of a run and what is stated of them. Source: docs/model.md, "Gap"; docs/protocol.md §7.8. */
#include "base/status.h"
#include "model/forward.h"
#include <stdio.h>

void assay_trace_gap(assay_trace *t, uint32_t p, uint32_t y)
{
    const assay_model_config *c = t->shape.cfg;
    const size_t at = (size_t)p * c->vocab + y;
    const int64_t d = ((int64_t)t->t[TEN_LHI][at] << 16) + t->t[TEN_LLO][at], unit = (int64_t)1 << gap_shift(c);
    const int64_t steps = (d + unit - 1) / unit;
    t->t[TEN_GAP][p] = (int32_t)steps;
    t->t[TEN_GREM][p] = (int32_t)(steps * unit - d);
    t->t[TEN_GZ][p] = steps > 0;
    t->t[TEN_GSP][p] = 0;
}

enum { NATS = 32 };
/* Millionths of a nat as a decimal number. */
static const char *nats(char out[NATS], uint64_t micro)
{
    snprintf(out, NATS, "%llu.%06u", (unsigned long long)(micro / 1000000), (unsigned)(micro % 1000000));
    return out;
}

/* what: "gap_max" or "budget". */
static assay_status beyond(const char *place, const char *what, uint64_t steps, uint64_t limit,
                           const assay_model_config *c, assay_errinfo *err)
{
    char subject[160], a[NATS], b[NATS];
    snprintf(subject, sizeof subject, "%.60s: %s nats below the largest logit, %s %s", place,
             nats(a, assay_gap_micronats(steps, c)), what, nats(b, limit));
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "is not within the policy");
}

/* The least multiple of a sixteenth of a nat that is not below, or the limit. */
static uint32_t rounded_up(uint64_t steps, uint32_t limit, const assay_model_config *c)
{
    const uint64_t grain = (uint64_t)1 << (gap_step_f(c) - 4), v = (steps + grain - 1) / grain * grain;
    return v < limit ? (uint32_t)v : limit;
}

assay_status assay_trace_gap_bounds(assay_trace *t, const assay_policy *policy, bool force, assay_errinfo *err)
{
    const assay_model_config *c = t->shape.cfg;
    uint32_t most, sum;
    uint64_t largest = 0, all = 0;
    assay_gap_bounds b = {ASSAY_POLICY_GAP, 0, 0, 0};
    assay_gap_limits(&most, &sum, policy, c);
    for (uint32_t p = 0; p < t->shape.n_checked; p++) {
        const uint32_t steps = (uint32_t)t->t[TEN_GAP][p];
        char place[ASSAY_TRACE_PLACE];
        assay_trace_place(place, t, p);
        if (steps > most && !force) return beyond(place, "gap_max", steps, policy->gap_max, c, err);
        largest = steps > largest ? steps : largest;
        all += steps;
        b.count += steps > 0;
    }
    if (all > sum && !force) return beyond("all tokens together", "budget", all, policy->budget, c, err);
    b.most = rounded_up(largest, most, c);
    b.sum = rounded_up(all, sum, c);
    t->t[TEN_GSP][0] = (int32_t)((int64_t)b.sum - (int64_t)all);
    t->gap = b;
    return force ? ASSAY_OK : assay_gap_bounds_check(&b, c, t->shape.n_checked, err);
}
