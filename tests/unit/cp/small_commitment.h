/* SPDX-License-Identifier: Apache-2.0 */
/* A commitment to a small random model, and a request that it has a result for. */
#ifndef ASSAY_TESTS_CP_SMALL_COMMITMENT_H
#define ASSAY_TESTS_CP_SMALL_COMMITMENT_H

#include "assay/prove.h"
#include "assay/verify.h"
#include "cp/commitment.h"

/* Both report through the harness and return false when something fails. One thread, setting 100. */
bool assay_small_commitment(assay_commitment **out, uint64_t lifetime);
bool assay_small_request(assay_request **out, assay_commitment *c);

/* The verifier's outcome, from the parts of c. */
bool assay_small_verdict(assay_verdict *out, const assay_commitment *c, const assay_request *r,
                         const assay_buffer *proof);

#endif
