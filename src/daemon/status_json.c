/* SPDX-License-Identifier: Apache-2.0 */
/* What /status says. */
#include "assay/version.h"
#include "daemon/json_out.h"
#include "daemon/status.h"
#include <string.h>

static void write_memory(assay_json_out *j, const assay_engine_look *l)
{
    const assay_memory_found *m = &l->memory;
    assay_json_out_open(j, "memory", '{');
    assay_json_out_number(j, "total_bytes", l->budget.total);
    assay_json_out_number(j, "used_bytes", l->budget.used);
    assay_json_out_number(j, "available_bytes", assay_budget_free(&l->budget));
    assay_json_out_number(j, "peak_bytes", l->budget.peak);
    assay_json_out_number(j, "daemon_bytes", l->daemon_bytes);
    assay_json_out_number(j, "keys_bytes", l->keys_bytes);
    assay_json_out_number(j, "workers_bytes", l->workers_bytes);
    assay_json_out_open(j, "found", '{');
    assay_json_out_number_or_null(j, "installed_bytes", m->installed, UINT64_MAX);
    assay_json_out_number_or_null(j, "available_bytes", m->available, UINT64_MAX);
    assay_json_out_text(j, "group", m->group[0] ? m->group : NULL);
    assay_json_out_number_or_null(j, "group_limit_bytes", m->group_max, UINT64_MAX);
    assay_json_out_number_or_null(j, "group_used_bytes", m->group_current, UINT64_MAX);
    assay_json_out_text(j, "why", m->why);
    assay_json_out_close(j, '}');
    assay_json_out_close(j, '}');
}

static void write_settings(assay_json_out *j, const assay_engine_look *l)
{
    assay_json_out_open(j, "settings", '{');
    assay_json_out_number(j, "threads", l->threads);
    assay_json_out_number(j, "partition_workers", l->partition_workers);
    assay_json_out_number(j, "gpu_workers", l->gpu_workers);
    assay_json_out_number(j, "gpu_threads", l->gpu_threads);
    assay_json_out_bool(j, "pipeline", l->pipeline);
    assay_json_out_text(j, "why", l->why);
    assay_json_out_close(j, '}');
}

static void write_by_kind(assay_json_out *j, const char *key, const uint64_t values[ASSAY_JOB_KINDS])
{
    assay_json_out_open(j, key, '{');
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++)
        assay_json_out_number(j, assay_job_kind_name((assay_job_kind)kind), values[kind]);
    assay_json_out_close(j, '}');
}

static void write_queue(assay_json_out *j, const assay_engine_look *l)
{
    uint64_t completed[ASSAY_JOB_KINDS], failed[ASSAY_JOB_KINDS], depth = 0;
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++) {
        completed[kind] = l->ended_by_kind[kind][0];
        failed[kind] = l->ended_by_kind[kind][1];
        depth += l->queue.waiting[kind];
    }
    assay_json_out_open(j, "counters", '{');
    assay_json_out_number(j, "total_completed", l->completed);
    assay_json_out_number(j, "total_failed", l->failed);
    write_by_kind(j, "completed_by_kind", completed);
    write_by_kind(j, "failed_by_kind", failed);
    assay_json_out_number(j, "queue_depth", depth);
    assay_json_out_number(j, "total_submitted", l->submitted);
    assay_json_out_number(j, "total_cancelled", l->cancelled);
    assay_json_out_number(j, "total_retried", l->retried);
    assay_json_out_number(j, "killed_for_memory", l->killed_for_memory);
    assay_json_out_close(j, '}');
    assay_json_out_open(j, "queue", '{');
    write_by_kind(j, "waiting", l->queue.waiting);
    write_by_kind(j, "running", l->queue.running);
    assay_json_out_open(j, "kept", '{');
    assay_json_out_number(j, "completed", l->queue.completed);
    assay_json_out_number(j, "failed", l->queue.failed);
    assay_json_out_number(j, "cancelled", l->queue.cancelled);
    assay_json_out_close(j, '}');
    assay_json_out_close(j, '}');
}

static void write_times(assay_json_out *j, const assay_job_times *t)
{
    assay_json_out_open(j, "times", '{');
    assay_json_out_number(j, "queue_wait_ms", t->queue_wait);
    assay_json_out_number(j, "load_ms", t->load);
    assay_json_out_number(j, "synthesis_ms", t->synthesis);
    assay_json_out_number(j, "prove_ms", t->prove);
    assay_json_out_number(j, "verify_ms", t->verify);
    assay_json_out_number(j, "total_ms", t->total);
    assay_json_out_number(j, "peak_bytes", t->peak_bytes);
    assay_json_out_close(j, '}');
}

