/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run the methods of calls, first come, first served. */
#ifndef ASSAY_DAEMON_WORKERS_H
#define ASSAY_DAEMON_WORKERS_H

#include "daemon/call.h"

typedef struct assay_workers assay_workers;

/* Errors: ASSAY_ENOMEM, ASSAY_EIO (no thread). *w is NULL on failure. */
ASSAY_MUST_USE assay_status assay_workers_new(assay_workers **w, unsigned nthreads, assay_errinfo *err);
/* Hands a call over, which is held until a worker is through with it. */
void assay_workers_put(assay_workers *w, assay_call *c);
/* Runs what was put, then ends the threads. NULL is fine. */
void assay_workers_free(assay_workers *w);

#endif
