/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing, and the connections that threads share. */
#include "engine/queue.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/queue_impl.h"
#include "hash/sha256.h"
#include <string.h>

enum { TRIES = 5 }; /* of a transaction that deadlocks */

static uint64_t wall_now(void *ctx)
{
    (void)ctx;
    return assay_unix_ms();
}

/* Leases of SQLite's never outlive the process, so they need not follow the time of day when it is set. */
static uint64_t steady_now(void *ctx)
{
    (void)ctx;
    return assay_clock_ms();
}

static const assay_db_clock machine_clock = {wall_now, steady_now, NULL};

static bool is_url(const char *where)
{
    return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

static assay_status check_options(const assay_queue_options *o, assay_errinfo *err)
{
    if (!o->where || !*o->where) return ASSAY_FAIL(err, ASSAY_EINVAL, "queue", "has no place");
    if (!o->owner || strlen(o->owner) > QUEUE_OWNER) return ASSAY_FAIL(err, ASSAY_EINVAL, "queue", "owner is too long");
    if (o->lease == 0 || o->lease > INT64_MAX / 4 || o->keep > INT64_MAX / 4 || o->attempts == 0 || o->max_jobs == 0 ||
        o->max_jobs > INT64_MAX || o->connections > QUEUE_CONNECTIONS)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "queue", "an option is out of range");
    return ASSAY_OK;
}

static assay_status open_connections(assay_queue *q, unsigned asked, assay_errinfo *err)
{
    const assay_db_driver *d = q->driver;
    const unsigned n = !d->shared ? d->least : asked ? asked : 2;
    assay_status s = d->connect(&q->connections[0], &q->source, err);
    if (s == ASSAY_OK) s = assay_queue_schema(q, q->connections[0], err);
    if (s == ASSAY_OK) s = d->settle(q->connections[0], err);
    for (unsigned i = 1; s == ASSAY_OK && i < n; i++) s = d->connect(&q->connections[i], &q->source, err);
    if (s == ASSAY_OK) q->n_connections = n;
    return s;
}

assay_status assay_queue_open(assay_queue **out, const assay_queue_options *o, assay_errinfo *err)
{
    return assay_queue_open_at(out, o, NULL, err);
}

assay_status assay_queue_open_at(assay_queue **out, const assay_queue_options *o, const assay_db_clock *clock,
                                 assay_errinfo *err)
{
    *out = NULL;
    assay_status s = check_options(o, err);
    if (s != ASSAY_OK) return s;
    assay_queue *q = assay_mem_alloc(1, sizeof *q);
    if (!q) return ASSAY_FAIL(err, ASSAY_ENOMEM, "queue", "out of memory");
    q->driver = is_url(o->where) ? &assay_db_postgres : &assay_db_sqlite;
    q->source.lock.fd = -1;
    q->source.clock = clock ? *clock : machine_clock;
    assay_sha256_select(); /* for digests of inputs */
    memcpy(q->owner, o->owner, strlen(o->owner) + 1);
    q->lease = o->lease;
    q->keep = o->keep;
    q->max_jobs = o->max_jobs;
    q->attempts = o->attempts;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_mutex_init(&q->watch_lock, NULL);
    (void)pthread_cond_init(&q->freed, NULL);

    s = q->driver->source(&q->source, o->where, err);
    if (s == ASSAY_OK) s = open_connections(q, o->connections, err);
    if (s == ASSAY_OK && !q->driver->shared) s = assay_queue_recover(q, err);
    if (s == ASSAY_OK && q->driver->watch) s = q->driver->watch(&q->watch, &q->source, err);
    if (s != ASSAY_OK) {
        assay_queue_close(q);
        q = NULL;
    }
    *out = q;
    return s;
}

void assay_queue_close(assay_queue *q)
{
    if (!q) return;
    if (q->watch) q->driver->watch_close(q->watch);
    for (unsigned i = QUEUE_CONNECTIONS; i-- > 0;) q->driver->close(q->connections[i]);
    q->driver->leave(&q->source);
    (void)pthread_cond_destroy(&q->freed);
    (void)pthread_mutex_destroy(&q->watch_lock);
    (void)pthread_mutex_destroy(&q->lock);
    assay_mem_free(q);
}

bool assay_queue_shared(const assay_queue *q)
{
    return q->driver->shared;
}

