/* SPDX-License-Identifier: Apache-2.0 */
/* What ran out: leases, deadlines, results. In short transactions, so that nobody waits long for one. */
#include "engine/queue_impl.h"

enum { MOST_BATCHES = 80 }; /* of old results in one sweep; the rest is for the next */

typedef assay_status handle_fn(assay_queue_tx *t, const assay_queue_row *row, assay_errinfo *err);

typedef struct sweep {
    assay_sql sql;
    handle_fn *handle;
    size_t n; /* jobs of the last batch */
} sweep;

static assay_status lost_lease(assay_queue_tx *t, const assay_queue_row *row, assay_errinfo *err)
{
    return assay_queue_back(t, row, QUEUE_BY_OTHERS, true, err);
}

static assay_status passed_deadline(assay_queue_tx *t, const assay_queue_row *row, assay_errinfo *err)
{
    return assay_queue_end(t, row, QUEUE_BY_OTHERS, ASSAY_JOB_FAILED, "its deadline passed while it waited", err);
}

static assay_status sweep_body(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    sweep *w = ctx;
    assay_queue_row rows[QUEUE_BATCH];
    const assay_db_value v[2] = {assay_db_int(QUEUE_BATCH), assay_db_int((int64_t)t->q->keep)};
    const size_t n_values = w->sql == ASSAY_SQL_OLD ? 2 : 1;
    assay_status s = assay_queue_rows(t, w->sql, v, n_values, rows, QUEUE_BATCH, &w->n, err);
    for (size_t i = 0; s == ASSAY_OK && i < w->n; i++) s = w->handle(t, &rows[i], err);
    return s;
}

/* Batches until one is not full, at most `most`. */
static assay_status sweep_all(assay_queue *q, assay_sql sql, handle_fn *handle, size_t most, size_t *changed,
                              assay_errinfo *err)
{
    sweep w = {sql, handle, QUEUE_BATCH};
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && w.n == QUEUE_BATCH && i < most; i++) {
        s = assay_queue_do(q, true, sweep_body, &w, err);
        if (s == ASSAY_OK) *changed += w.n;
    }
    return s;
}

assay_status assay_queue_sweep(assay_queue *q, size_t *changed, assay_errinfo *err)
{
    *changed = 0;
    if (q->watch) {
        (void)pthread_mutex_lock(&q->watch_lock);
        q->driver->watch_mend(q->watch);
        (void)pthread_mutex_unlock(&q->watch_lock);
    }
    assay_status s = sweep_all(q, ASSAY_SQL_LEASES, lost_lease, SIZE_MAX, changed, err);
    if (s == ASSAY_OK) s = sweep_all(q, ASSAY_SQL_DEADLINES, passed_deadline, SIZE_MAX, changed, err);
    if (s == ASSAY_OK) s = sweep_all(q, ASSAY_SQL_OLD, assay_queue_forget, MOST_BATCHES, changed, err);
    return s;
}

assay_status assay_queue_recover(assay_queue *q, assay_errinfo *err)
{
    size_t changed = 0;
    return sweep_all(q, ASSAY_SQL_RUNNING, lost_lease, SIZE_MAX, &changed, err);
}
