/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine's files share. Three kinds of state, by who may touch them: the dispatcher's own (no lock); requests
 * to the dispatcher and submissions (lock); what is shown to people (look_lock, never held across a disk or a
 * callback). */
#ifndef ASSAY_ENGINE_ENGINE_IMPL_H
#define ASSAY_ENGINE_ENGINE_IMPL_H

#include "engine/board.h"
#include "engine/engine.h"
#include "engine/keeper.h"
#include "engine/settings.h"
#include "engine/watches.h"
#include <pthread.h>
#include <stdatomic.h>

enum {
    ASSAY_ENGINE_HEADS = 128,           /* waiting jobs that are looked at */
    ASSAY_ENGINE_GROUP = 256,           /* submissions of one transaction at most */
    ASSAY_ENGINE_GROUP_BYTES = 1 << 26, /* of their inputs, if there are several */
    ASSAY_ENGINE_OUT_OF_MEMORY = 64,    /* jobs that are remembered to have been killed for memory */
    ASSAY_SEQUENCE_BITS = 20 /* of changes that the queue does not know, within one of the queue's sequence */
};

/* as assay_log_level */
enum { ASSAY_ENGINE_ERROR, ASSAY_ENGINE_WARN, ASSAY_ENGINE_INFO, ASSAY_ENGINE_DEBUG };

/* How a job that we hold is to leave. */
typedef enum assay_live_end {
    ASSAY_END_NOT_YET,
    ASSAY_END_COMPLETED,
    ASSAY_END_FAILED,
    ASSAY_END_CANCELLED,
    ASSAY_END_AGAIN,  /* to the queue: the attempt failed, through no fault of the job's that is known */
    ASSAY_END_RETURN, /* to the queue: the attempt does not count */
    ASSAY_END_DROP    /* it is not ours any more */
} assay_live_end;

typedef struct assay_live_task {
    uint64_t number; /* the keeper's; 0: not started */
    int pid;
    const char *stage; /* static text */
    double done;
    uint64_t since, peak; /* Unix ms; bytes */
    uint64_t span;        /* its place in the ring of spans, plus 1 */
} assay_live_task;

/* A job that we hold the lease of. */
typedef struct assay_live_job {
    assay_board_job board; /* the first: the board's pointers are ours */
    struct assay_live_job *next;
    assay_job_view view;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_buffer inputs; /* secret; freed when every partition has started */
    assay_blob blobs[ASSAY_JOB_PARTITIONS];
    size_t n_blobs;
    assay_buffer outputs[ASSAY_JOB_PARTITIONS];
    assay_live_task tasks[ASSAY_JOB_PARTITIONS];
    bool on_board, changed;
    assay_live_end end;
    bool killed;                  /* the workers were told */
    uint64_t retry_at, key_asked; /* steady ms: when to try to end it again; since when a key is awaited */
    uint64_t running, most_running, worst_peak;
} assay_live_job;

typedef enum assay_request_kind { ASSAY_REQUEST_CANCEL, ASSAY_REQUEST_PRELOAD, ASSAY_REQUEST_EVICT } assay_request_kind;

typedef struct assay_request {
    struct assay_request *next;
    assay_request_kind kind;
    char name[ASSAY_JOB_ID + 1]; /* a job's id, a subject's name */
    assay_key_fn *fn;            /* may be NULL */
    void *ctx;
    bool initial, waited;
    uint64_t began, bytes; /* steady ms */
} assay_request;

typedef struct assay_submission {
    struct assay_submission *next;
    assay_job_spec spec;
    assay_submit_fn *fn;
    void *ctx;
} assay_submission;

struct assay_engine {
    assay_engine_options options; /* its texts are copies */
    assay_settings settings;
    assay_catalogue *catalogue;
    assay_queue *queue;
    assay_watches *watches;
    assay_memory_found memory;
    uint64_t room; /* bytes that a job may plan with */
    int event;
    pthread_t dispatcher, submitter;
    bool dispatcher_runs, submitter_runs;
    atomic_bool draining, ready, queue_answers, heads_dirty;
    _Atomic uint64_t submitted, waiting; /* since the start; about how many wait */

    /* ---- under lock */
    pthread_mutex_t lock;
    pthread_cond_t more, idle;
    assay_submission *first_submission, *last_submission;
    assay_request *first_request, *last_request;
    uint64_t drain_until; /* steady ms */
    bool drained, stop;
    bool begun; /* the dispatcher has started its keeper, or could not */
    assay_status begun_status;
    assay_errinfo begun_error;

