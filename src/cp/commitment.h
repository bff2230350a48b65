/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind assay/commit.h and assay/prove.h: a committed model in memory. */
#ifndef ASSAY_CP_COMMITMENT_H
#define ASSAY_CP_COMMITMENT_H

#include "assay/commit.h"
#include "cp/counter.h"
#include "cp/prove.h"
#include "cp/store_codec.h"

struct assay_commitment {
    assay_pool *pool;
    assay_backend be;
    assay_public pub;
    assay_buffer tokenizer; /* the bytes of tokenizer.json */
    assay_model model;
    assay_progress watch; /* of replies */
    bool can_prove;       /* rows and tree are there */
    assay_weight_rows rows;
    assay_matrix *tree;
    assay_secret_key key;
    assay_counter counter;
};

/* Another number of threads (0: one per available processor): with 1 there is none besides the caller's, as it must be
 * when a process forks, and again in the forked one, which has no other threads. On failure nothing changed. Errors:
 * ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_commitment_set_threads(assay_commitment *c, unsigned threads, assay_errinfo *err);

/* An empty commitment with its threads. */
ASSAY_MUST_USE assay_status assay_commitment_alloc(assay_commitment **out, unsigned threads, assay_errinfo *err);

/* Commits to integers that are there already: takes *m over (and empties it) whatever happens. lifetime as in
 * assay_commit_options, not 0. */
ASSAY_MUST_USE assay_status assay_commitment_of_model(assay_commitment *c, assay_model *m, const void *tokenizer,
                                                      size_t n_tokenizer, unsigned security, uint64_t lifetime,
                                                      assay_errinfo *err);

/* The files of a commitment as bytes, borrowed; tree and key are not read when only replies are wanted. */
typedef struct assay_bytes_view {
    const uint8_t *p;
    size_t n;
} assay_bytes_view;
typedef struct assay_commitment_view {
    assay_bytes_view config, tokenizer, ivk, key, weights, tree;
} assay_commitment_view;

/* Fills c from files that may be damaged or of different commitments. can_prove says whether the secret key and the
 * tree are wanted. The counter is left alone. */
ASSAY_MUST_USE assay_status assay_commitment_fill(assay_commitment *c, const assay_commitment_view *v, bool can_prove,
                                                  assay_errinfo *err);

#endif
