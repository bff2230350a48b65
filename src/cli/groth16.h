/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the group groth16 share. */
#ifndef ASSAY_CLI_GROTH16_H
#define ASSAY_CLI_GROTH16_H

#include "assay/groth16.h"
#include "cli/options.h"

/* The first act of commands that may write or take much memory: temporary files are removed when the program is
 * interrupted, and what is freed goes back to the system. */
void assay_cli_groth16_start(void);

/* The value of --threads, 0 when it is not given; false, and a message, for a wrong one. */
bool assay_cli_threads(const assay_args *a, unsigned *threads);

/* Opens the key named by the first operand; says so on stderr when it is a development key, even with --quiet. */
ASSAY_MUST_USE assay_status assay_cli_key(assay_groth16_key **out, const assay_args *a, assay_errinfo *err);

/* "OK" or "INVALID: reason", or the same as JSON; the exit code. */
int assay_cli_groth16_verdict(const assay_args *a, const assay_groth16_report *r);

#endif
