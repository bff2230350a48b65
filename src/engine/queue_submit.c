/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs coming in: many in one transaction, each id once. */
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/blob_list_codec.h"
#include "engine/queue_impl.h"
#include <string.h>

typedef struct submission {
    const assay_job_spec *const *specs;
    uint8_t (*digests)[32];
    size_t n;
    assay_submit_outcome *outcomes;
} submission;

static assay_status check_spec(const assay_queue *q, const assay_job_spec *spec, assay_errinfo *err)
{
    const char *end = memchr(spec->subject, 0, sizeof spec->subject);
    size_t total = 0;
    if (!spec->id[0] || !memchr(spec->id, 0, sizeof spec->id)) return ASSAY_FAIL(err, ASSAY_EINVAL, "job", "no id");
    for (const char *c = spec->id; *c; c++)
        if (*c < 32 || *c > 126) return ASSAY_FAIL(err, ASSAY_EINVAL, "job", "an id of other than printable ASCII");
    if (!end || !assay_utf8_valid(spec->subject, (size_t)(end - spec->subject)))
        return ASSAY_FAIL(err, ASSAY_EINVAL, spec->id, "the subject is too long or not UTF-8");
    if ((unsigned)spec->kind >= ASSAY_JOB_KINDS || spec->priority < ASSAY_PRIORITY_LOW ||
        spec->priority > ASSAY_PRIORITY_CRITICAL)
        return ASSAY_FAIL(err, ASSAY_EINVAL, spec->id, "kind or priority out of range");
    for (size_t i = 0; i < spec->n_inputs; i++)
        if (!assay_add_size(total, spec->inputs[i].n, &total)) total = SIZE_MAX;
    if (total > q->driver->max_bytes)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, spec->id, "inputs are larger than the queue holds: bytes, at most", total,
                           q->driver->max_bytes);
    return ASSAY_OK;
}

/* What the job of this id that is there already makes of the new one; ASSAY_SUBMIT_FAILED if there is none. */
static assay_status compare(assay_queue_tx *t, const char *id, const uint8_t digest[32], assay_submit_outcome *outcome,
                            assay_errinfo *err)
{
    bool row = false;
    size_t n = 0;
    *outcome = ASSAY_SUBMIT_FAILED;
    assay_status s = assay_queue_one(t, ASSAY_SQL_DIGEST, QUEUE_VALUES(assay_db_text(id)), &row, err);
    if (s != ASSAY_OK || !row) return s;
    const uint8_t *there = t->db->driver->bytes(t->db, 0, &n);
    *outcome = n == 32 && memcmp(there, digest, 32) == 0 ? ASSAY_SUBMIT_EXISTED : ASSAY_SUBMIT_CONFLICT;
    return ASSAY_OK;
}

/* Makes way for a job that did not succeed: whoever submits it again wants it tried again. The outcome is then open. */
static assay_status clear_failed(assay_queue_tx *t, const char *id, bool full, assay_submit_outcome *outcome,
                                 assay_errinfo *err)
{
    assay_queue_row row;
    size_t n = 0;
    assay_status s = assay_queue_rows(t, ASSAY_SQL_LOCK, QUEUE_VALUES(assay_db_text(id)), &row, 1, &n, err);
    if (s != ASSAY_OK || n == 0 || !assay_job_ended(row.state) || row.state == ASSAY_JOB_COMPLETED) return s;
    *outcome = full ? ASSAY_SUBMIT_FULL : ASSAY_SUBMIT_FAILED;
    return full ? ASSAY_OK : assay_queue_forget(t, &row, err);
}

static assay_status insert_inputs(assay_queue_tx *t, const assay_job_spec *spec, int64_t arrival, assay_errinfo *err)
{
    assay_buffer packed;
    assay_status s = assay_blobs_pack(&packed, spec->inputs, spec->n_inputs, err);
    if (s == ASSAY_OK)
        s = assay_queue_exec(t, ASSAY_SQL_INSERT_INPUT,
                             QUEUE_VALUES(assay_db_int(arrival), assay_db_bytes(packed.p, packed.n)), err);
    assay_buffer_free(&packed);
    return s;
}

