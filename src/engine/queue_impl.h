/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the queue: connections in use by threads, and transactions. */
#ifndef ASSAY_ENGINE_QUEUE_IMPL_H
#define ASSAY_ENGINE_QUEUE_IMPL_H

#include "engine/queue_db.h"
#include <pthread.h>

enum {
    QUEUE_OWNER = 128,
    QUEUE_CONNECTIONS = 16, /* at most */
    QUEUE_BATCH = 128       /* jobs that one transaction of the sweep changes */
};

struct assay_queue {
    const assay_db_driver *driver;
    assay_db_source source;
    char owner[QUEUE_OWNER + 1];
    uint64_t lease, keep, max_jobs;
    uint32_t attempts;
    assay_db_watch *watch;
    pthread_mutex_t watch_lock;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t freed;
    unsigned n_connections;
    assay_db *connections[QUEUE_CONNECTIONS];
    bool used[QUEUE_CONNECTIONS];
};

/* assay_queue_open with other clocks for SQLite; NULL: this machine's. */
ASSAY_MUST_USE assay_status assay_queue_open_at(assay_queue **out, const assay_queue_options *o,
                                                const assay_db_clock *clock, assay_errinfo *err);

/* The columns of the table `tally`. */
enum { TALLY_WAITING, TALLY_RUNNING, TALLY_COMPLETED, TALLY_FAILED, TALLY_CANCELLED, TALLY_COLUMNS };

/* A transaction as its body sees it. The tally is written last, one kind after the other: so its rows are held briefly,
 * and by all in the same order. */
typedef struct assay_queue_tx {
    assay_queue *q;
    assay_db *db;
    int64_t tally[ASSAY_JOB_KINDS][TALLY_COLUMNS]; /* to be added */
    bool changed;                                  /* others want to know */
} assay_queue_tx;

/* May run more than once: it must begin by emptying what it fills. */
typedef assay_status assay_queue_body(assay_queue_tx *t, void *ctx, assay_errinfo *err);

/* Runs body with a connection; write: in a transaction, else without (one statement sees one state of things). Once
 * more if the connection was lost; a few times more on a deadlock. */
ASSAY_MUST_USE assay_status assay_queue_do(assay_queue *q, bool write, assay_queue_body *body, void *ctx,
                                           assay_errinfo *err);

/* ---- statements within a body */

ASSAY_MUST_USE assay_status assay_queue_run(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n,
                                            assay_errinfo *err);
/* The same for a statement of which no row is wanted, or one: *row says whether there was one; its values may be read
 * until the next statement. */
ASSAY_MUST_USE assay_status assay_queue_exec(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n,
                                             assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_queue_one(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n,
                                            bool *row, assay_errinfo *err);

#define QUEUE_VALUES(...)                                                                                              \
    (const assay_db_value[]){__VA_ARGS__}, sizeof((const assay_db_value[]){__VA_ARGS__}) / sizeof(assay_db_value)

static inline int64_t assay_queue_i64(const assay_queue_tx *t, unsigned column)
{
    return t->db->driver->i64(t->db, column);
}

/* ---- jobs within a body */

/* What a transaction must know of a job before it changes it. */
typedef struct assay_queue_row {
    int64_t arrival;
    assay_job_kind kind;
    assay_job_state state;
    int64_t attempts;
    bool cancel;
} assay_queue_row;

/* Rows of a statement of this shape, at most max. */
ASSAY_MUST_USE assay_status assay_queue_rows(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n_values,
                                             assay_queue_row *rows, size_t max, size_t *n, assay_errinfo *err);
/* Whose doing a change is. The holder's token stays in the row, so that the holder can be told that it is done when it
 * asks again; to anybody else's doing the old token must not fit. */
typedef enum assay_queue_by { QUEUE_BY_OTHERS, QUEUE_BY_HOLDER } assay_queue_by;

/* Ends a job: its inputs go. error: for people; control characters and what is not UTF-8 become '?'. */
ASSAY_MUST_USE assay_status assay_queue_end(assay_queue_tx *t, const assay_queue_row *row, assay_queue_by by,
                                            assay_job_state state, const char *error, assay_errinfo *err);
/* Removes a job that has ended, and its result. */
ASSAY_MUST_USE assay_status assay_queue_forget(assay_queue_tx *t, const assay_queue_row *row, assay_errinfo *err);
/* A running job waits again, or ends: if it was to be cancelled, or was begun too often. begun: the attempt counts. */
ASSAY_MUST_USE assay_status assay_queue_back(assay_queue_tx *t, const assay_queue_row *row, assay_queue_by by,
                                             bool begun, assay_errinfo *err);

/* ---- opening */

/* Makes the schema in an empty database, refuses what is not ours. */
ASSAY_MUST_USE assay_status assay_queue_schema(assay_queue *q, assay_db *db, assay_errinfo *err);
/* Every running job waits again: whoever ran them is dead. */
ASSAY_MUST_USE assay_status assay_queue_recover(assay_queue *q, assay_errinfo *err);

#endif
