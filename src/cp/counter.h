/* SPDX-License-Identifier: Apache-2.0 */
/* How many proofs of a commitment's lifetime are made: a number on disk that is written and synced, in blocks, before a
 * proof leaves, and that never goes back. Source: docs/protocol.md, docs/hiding.md §5. */
#ifndef ASSAY_CP_COUNTER_H
#define ASSAY_CP_COUNTER_H

#include "base/file.h"

enum { ASSAY_COUNTER_PATH = 4096 };

/* Writes one proof off elsewhere. */
typedef assay_status assay_counter_fn(void *ctx, assay_errinfo *err);

typedef struct assay_counter {
    assay_lock lock;
    char path[ASSAY_COUNTER_PATH]; /* "": memory only */
    char lock_path[ASSAY_COUNTER_PATH];
    uint64_t used;  /* handed out, or lost */
    uint64_t spent; /* written off on disk: used <= spent */
    uint64_t allowed;
    uint32_t block;        /* written off at once */
    assay_counter_fn *ask; /* who counts instead, or NULL */
    void *ask_ctx;
} assay_counter;

/* In memory. */
void assay_counter_init(assay_counter *c, uint64_t spent, uint64_t allowed);
/* The file `counter` of a folder, under the folder's lock until assay_counter_close. ASSAY_EBUSY: another process holds
 * it, and wait is not set. */
ASSAY_MUST_USE assay_status assay_counter_open(assay_counter *c, const char *isk_folder, uint64_t allowed,
                                               uint32_t block, bool wait, assay_errinfo *err);
void assay_counter_close(assay_counter *c);

/* For the copy of a counter that a forked process has: from now on it neither writes the file nor holds the lock (which
 * stays with the process that took it; only this copy's descriptor is closed), and each assay_counter_take asks `ask`.
 * Nothing is counted twice or not at all, because one process alone, the one that holds the lock, writes the number:
 * a forked process gets a proof out only after that one has answered, and what it had already written off and not used
 * at the fork (spent - used) is not the copy's to use. assay_counter_left still says what was left at the fork. */
void assay_counter_delegate(assay_counter *c, assay_counter_fn *ask, void *ctx);

/* Writes n proofs off, at most what is left. */
ASSAY_MUST_USE assay_status assay_counter_skip(assay_counter *c, uint64_t n, assay_errinfo *err);
/* ASSAY_EEXHAUSTED if one of n calls of assay_counter_take would say so: asked before the work. */
ASSAY_MUST_USE assay_status assay_counter_left(const assay_counter *c, uint64_t n, assay_errinfo *err);
/* Hands out one proof; it is on disk when this returns ASSAY_OK. */
ASSAY_MUST_USE assay_status assay_counter_take(assay_counter *c, assay_errinfo *err);

#endif
