/* SPDX-License-Identifier: Apache-2.0 */
/* Progress and cancellation. */
#include "base/progress.h"
#include <stddef.h>

assay_status assay_progress_tell(const assay_progress *p, const char *stage, double done, assay_errinfo *err)
{
    if (!p || !p->fn || p->fn(p->ctx, stage, done) == 0) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_ECANCELED, stage, "canceled");
}

assay_status assay_progress_tell_count(const assay_progress *p, const char *stage, uint64_t done, uint64_t of,
                                       assay_errinfo *err)
{
    return assay_progress_tell(p, stage, (double)done / (double)of, err);
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

assay_progress assay_progress_part_count(assay_subprogress *part, const assay_progress *p, uint64_t from, uint64_t to,
                                         uint64_t of)
{
    return assay_progress_part(part, p, (double)from / (double)of, (double)to / (double)of);
}
