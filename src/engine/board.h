/* SPDX-License-Identifier: Apache-2.0 */
/* The board: the jobs that this daemon holds, their partitions, the keys, the memory; and what is to be done next. It
 * decides and keeps accounts, and does nothing else: no process, no disk, no clock, no lock. The dispatcher asks it for
 * moves, makes them, and tells it what came of them.
 *
 * Order: priority, then deadline (none last), then arrival; a partition has its job's. It holds at both stages: a free
 * slot takes the best partition that waits, be its job held or still in the queue; a free prover takes the best that is
 * ready. Slots: partitions from their start until a prover takes them. So there are never more workers than slots and
 * provers together.
 *
 * Memory: a partition starts with all that it will need up to its end, the most of its stages and, if it is the first
 * to want a key, the key too; what a stage does not need it gives back. Hence whoever holds memory can go on without
 * more, and ends; who waits holds none. When nothing runs, every key can leave, and what was planned to fit alone fits.
 * That is why nothing can wait for ever. The cost: memory for proving is set aside during synthesis already. One thing
 * is held while partitions wait: the inputs of a job that has begun, up to its last partition's start. Should that,
 * when nothing runs, be what is missing to the best partition, it starts all the same (`forced`).
 *
 * Nobody overtakes the best partition while it waits for memory: no small job fills the gap before a large one. */
#ifndef ASSAY_ENGINE_BOARD_H
#define ASSAY_ENGINE_BOARD_H

#include "engine/budget.h"
#include "engine/catalogue.h"

enum {
    ASSAY_BOARD_JOBS = 64,   /* held at once */
    ASSAY_BOARD_UNBEGUN = 1, /* of them, with no partition started: one waits for memory, and goes back for a better */
    ASSAY_BOARD_KEYS = 64
};

typedef enum assay_key_state {
    ASSAY_KEY_ABSENT, /* the place is free */
    ASSAY_KEY_LOADING,
    ASSAY_KEY_RESIDENT,
    ASSAY_KEY_LEAVING
} assay_key_state;

typedef struct assay_board_key {
    assay_subject_entry entry;
    assay_key_state state;
    uint32_t references; /* partitions that were started with it and have not ended */
    uint64_t last_used;  /* Unix ms */
    assay_reservation held;
} assay_board_key;

typedef enum assay_task_phase {
    ASSAY_TASK_WAITING, /* for a slot and for memory */
    ASSAY_TASK_LOADING, /* has both; its key is on the way */
    ASSAY_TASK_SYNTHESIS,
    ASSAY_TASK_READY,
    ASSAY_TASK_PROVING, /* and verifying */
    ASSAY_TASK_ENDED
} assay_task_phase;

typedef struct assay_board_task {
    struct assay_board_job *job;
    uint32_t partition;
    assay_task_phase phase;
    assay_reservation held;
    assay_board_key *key; /* referenced; NULL: none, or streamed */
} assay_board_task;

typedef struct assay_board_job {
    unsigned priority;
    uint64_t deadline, arrival; /* as assay_job_view's; 0: no deadline */
    assay_subject_entry entry;
    assay_job_plan plan;
    uint64_t input_bytes; /* of the daemon's copy, from the first partition's start to the last one's */
    assay_reservation inputs;
    uint32_t n_tasks;
    assay_board_task tasks[ASSAY_JOB_PARTITIONS];
    bool begun, stopping;
    uint64_t batch, number; /* given by the board */
} assay_board_job;

typedef struct assay_board_limits {
    uint64_t slots, provers, most; /* at least 1; most: partitions that run at once in all */
    bool pipeline;                 /* false: one partition from beginning to end, then the next */
    /* Jobs of one subject and priority go together, at most batch_size of them, before others of that priority, so that
     * their key is loaded once. Such a job waits for company up to batch_wait (ms) after its arrival, unless its key is
     * there, or it is critical; others go before it meanwhile. 1: no batches. */
    uint64_t batch_size, batch_wait;
} assay_board_limits;

typedef struct assay_board {
    assay_board_limits limits;
    assay_budget budget;
    assay_reservation daemon;
    size_t n_jobs;
    assay_board_job *jobs[ASSAY_BOARD_JOBS]; /* borrowed */
    assay_board_key keys[ASSAY_BOARD_KEYS];
    struct {
        assay_job_kind kind;
        char subject[ASSAY_JOB_SUBJECT + 1];
        unsigned priority;
        uint64_t left, number;
    } batch; /* the one that is being worked */
    uint64_t numbers;
} assay_board;

