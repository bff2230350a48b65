/* SPDX-License-Identifier: Apache-2.0 */
/* Progress and cancellation. */
#include "base/progress.h"
#include <stddef.h>

assay_status assay_progress_tell(const assay_progress *p, const char *stage, double done, assay_errinfo *err)
{
    if (!p || !p->fn || p->fn(p->ctx, stage, done) == 0) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_ECANCELED, stage, "canceled");
}

static int tell_part(void *ctx, const char *stage, double done)
{
    const assay_subprogress *part = (const assay_subprogress *)ctx;
    return part->outer.fn(part->outer.ctx, stage, part->from + (part->to - part->from) * done);
}

assay_progress assay_progress_part(assay_subprogress *part, const assay_progress *p, double from, double to)
{
    assay_progress inner = {NULL, NULL};
    if (p && p->fn) {
        part->outer = *p;
        part->from = from;
        part->to = to;
        inner.fn = tell_part;
        inner.ctx = part;
    }
    return inner;
}
