/* SPDX-License-Identifier: Apache-2.0 */
/* A job's way from the queue and back: claim, plan, end. Whoever is told of an end is told after it is durable. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "engine/engine_impl.h"
#include <stdio.h>
#include <string.h>

enum { RETRY_MS = 1000, PATIENCE_MS = 5000 /* with a queue that refuses, when draining is over */ };

assay_live_job *assay_engine_job(assay_engine *e, const char *id)
{
    for (assay_live_job *j = e->jobs; j; j = j->next)
        if (strcmp(j->view.id, id) == 0) return j;
    return NULL;
}

static void free_job(assay_live_job *j)
{
    assay_buffer_free(&j->inputs);
    for (size_t i = 0; i < ASSAY_JOB_PARTITIONS; i++) assay_buffer_free(&j->outputs[i]);
    assay_mem_free_secret(j, sizeof *j);
}

static void unlink_job(assay_engine *e, assay_live_job *j)
{
    assay_live_job **at = &e->jobs;
    while (*at != j) at = &(*at)->next;
    *at = j->next;
    e->look_dirty = true;
}

void assay_engine_drop_all(assay_engine *e)
{
    while (e->jobs) {
        assay_live_job *j = e->jobs;
        e->jobs = j->next;
        free_job(j);
    }
}

/* ---- from the queue */

static assay_status plan_job(assay_engine *e, assay_live_job *j, assay_errinfo *err)
{
    assay_board_job *b = &j->board;
    const assay_job_kind kind = j->view.kind;
    if (kind >= ASSAY_JOB_POREP)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, assay_job_kind_name(kind),
                          "the circuit is not built in this version");
    assay_status s = assay_blobs_unpack(j->blobs, ASSAY_JOB_PARTITIONS, &j->n_blobs, j->inputs.p, j->inputs.n, err);
    if (s != ASSAY_OK) return s;
    b->input_bytes = j->inputs.n;
    const uint64_t room = b->input_bytes < e->room ? e->room - b->input_bytes : 0;
    s = assay_catalogue_find(e->catalogue, kind, j->view.subject, &b->entry, err);
    if (s == ASSAY_OK)
        s = assay_job_plan_make(&b->plan, e->catalogue, kind, &b->entry, j->blobs, j->n_blobs,
                                (unsigned)e->settings.threads_a_prover, room, err);
    if (s != ASSAY_OK) return s;
    const uint32_t n = b->plan.partitions;
    if (n == 0 || n > ASSAY_JOB_PARTITIONS || (kind == ASSAY_JOB_GROTH16 && n != j->n_blobs))
        return ASSAY_FAIL2(err, ASSAY_ERANGE, j->view.subject, "partitions, and inputs for them", n, j->n_blobs);
    e->last_peak = b->plan.peak;
    return ASSAY_OK;
}

static void begin_view(assay_live_job *j, const assay_job_view *head)
{
    j->view = *head;
    j->view.state = ASSAY_JOB_RUNNING;
    j->view.sequence = (head->sequence + 1) << ASSAY_SEQUENCE_BITS;
    j->view.stage = "wait";
    j->view.attempts = head->attempts + 1;
    j->view.queue_position = 0;
    j->view.started = assay_unix_ms();
    j->view.times.queue_wait = j->view.started > head->submitted ? j->view.started - head->submitted : 0;
    j->board.priority = head->priority;
    j->board.deadline = head->deadline;
    j->board.arrival = head->submitted;
    j->changed = true;
}

static void take_out_head(assay_engine *e, size_t head)
{
    e->n_heads--;
    memmove(&e->heads[head], &e->heads[head + 1], (e->n_heads - head) * sizeof e->heads[0]);
    if (e->n_heads < ASSAY_ENGINE_HEADS / 4) atomic_store(&e->heads_dirty, true);
    e->counts_dirty = true;
}

void assay_engine_claim(assay_engine *e, size_t head)
{
    assay_errinfo err = {0};
    bool claimed = false;
    assay_live_job *j = assay_mem_alloc(1, sizeof *j);
    if (!j) {
        e->queue_after = assay_clock_ms() + RETRY_MS;
        return;
    }
    begin_view(j, &e->heads[head]);
    take_out_head(e, head);
    assay_status s = assay_queue_claim(e->queue, j->view.id, &claimed, j->token, &j->inputs, &err);
    if (assay_engine_queue_said(e, s, &err) != ASSAY_OK || !claimed) {
        atomic_store(&e->heads_dirty, true);
        free_job(j);
        return;
    }
    j->next = e->jobs;
    e->jobs = j;
    e->look_dirty = true;
    s = plan_job(e, j, &err);
    if (s != ASSAY_OK) {
        char text[ASSAY_JOB_ERROR];
        assay_engine_stop_job(e, j, ASSAY_END_FAILED, assay_errinfo_text(&err, text, sizeof text));
        return;
    }
    j->view.partitions = j->board.plan.partitions;
    assay_board_add(e->board, &j->board);
    j->on_board = true;
    assay_engine_log(e, ASSAY_ENGINE_DEBUG, "job_claimed", "job", j->view.id, "kind", assay_job_kind_name(j->view.kind),
                     "subject", j->view.subject, NULL);
}

