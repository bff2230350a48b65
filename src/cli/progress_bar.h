/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on stderr: on a terminal, and once an operation has taken a second (so for all that take two). */
#ifndef ASSAY_CLI_PROGRESS_BAR_H
#define ASSAY_CLI_PROGRESS_BAR_H

#include "assay/progress.h"
#include "cli/options.h"

typedef struct assay_bar {
    bool enabled, drawn;
    const char *title;
    double start;                /* seconds */
    uint32_t n_prompt, n_tokens; /* of a reply, whose tokens are counted; n_tokens = 0: nothing is */
} assay_bar;

/* title: what is going on. The bar must outlive the progress that is returned. */
assay_progress assay_bar_begin(assay_bar *bar, const assay_args *a, const char *title);
/* What is going on is a reply: the bar counts its tokens, after those of the prompt. */
void assay_bar_count(assay_bar *bar, uint32_t n_prompt, uint32_t n_new);
/* Takes the bar off the screen. */
void assay_bar_end(assay_bar *bar);
/* Seconds since assay_bar_begin. */
double assay_bar_seconds(const assay_bar *bar);

#endif
