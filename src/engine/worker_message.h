/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon, the processes that hold keys, and workers tell each other: one message a packet of a SOCK_SEQPACKET
 * socket, of at most ASSAY_MESSAGE_BYTES. */
#ifndef ASSAY_ENGINE_WORKER_MESSAGE_H
#define ASSAY_ENGINE_WORKER_MESSAGE_H

#include "base/bytes.h"
#include "engine/catalogue.h"

enum { ASSAY_MESSAGE_BYTES = 16384, ASSAY_MESSAGE_INPUTS = 8 };

typedef enum assay_message_kind {
    /* daemon to keeper process */
    ASSAY_MESSAGE_LOAD = 1, /* entry, threads */
    ASSAY_MESSAGE_FORK,     /* task; with the worker's end of the task's socket */
    ASSAY_MESSAGE_KILL,     /* task */
    /* keeper process to daemon */
    ASSAY_MESSAGE_UP,      /* it takes orders */
    ASSAY_MESSAGE_LOADED,  /* status, text, bytes, ms[0] */
    ASSAY_MESSAGE_STARTED, /* task, pid */
    ASSAY_MESSAGE_EXITED,  /* task; how the process ended: status, text, signal, bytes: its peak */
    /* daemon to worker */
    ASSAY_MESSAGE_ORDER, /* entry, threads, bytes: of proving, hold, wait, inputs; with their memfd */
    ASSAY_MESSAGE_GO,    /* threads */
    /* worker to daemon */
    ASSAY_MESSAGE_STAGE, /* stage, done */
    ASSAY_MESSAGE_READY, /* ms[0] */
    ASSAY_MESSAGE_DONE,  /* status, text, ms; with a memfd of the outputs, n_bytes long, when the status is ASSAY_OK */
    /* worker to keeper process, and back */
    ASSAY_MESSAGE_ASK,  /* for one proof of the commitment's lifetime */
    ASSAY_MESSAGE_GRANT /* status, text */
} assay_message_kind;

typedef enum assay_worker_stage {
    ASSAY_STAGE_LOAD,
    ASSAY_STAGE_SYNTHESIS,
    ASSAY_STAGE_READY,
    ASSAY_STAGE_PROVE,
    ASSAY_STAGE_VERIFY,
    ASSAY_STAGES
} assay_worker_stage;
const char *assay_worker_stage_name(assay_worker_stage stage); /* static */

typedef struct assay_worker_message {
    assay_message_kind kind;
    assay_worker_stage stage;
    assay_status status;
    bool hold; /* wait for ASSAY_MESSAGE_GO before proving */
    bool wait; /* for a commitment's lock */
    uint32_t threads, pid, signal;
    double done; /* 0 to 1 */
    uint64_t task, bytes;
    uint64_t ms[4]; /* synthesis, prove, verify, load */
    uint32_t n_inputs;
    uint64_t input[ASSAY_MESSAGE_INPUTS]; /* bytes of each, one after the other in the memfd */
    char text[ASSAY_JOB_ERROR];
} assay_worker_message;

/* Whether a message of this kind has an entry with it. */
bool assay_message_has_entry(assay_message_kind kind);

/* entry: of the kinds that have one, else NULL. */
void assay_message_encode(assay_writer *w, const assay_worker_message *m, const assay_subject_entry *entry);
/* Hostile bytes: a worker reads what strangers sent. entry may be NULL where no message with one is expected. Errors:
 * ASSAY_EFORMAT, ASSAY_ERANGE. */
ASSAY_MUST_USE assay_status assay_message_decode(assay_worker_message *m, assay_subject_entry *entry, const void *p,
                                                 size_t n, assay_errinfo *err);

#endif
