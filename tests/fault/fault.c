/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the failing-allocation tests. */
#include "fault/fault.h"
#include "base/mem.h"
#include "base/status.h"
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run with allocation k failing (0: none); *made: allocations of the run. */
static assay_status run_failing(assay_fault_op *op, void *ctx, uint64_t k, uint64_t *made, assay_errinfo *err)
{
    assay_errinfo_clear(err);
    (void)assay_mem_fail_after(k);
    assay_status s = op(ctx, err);
    *made = assay_mem_fail_after(0);
    return s;
}

/* ASSAY_FAULT_STRIDE=29 tries every 29th allocation only: for builds with sanitizers, which are slow. */
static uint64_t stride_of(uint64_t stride)
{
    const char *text = getenv("ASSAY_FAULT_STRIDE");
    unsigned long long factor = text ? strtoull(text, NULL, 10) : 1;
    return factor ? stride * factor : stride;
}

/* A run in which nothing fails. */
static bool run_whole(assay_fault_op *op, void *ctx, uint64_t *made)
{
    assay_errinfo err;
    char text[400];
    if (CHECK_OK(run_failing(op, ctx, 0, made, &err))) return true;
    printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
    return false;
}

/* Whether allocation k of `whole` can fail; *fewer: the run made fewer than k, for caches are warm. */
static bool fails_well(assay_fault_op *op, void *ctx, uint64_t k, uint64_t whole, bool *fewer)
{
    assay_errinfo err;
    uint64_t made = 0;
    char text[400];
    assay_status s = run_failing(op, ctx, k, &made, &err);
    *fewer = s == ASSAY_OK && made < k;
    if (*fewer || (CHECK_STATUS(s, ASSAY_ENOMEM) && CHECK(err.reason != NULL))) return true;
    printf("  allocation %" PRIu64 " of %" PRIu64 ": %s\n", k, whole, assay_errinfo_text(&err, text, sizeof text));
    return false;
}

uint64_t assay_fault_every(assay_fault_op *op, void *ctx, uint64_t stride)
{
    uint64_t whole = 0, made = 0;
    bool fewer = false;
    stride = stride_of(stride);
    if (!run_whole(op, ctx, &whole)) return 0;
    for (uint64_t k = 1; k <= whole && !fewer; k += stride)
        if (!fails_well(op, ctx, k, whole, &fewer)) return 0;
    return run_whole(op, ctx, &made) ? whole : 0;
}

/* ---- by chains of calls */

enum { MAX_CHAINS = 4096, DEPTH = 48 };

typedef struct chain {
    void *at[DEPTH]; /* return addresses, innermost first */
    int depth;
    uint64_t first, middle, last, n; /* allocations: numbers of three, and how many */
} chain;

static chain *chains; /* of the run that is watched */
static size_t n_chains;
static bool too_many;

/* The middle one: replaced at every doubling, so it stands between a quarter and a half of the way. */
static void note(uint64_t number)
{
    chain now;
    memset(&now, 0, sizeof now);
    now.depth = backtrace(now.at, DEPTH);
    size_t i = 0;
    while (i < n_chains &&
           (chains[i].depth != now.depth || memcmp(chains[i].at, now.at, (size_t)now.depth * sizeof *now.at) != 0))
        i++;
    if (i == MAX_CHAINS) {
        too_many = true;
        return;
    }
    if (i == n_chains) {
        chains[n_chains++] = now;
        chains[i].first = chains[i].middle = number;
    }
    chain *c = &chains[i];
    c->n++;
    c->last = number;
    if ((c->n & (c->n - 1)) == 0) c->middle = number;
}

uint64_t assay_fault_chains(assay_fault_op *op, void *ctx)
{
    uint64_t whole = 0, made = 0, found = 0;
    bool good = true, fewer = false;
    chains = calloc(MAX_CHAINS, sizeof *chains);
    n_chains = 0;
    too_many = false;
    if (!CHECK(chains != NULL) || !run_whole(op, ctx, &made)) goto out; /* caches are warm after this one */
    assay_mem_watch(note);
    good = run_whole(op, ctx, &whole);
    assay_mem_watch(NULL);
    good = good && CHECK(!too_many);
    for (size_t i = 0; i < n_chains && good; i += stride_of(1)) {
        const chain *c = &chains[i];
        good = fails_well(op, ctx, c->first, whole, &fewer) && CHECK(!fewer);
        if (good && c->n > 1) good = fails_well(op, ctx, c->last, whole, &fewer) && CHECK(!fewer);
        if (good && c->n > 2) good = fails_well(op, ctx, c->middle, whole, &fewer) && CHECK(!fewer);
    }
    if (good && run_whole(op, ctx, &made)) found = n_chains;
out:
    free(chains);
    chains = NULL;
    return found;
}