static assay_status insert(assay_queue_tx *t, const assay_job_spec *spec, const uint8_t digest[32], bool *done,
                           assay_errinfo *err)
{
    const int64_t deadline = spec->deadline == 0 || spec->deadline > INT64_MAX ? INT64_MAX : (int64_t)spec->deadline;
    bool row = false;
    *done = false;
    assay_status s = assay_queue_one(t, ASSAY_SQL_INSERT_JOB,
                                     QUEUE_VALUES(assay_db_text(spec->id), assay_db_bytes(digest, 32),
                                                  assay_db_int(spec->kind), assay_db_text(spec->subject),
                                                  assay_db_int(spec->priority), assay_db_int(deadline)),
                                     &row, err);
    if (s != ASSAY_OK || !row) return s;
    s = insert_inputs(t, spec, assay_queue_i64(t, 0), err);
    if (s != ASSAY_OK) return s;
    t->tally[spec->kind][TALLY_WAITING]++;
    t->changed = true;
    *done = true;
    return ASSAY_OK;
}

static assay_status submit_one(assay_queue_tx *t, const assay_job_spec *spec, const uint8_t digest[32],
                               uint64_t *waiting, assay_submit_outcome *outcome, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    *outcome = ASSAY_SUBMIT_FAILED;
    /* A second time only if the job that was in the way has been deleted since, or did not succeed. */
    for (int i = 0; s == ASSAY_OK && *outcome == ASSAY_SUBMIT_FAILED && i < 3; i++) {
        bool done = false;
        if (*waiting < t->q->max_jobs) {
            s = insert(t, spec, digest, &done, err);
            if (done) *outcome = ASSAY_SUBMIT_NEW;
        }
        if (s == ASSAY_OK && !done) s = compare(t, spec->id, digest, outcome, err);
        if (s == ASSAY_OK && *outcome == ASSAY_SUBMIT_EXISTED)
            s = clear_failed(t, spec->id, *waiting >= t->q->max_jobs, outcome, err);
        if (s == ASSAY_OK && *outcome == ASSAY_SUBMIT_FAILED && *waiting >= t->q->max_jobs)
            *outcome = ASSAY_SUBMIT_FULL;
    }
    if (*outcome == ASSAY_SUBMIT_NEW) ++*waiting;
    if (s == ASSAY_OK && *outcome == ASSAY_SUBMIT_FAILED)
        return ASSAY_FAIL(err, ASSAY_EIO, spec->id, "the job comes and goes in the database");
    return s;
}

static assay_status submit(assay_queue_tx *t, void *ctx, assay_errinfo *err)
{
    const submission *a = ctx;
    bool row = false;
    assay_status s = assay_queue_one(t, ASSAY_SQL_WAITING, NULL, 0, &row, err);
    uint64_t waiting = s == ASSAY_OK && row ? (uint64_t)assay_queue_i64(t, 0) : 0;
    for (size_t i = 0; s == ASSAY_OK && i < a->n; i++)
        s = submit_one(t, a->specs[i], a->digests[i], &waiting, &a->outcomes[i], err);
    return s;
}

assay_status assay_queue_submit(assay_queue *q, const assay_job_spec *const *specs, size_t n,
                                assay_submit_outcome *outcomes, assay_errinfo *err)
{
    submission a = {specs, NULL, n, outcomes};
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < n; i++) s = check_spec(q, specs[i], err);
    if (s != ASSAY_OK || n == 0) goto out;
    a.digests = assay_mem_alloc(n, sizeof *a.digests);
    if (!a.digests) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "queue", "out of memory");
        goto out;
    }
    /* Before the transaction, which keeps others from the queue. */
    for (size_t i = 0; i < n; i++) assay_job_digest(a.digests[i], specs[i]);
    s = assay_queue_do(q, true, submit, &a, err);
out:
    for (size_t i = 0; s != ASSAY_OK && i < n; i++) outcomes[i] = ASSAY_SUBMIT_FAILED;
    assay_mem_free(a.digests);
    return s;
}
