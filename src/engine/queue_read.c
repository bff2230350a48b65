/* SPDX-License-Identifier: Apache-2.0 */
/* Looking: heads, one job, counts, the last that ended. */
#include "base/buffer.h"
#include "engine/queue_impl.h"
#include <string.h>

static void copy_text(const assay_queue_tx *t, unsigned column, char *out, size_t n_out)
{
    size_t n = 0;
    const uint8_t *p = t->db->driver->bytes(t->db, column, &n);
    if (n >= n_out) n = n_out - 1;
    if (n) memcpy(out, p, n);
    out[n] = '\0';
}

static uint64_t positive(const assay_queue_tx *t, unsigned column)
{
    const int64_t v = assay_queue_i64(t, column);
    return v < 0 ? 0 : (uint64_t)v;
}

static uint32_t narrow(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* The columns of VIEW in queue_sql.c. */
static assay_status read_view(const assay_queue_tx *t, assay_job_view *v, int64_t *arrival, assay_errinfo *err)
{
    memset(v, 0, sizeof *v);
    const int64_t kind = assay_queue_i64(t, 2), state = assay_queue_i64(t, 5);
    *arrival = assay_queue_i64(t, 0);
    copy_text(t, 1, v->id, sizeof v->id);
    if (kind < 0 || kind >= ASSAY_JOB_KINDS || state < ASSAY_JOB_QUEUED || state > ASSAY_JOB_CANCELLED)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, v->id, "a job of no known kind or state: kind, state", kind, state);
    v->kind = (assay_job_kind)kind;
    copy_text(t, 3, v->subject, sizeof v->subject);
    v->priority = narrow(positive(t, 4));
    v->state = (assay_job_state)state;
    v->sequence = positive(t, 6);
    v->attempts = narrow(positive(t, 7));
    v->submitted = positive(t, 8);
    v->started = positive(t, 9);
    v->ended = positive(t, 10);
    const int64_t deadline = assay_queue_i64(t, 11);
    v->deadline = deadline == INT64_MAX || deadline < 0 ? 0 : (uint64_t)deadline;
    v->times.queue_wait = positive(t, 12);
    v->times.load = positive(t, 13);
    v->times.synthesis = positive(t, 14);
    v->times.prove = positive(t, 15);
    v->times.verify = positive(t, 16);
    v->times.total = positive(t, 17);
    v->times.peak_bytes = positive(t, 18);
    copy_text(t, 19, v->error, sizeof v->error);
    v->stage = "";
    v->done = state == ASSAY_JOB_COMPLETED ? 1 : 0;
    return ASSAY_OK;
}

/* ---- lists */

typedef struct list {
    assay_sql sql;
    assay_job_view *out;
    size_t max, n;
} list;

static assay_status list_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    list *l = ctx;
    l->n = 0;
    assay_status s = assay_queue_run(t, l->sql, QUEUE_VALUES(assay_db_int((int64_t)l->max)), err);
    while (s == ASSAY_OK && l->n < l->max) {
        bool row = false;
        int64_t arrival;
        s = t->db->driver->next(t->db, &row, err);
        if (s != ASSAY_OK || !row) break;
        s = read_view(t, &l->out[l->n], &arrival, err);
        if (l->sql == ASSAY_SQL_HEADS) l->out[l->n].queue_position = narrow(l->n);
        if (s == ASSAY_OK) l->n++;
    }
    return s;
}

static assay_status read_list(assay_queue *q, assay_sql sql, assay_job_view *out, size_t max, size_t *n,
                              assay_errinfo *err)
{
    list l = {sql, out, max < INT32_MAX ? max : INT32_MAX, 0};
    const assay_status s = max ? assay_queue_do(q, false, list_body, &l, err) : ASSAY_OK;
    *n = s == ASSAY_OK ? l.n : 0;
    return s;
}

assay_status assay_queue_heads(assay_queue *q, assay_job_view *out, size_t max, size_t *n, assay_errinfo *err)
{
    return read_list(q, ASSAY_SQL_HEADS, out, max, n, err);
}

