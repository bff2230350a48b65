/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress_bar.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 30 };
static const double quiet_seconds = 1;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What stands behind the percentage: the stage, or which token of a reply is being made. */
static const char *words(const assay_bar *bar, const char *stage, double done, char *out, size_t nbytes)
{
    if (bar->n_tokens == 0) return stage;
    uint32_t at = (uint32_t)(done * bar->n_tokens + 0.5), all = bar->n_tokens - bar->n_prompt;
    if (at < bar->n_prompt) return "reading the prompt";
    (void)snprintf(out, nbytes, "token %u of %u", (unsigned)(at - bar->n_prompt < all ? at - bar->n_prompt + 1 : all),
                   (unsigned)all);
    return out;
}

static int draw(void *ctx, const char *stage, double done)
{
    static const char full[CELLS + 1] = "##############################";
    assay_bar *bar = ctx;
    char text[64];
    double seconds = assay_bar_seconds(bar);
    if (!bar->enabled || seconds < quiet_seconds) return 0;
    int n = (int)(done * CELLS);
    n = n < 0 ? 0 : n > CELLS ? CELLS : n;
    fprintf(stderr, "\r\033[K%s [%-*.*s] %3d%%  %s, %.0f s", bar->title, CELLS, n, full, (int)(100 * done),
            words(bar, stage, done, text, sizeof text), seconds);
    (void)fflush(stderr);
    bar->drawn = true;
    return 0;
}

assay_progress assay_bar_begin(assay_bar *bar, const assay_args *a, const char *title)
{
    assay_progress p = {draw, bar};
    memset(bar, 0, sizeof *bar);
    bar->enabled = !args_has(a, OPT_QUIET) && isatty(STDERR_FILENO);
    bar->title = title;
    bar->start = now();
    return p;
}

void assay_bar_count(assay_bar *bar, uint32_t n_prompt, uint32_t n_new)
{
    bar->n_prompt = n_prompt;
    bar->n_tokens = n_prompt + n_new;
}

void assay_bar_end(assay_bar *bar)
{
    if (bar->drawn) fprintf(stderr, "\r\033[K");
    bar->drawn = false;
}

double assay_bar_seconds(const assay_bar *bar)
{
    return now() - bar->start;
}
