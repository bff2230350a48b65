/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: accepts jobs, works them within the memory budget, keeps what became of them. Any thread may call
 * anything here; one thread of the engine's own, the dispatcher, decides everything that is decided. */
#ifndef ASSAY_ENGINE_ENGINE_H
#define ASSAY_ENGINE_ENGINE_H

#include "engine/budget.h"
#include "engine/catalogue.h"
#include "engine/queue.h"

typedef struct assay_engine assay_engine;

#define ASSAY_ENGINE_AUTO UINT64_MAX

/* Told of what happens, for the log: an event's name ("job_started") and pairs of names and values, all text; `level`
 * as assay_log_level. Called from any thread of the engine; must not call back. */
typedef void assay_engine_log_fn(void *ctx, int level, const char *event, const char *const *pairs, size_t n_pairs);

typedef struct assay_engine_options {
    const char *program; /* for worker processes (engine/keeper.h) */
    const char *circuits, *models;
    assay_queue_options queue;
    uint64_t memory, margin; /* bytes; memory may be ASSAY_BUDGET_AUTO */
    uint64_t daemon_memory;  /* bytes of the budget that are the daemon's own: requests, replies, queue, its pages */
    uint64_t evict_idle;     /* ms */
    uint64_t threads, partition_workers, gpu_workers, gpu_threads; /* may be ASSAY_ENGINE_AUTO */
    bool pipeline;
    uint64_t batch_size, batch_wait; /* ms */
    const char *const *preload;
    size_t n_preload;
    assay_engine_log_fn *log; /* may be NULL */
    void *log_ctx;
} assay_engine_options;

/* Opens the queue, starts the keeper, begins to work. Errors: those of the queue; ASSAY_EIO, ASSAY_ERANGE (an option),
 * ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_engine_open(assay_engine **out, const assay_engine_options *o, assay_errinfo *err);
/* Starts no more jobs; those that run have drain_ms to end, then go back to the queue. Returns when none runs. Calls go
 * on being answered; submissions are refused (ASSAY_EBUSY) from the beginning of this. */
void assay_engine_drain(assay_engine *e, uint64_t drain_ms);
void assay_engine_close(assay_engine *e); /* drains with 0 first; NULL is fine */
/* Whether every key to be preloaded is there and the queue answers: what /readyz says. */
bool assay_engine_ready(assay_engine *e);

/* ---- jobs */

typedef struct assay_submit_answer {
    assay_status status; /* ASSAY_OK; ASSAY_ENOMEM: larger than the whole budget, `error` has both numbers;
                            ASSAY_ERANGE, ASSAY_EFORMAT: an input; ASSAY_EIO: no such subject, or the queue's disk;
                            ASSAY_EBUSY: draining */
    assay_submit_outcome outcome;
    uint32_t queue_position;
    char id[ASSAY_JOB_ID + 1];
    char error[ASSAY_JOB_ERROR];
} assay_submit_answer;
typedef void assay_submit_fn(void *ctx, const assay_submit_answer *answer);

/* Checks and plans on the calling thread, then hands the job to the queue's thread, which writes as many as have come
 * in one transaction and calls fn for each when they are durable. spec.inputs must live until fn is called; it is
 * called exactly once, possibly before this returns. An empty id: one is made. */
void assay_engine_submit(assay_engine *e, const assay_job_spec *spec, assay_submit_fn *fn, void *ctx);

/* ASSAY_OK with *before (0: no such job). A running one is stopped. */
ASSAY_MUST_USE assay_status assay_engine_cancel(assay_engine *e, const char *id, assay_job_state *before,
                                                assay_errinfo *err);

/* A job as it is, and the result of a completed one (may be NULL): blobs proof, public values for each partition. */
ASSAY_MUST_USE assay_status assay_engine_get(assay_engine *e, const char *id, bool *found, assay_job_view *out,
                                             assay_buffer *result, assay_errinfo *err);

/* Calls fn with the job as it is and then at every change up to its end, which is the last call; from threads of the
 * engine, never two at once for one watch; it must be quick and may not call the engine, but for unwatch. *watch is
 * what assay_engine_unwatch takes: when that returns, fn is not running and will not be called (from inside fn it
 * returns at once). Every watch is to be unwatched, after its last call too. *found is false, and nothing is watched,
 * when there is no such job. */
