/* SPDX-License-Identifier: Apache-2.0 */
/* The families of metrics. Those named cuzk_ are what dashboards of that daemon's users ask for. */
#include "daemon/engine_metrics.h"
#include "daemon/metrics.h"

static void count(assay_writer *w, const char *name, assay_metric_type type, const char *help, uint64_t value)
{
    assay_metric_family(w, name, type, help);
    assay_metric_count(w, name, NULL, 0, value);
}

/* One sample for each kind of job. */
static void by_kind(assay_writer *w, const char *name, assay_metric_type type, const char *help,
                    const uint64_t values[ASSAY_JOB_KINDS])
{
    assay_metric_family(w, name, type, help);
    for (int i = 0; i < ASSAY_JOB_KINDS; i++) {
        const assay_metric_label kind = {"kind", assay_job_kind_name((assay_job_kind)i)};
        assay_metric_count(w, name, &kind, 1, values[i]);
    }
}

static uint64_t sum(const uint64_t values[ASSAY_JOB_KINDS])
{
    uint64_t n = 0;
    for (int i = 0; i < ASSAY_JOB_KINDS; i++) n += values[i];
    return n;
}

static void write_jobs(assay_writer *w, const assay_engine_look *l)
{
    uint64_t completed[ASSAY_JOB_KINDS], failed[ASSAY_JOB_KINDS];
    for (int i = 0; i < ASSAY_JOB_KINDS; i++) {
        completed[i] = l->ended_by_kind[i][0];
        failed[i] = l->ended_by_kind[i][1];
    }
    by_kind(w, "assay_jobs_waiting", ASSAY_GAUGE, "Jobs that wait.", l->queue.waiting);
    by_kind(w, "assay_jobs_running", ASSAY_GAUGE, "Jobs that are worked.", l->queue.running);
    by_kind(w, "assay_jobs_completed_total", ASSAY_COUNTER, "Jobs completed since the start.", completed);
    by_kind(w, "assay_jobs_failed_total", ASSAY_COUNTER, "Jobs failed since the start.", failed);
    count(w, "assay_jobs_submitted_total", ASSAY_COUNTER, "Jobs accepted since the start.", l->submitted);
    count(w, "assay_jobs_cancelled_total", ASSAY_COUNTER, "Jobs cancelled since the start.", l->cancelled);
    count(w, "assay_jobs_retried_total", ASSAY_COUNTER, "Jobs begun again since the start.", l->retried);
    count(w, "assay_workers_killed_for_memory_total", ASSAY_COUNTER, "Workers that the system killed for memory.",
          l->killed_for_memory);
}

static void write_memory(assay_writer *w, const assay_engine_look *l)
{
    count(w, "assay_memory_budget_bytes", ASSAY_GAUGE, "The memory budget.", l->budget.total);
    count(w, "assay_memory_reserved_bytes", ASSAY_GAUGE, "What of it is reserved.", l->budget.used);
    count(w, "assay_memory_reserved_peak_bytes", ASSAY_GAUGE, "The most that was reserved.", l->budget.peak);
    count(w, "assay_memory_keys_bytes", ASSAY_GAUGE, "Reserved for resident keys.", l->keys_bytes);
    count(w, "assay_memory_workers_bytes", ASSAY_GAUGE, "Reserved for workers.", l->workers_bytes);
    count(w, "assay_memory_daemon_bytes", ASSAY_GAUGE, "Reserved for the daemon itself.", l->daemon_bytes);
}

/* With the names that cuzk uses: completed and failed by kind are gauges there, for they do not end in _total. */
static void write_compatible(assay_writer *w, const assay_engine_look *l)
{
    count(w, "cuzk_proofs_completed_total", ASSAY_COUNTER, "Proofs completed since the start.", l->completed);
    count(w, "cuzk_proofs_failed_total", ASSAY_COUNTER, "Proofs failed since the start.", l->failed);
    count(w, "cuzk_uptime_seconds", ASSAY_GAUGE, "Seconds since the start.", (l->now - l->started) / 1000);
    count(w, "cuzk_queue_depth", ASSAY_GAUGE, "Jobs that wait.", sum(l->queue.waiting));
    count(w, "cuzk_running_jobs", ASSAY_GAUGE, "Jobs that are worked.", sum(l->queue.running));
    count(w, "cuzk_gpu_workers", ASSAY_GAUGE, "Provers.", l->gpu_workers);
}

void assay_metrics_write(assay_writer *w, const assay_engine_look *l, const assay_server_stats *server)
{
    write_jobs(w, l);
    write_memory(w, l);
    write_compatible(w, l);
    if (!server) return;
    count(w, "assay_connections", ASSAY_GAUGE, "Open connections.", server->connections);
    count(w, "assay_connections_accepted_total", ASSAY_COUNTER, "Connections accepted.", server->accepted);
    count(w, "assay_connections_refused_total", ASSAY_COUNTER, "Connections closed at once.", server->refused);
    count(w, "assay_calls_bytes", ASSAY_GAUGE, "Bytes that calls hold.", server->memory);
}
