/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: one partition in a process of its own, forked by a keeper process (keeper_process.c). */
#ifndef ASSAY_ENGINE_WORKER_H
#define ASSAY_ENGINE_WORKER_H

#include "assay/groth16.h"
#include "assay/progress.h"
#include "assay/prove.h"
#include "engine/worker_channel.h"

/* The share of the whole that synthesis is taken for, where nothing better is known. */
#define ASSAY_WORKER_READY_SHARE 0.2

/* One that works. */
typedef struct assay_worker {
    int daemon, keeper;           /* sockets */
    const assay_groth16_key *key; /* resident in the keeper, or NULL */
    assay_commitment *commitment; /* the same */
    assay_worker_message order;
    assay_subject_entry entry;
    assay_shared_memory memory; /* with the inputs, as long as they are needed. Secret */
    assay_blob input[ASSAY_MESSAGE_INPUTS];
    unsigned threads;
    assay_worker_stage stage;
    uint64_t since, told; /* monotonic ms: when the stage began, when the daemon was told last */
    uint64_t ms[ASSAY_STAGES];
    char relayed[ASSAY_JOB_ERROR]; /* what the keeper process refused something with, or "" */
} assay_worker;

/* Waits for its order on `daemon`, works, answers. Returns the exit code of the process. */
int assay_worker_run(assay_worker *w);

/* ---- for the kinds of work */

/* Goes on to a stage, and tells the daemon. */
void assay_worker_enter(assay_worker *w, assay_worker_stage stage, double done);
/* An assay_progress_fn whose ctx is the worker: tells the daemon now and then, in the stage that it is in; cancels when
 * the daemon hangs up. */
int assay_worker_tell(void *ctx, const char *stage, double done);
/* Between synthesis and proof: waits for a prover if the order says so. ASSAY_ECANCELED. */
ASSAY_MUST_USE assay_status assay_worker_wait(assay_worker *w, assay_errinfo *err);
/* Wipes the inputs, for whoever else maps them too. */
void assay_worker_drop_inputs(assay_worker *w);

/* Each makes proof and public values, which are empty on failure. */
ASSAY_MUST_USE assay_status assay_worker_groth16(assay_worker *w, assay_buffer *proof, assay_buffer *publics,
                                                 assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_worker_reply(assay_worker *w, assay_buffer *proof, assay_errinfo *err);

#endif
