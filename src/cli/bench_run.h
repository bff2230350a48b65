/* SPDX-License-Identifier: Apache-2.0 */
/* Many jobs, several at once, and what they took. */
#ifndef ASSAY_CLI_BENCH_RUN_H
#define ASSAY_CLI_BENCH_RUN_H

#include "cli/bench_job.h"

/* Seconds. */
typedef struct assay_bench_spread {
    double least, median, mean, p95, most;
} assay_bench_spread;

typedef struct assay_bench_summary {
    size_t completed, failed;
    double seconds; /* from the first submission to the last end */
    double per_hour, per_proof;
    assay_bench_spread wall, queue_wait, synthesis, prove;
    uint64_t job_peak;             /* the most bytes that one job held, as the daemon says */
    char error[ASSAY_CLIENT_TEXT]; /* of the first that failed */
    assay_rpc_code code;           /* of that one */
} assay_bench_summary;

/* Runs `count` jobs, `concurrency` at once, each of these on a connection of its own; told of each end. Errors: those
 * of the first connection that failed; what ran is in *out anyway. */
typedef void assay_bench_done_fn(void *ctx, size_t ended, size_t count);
ASSAY_MUST_USE assay_status assay_bench_run(assay_bench_summary *out, const assay_bench_target *target,
                                            const assay_bench_job *job, size_t count, size_t concurrency,
                                            assay_bench_done_fn *done, void *ctx, assay_errinfo *err);

/* As text for people, or as fields of a JSON object that is open. */
void assay_bench_summary_print(const assay_bench_summary *s);
void assay_bench_summary_json(const assay_bench_summary *s);

#endif
