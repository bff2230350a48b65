/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to one job within a transaction: it ends, or goes back. */
#include "base/utf8.h"
#include "engine/queue_impl.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

assay_status assay_queue_rows(assay_queue_tx *t, assay_sql sql, const assay_db_value *v, size_t n_values,
                              assay_queue_row *rows, size_t max, size_t *n, assay_errinfo *err)
{
    *n = 0;
    assay_status s = assay_queue_run(t, sql, v, n_values, err);
    while (s == ASSAY_OK && *n < max) {
        bool row = false;
        s = t->db->driver->next(t->db, &row, err);
        if (s != ASSAY_OK || !row) break;
        const int64_t kind = assay_queue_i64(t, 1), state = assay_queue_i64(t, 2);
        if (kind < 0 || kind >= ASSAY_JOB_KINDS || state < ASSAY_JOB_QUEUED || state > ASSAY_JOB_CANCELLED) {
            s = ASSAY_FAIL2(err, ASSAY_EFORMAT, t->q->source.name, "a job of no known kind or state: kind, state", kind,
                            state);
            break;
        }
        rows[*n].arrival = assay_queue_i64(t, 0);
        rows[*n].kind = (assay_job_kind)kind;
        rows[*n].state = (assay_job_state)state;
        rows[*n].attempts = assay_queue_i64(t, 3);
        rows[*n].cancel = assay_queue_i64(t, 4) != 0;
        ++*n;
    }
    t->db->driver->done(t->db);
    return s;
}

/* One line of UTF-8 in at most n bytes with the zero; no character is cut. */
static void clean_text(char *out, size_t n, const char *text)
{
    size_t at = 0;
    while (*text && at + 4 < n) {
        const unsigned char b = (unsigned char)*text;
        size_t length = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
        const bool good = b >= 32 && b != 127 && !memchr(text, 0, length) && assay_utf8_valid(text, length);
        if (!good) length = 1;
        memcpy(out + at, good ? text : "?", length);
        at += length;
        text += length;
    }
    out[at] = '\0';
}

static unsigned column_of(assay_job_state state)
{
    return (unsigned)state - ASSAY_JOB_QUEUED + TALLY_WAITING;
}

static void count_move(assay_queue_tx *t, const assay_queue_row *row, assay_job_state to)
{
    t->tally[row->kind][column_of(row->state)]--;
    t->tally[row->kind][column_of(to)]++;
    t->changed = true;
}

assay_status assay_queue_end(assay_queue_tx *t, const assay_queue_row *row, assay_queue_by by, assay_job_state state,
                             const char *error, assay_errinfo *err)
{
    char text[ASSAY_JOB_ERROR];
    clean_text(text, sizeof text, error ? error : "");
    assay_status s = assay_queue_exec(
        t, ASSAY_SQL_END,
        QUEUE_VALUES(assay_db_int(row->arrival), assay_db_int(state), assay_db_text(text), assay_db_int(by)), err);
    if (s == ASSAY_OK) s = assay_queue_exec(t, ASSAY_SQL_DELETE_INPUT, QUEUE_VALUES(assay_db_int(row->arrival)), err);
    if (s == ASSAY_OK) count_move(t, row, state);
    return s;
}

assay_status assay_queue_forget(assay_queue_tx *t, const assay_queue_row *row, assay_errinfo *err)
{
    const assay_db_value job = assay_db_int(row->arrival);
    assay_status s = assay_queue_exec(t, ASSAY_SQL_DELETE_RESULT, &job, 1, err);
    if (s == ASSAY_OK) s = assay_queue_exec(t, ASSAY_SQL_DELETE_JOB, &job, 1, err);
    if (s == ASSAY_OK) t->tally[row->kind][TALLY_COMPLETED + row->state - ASSAY_JOB_COMPLETED]--;
    return s;
}

assay_status assay_queue_back(assay_queue_tx *t, const assay_queue_row *row, assay_queue_by by, bool begun,
                              assay_errinfo *err)
{
    char text[100];
    if (row->cancel) return assay_queue_end(t, row, by, ASSAY_JOB_CANCELLED, "cancelled", err);
    if (begun && row->attempts >= (int64_t)t->q->attempts) {
        (void)snprintf(text, sizeof text, "begun %" PRId64 " time%s and never brought to an end", row->attempts,
                       row->attempts == 1 ? "" : "s");
        return assay_queue_end(t, row, by, ASSAY_JOB_FAILED, text, err);
    }
    const int64_t attempts = begun || row->attempts == 0 ? row->attempts : row->attempts - 1;
    assay_status s = assay_queue_exec(
        t, ASSAY_SQL_BACK, QUEUE_VALUES(assay_db_int(row->arrival), assay_db_int(attempts), assay_db_int(by)), err);
    if (s == ASSAY_OK) count_move(t, row, ASSAY_JOB_QUEUED);
    return s;
}
