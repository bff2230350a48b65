/* SPDX-License-Identifier: Apache-2.0 */
/* The durable queue: what was accepted is on disk before anybody is told so, and ends once. One interface over SQLite
 * (this machine) and PostgreSQL (several machines), with one schema.
 *
 * A job is claimed under a lease with a random token, a fencing token: whatever is written later about the job needs
 * that token, so that a worker which was taken for dead cannot write over its successor's work. All calls block, may be
 * made from any thread and never at once for long: no transaction is open between calls. Times are Unix milliseconds.
 * Inputs are secret: the files and the connection are the operator's to protect (mode 0600; TLS). */
#ifndef ASSAY_ENGINE_QUEUE_H
#define ASSAY_ENGINE_QUEUE_H

#include "assay/buffer.h"
#include "engine/job.h"

typedef struct assay_queue assay_queue;

enum { ASSAY_QUEUE_TOKEN = 16 };

typedef struct assay_queue_options {
    const char *where;    /* a path, or postgresql://... */
    const char *owner;    /* who claims: host and process, for people; at most 128 bytes */
    uint64_t lease;       /* milliseconds */
    uint64_t keep;        /* results are kept for so long after the end, milliseconds */
    uint32_t attempts;    /* a job that was begun so often and not ended has failed */
    uint64_t max_jobs;    /* that may wait */
    unsigned connections; /* to the server, at most; SQLite ignores it. 0: 2 */
} assay_queue_options;

/* Opens, makes the schema if it is missing, refuses another version's. SQLite: one daemon at a time (ASSAY_EBUSY), and
 * jobs that a dead one had claimed go back to the queue at once. Errors: ASSAY_EIO, ASSAY_EFORMAT (not our database),
 * ASSAY_EUNSUPPORTED (another version), ASSAY_EBUSY, ASSAY_ENOMEM. *out is NULL on failure. */
ASSAY_MUST_USE assay_status assay_queue_open(assay_queue **out, const assay_queue_options *o, assay_errinfo *err);
void assay_queue_close(assay_queue *q); /* NULL is fine */
/* Whether other daemons may claim from it too. */
bool assay_queue_shared(const assay_queue *q);

typedef enum assay_submit_outcome {
    ASSAY_SUBMIT_FAILED,   /* the status says why */
    ASSAY_SUBMIT_NEW,      /* also of a job that failed or was cancelled: it is forgotten, and begins anew */
    ASSAY_SUBMIT_EXISTED,  /* the same id and digest: the same job */
    ASSAY_SUBMIT_CONFLICT, /* the same id, another digest */
    ASSAY_SUBMIT_FULL
} assay_submit_outcome;

/* Submits n jobs in one transaction: all of them are durable when this returns ASSAY_OK; otherwise none is in.
 * Errors: ASSAY_EIO (disk full, server gone), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_queue_submit(assay_queue *q, const assay_job_spec *const *specs, size_t n,
                                               assay_submit_outcome *outcomes, assay_errinfo *err);

/* The first jobs that wait, at most max, by priority, then deadline (none last), then arrival. View fields that the
 * queue does not know (stage, times) are 0. *n is how many. */
ASSAY_MUST_USE assay_status assay_queue_heads(assay_queue *q, assay_job_view *out, size_t max, size_t *n,
                                              assay_errinfo *err);

/* Takes a waiting job: *claimed is false if it waits no more. token: what every later call about it needs. inputs: as
 * assay_blobs_pack made them; secret. attempts grows by one. */
ASSAY_MUST_USE assay_status assay_queue_claim(assay_queue *q, const char *id, bool *claimed,
                                              uint8_t token[ASSAY_QUEUE_TOKEN], assay_buffer *inputs,
                                              assay_errinfo *err);

/* One held job at a heartbeat. */
typedef struct assay_queue_lease {
    char id[ASSAY_JOB_ID + 1];
    uint8_t token[ASSAY_QUEUE_TOKEN];
    bool lost;             /* out: the job is not ours any more; what was made for it is to be dropped */
    bool cancel_requested; /* out: somebody cancelled it */
} assay_queue_lease;
ASSAY_MUST_USE assay_status assay_queue_heartbeat(assay_queue *q, assay_queue_lease *leases, size_t n,
                                                  assay_errinfo *err);

/* Ends a held job. result: of a completed one, as assay_blobs_pack made it; error: of another. *ours is false, and
 * nothing is written, when the lease was lost. */
ASSAY_MUST_USE assay_status assay_queue_finish(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN],
                                               assay_job_state state, const assay_blob *result, const char *error,
                                               const assay_job_times *times, bool *ours, assay_errinfo *err);
/* Gives a held job back; `begun` says whether the attempt counts. */
ASSAY_MUST_USE assay_status assay_queue_release(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN],
                                                bool begun, bool *ours, assay_errinfo *err);

/* Cancels: a waiting job ends at once; a running one is marked, and its holder sees that at the next heartbeat. *before
 * is the state found; 0: no such job. */
ASSAY_MUST_USE assay_status assay_queue_cancel(assay_queue *q, const char *id, assay_job_state *before,
                                               assay_errinfo *err);

/* What is known of a job; *found is false when nothing is. result (may be NULL): of a completed job, else empty. */
ASSAY_MUST_USE assay_status assay_queue_get(assay_queue *q, const char *id, bool *found, assay_job_view *out,
                                            assay_buffer *result, assay_errinfo *err);

/* What ran out: leases (back to the queue, or failed after `attempts`), deadlines of waiting jobs (failed), results
 * (deleted, with their inputs; inputs go when a job ends). *changed: how many jobs. Called every few seconds. */
ASSAY_MUST_USE assay_status assay_queue_sweep(assay_queue *q, size_t *changed, assay_errinfo *err);

typedef struct assay_queue_counts {
    uint64_t waiting[ASSAY_JOB_KINDS], running[ASSAY_JOB_KINDS];
    uint64_t completed, failed, cancelled; /* of those whose results are kept */
} assay_queue_counts;
ASSAY_MUST_USE assay_status assay_queue_count(assay_queue *q, assay_queue_counts *out, assay_errinfo *err);

/* The last jobs that ended, newest first, at most max. */
ASSAY_MUST_USE assay_status assay_queue_recent(assay_queue *q, assay_job_view *out, size_t max, size_t *n,
                                               assay_errinfo *err);

/* Readable when another daemon may have changed something (LISTEN); -1 for SQLite. assay_queue_quiet empties it. */
int assay_queue_event_fd(const assay_queue *q);
void assay_queue_quiet(assay_queue *q);

#endif
