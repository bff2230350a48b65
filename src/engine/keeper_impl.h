/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of its keeper processes; keeper.c gives orders, keeper_events.c hears what comes of them. */
#ifndef ASSAY_ENGINE_KEEPER_IMPL_H
#define ASSAY_ENGINE_KEEPER_IMPL_H

#include "engine/keeper.h"
#include "engine/worker_channel.h"
#include "engine/worker_end.h"

/* What epoll watches, and what may have events for the caller. */
typedef enum assay_source_kind {
    ASSAY_SOURCE_BELL,
    ASSAY_SOURCE_TIMER,
    ASSAY_SOURCE_PROCESS,
    ASSAY_SOURCE_TASK
} assay_source_kind;
typedef struct assay_keeper_source {
    assay_source_kind kind;
    int fd;
    bool listed; /* among those with events */
    struct assay_keeper_source *next;
} assay_keeper_source;

/* A message that a process could not take yet. */
typedef struct assay_keeper_post {
    struct assay_keeper_post *next;
    assay_worker_message m;
    int passed;
} assay_keeper_post;

typedef enum assay_process_state { ASSAY_PROCESS_LOADING, ASSAY_PROCESS_READY, ASSAY_PROCESS_DEAD } assay_process_state;

/* A keeper process; a dead one is kept as long as something is to be said of it. */
typedef struct assay_keeper_child {
    assay_keeper_source source; /* must be first */
    struct assay_keeper_child *next;
    int pid;
    bool heard; /* it runs: it said something */
    bool plain; /* the one without a key; a dead one is followed by another when one is needed */
    assay_process_state state;
    assay_job_kind kind;
    char name[ASSAY_JOB_SUBJECT + 1];
    assay_file_stamp stamp;
    size_t n_tasks;
    unsigned loads;             /* answers to assay_keeper_load that are due */
    bool answered;              /* and can be given: as `loaded` */
    bool evicting;              /* somebody asked for that */
    uint64_t to_end_at;         /* since when it is to end by itself, ms; 0: it need not */
    bool overdue;               /* it did not */
    bool said_nothing;          /* of its end: the load failed */
    assay_worker_origin origin; /* of the daemon when it was started */
    assay_worker_message loaded, end;
    assay_keeper_post *first, *last;
    size_t n_posts;
} assay_keeper_child;

typedef struct assay_keeper_task {
    assay_keeper_source source; /* must be first; fd -1: the worker hung up */
    struct assay_keeper_task *next;
    uint64_t number;
    assay_keeper_child *process;
    bool started, staged, ready; /* to be said */
    unsigned changes;            /* of the stage */
    uint64_t staged_at;          /* ms */
    bool done, exited, killed, ended;
    uint64_t hung_up;   /* when, ms; 0: not */
    uint64_t to_end_at; /* since when it is to end, ms; 0: it need not */
    uint32_t pid;
    assay_worker_message stage, result, exit;
    uint64_t synthesis_ms;
    assay_buffer outputs;
} assay_keeper_task;

struct assay_keeper {
    int epoll;
    assay_keeper_source bell, timer;
    bool rung;
    assay_keeper_source *first, *last; /* with events */
    assay_keeper_child *processes;
    assay_keeper_task *tasks;
    size_t n_tasks;
    unsigned threads;
    char program[ASSAY_SUBJECT_PATH];
};

enum {
    ASSAY_KEEPER_GRACE = 1000,     /* ms: the worker of a task that hung up is given so long to end by itself */
    ASSAY_KEEPER_PATIENCE = 10000, /* ms: a process that does not do what it is told for so long is killed */
    ASSAY_KEEPER_TASKS = 4096,
    ASSAY_KEEPER_POSTS = 1024
};

/* Puts it on the list of those with events, and makes the keeper's descriptor readable. */
void assay_keeper_list(assay_keeper *k, assay_keeper_source *s);
/* Sends, now or when the process takes it; takes `passed` over if that works out. Errors: ASSAY_EIO (it is gone),
 * ASSAY_EBUSY, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_post_message(assay_keeper *k, assay_keeper_child *p,
                                                      const assay_worker_message *m, int passed, assay_errinfo *err);
/* Has a process without tasks end by itself. */
void assay_keeper_let_go(assay_keeper *k, assay_keeper_child *p);
/* Has the timer ring in a while: what is to end is looked at then. */
void assay_keeper_set_timer(const assay_keeper *k);
/* Stops watching a source and closes its descriptor. */
void assay_keeper_close_source(assay_keeper *k, assay_keeper_source *s);
/* Takes a process or a task off its list and frees it. */
void assay_keeper_drop_process(assay_keeper *k, assay_keeper_child *p);
void assay_keeper_drop_task(assay_keeper *k, assay_keeper_task *t);
/* Waits for a process that was killed or hung up. */
void assay_keeper_bury(assay_keeper *k, assay_keeper_child *p);

#endif
