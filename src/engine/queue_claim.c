/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs in work: claim, heartbeat, finish, release, cancel.
 *
 * A transaction whose COMMIT was sent and never answered is done again on a new connection. So each of these finds out
 * whether it has happened already: the token is made before the first try, and stays in the row after the job has ended
 * or gone back. */
#include "base/buffer.h"
#include "base/mem.h"
#include "engine/queue_impl.h"
#include "hash/random.h"
#include <string.h>

typedef struct claim {
    const char *id;
    const uint8_t *token;
    bool claimed;
    assay_buffer *inputs;
} claim;

/* *lost: there are none, which nobody but a person with a shell can have done. */
static assay_status fetch_inputs(assay_queue_tx *t, int64_t arrival, assay_buffer *inputs, bool *lost,
                                 assay_errinfo *err)
{
    bool row = false;
    size_t n = 0;
    *lost = false;
    assay_status s = assay_queue_one(t, ASSAY_SQL_INPUT, QUEUE_VALUES(assay_db_int(arrival)), &row, err);
    if (s != ASSAY_OK) return s;
    *lost = !row;
    if (!row) return ASSAY_OK;
    const uint8_t *p = t->db->driver->bytes(t->db, 0, &n);
    s = assay_buffer_copy(inputs, p, n, "inputs of a job", err);
    t->db->driver->done(t->db);
    return s;
}

static assay_status claim_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    claim *c = ctx;
    bool row = false, lost = false;
    c->claimed = false;
    assay_buffer_free(c->inputs);
    const assay_db_value id = assay_db_text(c->id), token = assay_db_bytes(c->token, ASSAY_QUEUE_TOKEN);
    assay_status s = assay_queue_one(
        t, ASSAY_SQL_CLAIM, QUEUE_VALUES(id, token, assay_db_text(t->q->owner), assay_db_int((int64_t)t->q->lease)),
        &row, err);
    const bool now = row;
    if (s == ASSAY_OK && !row) s = assay_queue_one(t, ASSAY_SQL_CLAIMED, QUEUE_VALUES(id, token), &row, err);
    if (s != ASSAY_OK || !row) return s;
    assay_queue_row r = {.arrival = assay_queue_i64(t, 0), .state = ASSAY_JOB_RUNNING};
    const int64_t kind = assay_queue_i64(t, 1);
    t->db->driver->done(t->db);
    if (kind < 0 || kind >= ASSAY_JOB_KINDS)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, c->id, "a job of no known kind", kind);
    r.kind = (assay_job_kind)kind;
    if (now) {
        t->tally[kind][TALLY_WAITING]--;
        t->tally[kind][TALLY_RUNNING]++;
        t->changed = true;
    }
    s = fetch_inputs(t, r.arrival, c->inputs, &lost, err);
    if (s == ASSAY_OK && lost)
        return assay_queue_end(t, &r, QUEUE_BY_OTHERS, ASSAY_JOB_FAILED,
                               "its inputs are missing from the queue's database", err);
    c->claimed = s == ASSAY_OK;
    return s;
}

assay_status assay_queue_claim(assay_queue *q, const char *id, bool *claimed, uint8_t token[ASSAY_QUEUE_TOKEN],
                               assay_buffer *inputs, assay_errinfo *err)
{
    claim c = {id, token, false, inputs};
    *claimed = false;
    memset(inputs, 0, sizeof *inputs);
    assay_status s = assay_random_bytes(token, ASSAY_QUEUE_TOKEN, err);
    if (s == ASSAY_OK) s = assay_queue_do(q, true, claim_body, &c, err);
    if (s != ASSAY_OK) assay_buffer_free(inputs);
    *claimed = s == ASSAY_OK && c.claimed;
    if (!*claimed) memset(token, 0, ASSAY_QUEUE_TOKEN);
    return s;
}

/* ---- heartbeats */

typedef struct beats {
    assay_queue_lease *leases;
    size_t n;
} beats;

static assay_status beat_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    const beats *b = ctx;
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < b->n; i++) {
        assay_queue_lease *l = &b->leases[i];
        bool row = false;
        s = assay_queue_one(t, ASSAY_SQL_HEARTBEAT,
                            QUEUE_VALUES(assay_db_text(l->id), assay_db_bytes(l->token, ASSAY_QUEUE_TOKEN),
                                         assay_db_int((int64_t)t->q->lease)),
                            &row, err);
        l->lost = !row;
        l->cancel_requested = row && assay_queue_i64(t, 0) != 0;
    }
    return s;
}

assay_status assay_queue_heartbeat(assay_queue *q, assay_queue_lease *leases, size_t n, assay_errinfo *err)
{
    beats b = {leases, n};
    const assay_status s = n ? assay_queue_do(q, true, beat_body, &b, err) : ASSAY_OK;
    for (size_t i = 0; s != ASSAY_OK && i < n; i++) leases[i].lost = leases[i].cancel_requested = false;
    return s;
}

/* ---- the end of an attempt */

typedef struct ending {
    const char *id;
    const uint8_t *token;
    assay_job_state state; /* ASSAY_JOB_QUEUED: it goes back */
    bool begun;
    const assay_blob *result;
    const char *error;
    const assay_job_times *times;
    bool ours;
} ending;

