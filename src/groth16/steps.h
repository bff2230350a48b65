/* SPDX-License-Identifier: Apache-2.0 */
/* A proof in two steps, for callers that wait in between: what is known from the witness and the circuit, then the
 * proof itself. assay_groth16_prove is one after the other. */
#ifndef ASSAY_GROTH16_STEPS_H
#define ASSAY_GROTH16_STEPS_H

#include "assay/groth16.h"
#include "groth16/vk.h"
#include "groth16/wtns.h"

/* What stands between the steps: 32 bytes a wire. Secret. */
typedef struct assay_groth16_begun {
    const assay_groth16_key *key; /* borrowed */
    assay_wtns w;
    assay_publics publics;
    bool checked; /* the witness satisfies the circuit */
} assay_groth16_begun;

/* The share of the first step in the whole, for progress, when there is a circuit to check against; else 0. */
#define ASSAY_GROTH16_BEGIN_SHARE 0.2

/* The stage that the second step's progress names last, while it checks its own proof. */
extern const char assay_groth16_own_check[];

/* Parses the witness, and checks it against options->r1cs if that is set; that a proof fits into options->memory is
 * looked at before. *out is empty on failure. The bytes of the witness are not needed afterwards. Errors, progress (of
 * the whole): those of assay_groth16_prove. */
ASSAY_MUST_USE assay_status assay_groth16_begin(assay_groth16_begun *out, const assay_groth16_key *key,
                                                const void *wtns, size_t n, const assay_groth16_prove_options *options,
                                                assay_errinfo *err);
/* Proves; *b is used up: cleared, also on failure. Of the options threads, memory and progress count. */
ASSAY_MUST_USE assay_status assay_groth16_finish(assay_groth16_begun *b, assay_buffer *proof, assay_buffer *publics,
                                                 const assay_groth16_prove_options *options, assay_errinfo *err);
void assay_groth16_begun_clear(assay_groth16_begun *b); /* wipes */

#endif
