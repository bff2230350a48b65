/* SPDX-License-Identifier: Apache-2.0 */
/* What a job is: what was asked for, how far it is, how it ended. */
#ifndef ASSAY_ENGINE_JOB_H
#define ASSAY_ENGINE_JOB_H

#include "base/status.h"
#include <stdbool.h>

enum {
    ASSAY_JOB_ID = 128,       /* bytes of an id at most, without the terminating zero */
    ASSAY_JOB_SUBJECT = 128,  /* of a circuit's or a model's name */
    ASSAY_JOB_ERROR = 512,    /* of an error's text, with the zero */
    ASSAY_JOB_PARTITIONS = 64 /* of one job at most */
};

/* Filecoin's kinds are those of cuzk.v1. */
typedef enum assay_job_kind {
    ASSAY_JOB_GROTH16, /* a registered circuit; inputs: one .wtns file a partition */
    ASSAY_JOB_REPLY,   /* a committed model; inputs: F.req and F.y */
    ASSAY_JOB_POREP,
    ASSAY_JOB_SNAP,
    ASSAY_JOB_WINDOW_POST,
    ASSAY_JOB_WINNING_POST,
    ASSAY_JOB_KINDS
} assay_job_kind;

typedef enum assay_job_state {
    ASSAY_JOB_QUEUED = 1,
    ASSAY_JOB_RUNNING,
    ASSAY_JOB_COMPLETED,
    ASSAY_JOB_FAILED,
    ASSAY_JOB_CANCELLED
} assay_job_state;

enum { ASSAY_PRIORITY_LOW = 1, ASSAY_PRIORITY_NORMAL, ASSAY_PRIORITY_HIGH, ASSAY_PRIORITY_CRITICAL };

/* "groth16", "reply", "porep-c2", "snap-update", "window-post", "winning-post"; "queued", "running", ... */
const char *assay_job_kind_name(assay_job_kind kind);
const char *assay_job_state_name(assay_job_state state);
static inline bool assay_job_ended(assay_job_state state)
{
    return state >= ASSAY_JOB_COMPLETED;
}

/* Borrowed bytes. */
typedef struct assay_blob {
    const uint8_t *p;
    size_t n;
} assay_blob;

/* What is asked for. The inputs are secret (witnesses) and borrowed. */
typedef struct assay_job_spec {
    char id[ASSAY_JOB_ID + 1]; /* printable ASCII; spaces too: Curio writes "wdpost-1000-0-[12 34 ...]" */
    assay_job_kind kind;
    char subject[ASSAY_JOB_SUBJECT + 1]; /* the circuit or model */
    unsigned priority;                   /* 1 to 4 */
    uint64_t deadline;                   /* Unix time in milliseconds; 0: none */
    const assay_blob *inputs;
    size_t n_inputs;
} assay_job_spec;

/* Milliseconds; synthesis and prove are summed over partitions. */
typedef struct assay_job_times {
    uint64_t queue_wait, load, synthesis, prove, verify, total;
    uint64_t peak_bytes; /* the most memory that the job held, its key not counted */
} assay_job_times;

/* A job as it is. */
typedef struct assay_job_view {
    char id[ASSAY_JOB_ID + 1];
    assay_job_kind kind;
    char subject[ASSAY_JOB_SUBJECT + 1];
    unsigned priority;
    assay_job_state state;
    uint64_t sequence; /* grows with every change */
    const char *stage; /* static text: "", "wait", "load", "synthesis", "ready", "prove", "verify" */
    double done;       /* of the whole, 0 to 1 */
    uint32_t partitions, partitions_done;
    uint32_t queue_position;                      /* of a queued job: jobs before it */
    uint32_t attempts;                            /* how often it was begun */
    uint64_t submitted, started, ended, deadline; /* Unix time in milliseconds; 0: not yet, none */
    assay_job_times times;
    char error[ASSAY_JOB_ERROR]; /* of a failed or cancelled job; one line */
} assay_job_view;

#endif
