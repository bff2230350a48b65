/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget: what it is, and who holds how much of it. Not locked: the engine's lock guards it. */
#ifndef ASSAY_ENGINE_BUDGET_H
#define ASSAY_ENGINE_BUDGET_H

#include "base/status.h"
#include <stdbool.h>

#define ASSAY_BUDGET_AUTO UINT64_MAX

/* What was found, and what was made of it. Bytes; UINT64_MAX: no such limit. */
typedef struct assay_memory_found {
    uint64_t installed, available;     /* MemTotal, MemAvailable of /proc/meminfo */
    uint64_t group_max, group_current; /* the control group that leaves least, from the process's own up to the root;
                                          current without the page cache that is given up first */
    char group[256];                   /* its path; "" for none */
    uint64_t total;                    /* the budget */
    char why[256];                     /* one line for people: where the total comes from */
} assay_memory_found;

/* given: the operator's number, or ASSAY_BUDGET_AUTO: the least of MemAvailable and what every group leaves
 * (base/memory_limit.h), less the margin. A number is taken as it is; `why` warns when less is there. root: "" for this
 * machine; the root of a made-up tree (ROOT/proc/meminfo, ROOT/proc/self/cgroup, ROOT/sys/fs/cgroup/...) in tests. A
 * tree that is missing is no limit. Errors: ASSAY_EIO (nothing can be read and
 * nothing was given), ASSAY_ERANGE (the margin leaves less than 64 MiB). */
ASSAY_MUST_USE assay_status assay_memory_find(assay_memory_found *out, const char *root, uint64_t given,
                                              uint64_t margin, assay_errinfo *err);

/* ---- the ledger */

typedef struct assay_budget {
    uint64_t total, used, peak; /* peak: the most that was ever used */
} assay_budget;

/* One holder's share; all zero holds nothing. */
typedef struct assay_reservation {
    uint64_t bytes;
} assay_reservation;

/* Makes a reservation `bytes` large, from whatever it was. Shrinking never fails; growing fails, and changes nothing,
 * when there is no room. */
bool assay_budget_set(assay_budget *b, assay_reservation *r, uint64_t bytes);
/* The same with force, for what is there already and cannot be helped: used may pass total. */
void assay_budget_force(assay_budget *b, assay_reservation *r, uint64_t bytes);
uint64_t assay_budget_free(const assay_budget *b);

#endif
