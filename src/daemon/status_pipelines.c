/* SPDX-License-Identifier: Apache-2.0 */
/* The members of /status that cuzk has for work in progress, with its names and words. Buffers that it counts and we
 * have not (aux, shells, pending handles) are 0; there is no PCE. */
#include "daemon/json_out.h"
#include "daemon/status.h"
#include <string.h>

enum { SHOWN_AFTER_END = 30000 }; /* ms */

static double seconds_since(const assay_engine_look *l, uint64_t then)
{
    return then && then < l->now ? (double)(l->now - then) / 1000 : 0;
}

/* What is known of one partition from its spans, which are in the order of time. */
typedef struct partition {
    const assay_look_span *last, *synthesis, *prove;
} partition;

static const char *state_of(const partition *p, assay_job_state job)
{
    if (job == ASSAY_JOB_COMPLETED) return "done";
    const char *stage = p->last ? p->last->stage : "";
    const bool proves = strcmp(stage, "prove") == 0 || strcmp(stage, "verify") == 0;
    if (proves && p->last->end && !p->last->failed) return "done";
    if (assay_job_ended(job) || (p->last && p->last->failed)) return "failed";
    if (proves) return "gpu";
    if (strcmp(stage, "ready") == 0 || (strcmp(stage, "synthesis") == 0 && p->last->end)) return "synth_done";
    return p->last ? "synthesizing" : "pending";
}

static void write_length(assay_json_out *j, const char *key, const assay_engine_look *l, const assay_look_span *s)
{
    const uint64_t end = s && s->end ? s->end : l->now;
    assay_json_out_number_or_null(j, key, s ? (end > s->begin ? end - s->begin : 0) : UINT64_MAX, UINT64_MAX);
}

static void write_pipeline(assay_json_out *j, const assay_engine_look *l, const assay_job_view *v)
{
    partition parts[ASSAY_JOB_PARTITIONS] = {{NULL, NULL, NULL}};
    const uint32_t n = v->partitions < ASSAY_JOB_PARTITIONS ? v->partitions : ASSAY_JOB_PARTITIONS;
    for (size_t i = 0; i < l->n_spans; i++) {
        const assay_look_span *s = &l->spans[i];
        if (s->partition >= n || strcmp(s->job, v->id) != 0) continue;
        partition *p = &parts[s->partition];
        p->last = s;
        if (strcmp(s->stage, "synthesis") == 0) p->synthesis = s;
        if (strcmp(s->stage, "prove") == 0) p->prove = s;
    }
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "job_id", v->id);
    assay_json_out_text(j, "proof_kind", assay_job_kind_name(v->kind));
    assay_json_out_real(j, "started_secs_ago", seconds_since(l, v->started));
    assay_json_out_number(j, "total_partitions", v->partitions);
    assay_json_out_number(j, "partitions_done", v->partitions_done);
    assay_json_out_open(j, "partitions", '[');
    for (uint32_t i = 0; i < n; i++) {
        assay_json_out_open(j, NULL, '{');
        assay_json_out_number(j, "index", i);
        assay_json_out_text(j, "state", state_of(&parts[i], v->state));
        write_length(j, "synth_ms", l, parts[i].synthesis);
        write_length(j, "gpu_ms", l, parts[i].prove);
        assay_json_out_close(j, '}');
    }
    assay_json_out_close(j, ']');
    assay_json_out_close(j, '}');
}

static void write_prover(assay_json_out *j, const assay_engine_look *l, uint64_t id, const assay_look_worker *w)
{
    assay_json_out_open(j, NULL, '{');
    assay_json_out_number(j, "worker_id", id);
    assay_json_out_number(j, "gpu_ordinal", 0);
    assay_json_out_text(j, "state", w ? "proving" : "idle");
    assay_json_out_text(j, "current_job", w ? w->job : NULL);
    assay_json_out_number_or_null(j, "current_partition", w ? w->partition : UINT64_MAX, UINT64_MAX);
    if (w)
        assay_json_out_real(j, "busy_secs", seconds_since(l, w->since));
    else
        assay_json_out_null(j, "busy_secs");
    assay_json_out_close(j, '}');
}

static uint64_t in_stage(const assay_engine_look *l, const char *stage)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l->n_workers; i++) n += strcmp(l->workers[i].stage, stage) == 0;
    return n;
}

static void write_allocations(assay_json_out *j, const assay_engine_look *l)
{
    assay_json_out_open(j, "allocations", '{');
    assay_json_out_open(j, "srs", '[');
    for (size_t i = 0; i < l->n_keys; i++) {
        const assay_look_key *k = &l->keys[i];
        assay_json_out_open(j, NULL, '{');
        assay_json_out_text(j, "circuit_id", k->name);
        assay_json_out_number(j, "bytes", k->bytes);
        assay_json_out_real(j, "last_used_secs_ago", seconds_since(l, k->last_used));
        assay_json_out_bool(j, "evictable", k->references == 0 && !k->loading);
        assay_json_out_close(j, '}');
    }
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "pce", '[');
    assay_json_out_close(j, ']');
    assay_json_out_close(j, '}');
}

void assay_status_write_pipelines(assay_json_out *j, const assay_engine_look *l)
{
    const uint64_t synthesising = in_stage(l, "synthesis");
    assay_json_out_open(j, "synthesis", '{');
    assay_json_out_number(j, "max_concurrent", l->partition_workers);
    assay_json_out_number(j, "active", synthesising);
    assay_json_out_close(j, '}');
    assay_json_out_open(j, "pipelines", '[');
    for (size_t i = 0; i < l->n_jobs; i++) {
        const assay_job_view *v = &l->jobs[i];
        if (v->state == ASSAY_JOB_RUNNING || (assay_job_ended(v->state) && l->now < v->ended + SHOWN_AFTER_END))
            write_pipeline(j, l, v);
    }
    assay_json_out_close(j, ']');
    assay_json_out_open(j, "gpu_workers", '[');
    uint64_t id = 0;
    for (size_t i = 0; i < l->n_workers; i++)
        if (l->workers[i].prover) write_prover(j, l, id++, &l->workers[i]);
    while (id < l->gpu_workers) write_prover(j, l, id++, NULL);
    assay_json_out_close(j, ']');
    write_allocations(j, l);
    assay_json_out_open(j, "buffers", '{');
    assay_json_out_number(j, "synth_in_flight", synthesising);
    assay_json_out_number(j, "provers_in_flight", in_stage(l, "ready") + in_stage(l, "prove"));
    assay_json_out_number(j, "aux_in_flight", 0);
    assay_json_out_number(j, "shells_in_flight", 0);
    assay_json_out_number(j, "pending_handles", 0);
    assay_json_out_close(j, '}');
}
