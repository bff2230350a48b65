/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a process and all its descendants, seen from outside: sums of Pss of /proc/PID/smaps_rollup, in which a
 * page that several share counts once. */
#ifndef ASSAY_CLI_PROCESS_TREE_H
#define ASSAY_CLI_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes now; 0 when the process is gone or its memory cannot be read. Processes that end meanwhile count as 0. */
uint64_t assay_tree_memory(pid_t root);

/* A thread that looks every `every_ms` and keeps the most. */
typedef struct assay_tree_watch assay_tree_watch;
assay_tree_watch *assay_tree_watch_begin(pid_t root, unsigned every_ms); /* NULL: no thread or memory */
/* The most so far, and how often was looked. */
uint64_t assay_tree_watch_peak(assay_tree_watch *w, size_t *looks);
void assay_tree_watch_end(assay_tree_watch *w); /* NULL is fine */

/* A running process with this name (as /proc/PID/comm has it), other than this one and its descendants; 0: none. */
pid_t assay_process_named(const char *name);

#endif