typedef void assay_watch_fn(void *ctx, const assay_job_view *job);
typedef struct assay_watch assay_watch;
ASSAY_MUST_USE assay_status assay_engine_watch(assay_engine *e, const char *id, assay_watch_fn *fn, void *ctx,
                                               assay_watch **watch, bool *found, assay_errinfo *err);
void assay_engine_unwatch(assay_engine *e, assay_watch *watch); /* NULL is fine */

/* ---- keys, by a subject's name (a circuit's first, then a model's) */

typedef struct assay_key_answer {
    assay_status status; /* ASSAY_EIO: no such name; ASSAY_ENOMEM: no room; ASSAY_EBUSY: in use (evict) */
    bool was_loaded;
    uint64_t ms, bytes; /* of loading; freed */
    char error[ASSAY_JOB_ERROR];
} assay_key_answer;
typedef void assay_key_fn(void *ctx, const assay_key_answer *answer);
/* fn is called exactly once, from the dispatcher or at once. */
void assay_engine_preload(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx);
void assay_engine_evict(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx);

/* ---- what people look at: a copy, made without waiting for the disk */

enum {
    ASSAY_LOOK_JOBS = 256,
    ASSAY_LOOK_KEYS = 64,
    ASSAY_LOOK_WORKERS = 128,
    ASSAY_LOOK_SPANS = 512,
    ASSAY_LOOK_MINUTES = 120
};

typedef struct assay_look_key {
    char name[ASSAY_JOB_SUBJECT + 1];
    assay_job_kind kind;
    uint64_t bytes, last_used; /* Unix ms */
    uint32_t references;
    bool loading;
} assay_look_key;

typedef struct assay_look_worker {
    uint32_t number;
    int pid;
    char job[ASSAY_JOB_ID + 1];
    assay_job_kind kind;
    uint32_t partition;
    const char *stage;
    double done;
    uint64_t since;          /* Unix ms: of the stage */
    uint64_t reserved, peak; /* bytes */
    bool prover;             /* holds a prover (a GPU worker, or the processor's stand-in) */
} assay_look_worker;

/* A stage of a partition, for the waterfall. */
typedef struct assay_look_span {
    char job[ASSAY_JOB_ID + 1];
    uint32_t partition;
    const char *stage;
    uint64_t begin, end; /* Unix ms; end 0: not yet */
    bool failed;
} assay_look_span;

/* Completed jobs of one kind since the start. */
enum { ASSAY_LOOK_BOUNDS = 14 };
extern const double assay_look_bounds[ASSAY_LOOK_BOUNDS]; /* seconds, growing */
typedef struct assay_look_done {
    uint64_t
        counts[ASSAY_LOOK_BOUNDS + 1]; /* by times.total: at most bounds[i] and more than bounds[i - 1]; the rest */
    assay_job_times sum;               /* of all of them; peak_bytes is the largest */
} assay_look_done;
void assay_look_add(assay_look_done *d, const assay_job_times *t);

typedef struct assay_engine_look {
    uint64_t now, started; /* Unix ms */
    bool draining, ready;
    assay_memory_found memory;
    assay_budget budget;
    uint64_t daemon_bytes, keys_bytes, workers_bytes;              /* reserved */
    uint64_t threads, partition_workers, gpu_workers, gpu_threads; /* in force */
    char why[400];                                                 /* why so many; one or two sentences */
    bool pipeline;
    uint64_t submitted, completed, failed, cancelled, retried, killed_for_memory; /* since the start */
    uint64_t ended_by_kind[ASSAY_JOB_KINDS][2];                                   /* completed, failed */
    assay_look_done done[ASSAY_JOB_KINDS];
    assay_queue_counts queue;
    uint64_t per_minute[ASSAY_LOOK_MINUTES]; /* proofs that ended in each of the last minutes, newest first */
    double proofs_per_hour;                  /* over the last hour, or since the start */
    size_t n_jobs, n_keys, n_workers, n_spans;
    assay_job_view jobs[ASSAY_LOOK_JOBS]; /* running, then waiting (the first), then ended (the last) */
    assay_look_key keys[ASSAY_LOOK_KEYS];
    assay_look_worker workers[ASSAY_LOOK_WORKERS];
    assay_look_span spans[ASSAY_LOOK_SPANS];
} assay_engine_look;

/* NULL when out of memory; freed with assay_engine_look_free. */
assay_engine_look *assay_engine_look_new(assay_engine *e);
void assay_engine_look_free(assay_engine_look *l);

#endif
