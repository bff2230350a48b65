/* SPDX-License-Identifier: Apache-2.0 */
/* One kind of job, sent as often as wanted. */
#ifndef ASSAY_CLI_BENCH_JOB_H
#define ASSAY_CLI_BENCH_JOB_H

#include "cli/bench_client.h"
#include "engine/job.h"

enum { ASSAY_BENCH_FILES = ASSAY_JOB_PARTITIONS };

/* What every job of a run is made of: the names, and the bytes of its files, read once. Witnesses are secret. */
typedef struct assay_bench_job {
    assay_job_kind kind;
    const char *subject;
    uint64_t priority, timeout_ms; /* timeout: UINT64_MAX for none */
    uint64_t sector, miner, registered_proof, partition;
    assay_buffer file[ASSAY_BENCH_FILES];
    size_t n_files;
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
} assay_bench_job;

/* From --circuit and --witness; --model, --req and --y; or --type with --c1, --vanilla and what belongs to them. -1, or
 * an exit code after a message. Cleared by assay_bench_job_clear, after a failure too. */
int assay_bench_job_read(assay_bench_job *j, const assay_args *a);
void assay_bench_job_clear(assay_bench_job *j);

/* What became of one. */
typedef struct assay_bench_result {
    bool completed;
    char error[ASSAY_CLIENT_TEXT]; /* of one that did not complete */
    assay_rpc_code code;           /* OK: the daemon took it */
    assay_job_times times;         /* as the daemon has them */
    uint64_t wall_ms;              /* as the client has it */
    assay_buffer proof, publics;   /* of the first partition, when `keep` */
} assay_bench_result;

/* Told what the daemon says of a job that runs. NULL: nobody. */
typedef void assay_bench_seen_fn(void *ctx, const char *stage, double done);

/* Submits under a fresh id and waits for the end. Errors: the connection's; *out is filled whatever happens and freed
 * by assay_bench_result_clear. */
ASSAY_MUST_USE assay_status assay_bench_job_run(assay_client *c, const assay_bench_job *j, bool keep,
                                                assay_bench_seen_fn *seen, void *ctx, assay_bench_result *out,
                                                assay_errinfo *err);
void assay_bench_result_clear(assay_bench_result *r);

#endif
