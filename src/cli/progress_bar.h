/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on stderr: on a terminal, and once an operation has taken a second (so for all that take two). */
#ifndef ASSAY_CLI_PROGRESS_BAR_H
#define ASSAY_CLI_PROGRESS_BAR_H

#include "assay/progress.h"
#include "cli/options.h"

typedef struct assay_bar {
    bool enabled, drawn;
    const char *title;
    double start; /* seconds */
} assay_bar;

/* title: what is going on. The bar must outlive the progress that is returned. */
assay_progress assay_bar_begin(assay_bar *bar, const assay_args *a, const char *title);
/* Takes the bar off the screen. */
void assay_bar_end(assay_bar *bar);
/* Seconds since assay_bar_begin. */
double assay_bar_seconds(const assay_bar *bar);

#endif
