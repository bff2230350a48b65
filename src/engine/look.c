/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of completed jobs, for people to look at. */
#include "engine/engine.h"

const double assay_look_bounds[ASSAY_LOOK_BOUNDS] = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600};

void assay_look_add(assay_look_done *d, const assay_job_times *t)
{
    size_t i = 0;
    while (i < ASSAY_LOOK_BOUNDS && (double)t->total > 1000 * assay_look_bounds[i]) i++;
    d->counts[i]++;
    d->sum.queue_wait += t->queue_wait;
    d->sum.load += t->load;
    d->sum.synthesis += t->synthesis;
    d->sum.prove += t->prove;
    d->sum.verify += t->verify;
    d->sum.total += t->total;
    if (t->peak_bytes > d->sum.peak_bytes) d->sum.peak_bytes = t->peak_bytes;
}
