/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker's process ended, and the most memory that it had of its own. */
#ifndef ASSAY_ENGINE_WORKER_END_H
#define ASSAY_ENGINE_WORKER_END_H

#include "engine/worker_message.h"
#include <stdbool.h>
#include <sys/resource.h>

/* The keeper process just before it forks. */
typedef struct assay_worker_origin {
    uint64_t bytes;     /* of its pages that the child will have from the beginning: those that are no file's */
    uint64_t oom_kills; /* processes that the system has killed for want of memory; UINT64_MAX: not known */
} assay_worker_origin;
void assay_worker_origin_take(assay_worker_origin *o);

/* Fills status, text, signal and bytes (the peak) of an ASSAY_MESSAGE_EXITED from what wait4 said. A process that
 * handed its result over needs none of it but the peak. who: "worker", "keeper". */
void assay_worker_end(assay_worker_message *m, const char *who, const assay_worker_origin *o, int wait_status,
                      const struct rusage *used, bool killed);

#endif