int assay_queue_event_fd(const assay_queue *q)
{
    return q->watch ? q->driver->watch_fd(q->watch) : -1;
}

void assay_queue_quiet(assay_queue *q)
{
    if (!q->watch || pthread_mutex_trylock(&q->watch_lock) != 0) return; /* it is being mended */
    q->driver->watch_quiet(q->watch);
    (void)pthread_mutex_unlock(&q->watch_lock);
}

/* ---- connections: of SQLite's the first writes and the second reads; of a server's each does both */

static unsigned take(assay_queue *q, bool write)
{
    (void)pthread_mutex_lock(&q->lock);
    for (;;) {
        const unsigned from = q->driver->shared || write ? 0 : 1;
        const unsigned to = q->driver->shared || !write ? q->n_connections : 1;
        for (unsigned i = from; i < to; i++) {
            if (q->used[i]) continue;
            q->used[i] = true;
            (void)pthread_mutex_unlock(&q->lock);
            return i;
        }
        (void)pthread_cond_wait(&q->freed, &q->lock);
    }
}

static void give(assay_queue *q, unsigned i)
{
    (void)pthread_mutex_lock(&q->lock);
    q->used[i] = false;
    (void)pthread_cond_broadcast(&q->freed);
    (void)pthread_mutex_unlock(&q->lock);
}

/* ---- transactions */

static assay_status write_tally(assay_queue_tx *t, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (int k = 0; s == ASSAY_OK && k < ASSAY_JOB_KINDS; k++) {
        const int64_t *d = t->tally[k];
        bool any = false;
        for (int i = 0; i < TALLY_COLUMNS; i++) any = any || d[i] != 0;
        if (any)
            s = assay_queue_exec(t, ASSAY_SQL_TALLY_ADD,
                                 QUEUE_VALUES(assay_db_int(k), assay_db_int(d[TALLY_WAITING]),
                                              assay_db_int(d[TALLY_RUNNING]), assay_db_int(d[TALLY_COMPLETED]),
                                              assay_db_int(d[TALLY_FAILED]), assay_db_int(d[TALLY_CANCELLED])),
                                 err);
    }
    return s;
}

static assay_status attempt(assay_queue *q, assay_db *db, bool write, assay_queue_body *body, void *ctx,
                            assay_errinfo *err)
{
    assay_queue_tx t = {.q = q, .db = db};
    assay_status s = q->driver->ready(db, err);
    if (s == ASSAY_OK && write) s = q->driver->begin(db, err);
    if (s == ASSAY_OK) s = body(&t, ctx, err);
    q->driver->done(db);
    if (s == ASSAY_OK && write) s = write_tally(&t, err);
    if (s == ASSAY_OK && write) s = q->driver->commit(db, t.changed, err);
    if (s != ASSAY_OK && write) q->driver->rollback(db);
    return s;
}

assay_status assay_queue_do(assay_queue *q, bool write, assay_queue_body *body, void *ctx, assay_errinfo *err)
{
    assay_errinfo here = {0};
    assay_status s = ASSAY_OK;
    const unsigned i = take(q, write);
    for (int n = 0; n < TRIES; n++) {
        assay_errinfo_clear(&here);
        s = attempt(q, q->connections[i], write, body, ctx, &here);
        if (s == ASSAY_OK || !q->driver->again(q->connections[i])) break;
    }
    give(q, i);
    if (s != ASSAY_OK && err && !err->reason) *err = here;
    return s;
}

assay_db_value assay_db_text(const char *text)
{
    const assay_db_value v = {ASSAY_DB_TEXT, 0, text, strlen(text)};
    return v;
}

assay_status assay_queue_run(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n, assay_errinfo *err)
{
    return t->db->driver->run(t->db, sql, v, n, err);
}

assay_status assay_queue_exec(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n, assay_errinfo *err)
{
    const assay_status s = t->db->driver->run(t->db, sql, v, n, err);
    t->db->driver->done(t->db);
    return s;
}

assay_status assay_queue_one(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n, bool *row,
                             assay_errinfo *err)
{
    *row = false;
    const assay_status s = t->db->driver->run(t->db, sql, v, n, err);
    return s == ASSAY_OK ? t->db->driver->next(t->db, row, err) : s;
}
