/* SPDX-License-Identifier: Apache-2.0 */
/* assay-bench single, assay-bench batch */
#include "cli/bench_commands.h"
#include "cli/bench_run.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>

/* Reads target and job; -1, or an exit code after a message. */
static int read_both(assay_bench_target *t, assay_bench_job *j, const assay_args *a)
{
    assay_errinfo err = {0};
    const int code = assay_bench_job_read(j, a);
    if (code >= 0) return code;
    const assay_status s = assay_bench_target_read(t, a, NULL, &err);
    return s == ASSAY_OK ? -1 : assay_report_error(a, ASSAY_READING, s, &err);
}

/* A job that did not complete. */
static int unfinished(const assay_args *a, assay_rpc_code code, const char *error)
{
    if (code != ASSAY_RPC_OK) return assay_bench_refused(a, code, error);
    char line[ASSAY_CLIENT_TEXT + 64];
    (void)snprintf(line, sizeof line, "the job failed: %s", error);
    assay_report_line("assay-bench", line);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_bool("completed", false);
        assay_json_string("error", error);
        assay_json_end();
    }
    return ASSAY_EXIT_NO;
}

/* ---- single */

static void seen(void *ctx, const char *stage, double done)
{
    const assay_progress *p = ctx;
    (void)p->fn(p->ctx, stage, done);
}

static void print_result(const assay_args *a, const assay_bench_result *r)
{
    const struct {
        const char *key, *words;
        uint64_t ms;
    } times[] = {{"wall_ms", "wall", r->wall_ms},
                 {"queue_wait_ms", "in queue", r->times.queue_wait},
                 {"load_ms", "loading the key", r->times.load},
                 {"synthesis_ms", "synthesis", r->times.synthesis},
                 {"prove_ms", "proving", r->times.prove},
                 {"verify_ms", "verifying", r->times.verify},
                 {"total_ms", "in the daemon", r->times.total}};
    const size_t n = sizeof times / sizeof *times;
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_bool("completed", true);
        for (size_t i = 0; i < n; i++) assay_json_number(times[i].key, times[i].ms);
        assay_json_number("peak_bytes", r->times.peak_bytes);
        assay_json_number("proof_bytes", r->proof.n);
        assay_json_end();
        return;
    }
    for (size_t i = 0; i < n; i++) printf("%-16s %10.3f s\n", times[i].words, 0.001 * (double)times[i].ms);
    if (r->times.peak_bytes) printf("%-16s %10.1f MiB\n", "peak memory", (double)r->times.peak_bytes / (1 << 20));
}

/* Where they are asked for. */
static assay_status write_outputs(const assay_args *a, const assay_bench_result *r, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    if (args_has(a, OPT_PROOF_FILE)) s = assay_cli_write(a->value[OPT_PROOF_FILE], &r->proof, err);
    if (s == ASSAY_OK && args_has(a, OPT_PUBLIC_FILE)) s = assay_cli_write(a->value[OPT_PUBLIC_FILE], &r->publics, err);
    return s;
}

int assay_bench_single(const assay_args *a)
{
    assay_bench_target t = {0};
    assay_bench_job j = {0};
    assay_bench_result r = {0};
    assay_client *c = NULL;
    assay_errinfo err = {0};
    assay_bar bar;
    assay_progress progress = assay_bar_begin(&bar, a, "proving");
    int code = read_both(&t, &j, a);
    if (code < 0) {
        assay_phase phase = ASSAY_READING;
        assay_status s = assay_client_new(&c, &t.options, &err);
        if (s == ASSAY_OK) s = assay_bench_job_run(c, &j, true, seen, &progress, &r, &err);
        assay_bar_end(&bar);
        if (s == ASSAY_OK && r.completed) {
            phase = ASSAY_WRITING;
            s = write_outputs(a, &r, &err);
        }
        if (s != ASSAY_OK)
            code = assay_report_error(a, phase, s, &err);
        else
            code = r.completed ? ASSAY_EXIT_OK : unfinished(a, r.code, r.error);
        if (code == ASSAY_EXIT_OK) print_result(a, &r);
    }
    assay_bench_result_clear(&r);
    assay_client_free(c);
    assay_bench_job_clear(&j);
    assay_bench_target_clear(&t);
    return assay_report_finish(a, code);
}

/* ---- batch */

static void done_one(void *ctx, size_t ended, size_t count)
{
    const assay_progress *p = ctx;
    (void)p->fn(p->ctx, "proofs", (double)ended / (double)count);
}

int assay_bench_batch(const assay_args *a)
{
    assay_bench_target t = {0};
    assay_bench_job j = {0};
    assay_bench_summary sum = {0};
    assay_errinfo err = {0};
    assay_bar bar;
    uint64_t count = 3, concurrency = 1;
    assay_progress progress = assay_bar_begin(&bar, a, "batch");
    if (!assay_args_number(a, OPT_JOBS, 1, 1000000, &count) ||
        !assay_args_number(a, OPT_CONCURRENCY, 1, 1024, &concurrency))
        return ASSAY_EXIT_USAGE;
    int code = read_both(&t, &j, a);
    if (code < 0) {
        const assay_status s =
            assay_bench_run(&sum, &t, &j, (size_t)count, (size_t)concurrency, done_one, &progress, &err);
        assay_bar_end(&bar);
        if (s != ASSAY_OK) {
            code = assay_report_error(a, ASSAY_READING, s, &err);
        } else {
            code = sum.failed ? ASSAY_EXIT_NO : ASSAY_EXIT_OK;
            if (args_has(a, OPT_JSON)) {
                assay_json_begin();
                assay_bench_summary_json(&sum);
                assay_json_end();
            } else {
                assay_bench_summary_print(&sum);
            }
        }
    }
    assay_bench_job_clear(&j);
    assay_bench_target_clear(&t);
    return assay_report_finish(a, code);
}
