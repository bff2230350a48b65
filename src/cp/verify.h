/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a proof. Portable: libc only, one thread. */
#ifndef ASSAY_CP_VERIFY_H
#define ASSAY_CP_VERIFY_H

#include "cp/public.h"
#include "cp/soundness.h"

/* Why a proof was rejected: static text, "" when accepted. */
typedef struct assay_cp_result {
    assay_verdict verdict;
    const char *reason;
    assay_gap_bounds gap;             /* what the proof states */
    assay_soundness_inputs soundness; /* filled as far as the shape is known */
} assay_cp_result;

/* policy: the caller's; NULL: exact. The proof's own statement must imply it. min_security: what the caller insists on
 * (128 or 100). drop: test hook, a requirement that is not made; NULL in production. leaf_limit: 0, but in tests. A
 * status other than ASSAY_OK says that the check could not run; the verdict is then REJECT. */
ASSAY_MUST_USE assay_status assay_cp_verify(assay_cp_result *out, const assay_public *pub, const assay_request *rq,
                                            const assay_policy *policy, const uint8_t *proof, size_t n_proof,
                                            uint32_t min_security, const char *drop, uint64_t leaf_limit,
                                            assay_errinfo *err);

#endif
