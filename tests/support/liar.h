/* SPDX-License-Identifier: Apache-2.0 */
/* Provers that lie in messages. A push bends one message so that a requirement that would fail holds, and so moves the
 * lie to what that message must be: with repeatable coins the requirement is an affine function of the message, found
 * by two proofs that stop when all claims are made. */
#ifndef ASSAY_TESTS_LIAR_H
#define ASSAY_TESTS_LIAR_H

#include "support/cheats.h"

enum { LIAR_BENDS = 64 };

typedef struct bend {
    const char *label; /* the nth message with this label */
    uint32_t nth, seen;
    kel delta; /* added to its first element */
} bend;

typedef struct liar {
    cheater c;
    assay_request rq;
    assay_tamper tamper;
    bend bend[LIAR_BENDS];
    size_t n;
    const char *requirement; /* what is measured */
    uint32_t nth;
    bool found, measuring;
    kel value;
    /* Hook of the caller's, in the place of diagnosis. */
    void (*claims)(struct liar *l, assay_cp *cp, const assay_witness *w, const assay_kvec *p);
    void (*cells)(struct liar *l, const assay_frame *f, kel *cells);
} liar;

bool liar_begin(liar *l, stage *st, const cheat *base);
void liar_end(liar *l);
/* Adds delta to a message. */
void liar_bend(liar *l, const char *label, uint32_t nth, kel delta);
/* Bends a message so that the requirement holds. False when there is no such requirement; a requirement that holds
 * already bends nothing. */
bool liar_push(liar *l, const char *label, uint32_t nth, const char *requirement, uint32_t nth_requirement);
/* Proves and judges as cheat_check does. */
void liar_check(liar *l, const char *breaks, const char *families);
/* Runs the prover as far as the claims. */
bool liar_claims(liar *l);

#endif
