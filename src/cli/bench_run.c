/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_run.h"
#include "base/mem.h"
#include "cli/report.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const assay_bench_target *target;
    const assay_bench_job *job;
    assay_bench_done_fn *done;
    void *ctx;
    pthread_mutex_t lock;
    size_t count, next, ended;
    assay_bench_summary *out;
    double *wall, *queue_wait, *synthesis, *prove; /* of those that completed */
    assay_status status;
    assay_errinfo err;
} run;

static double seconds_of(uint64_t ms)
{
    return 0.001 * (double)ms;
}

/* ---- spreads */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static assay_bench_spread spread_of(double *v, size_t n)
{
    assay_bench_spread s = {0};
    if (n == 0) return s;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++) s.mean += v[i] / (double)n;
    s.least = v[0];
    s.median = 0.5 * (v[(n - 1) / 2] + v[n / 2]);
    s.p95 = v[(95 * n + 99) / 100 - 1];
    s.most = v[n - 1];
    return s;
}

/* ---- the jobs */

/* Under the lock. */
static void note(run *r, const assay_bench_result *result)
{
    assay_bench_summary *out = r->out;
    if (result->completed) {
        const size_t i = out->completed++;
        r->wall[i] = seconds_of(result->wall_ms);
        r->queue_wait[i] = seconds_of(result->times.queue_wait);
        r->synthesis[i] = seconds_of(result->times.synthesis);
        r->prove[i] = seconds_of(result->times.prove);
        if (result->times.peak_bytes > out->job_peak) out->job_peak = result->times.peak_bytes;
    } else if (out->failed++ == 0) {
        (void)snprintf(out->error, sizeof out->error, "%s%s%.900s",
                       result->code == ASSAY_RPC_OK ? "" : assay_rpc_code_name(result->code),
                       result->code == ASSAY_RPC_OK || !*result->error ? "" : ": ", result->error);
        out->code = result->code;
    }
    r->ended++;
    if (r->done) r->done(r->ctx, r->ended, r->count);
}

static bool take_one(run *r)
{
    (void)pthread_mutex_lock(&r->lock);
    const bool more = r->next < r->count && r->status == ASSAY_OK;
    if (more) r->next++;
    (void)pthread_mutex_unlock(&r->lock);
    return more;
}

static void *work(void *arg)
{
    run *r = arg;
    assay_client *c = NULL;
    assay_errinfo err = {0};
    assay_status s = assay_client_new(&c, &r->target->options, &err);
    while (s == ASSAY_OK && take_one(r)) {
        assay_bench_result result;
        s = assay_bench_job_run(c, r->job, false, NULL, NULL, &result, &err);
        if (s == ASSAY_OK) {
            (void)pthread_mutex_lock(&r->lock);
            note(r, &result);
            (void)pthread_mutex_unlock(&r->lock);
        }
        assay_bench_result_clear(&result);
    }
    if (s != ASSAY_OK) {
        (void)pthread_mutex_lock(&r->lock);
        if (r->status == ASSAY_OK) {
            r->status = s;
            r->err = err;
        }
        (void)pthread_mutex_unlock(&r->lock);
    }
    assay_client_free(c);
    return NULL;
}

static void sum_up(run *r, uint64_t ms)
{
    assay_bench_summary *out = r->out;
    out->seconds = seconds_of(ms);
    out->wall = spread_of(r->wall, out->completed);
    out->queue_wait = spread_of(r->queue_wait, out->completed);
    out->synthesis = spread_of(r->synthesis, out->completed);
    out->prove = spread_of(r->prove, out->completed);
    if (out->completed > 0 && ms > 0) {
        out->per_proof = out->seconds / (double)out->completed;
        out->per_hour = 3600 / out->per_proof;
    }
}

assay_status assay_bench_run(assay_bench_summary *out, const assay_bench_target *target, const assay_bench_job *job,
                             size_t count, size_t concurrency, assay_bench_done_fn *done, void *ctx, assay_errinfo *err)
{
    memset(out, 0, sizeof *out);
    run r = {.target = target, .job = job, .done = done, .ctx = ctx, .count = count, .out = out};
    if (concurrency > count) concurrency = count;
    double *times = assay_mem_alloc(count, 4 * sizeof *times);
    pthread_t *threads = assay_mem_alloc(concurrency, sizeof *threads);
    size_t started = 0;
    const uint64_t begin = assay_clock_ms();
    (void)pthread_mutex_init(&r.lock, NULL);
    if (times && threads) {
        r.wall = times;
        r.queue_wait = times + count;
        r.synthesis = times + 2 * count;
        r.prove = times + 3 * count;
        while (started < concurrency && pthread_create(&threads[started], NULL, work, &r) == 0) started++;
    }
    for (size_t i = 0; i < started; i++) (void)pthread_join(threads[i], NULL);
    if (started < concurrency || concurrency == 0)
        r.status = ASSAY_FAIL(&r.err, ASSAY_ENOMEM, "jobs", "no more threads or memory");
    if (times) sum_up(&r, assay_clock_ms() - begin);
    (void)pthread_mutex_destroy(&r.lock);
    assay_mem_free(threads);
    assay_mem_free(times);
    if (r.status != ASSAY_OK && err) *err = r.err;
    return r.status;
}

/* ---- printing */

static void print_spread(const char *name, const assay_bench_spread *s)
{
    printf("  %-11s %8.3f %8.3f %8.3f %8.3f %8.3f\n", name, s->least, s->median, s->mean, s->p95, s->most);
}

void assay_bench_summary_print(const assay_bench_summary *s)
{
    printf("%zu proofs in %.2f s: %.3f s a proof, %.1f proofs an hour, %.2f a minute", s->completed, s->seconds,
           s->per_proof, s->per_hour, s->per_hour / 60);
    if (s->failed) printf("; %zu failed, the first with: %s", s->failed, s->error);
    printf("\n");
    if (s->completed == 0) return;
    printf("  seconds        least   median     mean      p95     most\n");
    print_spread("wall", &s->wall);
    print_spread("in queue", &s->queue_wait);
    print_spread("synthesis", &s->synthesis);
    print_spread("proving", &s->prove);
    if (s->job_peak)
        printf("  most memory of one job, its key not counted: %.1f MiB\n", (double)s->job_peak / (1 << 20));
}

static void json_spread(const char *name, const assay_bench_spread *s)
{
    char key[64];
    const struct {
        const char *what;
        double v;
    } parts[] = {{"min", s->least}, {"median", s->median}, {"avg", s->mean}, {"p95", s->p95}, {"max", s->most}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        (void)snprintf(key, sizeof key, "%s_%s_seconds", name, parts[i].what);
        assay_json_precise(key, parts[i].v);
    }
}

void assay_bench_summary_json(const assay_bench_summary *s)
{
    assay_json_number("completed", s->completed);
    assay_json_number("failed", s->failed);
    assay_json_precise("seconds", s->seconds);
    assay_json_precise("seconds_per_proof", s->per_proof);
    assay_json_precise("proofs_per_hour", s->per_hour);
    json_spread("wall", &s->wall);
    json_spread("queue_wait", &s->queue_wait);
    json_spread("synthesis", &s->synthesis);
    json_spread("prove", &s->prove);
    assay_json_number("job_peak_bytes", s->job_peak);
    if (s->failed) assay_json_string("error", s->error);
}
