/* SPDX-License-Identifier: Apache-2.0 */
/* Progress and cancellation, for every call that may take longer than a second. */
#ifndef ASSAY_PROGRESS_H
#define ASSAY_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then from the thread that made the call, with the name of the stage (static text) and
 * the share of the whole that is done, 0 to 1. A non-zero return cancels: the call returns ASSAY_ECANCELED. */
typedef int assay_progress_fn(void *ctx, const char *stage, double done);

typedef struct assay_progress {
    assay_progress_fn *fn; /* NULL: none */
    void *ctx;
} assay_progress;

#ifdef __cplusplus
}
#endif
#endif
