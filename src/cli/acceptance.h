/* SPDX-License-Identifier: Apache-2.0 */
/* The client's acceptance rule, point by point. Source: docs/protocol.md; README, "What the YES means". */
#ifndef ASSAY_CLI_ACCEPTANCE_H
#define ASSAY_CLI_ACCEPTANCE_H

#include "assay/request.h"
#include "assay/text.h"
#include "assay/verify.h"

/* What the client knows by itself. Nothing here comes from the provider's answer but `shown`. */
typedef struct assay_expectation {
    const uint8_t *id;       /* 32 bytes: fixed before the request was sent */
    unsigned security;       /* 128 or 100 */
    const assay_ids *prompt; /* its own rendering of the prompt */
    uint32_t n_max;          /* most reply tokens that it asked for */
    const char *context;
    size_t n_context;
    const assay_policy *policy; /* its own; exact: NULL or that kind */
    const char *shown;          /* the text that was shown to it; NULL: it shows the text of the ids itself */
} assay_expectation;

enum { ASSAY_N_POINTS = 8 };
typedef struct assay_point {
    const char *what;
    int held;
    char reason[320]; /* when it did not */
} assay_point;

/* Fills points (ASSAY_N_POINTS of room) in order; *verdict is ASSAY_ACCEPT iff all held. A status other than ASSAY_OK
 * says that the rule could not be applied (ASSAY_ENOMEM). report: the outcome of the proof's check. */
ASSAY_MUST_USE assay_status assay_acceptance_apply(assay_point *points, assay_verdict *verdict, assay_report *report,
                                                   const assay_verifier *v, const assay_text *t, const assay_request *r,
                                                   const assay_buffer *proof, const assay_expectation *e,
                                                   assay_errinfo *err);

#endif
