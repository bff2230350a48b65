/* SPDX-License-Identifier: Apache-2.0 */
/* The tail: a plain (not hiding) argument that a vector u in K^(2^c), bound by a folded oracle, satisfies linear claims
 * (docs/protocol.md, "Tail"). One text for both parties: the prover's half stands behind assay_tail_prover, so that a
 * verifier links none of it. */
#ifndef ASSAY_COMMIT_TAIL_H
#define ASSAY_COMMIT_TAIL_H

#include "backend/backend.h"
#include "commit/channel.h"
#include "commit/code.h"
#include "commit/plain_sumcheck.h"
#include "commit/queries.h"

/* <functional, u> = value, of one of three shapes. */
typedef enum assay_functional_kind {
    ASSAY_FUN_EQ,      /* eq(point, .), c coordinates */
    ASSAY_FUN_PREFIX,  /* coef[0 .. n-1] on the first n entries (n <= 2^c), 0 elsewhere */
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

/* Pinned shape: the code of level 0's positions, the code of the tail's own trees, log2 of the rows of such a tree, and
 * the largest c at which u is sent in clear. ASSAY_TAIL_MAX_CLAIMS bounds the claims that a caller brings. */
enum {
    ASSAY_MAIN_LOG_RATE = 2,
    ASSAY_TAIL_LOG_RATE = 3,
    ASSAY_TAIL_FOLD = 4,
    ASSAY_TAIL_STOP = 12,
    ASSAY_TAIL_LEVELS = 5, /* levels when c <= 30 */
    ASSAY_TAIL_MAX_CLAIMS = 8
};

/* The prover's half, level by level; failures go to the channel's status, after which the calls give zeros. */
typedef struct assay_tail_prover {
    /* Commits to the present u as the matrix of `level`. */
    void (*commit)(void *ctx, assay_channel *ch, unsigned level, uint8_t root[32]);
    /* Opens the matrix of `level`: columns of 6 * 2^ASSAY_TAIL_FOLD words. */
    void (*open)(void *ctx, assay_channel *ch, unsigned level, const uint64_t *pos, size_t npos, uint32_t *columns);
    /* Starts the sumcheck of sum_i gamma^i functional_i times u; positions belong to the code (c, log_rate of the
     * level). */
    const assay_sumcheck_prover *(*sumcheck)(void *ctx, assay_channel *ch, unsigned level,
                                             const assay_tail_claim *claims, size_t n_claims, kel gamma);
    /* u's multilinear extension at the sumcheck's point, when all its variables are bound. */
    kel (*value)(void *ctx);
    /* The next u: sum over the 2^ASSAY_TAIL_FOLD rows, weighted. */
    void (*fold)(void *ctx, assay_channel *ch, unsigned level, const kel *weights);
    /* Copies the last u, which `level` folds led to. */
    void (*vector)(void *ctx, assay_channel *ch, unsigned level, kel *out);
    void *ctx;
} assay_tail_prover;

/* tail_prove.c. main_code: (c, ASSAY_MAIN_LOG_RATE), borrowed. u: borrowed until freed; it may still be empty here, it
 * is read from the start of assay_tail_run on and not changed. Memory, in vectors of u's size: phi, half of one for the
 * folded u, and one for scratch (the codewords of a group, or the transposed code), besides u. */
ASSAY_MUST_USE assay_status assay_tail_prover_new(assay_tail_prover **tp, const assay_backend *be,
                                                  const assay_code *main_code, const assay_kvec *u, assay_errinfo *err);
void assay_tail_prover_free(assay_tail_prover *tp); /* NULL is fine; wipes */

/* The tail in two parts, for a prover whose opener waits for others: start binds u, finish opens and does the rest. tp:
 * NULL for the verifier. claims: n_claims <= ASSAY_TAIL_MAX_CLAIMS of kind EQ or PREFIX; what they borrow must live
 * until the end. start gives NULL after a failure, which the channel knows of; finish takes that, and frees. */
typedef struct assay_tail assay_tail;
assay_tail *assay_tail_start(assay_channel *ch, const assay_tail_prover *tp, unsigned security, unsigned c,
                             const assay_tail_claim *claims, size_t n_claims);
void assay_tail_finish(assay_tail *t, assay_tail_opener *opener, void *opener_ctx);
void assay_tail_free(assay_tail *t); /* one that is not finished; NULL is fine */

/* Runs the tail on u of 2^c elements (1 <= c <= 28). tp: NULL for the verifier. claims: n_claims <=
 * ASSAY_TAIL_MAX_CLAIMS of kind EQ or PREFIX. opener: positions of the code (c, ASSAY_MAIN_LOG_RATE). The outcome is in
 * the channel. */
void assay_tail_run(assay_channel *ch, const assay_tail_prover *tp, unsigned security, unsigned c,
                    const assay_tail_claim *claims, size_t n_claims, assay_tail_opener *opener, void *opener_ctx);

#endif
