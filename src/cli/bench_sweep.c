/* SPDX-License-Identifier: Apache-2.0 */
/* assay-bench sweep: a grid of partition workers and GPU workers, each in a fresh daemon. */
#include "base/mem.h"
#include "cli/bench_commands.h"
#include "cli/bench_daemon.h"
#include "cli/bench_run.h"
#include "cli/process_tree.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cli/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 16, LOOK_MS = 20, OUT_BYTES = 1 << 20 };

typedef struct grid {
    unsigned partition[LIST], gpu[LIST];
    size_t n_partition, n_gpu;
    uint64_t count, concurrency; /* concurrency 0: as many as keep all workers busy */
} grid;

/* "1,2,5,7": numbers of 1 to 4096. */
static bool read_list(const assay_args *a, assay_opt_id id, const char *initial, unsigned out[LIST], size_t *n)
{
    const char *at = args_has(a, id) ? a->value[id] : initial;
    for (*n = 0; *n < LIST; at++) {
        char *end;
        const unsigned long v = strtoul(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || v < 1 || v > 4096) break;
        out[(*n)++] = (unsigned)v;
        at = end;
        if (*at == '\0') return true;
        if (*at != ',') break;
    }
    (void)assay_report_usage(a, at, "is not a list of at most 16 numbers of 1 to 4096 with commas between them");
    return false;
}

static bool read_grid(grid *g, const assay_args *a)
{
    memset(g, 0, sizeof *g);
    g->count = 5;
    return read_list(a, OPT_PARTITION_WORKERS, "1,2", g->partition, &g->n_partition) &&
           read_list(a, OPT_GPU_WORKERS, "1", g->gpu, &g->n_gpu) &&
           assay_args_number(a, OPT_JOBS, 1, 100000, &g->count) &&
           assay_args_number(a, OPT_CONCURRENCY, 1, 1024, &g->concurrency);
}

/* The flags that go through to each daemon. */
static void fill_flags(const char **flags, const assay_args *a, const char *partition, const char *gpu)
{
    static const struct {
        assay_opt_id id;
        const char *flag;
    } through[] = {{OPT_CIRCUITS, "--circuits"},
                   {OPT_MODELS, "--models"},
                   {OPT_BUDGET, "--memory"},
                   {OPT_GPU_THREADS, "--gpu-threads"},
                   {OPT_PRELOAD, "--preload"}};
    size_t n = 0;
    flags[n++] = "--partition-workers";
    flags[n++] = partition;
    flags[n++] = "--gpu-workers";
    flags[n++] = gpu;
    for (size_t i = 0; i < sizeof through / sizeof *through; i++) {
        if (!args_has(a, through[i].id)) continue;
        flags[n++] = through[i].flag;
        flags[n++] = a->value[through[i].id];
    }
    if (args_has(a, OPT_NO_PIPELINE)) flags[n++] = "--no-pipeline";
    flags[n] = NULL;
}

/* One setting: a first proof that loads the key, then those that count. */
static assay_status measure(assay_sweep_point *p, const assay_args *a, const assay_bench_job *job, const grid *g,
                            assay_errinfo *err)
{
    const char *flags[ASSAY_BENCH_FLAGS];
    char partition[16], gpu[16];
    assay_bench_daemon d;
    assay_bench_target t = {0};
    assay_bench_summary sum = {0};
    assay_tree_watch *watch = NULL;
    size_t looks;
    const size_t busy = 2 * (size_t)(p->partition_workers + p->gpu_workers);
    (void)snprintf(partition, sizeof partition, "%u", p->partition_workers);
    (void)snprintf(gpu, sizeof gpu, "%u", p->gpu_workers);
    fill_flags(flags, a, partition, gpu);
    assay_status s = assay_bench_daemon_start(&d, flags, err);
    if (s == ASSAY_OK) s = assay_bench_target_read(&t, a, d.address, err);
    if (s == ASSAY_OK && !(watch = assay_tree_watch_begin(d.pid, LOOK_MS)))
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "sweep", "no thread to look at memory");
    if (s == ASSAY_OK) s = assay_bench_run(&sum, &t, job, 1, 1, NULL, NULL, err);
    if (s == ASSAY_OK && sum.failed == 0)
        s = assay_bench_run(&sum, &t, job, (size_t)g->count, g->concurrency ? (size_t)g->concurrency : busy, NULL, NULL,
                            err);
    if (watch) p->peak = assay_tree_watch_peak(watch, &looks);
    assay_tree_watch_end(watch);
    p->completed = sum.completed;
    p->failed = sum.failed;
    p->seconds_per_proof = sum.per_proof;
    p->per_hour = sum.per_hour;
    if (s == ASSAY_OK && sum.failed) {
        char line[ASSAY_CLIENT_TEXT + 64];
        (void)snprintf(line, sizeof line, "%s partition workers, %s GPU workers: %s", partition, gpu, sum.error);
        assay_report_line("assay-bench", line);
    }
    assay_bench_target_clear(&t);
    assay_bench_daemon_stop(&d, s != ASSAY_OK || sum.failed > 0);
    return s;
}