/* total, daemon: bytes. What jobs may plan with is the difference. */
void assay_board_init(assay_board *b, const assay_board_limits *limits, uint64_t total, uint64_t daemon);

typedef enum assay_move_kind {
    ASSAY_MOVE_NONE,
    ASSAY_MOVE_CLAIM,     /* head: take this job from the queue, then assay_board_add */
    ASSAY_MOVE_GIVE_BACK, /* job: return it to the queue, after assay_board_remove */
    ASSAY_MOVE_LOAD,      /* key */
    ASSAY_MOVE_EVICT,     /* key */
    ASSAY_MOVE_RUN,       /* task: start its worker */
    ASSAY_MOVE_GO         /* task: lend it a prover */
} assay_move_kind;

typedef struct assay_move {
    assay_move_kind kind;
    size_t head;
    assay_board_job *job;
    assay_board_task *task;
    assay_board_key *key;
    bool forced; /* of LOAD and RUN: it did not fit though nothing else ran, and was started nevertheless */
} assay_move;

/* The next move, in the accounts already. heads: jobs that wait in the queue, best first. */
assay_move assay_board_next(assay_board *b, const assay_job_view *heads, size_t n_heads, uint64_t now);
/* When a job that waits for company need not wait any longer; UINT64_MAX: none does. */
uint64_t assay_board_wake(const assay_board *b, const assay_job_view *heads, size_t n_heads, uint64_t now);

/* Puts a claimed job on the board, with its plan: all its partitions wait. The board has room after ASSAY_MOVE_CLAIM.
 */
void assay_board_add(assay_board *b, assay_board_job *job);
/* Partitions that run no worker end. True if others still run: they are to be killed, and told by task_ended. */
bool assay_board_stop(assay_board *b, assay_board_job *job);
void assay_board_remove(assay_board *b, assay_board_job *job); /* after all of its tasks have ended, or none begun */
/* Every partition has its copy of the inputs: the daemon's is gone. */
void assay_board_inputs_gone(assay_board *b, assay_board_job *job);
bool assay_board_job_over(const assay_board_job *job); /* all tasks have ended */

void assay_board_task_ready(assay_board *b, assay_board_task *t);
void assay_board_task_proving(assay_board *b, assay_board_task *t); /* of a worker that did not ask */
void assay_board_task_ended(assay_board *b, assay_board_task *t, uint64_t now);
/* It could not be started: it waits again. */
void assay_board_task_back(assay_board *b, assay_board_task *t);

/* bytes: held by the loaded key, as measured. */
void assay_board_key_loaded(assay_board *b, assay_board_key *k, uint64_t bytes, uint64_t now);
/* It was evicted, or could not be loaded, or its process died: partitions that wait for it wait for a slot again. */
void assay_board_key_gone(assay_board *b, assay_board_key *k);
assay_board_key *assay_board_key_find(assay_board *b, assay_job_kind kind, const char *name); /* NULL: absent */

/* For a key that somebody asked for: makes room only of keys that were idle for `idle` ms. NONE with *found: it is
 * there or on the way; NONE with *found NULL and *wait: later, keys are leaving; else there is no room. */
assay_move assay_board_preload(assay_board *b, const assay_subject_entry *entry, uint64_t bytes, uint64_t load,
                               uint64_t idle, uint64_t now, assay_board_key **found, bool *wait);

/* Partitions that hold memory, and of those the ones in slots and at provers. */
typedef struct assay_board_counts {
    uint64_t active, slots, provers;
} assay_board_counts;
assay_board_counts assay_board_count(const assay_board *b);

/* ---- between the board's files (board_keys.c) */

typedef enum assay_room { ASSAY_ROOM_MADE, ASSAY_ROOM_EVICT, ASSAY_ROOM_LATER, ASSAY_ROOM_NEVER } assay_room;
/* Whether `need` bytes are free: MADE; or how they become free: EVICT *evict first (it is LEAVING already); LATER, when
 * keys that leave, or workers, are gone; NEVER: nothing runs or leaves, and all keys that may leave (the oldest of them
 * is *evict, or NULL) are not enough. keep: a key that must stay, or NULL. idle: of keys that may leave, ms. */
assay_room assay_board_room(assay_board *b, uint64_t need, const assay_board_key *keep, uint64_t idle, uint64_t now,
                            assay_board_key **evict);
bool assay_stamp_equal(const assay_file_stamp *a, const assay_file_stamp *b);

#endif
