/* SPDX-License-Identifier: Apache-2.0 */
/* Sumcheck of degree 2 with messages in clear: round i sends g(0) and g(2); g(1) = claim - g(0). Variable 0 (the lowest
 * index bit) is bound first. One text for both parties; used by the merge (masked) and the tail. */
#ifndef ASSAY_COMMIT_PLAIN_SUMCHECK_H
#define ASSAY_COMMIT_PLAIN_SUMCHECK_H

#include "commit/channel.h"

/* The prover's side of any sumcheck. round: values of the message at 0, 2, 3, .., degree (in that order) given the
 * current claim; fold: binds the variable to r. NULL for verifier and planner. */
typedef struct assay_sumcheck_prover {
    void (*round)(void *ctx, kel *values, kel claim);
    void (*fold)(void *ctx, kel r);
    void *ctx;
} assay_sumcheck_prover;

/* Returns the last claim; point[i] is the challenge of variable i. Labels "<name>/g" and "<name>/r". */
kel assay_plain_sumcheck(assay_channel *ch, const char *name, kel claim, unsigned n_vars,
                         const assay_sumcheck_prover *sp, kel *point);

/* Value at r of the polynomial of degree deg (1..3) with values v[0..deg] at 0..deg. */
kel assay_lagrange_eval(const kel *v, unsigned deg, kel r);

#endif