    /* ---- under look_lock */
    pthread_mutex_t look_lock;
    assay_engine_look *shown;

    /* ---- the dispatcher's */
    assay_keeper *keeper;
    assay_board *board;
    assay_live_job *jobs;
    uint64_t task_numbers;
    assay_job_view *heads, *recent;
    size_t n_heads, n_recent;
    bool counts_dirty, look_dirty;
    assay_request *key_requests;
    size_t initial_left, initial_failed;
    uint64_t queue_after;        /* after a refusal of the queue's, when to claim again */
    uint64_t moves_after, pause; /* after refusals of the keeper's, when to give orders again; ms */
    uint64_t heartbeat_at, sweep_at, refresh_at, ask_at, publish_at, relief_at, watch_after; /* steady ms */
    uint64_t penalty; /* partitions fewer at once, after kills for memory */
    char out_of_memory[ASSAY_ENGINE_OUT_OF_MEMORY][ASSAY_JOB_ID + 1];
    size_t n_out_of_memory;
    uint64_t last_peak; /* bytes: of the last plan */
    assay_engine_look *draft;
    uint64_t minute; /* of Unix time: of the draft's newest count */
    uint64_t spans;  /* that were ever begun */
    assay_look_span ring[ASSAY_LOOK_SPANS];
};

static inline assay_live_job *assay_live_of(assay_board_job *j)
{
    return (assay_live_job *)j;
}

/* ---- engine.c */

void assay_engine_ring(assay_engine *e);
/* event, then names and values up to a NULL. */
void assay_engine_log(assay_engine *e, int level, const char *event, ...);
/* Copies a request to the dispatcher; false when out of memory. */
bool assay_engine_ask(assay_engine *e, const assay_request *r);
/* A text, cut if it is too long, on one line. */
void assay_text_copy(char *out, size_t n, const char *text);

/* ---- submitter.c */

void *assay_submitter_loop(void *engine);

/* ---- dispatcher.c */

void *assay_dispatcher_loop(void *engine);
/* The queue refused or answered: what /readyz and the next claims go by. Returns st. */
assay_status assay_engine_queue_said(assay_engine *e, assay_status st, const assay_errinfo *err);

/* ---- engine_jobs.c: from the queue and back */

void assay_engine_claim(assay_engine *e, size_t head);
/* Begins to end a job: the first reason holds. error: one line, or "". */
void assay_engine_stop_job(assay_engine *e, assay_live_job *j, assay_live_end end, const char *error);
/* The attempt failed for a reason that may lie outside the job: back to the queue, or failed after the last attempt. */
void assay_engine_try_again(assay_engine *e, assay_live_job *j, const char *error);
/* Jobs all of whose partitions have ended leave; those that the queue refused, again. */
void assay_engine_end_jobs(assay_engine *e, uint64_t now);
assay_live_job *assay_engine_job(assay_engine *e, const char *id);
void assay_engine_drop_all(assay_engine *e); /* frees every live job */

/* ---- engine_tasks.c: orders to the keeper, and what it says */

void assay_engine_make_moves(assay_engine *e, uint64_t now);
void assay_engine_evict_key(assay_engine *e, assay_board_key *key);
void assay_engine_keeper_events(assay_engine *e);
void assay_engine_relieve(assay_engine *e, uint64_t now); /* takes penalties back */

/* ---- engine_keys.c */

void assay_engine_key_request(assay_engine *e, assay_request *r); /* takes it over */
void assay_engine_key_requests(assay_engine *e, uint64_t now);    /* those that wait */
/* To those who wait for a key: it was loaded, or could not be (bytes: held); it was evicted (bytes: freed). */
void assay_engine_key_loaded(assay_engine *e, const assay_keeper_event *ev);
void assay_engine_key_evicted(assay_engine *e, const char *name, uint64_t bytes);
void assay_engine_key_refuse_all(assay_engine *e); /* at the end */

/* ---- engine_look.c */

void assay_live_stage(assay_engine *e, assay_live_job *j, uint32_t partition, const char *stage, bool failed);
void assay_live_update(assay_live_job *j); /* the job's stage and share from its partitions' */
void assay_look_ended(assay_engine *e, const assay_job_view *v);
void assay_engine_publish(assay_engine *e);
/* A job as it was shown last, if it is one that runs here. */
bool assay_engine_shown(assay_engine *e, const char *id, assay_job_view *out);

#endif
