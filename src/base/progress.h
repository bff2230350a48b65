/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting progress in one line. */
#ifndef ASSAY_BASE_PROGRESS_H
#define ASSAY_BASE_PROGRESS_H

#include "assay/progress.h"
#include "base/status.h"
#include <stdint.h>

/* Calls the callback, if there is one. ASSAY_ECANCELED when it asks to stop. Call from the thread that made the call
 * whose progress this is. p may be NULL. */
ASSAY_MUST_USE assay_status assay_progress_tell(const assay_progress *p, const char *stage, double done,
                                                assay_errinfo *err);

/* The same for `done` of `of` things. */
ASSAY_MUST_USE assay_status assay_progress_tell_count(const assay_progress *p, const char *stage, uint64_t done,
                                                      uint64_t of, assay_errinfo *err);

/* The part of p that covers [from, to] of the whole, for handing down to a callee that counts from 0 to 1. The object
 * is filled in by the caller's frame and must outlive the returned progress. */
typedef struct assay_subprogress {
    assay_progress outer;
    double from, to;
} assay_subprogress;
assay_progress assay_progress_part(assay_subprogress *part, const assay_progress *p, double from, double to);
/* The same for the things from .. to - 1 of `of`. */
assay_progress assay_progress_part_count(assay_subprogress *part, const assay_progress *p, uint64_t from, uint64_t to,
                                         uint64_t of);

#endif