static int64_t small(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static assay_status write_outcome(assay_queue_tx *t, const ending *e, int64_t arrival, assay_errinfo *err)
{
    static const assay_job_times none;
    const assay_job_times *m = e->times ? e->times : &none;
    const assay_db_value job = assay_db_int(arrival);
    assay_status s = assay_queue_exec(t, ASSAY_SQL_TIMES,
                                      QUEUE_VALUES(job, assay_db_int(small(m->queue_wait)),
                                                   assay_db_int(small(m->load)), assay_db_int(small(m->synthesis)),
                                                   assay_db_int(small(m->prove)), assay_db_int(small(m->verify)),
                                                   assay_db_int(small(m->total)), assay_db_int(small(m->peak_bytes))),
                                      err);
    if (s == ASSAY_OK && e->state == ASSAY_JOB_COMPLETED)
        s = assay_queue_exec(t, ASSAY_SQL_INSERT_RESULT, QUEUE_VALUES(job, assay_db_bytes(e->result->p, e->result->n)),
                             err);
    return s;
}

static assay_status end_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    ending *e = ctx;
    assay_queue_row r;
    size_t n = 0;
    bool row = false;
    const assay_db_value id = assay_db_text(e->id), token = assay_db_bytes(e->token, ASSAY_QUEUE_TOKEN);
    e->ours = false;
    assay_status s = assay_queue_rows(t, ASSAY_SQL_LOCK_HELD, QUEUE_VALUES(id, token), &r, 1, &n, err);
    if (s == ASSAY_OK && n == 0) { /* done before, if the token is still there; else the lease was lost */
        s = assay_queue_one(t, ASSAY_SQL_HAD, QUEUE_VALUES(id, token), &row, err);
        e->ours = s == ASSAY_OK && row && (e->state == ASSAY_JOB_QUEUED || assay_queue_i64(t, 0) == (int64_t)e->state);
        return s;
    }
    if (s != ASSAY_OK) return s;
    if (e->state == ASSAY_JOB_QUEUED)
        s = assay_queue_back(t, &r, QUEUE_BY_HOLDER, e->begun, err);
    else {
        s = assay_queue_end(t, &r, QUEUE_BY_HOLDER, e->state, e->state == ASSAY_JOB_COMPLETED ? "" : e->error, err);
        if (s == ASSAY_OK) s = write_outcome(t, e, r.arrival, err);
    }
    e->ours = s == ASSAY_OK;
    return s;
}

static assay_status end_attempt(assay_queue *q, ending *e, bool *ours, assay_errinfo *err)
{
    const assay_status s = assay_queue_do(q, true, end_body, e, err);
    *ours = s == ASSAY_OK && e->ours;
    return s;
}

assay_status assay_queue_finish(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN],
                                assay_job_state state, const assay_blob *result, const char *error,
                                const assay_job_times *times, bool *ours, assay_errinfo *err)
{
    ending e = {.id = id, .token = token, .state = state, .result = result, .error = error, .times = times};
    *ours = false;
    if (!assay_job_ended(state) || state > ASSAY_JOB_CANCELLED || (state == ASSAY_JOB_COMPLETED && !result))
        return ASSAY_FAIL(err, ASSAY_EINVAL, id, "this is not how a job ends");
    if (state == ASSAY_JOB_COMPLETED && result->n > q->driver->max_bytes)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, id, "the result is larger than the queue holds", result->n);
    return end_attempt(q, &e, ours, err);
}

assay_status assay_queue_release(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN], bool begun,
                                 bool *ours, assay_errinfo *err)
{
    ending e = {.id = id, .token = token, .state = ASSAY_JOB_QUEUED, .begun = begun};
    return end_attempt(q, &e, ours, err);
}

/* ---- cancelling */

typedef struct cancel {
    const char *id;
    assay_job_state before;
} cancel;

static assay_status cancel_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    cancel *c = ctx;
    assay_queue_row r;
    size_t n = 0;
    c->before = (assay_job_state)0;
    assay_status s = assay_queue_rows(t, ASSAY_SQL_LOCK, QUEUE_VALUES(assay_db_text(c->id)), &r, 1, &n, err);
    if (s != ASSAY_OK || n == 0) return s;
    c->before = r.state;
    if (r.state == ASSAY_JOB_QUEUED)
        return assay_queue_end(t, &r, QUEUE_BY_OTHERS, ASSAY_JOB_CANCELLED, "cancelled", err);
    if (r.state != ASSAY_JOB_RUNNING || r.cancel) return ASSAY_OK;
    t->changed = true;
    return assay_queue_exec(t, ASSAY_SQL_ASK_CANCEL, QUEUE_VALUES(assay_db_int(r.arrival)), err);
}

assay_status assay_queue_cancel(assay_queue *q, const char *id, assay_job_state *before, assay_errinfo *err)
{
    cancel c = {id, (assay_job_state)0};
    const assay_status s = assay_queue_do(q, true, cancel_body, &c, err);
    *before = s == ASSAY_OK ? c.before : (assay_job_state)0;
    return s;
}
