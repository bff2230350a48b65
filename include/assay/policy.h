/* SPDX-License-Identifier: Apache-2.0 */
/* How close to the model's own choice a reply must be. In libassay_verify and libassay. A policy is the client's: a
 * proof states what it shows, and the check compares that with the policy given to it. */
#ifndef ASSAY_POLICY_H
#define ASSAY_POLICY_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_policy_kind {
    ASSAY_POLICY_EXACT = 0, /* every token is the smallest index of its largest logit */
    ASSAY_POLICY_GAP = 1    /* every token's logit is near the largest one */
} assay_policy_kind;

/* The gap of a token: the largest logit minus the token's, in nats by the commitment's logit unit. Under
 * ASSAY_POLICY_GAP no gap is above gap_max, and all gaps of a reply together are not above budget. Both in millionths
 * of a nat, below 10^12; 0 under ASSAY_POLICY_EXACT. Where a function takes a policy, NULL means exact. */
typedef struct assay_policy {
    assay_policy_kind kind;
    uint64_t gap_max, budget;
} assay_policy;

/* From the bytes of a policy file (docs/formats.md), which may be hostile. On failure *out is the exact policy.
 * Errors: ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (unknown version or rule). */
ASSAY_API ASSAY_MUST_USE assay_status assay_policy_parse(assay_policy *out, const void *text, size_t n,
                                                         assay_errinfo *err);

#ifdef __cplusplus
}
#endif
#endif
