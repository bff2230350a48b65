/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads for data-parallel loops. */
#ifndef ASSAY_BASE_POOL_H
#define ASSAY_BASE_POOL_H

#include "base/status.h"
#include <stddef.h>

typedef struct assay_pool assay_pool;

/* nthreads = 0: one per available CPU (affinity mask respected). 1: no thread is started and loops run inline. */
ASSAY_MUST_USE assay_status assay_pool_new(assay_pool **p, unsigned nthreads, assay_errinfo *err);
void assay_pool_free(assay_pool *p);              /* NULL is fine */
unsigned assay_pool_threads(const assay_pool *p); /* p = NULL: 1 */

/* Runs fn(ctx, job) for job = 0 .. njobs-1, on any threads in any order; returns when all are done.
 * p = NULL runs them in order on the caller. Calls must not nest inside fn (a nested call runs inline). */
typedef void assay_job_fn(void *ctx, size_t job);
void assay_pool_run(assay_pool *p, size_t njobs, assay_job_fn *fn, void *ctx);

/* Splits [0, n) in chunks of about `grain` elements (a multiple of 64 except the last) and runs
 * fn(ctx, begin, end) on each. */
typedef void assay_range_fn(void *ctx, size_t begin, size_t end);
void assay_pool_range(assay_pool *p, size_t n, size_t grain, assay_range_fn *fn, void *ctx);

#endif
