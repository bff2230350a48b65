/* SPDX-License-Identifier: Apache-2.0 */
/* A small committed model and a request, proven as often as a test likes. */
#ifndef ASSAY_TESTS_HIDING_PROOF_H
#define ASSAY_TESTS_HIDING_PROOF_H

#include "fixed.h"
#include "support/cp_fixture.h"
#include "unit/model/small_model.h"

typedef struct proof_maker {
    cp_fixture f;
    assay_request rq;
} proof_maker;

/* Commits to a small model; a request of n_prompt tokens with n_new tokens of reply at most. False: reported. */
bool proof_maker_new(proof_maker *m, assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint64_t seed);
void proof_maker_clear(proof_maker *m);
/* Another request to the same model. */
bool proof_maker_ask(proof_maker *m, assay_request *rq, uint32_t n_prompt, uint32_t n_new, uint64_t seed);

/* Proves as the hooks say, up to and with the batch only if claims_only. */
void proof_make(proof_maker *m, const assay_request *rq, const assay_cheat *hooks, bool claims_only,
                assay_writer *proof);

/* How many of n elements are the same as one before them. */
size_t proof_repeats(const kel *v, size_t n);

#endif
