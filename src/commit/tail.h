/* SPDX-License-Identifier: Apache-2.0 */
/* The tail: a plain (not hiding) argument that a vector u in K^(2^c), bound by a folded oracle, satisfies linear claims
 * (docs/protocol.md, "Tail"). One text for both parties. */
#ifndef ASSAY_COMMIT_TAIL_H
#define ASSAY_COMMIT_TAIL_H

#include "backend/backend.h"
#include "commit/channel.h"

/* <functional, u> = value, of one of three shapes. */
typedef enum assay_functional_kind {
    ASSAY_FUN_EQ,      /* eq(point, .), c coordinates */
    ASSAY_FUN_PREFIX,  /* coef[0 .. n-1] on the first n entries, 0 elsewhere */
    ASSAY_FUN_POSITION /* codeword position pos of the code (c, log_rate) */
} assay_functional_kind;
typedef struct assay_tail_claim {
    assay_functional_kind kind;
    const kel *k; /* point or coef; borrowed */
    size_t n;     /* PREFIX */
    uint64_t pos;
    kel value;
} assay_tail_claim;

/* Draws positions in the oracle that u was folded from, opens them and appends POSITION claims (at most max of them).
 * Called once, right after u (or its root) is bound. Returns the number of claims. */
typedef size_t assay_tail_opener(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max);

/* Query counts, pinned: positions in a code of rate 2^-log_rate at security setting 128 or 100. */
size_t assay_query_count(unsigned security, unsigned log_rate);
enum { ASSAY_MAX_QUERIES = 192, ASSAY_MAIN_LOG_RATE = 2, ASSAY_TAIL_LOG_RATE = 3, ASSAY_TAIL_FOLD = 4, ASSAY_TAIL_STOP = 12 };

/* u: the prover's vector (consumed: overwritten, then freed by the caller), NULL for the verifier; be: NULL for the verifier.
 * claims: n_claims of kind EQ or PREFIX over 2^c entries. main_log_rate: the code of the positions that `opener` returns. */
void assay_tail_run(assay_channel *ch, const assay_backend *be, unsigned security, unsigned c, assay_kvec *u,
                    const assay_tail_claim *claims, size_t n_claims, assay_tail_opener *opener, void *opener_ctx);

#endif
