/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a keeper process, and what stands behind assay_keeper_main in one. */
#ifndef ASSAY_ENGINE_KEEPER_PROCESS_H
#define ASSAY_ENGINE_KEEPER_PROCESS_H

#include "base/status.h"

/* The first argument of a keeper process; the second is its parent's number. */
#define ASSAY_KEEPER_ARGUMENT "assay-keeper-process"
enum { ASSAY_KEEPER_SOCKET = 3 }; /* where it finds its socket to the daemon */

/* Executes the program as a keeper process, bound to the life of the calling thread: no descriptor but `socket` and
 * standard error, a group of its own (what the terminal sends to the daemon is not for it), a few variables of the
 * environment. Errors: ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_keeper_spawn(int *pid, const char *program, int socket, assay_errinfo *err);

/* Runs it until the daemon hangs up. Returns the exit code. */
int assay_keeper_process_run(int parent);

#endif
