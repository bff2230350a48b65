/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's life: engine, servers, signals, drain. */
#ifndef ASSAY_CLI_ASSAYD_RUN_H
#define ASSAY_CLI_ASSAYD_RUN_H

#include "cli/options.h"
#include "daemon/config.h"

/* Runs until a signal ends it. Returns the exit code, after one line on stderr if it could not start. The limits of c
 * are scaled to the machine. */
int assay_assayd_run(const assay_args *a, assay_config *c);

#endif
