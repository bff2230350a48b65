/* SPDX-License-Identifier: Apache-2.0 */
/* Progress: values arrive scaled, a refusal cancels, absence is fine. */
#include "base/progress.h"
#include "harness.h"
#include <math.h>

static double last_done;
static int refuse_at(void *ctx, const char *stage, double done)
{
    (void)stage;
    last_done = done;
    return done >= *(const double *)ctx;
}

TEST(cancels)
{
    double limit = 0.5;
    assay_progress p = {refuse_at, &limit};
    assay_errinfo e;
    assay_errinfo_clear(&e);
    CHECK_OK(assay_progress_tell(&p, "stage", 0.25, &e));
    CHECK_STATUS(assay_progress_tell(&p, "stage", 0.5, &e), ASSAY_ECANCELED);
    CHECK_EQ_STR(e.subject, "stage");
}

TEST(parts_nest)
{
    double limit = 0.85;
    assay_progress p = {refuse_at, &limit};
    assay_subprogress half, inner;
    assay_progress q = assay_progress_part(&half, &p, 0.5, 1.0);
    assay_progress r = assay_progress_part(&inner, &q, 0.0, 0.8);
    CHECK_OK(assay_progress_tell(&r, "stage", 0.5, NULL));
    CHECK(fabs(last_done - 0.7) < 1e-12);
    CHECK_STATUS(assay_progress_tell(&r, "stage", 1.0, NULL), ASSAY_ECANCELED);
}

TEST(absent)
{
    assay_progress none = {NULL, NULL};
    assay_subprogress part;
    CHECK_OK(assay_progress_tell(&none, "stage", 0.5, NULL));
    CHECK_OK(assay_progress_tell(NULL, "stage", 0.5, NULL));
    CHECK(assay_progress_part(&part, &none, 0, 1).fn == NULL);
    CHECK(assay_progress_part(&part, NULL, 0, 1).fn == NULL);
}
