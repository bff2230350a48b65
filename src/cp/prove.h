/* SPDX-License-Identifier: Apache-2.0 */
/* Making a proof. */
#ifndef ASSAY_CP_PROVE_H
#define ASSAY_CP_PROVE_H

#include "assay/progress.h"
#include "cp/protocol.h"
#include "cp/public.h"
#include "cp/weight_rows.h"
#include "cp/witness.h"

/* Test hooks: a prover that breaks one thing and is honest otherwise. Each may be NULL; the whole is NULL in
 * production. */
typedef struct assay_cheat {
    void *ctx;
    const assay_run_hook *run;                                  /* values of the run, before what follows from them */
    void (*bounds)(void *ctx, assay_gap_bounds *gap);           /* what is stated, under a gap policy */
    void (*witness)(void *ctx, assay_witness *w);               /* tensors, before distances and multiplicities */
    void (*counts)(void *ctx, assay_witness *w);                /* distances and multiplicities */
    void (*cells)(void *ctx, const assay_frame *f, kel *cells); /* hiding cells */
    void (*rows)(void *ctx, const assay_frame *f, uint32_t **rows); /* the F-rows, before they are committed */
    /* What the prover goes on with: F-rows, M, R. The openings need the committed ones again (`opening`). */
    void (*after_commit)(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r);
    void (*weights)(void *ctx, uint32_t **weight_rows); /* what is folded, not what was committed */
    const assay_tamper *messages;
    const char *drop;      /* a requirement that neither party makes */
    const uint8_t *coins;  /* 32 bytes in place of all of the proof's randomness: repeatable proofs */
    const uint8_t *system; /* 32 bytes in place of the system's randomness alone; coins are derived as in production */
    uint64_t leaf_limit;
    void (*claims)(void *ctx, assay_cp *cp, const assay_witness *w,
                   const assay_kvec *p); /* when all are made: diagnosis */
    /* The vector that is opened, and where it comes from: the merge, phi at its point, M. */
    void (*opening)(void *ctx, const assay_merge_result *merge, kel phi, const assay_kvec *m, assay_kvec *u);
    bool accept_no_result; /* run the model with `force` and in the field */
} assay_cheat;

/* What the prover holds of a commitment. */
typedef struct assay_prover_key {
    const assay_public *pub;
    const assay_model *model;
    const assay_weight_rows *rows;
    const assay_matrix *tree; /* over rows */
    const uint8_t *seed;      /* 32 bytes, isk */
} assay_prover_key;

/* Appends header and proof to out. policy: how close the reply is to the model's choice; NULL: it is the choice.
 * Nothing in out is secret when the call succeeds; on failure out must be dropped. be: with its pool. Errors:
 * ASSAY_ENORESULT (the model has none, or a reply that the policy does not allow), ASSAY_EUNSUPPORTED (no such policy
 * for this model), ASSAY_ECANCELED, ASSAY_ENOMEM, ASSAY_EIO (no randomness). */
ASSAY_MUST_USE assay_status assay_cp_prove(assay_writer *out, const assay_prover_key *key, const assay_request *rq,
                                           const assay_policy *policy, const assay_backend *be,
                                           const assay_progress *progress, const assay_cheat *cheat,
                                           assay_errinfo *err);

/* Several proofs in one call, which share the pass that encodes the weights again: out[i] for rq[i], n >= 1. What one
 * proof holds while the next is made is `waiting_bytes` of cp/memory.h. All or none: after a failure every out[i] must
 * be dropped, and *at is the request that it belongs to, as far as it belongs to one. */
ASSAY_MUST_USE assay_status assay_cp_prove_many(assay_writer *out, const assay_prover_key *key,
                                                const assay_request *const *rq, size_t n, const assay_policy *policy,
                                                const assay_backend *be, const assay_progress *progress,
                                                const assay_cheat *cheat, size_t *at, assay_errinfo *err);

#endif