/* ---- to its end */

/* Those that are left of a job that is to end; tried again when an order could not be given. */
static void kill_workers(assay_engine *e, assay_live_job *j)
{
    if (!j->on_board || j->killed) return;
    j->killed = true;
    for (uint32_t i = 0; i < j->board.n_tasks; i++)
        if (j->board.tasks[i].phase != ASSAY_TASK_ENDED &&
            assay_keeper_kill(e->keeper, j->tasks[i].number, NULL) != ASSAY_OK)
            j->killed = false;
}

void assay_engine_stop_job(assay_engine *e, assay_live_job *j, assay_live_end end, const char *error)
{
    if (j->end != ASSAY_END_NOT_YET && end != ASSAY_END_DROP) return;
    j->end = end;
    assay_text_copy(j->view.error, sizeof j->view.error, error);
    if (j->on_board) (void)assay_board_stop(e->board, &j->board);
    kill_workers(e, j);
}

void assay_engine_try_again(assay_engine *e, assay_live_job *j, const char *error)
{
    char text[ASSAY_JOB_ERROR];
    if (j->view.attempts < e->options.queue.attempts) {
        assay_engine_stop_job(e, j, ASSAY_END_AGAIN, error);
        return;
    }
    (void)snprintf(text, sizeof text, "%.440s (attempt %u of %u)", error, (unsigned)j->view.attempts,
                   (unsigned)e->options.queue.attempts);
    assay_engine_stop_job(e, j, ASSAY_END_FAILED, text);
}

/* blobs: proof, public values of each partition, in order. */
static assay_status pack_result(assay_live_job *j, assay_buffer *out, assay_errinfo *err)
{
    assay_blob blobs[2 * ASSAY_JOB_PARTITIONS];
    size_t n = 0;
    for (uint32_t i = 0; i < j->board.n_tasks; i++) {
        size_t got;
        const assay_status s = assay_blobs_unpack(&blobs[n], 2, &got, j->outputs[i].p, j->outputs[i].n, err);
        if (s != ASSAY_OK) return s;
        if (got != 2) return ASSAY_FAIL1(err, ASSAY_EINTERNAL, "worker", "outputs are two, and it gave", got);
        n += got;
    }
    return assay_blobs_pack(out, blobs, n, err);
}

static assay_job_state state_of(assay_live_end end)
{
    return end == ASSAY_END_COMPLETED   ? ASSAY_JOB_COMPLETED
           : end == ASSAY_END_CANCELLED ? ASSAY_JOB_CANCELLED
                                        : ASSAY_JOB_FAILED;
}

/* Writes how the job left; *ours as the queue says. */
static assay_status write_end(assay_engine *e, assay_live_job *j, bool *ours, assay_errinfo *err)
{
    assay_job_view *v = &j->view;
    assay_buffer result = {0};
    assay_status s = ASSAY_OK;
    *ours = false;
    if (j->end == ASSAY_END_DROP) return ASSAY_OK;
    if (j->end == ASSAY_END_AGAIN || j->end == ASSAY_END_RETURN)
        return assay_queue_release(e->queue, v->id, j->token, j->end == ASSAY_END_AGAIN, ours, err);
    if (j->end == ASSAY_END_COMPLETED && pack_result(j, &result, err) != ASSAY_OK) {
        char text[ASSAY_JOB_ERROR];
        j->end = ASSAY_END_FAILED;
        assay_text_copy(v->error, sizeof v->error, assay_errinfo_text(err, text, sizeof text));
        assay_errinfo_clear(err);
    }
    const assay_blob blob = {result.p, result.n};
    v->times.total = v->ended > v->submitted ? v->ended - v->submitted : 0;
    v->times.peak_bytes = j->worst_peak * j->most_running;
    s = assay_queue_finish(e->queue, v->id, j->token, state_of(j->end), j->end == ASSAY_END_COMPLETED ? &blob : NULL,
                           v->error, &v->times, ours, err);
    assay_buffer_free(&result);
    return s;
}