static void write_job(assay_json_out *j, const assay_job_view *v)
{
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "id", v->id);
    assay_json_out_text(j, "kind", assay_job_kind_name(v->kind));
    assay_json_out_text(j, "subject", v->subject);
    assay_json_out_number(j, "priority", v->priority);
    assay_json_out_text(j, "state", assay_job_state_name(v->state));
    assay_json_out_text(j, "stage", v->stage ? v->stage : "");
    assay_json_out_real(j, "done", v->done);
    assay_json_out_number(j, "partitions", v->partitions);
    assay_json_out_number(j, "partitions_done", v->partitions_done);
    assay_json_out_number(j, "queue_position", v->queue_position);
    assay_json_out_number(j, "attempts", v->attempts);
    assay_json_out_number_or_null(j, "submitted_ms", v->submitted, 0);
    assay_json_out_number_or_null(j, "started_ms", v->started, 0);
    assay_json_out_number_or_null(j, "ended_ms", v->ended, 0);
    assay_json_out_number_or_null(j, "deadline_ms", v->deadline, 0);
    if (assay_job_ended(v->state)) write_times(j, &v->times);
    assay_json_out_text(j, "error", v->error[0] ? v->error : NULL);
    assay_json_out_close(j, '}');
}

static void write_worker(assay_json_out *j, const assay_look_worker *w)
{
    assay_json_out_open(j, NULL, '{');
    assay_json_out_number(j, "number", w->number);
    assay_json_out_number(j, "pid", (uint64_t)(w->pid > 0 ? w->pid : 0));
    assay_json_out_text(j, "job", w->job);
    assay_json_out_text(j, "kind", assay_job_kind_name(w->kind));
    assay_json_out_number(j, "partition", w->partition);
    assay_json_out_text(j, "stage", w->stage ? w->stage : "");
    assay_json_out_real(j, "done", w->done);
    assay_json_out_number(j, "since_ms", w->since);
    assay_json_out_number(j, "reserved_bytes", w->reserved);
    assay_json_out_number(j, "peak_bytes", w->peak);
    assay_json_out_bool(j, "prover", w->prover);
    assay_json_out_close(j, '}');
}

static void write_key(assay_json_out *j, const assay_look_key *k)
{
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "name", k->name);
    assay_json_out_text(j, "kind", assay_job_kind_name(k->kind));
    assay_json_out_number(j, "bytes", k->bytes);
    assay_json_out_number(j, "references", k->references);
    assay_json_out_bool(j, "loading", k->loading);
    assay_json_out_number_or_null(j, "last_used_ms", k->last_used, 0);
    assay_json_out_close(j, '}');
}

static void write_span(assay_json_out *j, const assay_look_span *s)
{
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "job", s->job);
    assay_json_out_number(j, "partition", s->partition);
    assay_json_out_text(j, "stage", s->stage ? s->stage : "");
    assay_json_out_number(j, "begin_ms", s->begin);
    assay_json_out_number_or_null(j, "end_ms", s->end, 0);
    assay_json_out_bool(j, "failed", s->failed);
    assay_json_out_close(j, '}');
}

static void write_lists(assay_json_out *j, const assay_engine_look *l)
{
    assay_json_out_open(j, "jobs", '[');
    for (size_t i = 0; i < l->n_jobs; i++) write_job(j, &l->jobs[i]);
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "workers", '[');
    for (size_t i = 0; i < l->n_workers; i++) write_worker(j, &l->workers[i]);
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "keys", '[');
    for (size_t i = 0; i < l->n_keys; i++) write_key(j, &l->keys[i]);
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "spans", '[');
    for (size_t i = 0; i < l->n_spans; i++) write_span(j, &l->spans[i]);
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "per_minute", '[');
    for (size_t i = 0; i < ASSAY_LOOK_MINUTES; i++) assay_json_out_number(j, NULL, l->per_minute[i]);
    assay_json_out_close(j, ']');
}

void assay_status_write(assay_writer *w, const assay_engine_look *look)
{
    char advice[ASSAY_ADVICE_BYTES];
    assay_json_out out = {w, false}, *j = &out;
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "version", ASSAY_VERSION_STRING);
    assay_json_out_real(j, "uptime_secs", look->now > look->started ? (double)(look->now - look->started) / 1000 : 0);
    assay_json_out_number(j, "now_ms", look->now);
    assay_json_out_number(j, "started_ms", look->started);
    assay_json_out_bool(j, "ready", look->ready);
    assay_json_out_bool(j, "draining", look->draining);
    write_memory(j, look);
    write_settings(j, look);
    assay_json_out_text(j, "advice", assay_advice(advice, look));
    assay_json_out_real(j, "proofs_per_hour", look->proofs_per_hour);
    write_queue(j, look);
    assay_status_write_pipelines(j, look);
    write_lists(j, look);
    assay_json_out_close(j, '}');
    assay_write_u8(w, '\n');
}