static assay_status measure_all(assay_sweep *s, const assay_args *a, const assay_bench_job *job, const grid *g,
                                const assay_progress *progress, assay_errinfo *err)
{
    const size_t all = g->n_partition * g->n_gpu;
    for (size_t k = 0; k < g->n_gpu; k++) {
        for (size_t i = 0; i < g->n_partition && s->n < ASSAY_SWEEP_POINTS; i++) {
            assay_sweep_point *p = &s->at[s->n];
            *p = (assay_sweep_point){.partition_workers = g->partition[i], .gpu_workers = g->gpu[k]};
            const assay_status st = measure(p, a, job, g, err);
            if (st != ASSAY_OK) return st;
            s->n++;
            (void)progress->fn(progress->ctx, "settings", (double)s->n / (double)all);
        }
    }
    return ASSAY_OK;
}

/* ---- what comes out */

static assay_status write_file(const assay_args *a, assay_opt_id id, assay_writer *w, assay_errinfo *err)
{
    assay_status s = w->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, a->value[id], "out of memory") : ASSAY_OK;
    const assay_buffer b = {w->p, w->n};
    if (s == ASSAY_OK) s = assay_cli_write(a->value[id], &b, err);
    assay_writer_clear(w);
    return s;
}

static assay_status write_files(const assay_sweep *s, const assay_args *a, const char *title, assay_errinfo *err)
{
    assay_writer w;
    assay_status st = ASSAY_OK;
    if (args_has(a, OPT_CSV)) {
        assay_writer_init(&w, OUT_BYTES);
        assay_sweep_csv(s, &w);
        st = write_file(a, OPT_CSV, &w, err);
    }
    if (st == ASSAY_OK && args_has(a, OPT_SVG)) {
        assay_writer_init(&w, OUT_BYTES);
        assay_sweep_svg(s, title, &w);
        st = write_file(a, OPT_SVG, &w, err);
    }
    return st;
}

static void print_json(const assay_sweep *s)
{
    const assay_sweep_fit f = assay_sweep_fit_of(s, 0);
    assay_json_begin();
    assay_json_array_begin("settings");
    for (size_t i = 0; i < s->n; i++) {
        assay_json_begin();
        assay_json_number("partition_workers", s->at[i].partition_workers);
        assay_json_number("gpu_workers", s->at[i].gpu_workers);
        assay_json_number("peak_bytes", s->at[i].peak);
        assay_json_precise("seconds_per_proof", s->at[i].seconds_per_proof);
        assay_json_precise("proofs_per_hour", s->at[i].per_hour);
        assay_json_number("completed", s->at[i].completed);
        assay_json_number("failed", s->at[i].failed);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_precise("baseline_bytes", f.baseline);
    assay_json_precise("bytes_per_partition_worker", f.slope);
    assay_json_precise("residual_bytes", f.residual);
    assay_json_end();
}

static void print_table(const assay_sweep *s)
{
    assay_writer w;
    assay_writer_init(&w, OUT_BYTES);
    assay_sweep_table(s, &w);
    if (!w.bad) (void)fwrite(w.p, 1, w.n, stdout);
    assay_writer_clear(&w);
}

static int refuse_beside(const assay_args *a, pid_t other)
{
    char text[64];
    (void)snprintf(text, sizeof text, "process %d", (int)other);
    return assay_report_usage(a, text,
                              "is an assayd that runs already: what is measured beside it means nothing; stop "
                              "it, or measure anyway with --force");
}

int assay_bench_sweep(const assay_args *a)
{
    grid g;
    assay_bench_job job = {0};
    assay_errinfo err = {0};
    assay_bar bar;
    char title[256];
    assay_progress progress = assay_bar_begin(&bar, a, "sweep");
    const pid_t other = assay_process_named("assayd");
    if (other && !args_has(a, OPT_BESIDE)) return refuse_beside(a, other);
    if (!read_grid(&g, a)) return ASSAY_EXIT_USAGE;
    assay_sweep *s = assay_mem_alloc(1, sizeof *s);
    int code = s ? assay_bench_job_read(&job, a) : ASSAY_EXIT_MEMORY;
    if (code < 0) {
        assay_phase phase = ASSAY_READING;
        assay_status st = measure_all(s, a, &job, &g, &progress, &err);
        assay_bar_end(&bar);
        (void)snprintf(title, sizeof title, "%s %.128s: %u proofs a setting", assay_job_kind_name(job.kind),
                       job.subject, (unsigned)g.count);
        if (st == ASSAY_OK) {
            phase = ASSAY_WRITING;
            st = write_files(s, a, title, &err);
        }
        code = st == ASSAY_OK ? ASSAY_EXIT_OK : assay_report_error(a, phase, st, &err);
        for (size_t i = 0; i < s->n && code == ASSAY_EXIT_OK; i++)
            if (s->at[i].failed) code = ASSAY_EXIT_NO;
        if (st == ASSAY_OK && args_has(a, OPT_JSON))
            print_json(s);
        else if (st == ASSAY_OK)
            print_table(s);
    }
    assay_bench_job_clear(&job);
    assay_mem_free(s);
    return assay_report_finish(a, code);
}
