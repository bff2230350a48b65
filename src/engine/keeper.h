/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes. One keeper process holds the keys; for each partition of a job it forks a worker, which shares the
 * keys' pages and has nothing else: a worker that crashes, or is killed for its memory, takes its own partition with
 * it.
 *
 *     daemon ── socket ── keeper ── fork ── worker (one a partition)
 *
 * The keeper is this program executed anew, single-threaded whenever it forks; workers are what the system's
 * out-of-memory killer takes first. A worker synthesises, says READY, waits for assay_keeper_go (which lends it a
 * prover), proves, verifies its own proof, and hands the outputs over in a memfd. Everything here is for one thread of
 * the daemon, which polls assay_keeper_fd and takes events. */
#ifndef ASSAY_ENGINE_KEEPER_H
#define ASSAY_ENGINE_KEEPER_H

#include "assay/buffer.h"
#include "engine/catalogue.h"

typedef struct assay_keeper assay_keeper;

typedef struct assay_keeper_options {
    const char *program; /* to execute: its main calls assay_keeper_main first */
    unsigned threads;    /* for loading keys */
} assay_keeper_options;

/* To be called first in main: if argv says that this process is a keeper, it never returns. */
void assay_keeper_main(int argc, char **argv);

/* Errors: ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_start(assay_keeper **out, const assay_keeper_options *o, assay_errinfo *err);
/* Kills the workers, ends the keeper, waits for it. NULL is fine. */
void assay_keeper_stop(assay_keeper *k);
int assay_keeper_fd(const assay_keeper *k); /* readable: there are events */
int assay_keeper_pid(const assay_keeper *k);

/* Each sends an order and returns; ASSAY_EIO when the keeper is gone, which ASSAY_KEEPER_GONE says too. */
ASSAY_MUST_USE assay_status assay_keeper_load(assay_keeper *k, const assay_subject_entry *entry, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_keeper_evict(assay_keeper *k, assay_job_kind kind, const char *name,
                                               assay_errinfo *err);

/* A partition to be worked. The key is the resident one of that entry if it is loaded with the same stamp, else it is
 * read by the worker. */
typedef struct assay_worker_order {
    uint64_t task; /* the caller's number, not used before */
    assay_subject_entry entry;
    const assay_blob *inputs; /* of this partition. Secret */
    size_t n_inputs;
    unsigned threads;     /* for synthesis, and for proving unless go says otherwise */
    uint64_t prove_bytes; /* memory that proving may take, as planned */
    bool hold;            /* wait for assay_keeper_go before proving */
} assay_worker_order;
ASSAY_MUST_USE assay_status assay_keeper_run(assay_keeper *k, const assay_worker_order *o, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_keeper_go(assay_keeper *k, uint64_t task, unsigned threads, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_keeper_kill(assay_keeper *k, uint64_t task, assay_errinfo *err);

typedef enum assay_keeper_event_kind {
    ASSAY_KEEPER_NOTHING,
    ASSAY_KEEPER_LOADED,  /* name; status, error; ms; bytes held */
    ASSAY_KEEPER_EVICTED, /* name */
    ASSAY_KEEPER_STARTED, /* task, pid */
    ASSAY_KEEPER_STAGE,   /* task, stage, done */
    ASSAY_KEEPER_READY,   /* task; ms of the synthesis */
    ASSAY_KEEPER_ENDED,   /* task; status and error, or outputs; signal; peak; ms. Once for each task */
    ASSAY_KEEPER_GONE     /* the keeper died: no task of it goes on, no key is loaded */
} assay_keeper_event_kind;

typedef struct assay_keeper_event {
    assay_keeper_event_kind kind;
    uint64_t task;
    int pid;
    char name[ASSAY_JOB_SUBJECT + 1];
    assay_job_kind subject_kind;
    const char *stage; /* static text, as in assay_job_view */
    double done;
    assay_status status; /* ASSAY_OK; ASSAY_ECANCELED after assay_keeper_kill; ASSAY_ENOMEM: for want of memory, also
                            when killed for it; ASSAY_EINTERNAL: it crashed */
    int signal;          /* that ended the worker; 0: none */
    char error[ASSAY_JOB_ERROR];
    uint64_t bytes, peak; /* of a loaded key; the most that the worker had of its own */
    uint64_t synthesis_ms, prove_ms, verify_ms, load_ms;
    assay_buffer outputs; /* of a task that went well: blobs: proof, public values ("" for a reply). The caller's */
} assay_keeper_event;

/* The next event, ASSAY_KEEPER_NOTHING when there is none: never blocks. */
void assay_keeper_next(assay_keeper *k, assay_keeper_event *out);
/* Frees what an event holds. */
void assay_keeper_event_clear(assay_keeper_event *e);

#endif
