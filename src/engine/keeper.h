/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes. For each partition of a job a process of its own is forked: one that crashes, or is killed for its
 * memory, takes its own partition with it.
 *
 *     daemon ─┬─ plain keeper process ── fork ── workers that read their keys themselves
 *             ├─ keeper process of key A ── fork ── workers that share A's pages
 *             └─ keeper process of key B ── ...
 *
 * Keeper processes are this program executed anew, single-threaded whenever they fork. There is one for each loaded
 * key, so that loading one, which takes up to minutes, delays nothing; an evicted key's memory surely goes back to the
 * system; and what befalls one key's process befalls no other. Workers are what the system's out-of-memory killer takes
 * first. A worker has nothing but its keeper's pages and a socket to the daemon, over which it gets its inputs (a
 * memfd, wiped as soon as they are parsed) and hands over its outputs. It synthesises, says READY, waits for
 * assay_keeper_go (which lends it a prover), proves, verifies its own proof. When the daemon dies, however that may be,
 * so does all of this.
 *
 * Everything here is for one thread of the daemon, which polls assay_keeper_fd and takes events, and which must live as
 * long as the keeper (processes are bound to the life of the thread that started them). Nothing blocks, but for copying
 * inputs and outputs. */
#ifndef ASSAY_ENGINE_KEEPER_H
#define ASSAY_ENGINE_KEEPER_H

#include "assay/buffer.h"
#include "engine/catalogue.h"

typedef struct assay_keeper assay_keeper;

typedef struct assay_keeper_options {
    const char *program; /* to execute: its main calls assay_keeper_main first */
    unsigned threads;    /* for loading keys */
} assay_keeper_options;

/* To be called first in main: if argv says that this process is a keeper, it never returns. A program whose main cannot
 * be changed may call it from a constructor. */
void assay_keeper_main(int argc, char **argv);

/* Errors: ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_start(assay_keeper **out, const assay_keeper_options *o, assay_errinfo *err);
/* Kills all processes and waits for them. NULL is fine. */
void assay_keeper_stop(assay_keeper *k);
int assay_keeper_fd(const assay_keeper *k); /* readable: there are events */
/* The keeper processes, the plain one first; at most max. Returns how many there are. */
size_t assay_keeper_pids(const assay_keeper *k, int *out, size_t max);

/* Each gives an order and returns. */

/* Starts a process that loads the key; ASSAY_KEEPER_LOADED says how that ended, once for each call that returned
 * ASSAY_OK. Errors: ASSAY_EBUSY (one of this kind and name with another stamp is there, or being evicted: wait for
 * ASSAY_KEEPER_EVICTED first), ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_load(assay_keeper *k, const assay_subject_entry *entry, assay_errinfo *err);
/* Takes the key out of use at once, and out of memory when the last worker that has it ends; ASSAY_KEEPER_EVICTED says
 * so. One that is being loaded is given up: LOADED with ASSAY_ECANCELED, then EVICTED. Of a key that is not there
 * nothing but EVICTED is to be heard. */
ASSAY_MUST_USE assay_status assay_keeper_evict(assay_keeper *k, assay_job_kind kind, const char *name,
                                               assay_errinfo *err);

/* A partition to be worked. The key is the resident one of that entry if it is loaded with the same stamp, else it is
 * read by the worker. A model that is committed can be open in one process alone: without the resident one, workers
 * wait for each other. */
typedef struct assay_worker_order {
    uint64_t task; /* the caller's number, not used before */
    assay_subject_entry entry;
    const assay_blob *inputs; /* of this partition. Secret */
    size_t n_inputs;          /* at most 8 */
    unsigned threads;         /* for synthesis, and for proving unless go says otherwise */
    uint64_t prove_bytes;     /* memory that proving may take, as planned; 0: no bound */
    bool hold;                /* wait for assay_keeper_go before proving */
} assay_worker_order;
/* ASSAY_OK: there will be one ASSAY_KEEPER_ENDED; with ASSAY_EBUSY and no STARTED before if there was no process for
 * it. Errors, and then there is none: ASSAY_EINVAL (the task is known, too many inputs), ASSAY_EBUSY (its keeper
 * process takes no orders at the moment), ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_run(assay_keeper *k, const assay_worker_order *o, assay_errinfo *err);
/* threads 0: as ordered. ASSAY_OK too for a task that has ended meanwhile. */
ASSAY_MUST_USE assay_status assay_keeper_go(assay_keeper *k, uint64_t task, unsigned threads, assay_errinfo *err);
/* ENDED comes all the same; with ASSAY_OK if the outputs were there already. */
ASSAY_MUST_USE assay_status assay_keeper_kill(assay_keeper *k, uint64_t task, assay_errinfo *err);

typedef enum assay_keeper_event_kind {
    ASSAY_KEEPER_NOTHING,
    ASSAY_KEEPER_LOADED,  /* kind, name; status, error; ms; bytes held */
    ASSAY_KEEPER_EVICTED, /* kind, name; bytes. status is ASSAY_OK after assay_keeper_evict; else the key's process died
                             by itself, error says how, and all its tasks have ended */
    ASSAY_KEEPER_STARTED, /* task, pid */
    ASSAY_KEEPER_STAGE,   /* task, stage, done; at most some 10 a second for each task, the last one if several came */
    ASSAY_KEEPER_READY,   /* task; ms of the synthesis. Only for orders with `hold` */
    ASSAY_KEEPER_ENDED,   /* task; status and error, or outputs; signal; peak; ms. Once for each task */
    ASSAY_KEEPER_GONE     /* the program cannot be run as a keeper process: the plain one died before it took orders.
                             status, error; its tasks have ended. One that dies later is followed by another when there
                             is an order for it, and its tasks' ends say how it died */
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
    char error[ASSAY_JOB_ERROR]; /* one line; "" with ASSAY_OK */
    uint64_t bytes;              /* of a loaded key, with its process's own pages */
    /* The most memory that the worker had of its own: what the system says it had resident at most (ru_maxrss), less
     * the pages that it got from its keeper at the fork. With its copy of the inputs and the program's pages; without
     * pages of its keeper that it wrote to, some hundred KiB. */
    uint64_t peak;
    uint64_t synthesis_ms, prove_ms, verify_ms, load_ms; /* of a task: load_ms of a key that the worker read itself */
    assay_buffer outputs; /* of a task that went well: blobs: proof, public values ("" for a reply). The caller's */
} assay_keeper_event;

/* The next event, ASSAY_KEEPER_NOTHING when there is none: never blocks. */
void assay_keeper_next(assay_keeper *k, assay_keeper_event *out);
/* Frees what an event holds. */
void assay_keeper_event_clear(assay_keeper_event *e);

#endif
