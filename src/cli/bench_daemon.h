/* SPDX-License-Identifier: Apache-2.0 */
/* A fresh daemon for a measurement: with a queue, a socket and a folder of its own. */
#ifndef ASSAY_CLI_BENCH_DAEMON_H
#define ASSAY_CLI_BENCH_DAEMON_H

#include "base/status.h"
#include <stddef.h>
#include <sys/types.h>

enum { ASSAY_BENCH_FLAGS = 32 };

typedef struct assay_bench_daemon {
    pid_t pid;
    char folder[64], address[128], log[128];
} assay_bench_daemon;

/* Starts the `assayd` that lies beside this program with these flags (NULL at the end) and waits until it serves. Its
 * log goes to `log`. Errors: ASSAY_EIO (it does not start: err says where its log is), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_bench_daemon_start(assay_bench_daemon *d, const char *const *flags,
                                                     assay_errinfo *err);
/* Ends it (SIGTERM, and SIGKILL after a minute) and removes its folder; its log stays when keep_log is set. */
void assay_bench_daemon_stop(assay_bench_daemon *d, int keep_log);

#endif
