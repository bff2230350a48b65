/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `assay-bench`: each returns the program's exit code. */
#ifndef ASSAY_CLI_BENCH_COMMANDS_H
#define ASSAY_CLI_BENCH_COMMANDS_H

#include "cli/options.h"

int assay_bench_single(const assay_args *a);
int assay_bench_batch(const assay_args *a);
int assay_bench_sweep(const assay_args *a);
int assay_bench_status(const assay_args *a);
int assay_bench_metrics(const assay_args *a);
int assay_bench_preload(const assay_args *a);
int assay_bench_evict(const assay_args *a);
int assay_bench_cancel(const assay_args *a);

#endif