static void log_end(assay_engine *e, const assay_live_job *j)
{
    const assay_job_view *v = &j->view;
    char total[24], attempts[12];
    (void)snprintf(total, sizeof total, "%llu", (unsigned long long)v->times.total);
    (void)snprintf(attempts, sizeof attempts, "%u", (unsigned)v->attempts);
    switch (j->end) {
    case ASSAY_END_COMPLETED:
        assay_engine_log(e, ASSAY_ENGINE_INFO, "job_completed", "job", v->id, "kind", assay_job_kind_name(v->kind),
                         "subject", v->subject, "ms", total, NULL);
        break;
    case ASSAY_END_FAILED:
        assay_engine_log(e, ASSAY_ENGINE_WARN, "job_failed", "job", v->id, "kind", assay_job_kind_name(v->kind),
                         "subject", v->subject, "error", v->error, NULL);
        break;
    case ASSAY_END_CANCELLED:
        assay_engine_log(e, ASSAY_ENGINE_INFO, "job_cancelled", "job", v->id, NULL);
        break;
    case ASSAY_END_AGAIN:
        assay_engine_log(e, ASSAY_ENGINE_WARN, "job_again", "job", v->id, "attempts", attempts, "error", v->error,
                         NULL);
        break;
    case ASSAY_END_RETURN:
        assay_engine_log(e, ASSAY_ENGINE_INFO, "job_returned", "job", v->id, NULL);
        break;
    case ASSAY_END_DROP:
        assay_engine_log(e, ASSAY_ENGINE_WARN, "job_lost", "job", v->id, NULL);
        break;
    case ASSAY_END_NOT_YET:
        break;
    }
}

/* It is written: the counts, the watches, and it is gone. */
static void leave(assay_engine *e, assay_live_job *j)
{
    assay_job_view *v = &j->view;
    const bool back = j->end == ASSAY_END_AGAIN || j->end == ASSAY_END_RETURN;
    log_end(e, j);
    unlink_job(e, j);
    e->counts_dirty = true;
    if (back || j->end == ASSAY_END_DROP) {
        atomic_store(&e->heads_dirty, true);
        assay_watches_ask(e->watches, v->id); /* the queue knows what became of it: it may have ended there */
        if (j->end == ASSAY_END_AGAIN) e->draft->retried++;
        free_job(j);
        return;
    }
    v->state = state_of(j->end);
    v->stage = "";
    v->sequence = ((v->sequence >> ASSAY_SEQUENCE_BITS) + 1) << ASSAY_SEQUENCE_BITS;
    if (v->state == ASSAY_JOB_COMPLETED) {
        v->done = 1;
        v->partitions_done = v->partitions;
        v->error[0] = 0;
    }
    assay_look_ended(e, v);
    assay_engine_publish(e); /* who is told may ask at once: it must not be among the running then */
    assay_watches_tell(e->watches, v);
    free_job(j);
}

static void end_job(assay_engine *e, assay_live_job *j, uint64_t now)
{
    assay_errinfo err = {0};
    bool ours = false;
    if (j->on_board) {
        assay_board_remove(e->board, &j->board);
        j->on_board = false;
    }
    if (now < j->retry_at) return;
    if (!j->view.ended) j->view.ended = assay_unix_ms();
    const assay_status s = assay_engine_queue_said(e, write_end(e, j, &ours, &err), &err);
    if (s == ASSAY_OK) {
        if (!ours) j->end = ASSAY_END_DROP;
        leave(e, j);
        return;
    }
    j->retry_at = now + RETRY_MS;
    (void)pthread_mutex_lock(&e->lock);
    const uint64_t until = e->drain_until;
    (void)pthread_mutex_unlock(&e->lock);
    if (until >= UINT64_MAX - PATIENCE_MS || now < until + PATIENCE_MS) return;
    j->end = ASSAY_END_DROP; /* its lease runs out, or ends with this daemon: then it goes back by itself */
    leave(e, j);
}

void assay_engine_end_jobs(assay_engine *e, uint64_t now)
{
    for (assay_live_job *j = e->jobs, *next; j; j = next) {
        next = j->next;
        const bool over = !j->on_board || assay_board_job_over(&j->board);
        if (!over) {
            if (j->end != ASSAY_END_NOT_YET) kill_workers(e, j);
            continue;
        }
        if (j->end == ASSAY_END_NOT_YET) j->end = ASSAY_END_COMPLETED;
        end_job(e, j, now);
    }
}
