/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating the claims of the tail, for the verifier: at a random point, and on a vector in clear. */
#ifndef ASSAY_COMMIT_TAIL_CLAIMS_H
#define ASSAY_COMMIT_TAIL_CLAIMS_H

#include "commit/tail.h"

/* The functional's multilinear extension at r (c coordinates). log_rate: the code of positions. */
kel assay_tail_claim_at(const assay_tail_claim *claim, unsigned c, unsigned log_rate, const kel *r);

/* Whether <functional, u> = value for every claim; u has 2^c elements. About 2^c products a position, and scratch of
 * 2^c elements twice: ASSAY_ENOMEM (*holds is then false). */
ASSAY_MUST_USE assay_status assay_tail_claims_hold(bool *holds, const assay_tail_claim *claims, size_t n_claims,
                                                   unsigned c, unsigned log_rate, const kel *u);

#endif
