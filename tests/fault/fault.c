/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the failing-allocation tests. */
#include "fault/fault.h"
#include "base/mem.h"
#include "base/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

uint64_t assay_fault_every(assay_fault_op *op, void *ctx, uint64_t stride)
{
    assay_errinfo err;
    uint64_t whole = 0, made = 0;
    stride = stride_of(stride);
    if (!CHECK_OK(run_failing(op, ctx, 0, &whole, &err))) {
        char text[400];
        printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
        return 0;
    }
    for (uint64_t k = 1; k <= whole; k += stride) {
        assay_status s = run_failing(op, ctx, k, &made, &err);
        if (s == ASSAY_OK && made < k) break; /* fewer allocations than in the first run: caches are warm */
        if (!CHECK_STATUS(s, ASSAY_ENOMEM) || !CHECK(err.reason != NULL)) {
            char text[400];
            printf("  allocation %" PRIu64 " of %" PRIu64 ": %s\n", k, whole,
                   assay_errinfo_text(&err, text, sizeof text));
            return 0;
        }
    }
    return CHECK_OK(run_failing(op, ctx, 0, &made, &err)) ? whole : 0;
}
