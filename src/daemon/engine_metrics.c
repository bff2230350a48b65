/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's figures for Prometheus. Jobs' ids are never labels: there is no end of them. Families named cuzk_ are
 * what dashboards of that daemon's users ask for. */
#include "daemon/engine_metrics.h"
#include "assay/version.h"
#include "daemon/metrics.h"
#include <string.h>

/* A family of one sample without labels. */
static void one(assay_writer *w, assay_metric_type type, const char *name, const char *help, uint64_t value)
{
    assay_metric_family(w, name, type, help);
    assay_metric_count(w, name, NULL, 0, value);
}

static void gauge(assay_writer *w, const char *name, const char *help, uint64_t value)
{
    one(w, ASSAY_GAUGE, name, help, value);
}

static void counter(assay_writer *w, const char *name, const char *help, uint64_t value)
{
    one(w, ASSAY_COUNTER, name, help, value);
}

static void labelled(assay_writer *w, const char *family, const char *label, const char *is, uint64_t value)
{
    const assay_metric_label l = {label, is};
    assay_metric_count(w, family, &l, 1, value);
}

static void seconds(assay_writer *w, const char *name, const char *help, uint64_t ms)
{
    assay_metric_family(w, name, ASSAY_GAUGE, help);
    assay_metric_sample(w, name, NULL, 0, (double)ms / 1000);
}

static void write_daemon(assay_writer *w, const assay_engine_look *l)
{
    assay_metric_family(w, "assay_build_info", ASSAY_GAUGE, "1; the label is the version.");
    labelled(w, "assay_build_info", "version", ASSAY_VERSION_STRING, 1);
    seconds(w, "assay_start_time_seconds", "When the daemon began, Unix time.", l->started);
    gauge(w, "assay_ready", "1: keys are loaded and the queue answers.", l->ready);
    gauge(w, "assay_draining", "1: no more jobs are started or accepted.", l->draining);
    gauge(w, "assay_threads", "Processor threads for proving.", l->threads);
    gauge(w, "assay_partition_workers", "Partitions that may be synthesised at once.", l->partition_workers);
    gauge(w, "assay_gpu_workers", "Provers that may work at once.", l->gpu_workers);
}

/* One sample for each kind of job. */
static void by_kind(assay_writer *w, const char *name, assay_metric_type type, const char *help,
                    const uint64_t values[ASSAY_JOB_KINDS])
{
    assay_metric_family(w, name, type, help);
    for (int i = 0; i < ASSAY_JOB_KINDS; i++)
        labelled(w, name, "kind", assay_job_kind_name((assay_job_kind)i), values[i]);
}

static uint64_t sum(const uint64_t values[ASSAY_JOB_KINDS])
{
    uint64_t n = 0;
    for (int i = 0; i < ASSAY_JOB_KINDS; i++) n += values[i];
    return n;
}

static void write_counters(assay_writer *w, const assay_engine_look *l)
{
    uint64_t completed[ASSAY_JOB_KINDS], failed[ASSAY_JOB_KINDS];
    for (int i = 0; i < ASSAY_JOB_KINDS; i++) {
        completed[i] = l->ended_by_kind[i][0];
        failed[i] = l->ended_by_kind[i][1];
    }
    counter(w, "assay_jobs_submitted_total", "Jobs accepted since the start.", l->submitted);
    by_kind(w, "assay_jobs_completed_total", ASSAY_COUNTER, "Jobs completed since the start.", completed);
    by_kind(w, "assay_jobs_failed_total", ASSAY_COUNTER, "Jobs failed since the start.", failed);
    counter(w, "assay_jobs_cancelled_total", "Jobs cancelled since the start.", l->cancelled);
    counter(w, "assay_jobs_retried_total", "Jobs begun again since the start.", l->retried);
    counter(w, "assay_workers_killed_for_memory_total", "Workers that the system killed for want of memory.",
            l->killed_for_memory);
}

static void write_times(assay_writer *w, const assay_engine_look *l)
{
    const char *name = "assay_job_duration_seconds";
    uint64_t peaks[ASSAY_JOB_KINDS];
    assay_metric_family(w, name, ASSAY_HISTOGRAM, "From arrival to the end of completed jobs.");
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++) {
        const assay_look_done *d = &l->done[kind];
        const assay_metric_label label = {"kind", assay_job_kind_name((assay_job_kind)kind)};
        assay_metric_histogram(w, name, &label, 1, assay_look_bounds, d->counts, ASSAY_LOOK_BOUNDS,
                               (double)d->sum.total / 1000);
    }
    name = "assay_job_stage_seconds_total";
    assay_metric_family(w, name, ASSAY_COUNTER, "What completed jobs spent in each stage, summed over partitions.");
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++) {
        const assay_job_times *t = &l->done[kind].sum;
        const char *const stages[] = {"queue", "load", "synthesis", "prove", "verify"};
        const uint64_t ms[] = {t->queue_wait, t->load, t->synthesis, t->prove, t->verify};
        for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
            const assay_metric_label labels[] = {{"kind", assay_job_kind_name((assay_job_kind)kind)},
                                                 {"stage", stages[i]}};
            assay_metric_sample(w, name, labels, 2, (double)ms[i] / 1000);
        }
    }
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++) peaks[kind] = l->done[kind].sum.peak_bytes;
    by_kind(w, "assay_job_peak_memory_bytes", ASSAY_GAUGE,
            "The most memory that a completed job held, without its key.", peaks);
}