assay_status assay_queue_recent(assay_queue *q, assay_job_view *out, size_t max, size_t *n, assay_errinfo *err)
{
    return read_list(q, ASSAY_SQL_RECENT, out, max, n, err);
}

/* ---- one job */

typedef struct lookup {
    const char *id;
    bool found;
    assay_job_view *out;
    assay_buffer *result; /* may be NULL */
} lookup;

static assay_status count_before(assay_queue_tx *t, assay_job_view *v, int64_t arrival, assay_errinfo *err)
{
    const int64_t deadline = v->deadline ? (int64_t)v->deadline : INT64_MAX;
    bool row = false;
    assay_status s = assay_queue_one(
        t, ASSAY_SQL_BEFORE, QUEUE_VALUES(assay_db_int(v->priority), assay_db_int(deadline), assay_db_int(arrival)),
        &row, err);
    if (s == ASSAY_OK && row) v->queue_position = narrow(positive(t, 0));
    return s;
}

static assay_status get_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    lookup *l = ctx;
    int64_t arrival = 0;
    bool row = false;
    size_t n = 0;
    if (l->result) assay_buffer_free(l->result);
    assay_status s = assay_queue_one(t, ASSAY_SQL_GET, QUEUE_VALUES(assay_db_text(l->id)), &l->found, err);
    if (s == ASSAY_OK && l->found) s = read_view(t, l->out, &arrival, err);
    if (s != ASSAY_OK || !l->found) return s;
    if (l->out->state == ASSAY_JOB_QUEUED) return count_before(t, l->out, arrival, err);
    if (l->out->state != ASSAY_JOB_COMPLETED || !l->result) return ASSAY_OK;
    s = assay_queue_one(t, ASSAY_SQL_RESULT, QUEUE_VALUES(assay_db_int(arrival)), &row, err);
    if (s != ASSAY_OK) return s;
    if (!row) { /* it was deleted between the two */
        l->found = false;
        return ASSAY_OK;
    }
    const uint8_t *p = t->db->driver->bytes(t->db, 0, &n);
    return assay_buffer_copy(l->result, p, n, "result of a job", err);
}

assay_status assay_queue_get(assay_queue *q, const char *id, bool *found, assay_job_view *out, assay_buffer *result,
                             assay_errinfo *err)
{
    lookup l = {id, false, out, result};
    if (result) memset(result, 0, sizeof *result);
    memset(out, 0, sizeof *out);
    const assay_status s = assay_queue_do(q, false, get_body, &l, err);
    *found = s == ASSAY_OK && l.found;
    if (!*found) {
        memset(out, 0, sizeof *out);
        assay_buffer_free(result);
    }
    return s;
}

/* ---- counts */

static assay_status count_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    assay_queue_counts *c = ctx;
    memset(c, 0, sizeof *c);
    assay_status s = assay_queue_run(t, ASSAY_SQL_TALLY, NULL, 0, err);
    while (s == ASSAY_OK) {
        bool row = false;
        s = t->db->driver->next(t->db, &row, err);
        if (s != ASSAY_OK || !row) break;
        const int64_t kind = assay_queue_i64(t, 0);
        if (kind < 0 || kind >= ASSAY_JOB_KINDS)
            return ASSAY_FAIL1(err, ASSAY_EFORMAT, t->q->source.name, "jobs of no known kind", kind);
        c->waiting[kind] = positive(t, 1);
        c->running[kind] = positive(t, 2);
        c->completed += positive(t, 3);
        c->failed += positive(t, 4);
        c->cancelled += positive(t, 5);
    }
    return s;
}

assay_status assay_queue_count(assay_queue *q, assay_queue_counts *out, assay_errinfo *err)
{
    const assay_status s = assay_queue_do(q, false, count_body, out, err);
    if (s != ASSAY_OK) memset(out, 0, sizeof *out);
    return s;
}