static void write_queue(assay_writer *w, const assay_engine_look *l)
{
    const assay_queue_counts *q = &l->queue;
    by_kind(w, "assay_jobs_waiting", ASSAY_GAUGE, "Jobs in the queue that have not begun.", q->waiting);
    by_kind(w, "assay_jobs_running", ASSAY_GAUGE, "Jobs that are being worked.", q->running);
    assay_metric_family(w, "assay_results_kept", ASSAY_GAUGE, "Jobs that ended and can still be asked for, by result.");
    labelled(w, "assay_results_kept", "result", "completed", q->completed);
    labelled(w, "assay_results_kept", "result", "failed", q->failed);
    labelled(w, "assay_results_kept", "result", "cancelled", q->cancelled);
    assay_metric_family(w, "assay_proofs_per_hour", ASSAY_GAUGE,
                        "Proofs in the last hour, or at that rate since the start.");
    assay_metric_sample(w, "assay_proofs_per_hour", NULL, 0, l->proofs_per_hour);
}

static void write_memory(assay_writer *w, const assay_engine_look *l)
{
    const assay_memory_found *m = &l->memory;
    gauge(w, "assay_memory_budget_bytes", "The budget for everything.", l->budget.total);
    gauge(w, "assay_memory_used_bytes", "What is reserved of the budget.", l->budget.used);
    gauge(w, "assay_memory_peak_bytes", "The most that was ever reserved.", l->budget.peak);
    assay_metric_family(w, "assay_memory_reserved_bytes", ASSAY_GAUGE, "What is reserved, by holder.");
    labelled(w, "assay_memory_reserved_bytes", "holder", "daemon", l->daemon_bytes);
    labelled(w, "assay_memory_reserved_bytes", "holder", "keys", l->keys_bytes);
    labelled(w, "assay_memory_reserved_bytes", "holder", "workers", l->workers_bytes);
    gauge(w, "assay_machine_memory_bytes", "Memory of the machine, as found at the start.", m->installed);
    gauge(w, "assay_machine_memory_available_bytes", "What was available of it at the start.", m->available);
    if (m->group_max == UINT64_MAX) return;
    gauge(w, "assay_control_group_memory_limit_bytes", "Limit of the control group that leaves least.", m->group_max);
    gauge(w, "assay_control_group_memory_used_bytes", "What it used at the start.", m->group_current);
}

/* The number of workers in each stage. */
static void write_workers(assay_writer *w, const assay_engine_look *l)
{
    static const char *const stages[] = {"load", "synthesis", "ready", "prove", "verify"};
    uint64_t provers = 0;
    for (size_t i = 0; i < l->n_workers; i++) provers += l->workers[i].prover;
    gauge(w, "assay_provers_busy", "Workers that hold a prover.", provers);
    assay_metric_family(w, "assay_workers", ASSAY_GAUGE, "Worker processes by stage; ready: waiting for a prover.");
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        uint64_t n = 0;
        for (size_t i = 0; i < l->n_workers; i++) n += strcmp(l->workers[i].stage, stages[k]) == 0;
        labelled(w, "assay_workers", "stage", stages[k], n);
    }
}

static void write_keys(assay_writer *w, const assay_engine_look *l)
{
    gauge(w, "assay_keys_resident", "Keys in memory or being loaded.", l->n_keys);
    assay_metric_family(w, "assay_key_bytes", ASSAY_GAUGE, "Memory of each resident key.");
    for (size_t i = 0; i < l->n_keys; i++) {
        const assay_metric_label labels[] = {{"kind", assay_job_kind_name(l->keys[i].kind)}, {"name", l->keys[i].name}};
        assay_metric_count(w, "assay_key_bytes", labels, 2, l->keys[i].bytes);
    }
}

static void write_compatible(assay_writer *w, const assay_engine_look *l)
{
    counter(w, "cuzk_proofs_completed_total", "Proofs completed since the start.", l->completed);
    counter(w, "cuzk_proofs_failed_total", "Proofs failed since the start.", l->failed);
    gauge(w, "cuzk_uptime_seconds", "Seconds since the start.", l->now > l->started ? (l->now - l->started) / 1000 : 0);
    gauge(w, "cuzk_queue_depth", "Jobs that wait.", sum(l->queue.waiting));
    gauge(w, "cuzk_running_jobs", "Jobs that are worked.", sum(l->queue.running));
    gauge(w, "cuzk_gpu_workers", "Provers.", l->gpu_workers);
}

static void write_server(assay_writer *w, const assay_server_stats *s)
{
    gauge(w, "assay_connections", "Open connections.", s->connections);
    counter(w, "assay_connections_accepted_total", "Connections that were accepted.", s->accepted);
    counter(w, "assay_connections_refused_total", "Connections closed for being too many.", s->refused);
    gauge(w, "assay_calls_bytes", "What requests and replies hold.", s->memory);
}

void assay_metrics_write(assay_writer *w, const assay_engine_look *look, const assay_server_stats *server)
{
    write_daemon(w, look);
    write_counters(w, look);
    write_times(w, look);
    write_queue(w, look);
    write_memory(w, look);
    write_workers(w, look);
    write_keys(w, look);
    write_compatible(w, look);
    if (server) write_server(w, server);
}
