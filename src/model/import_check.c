/* SPDX-License-Identifier: Apache-2.0 */
/* A model that refuses its own calibration text would refuse everything else: better said before it is committed. */
#include "model/import_check.h"
#include "base/mem.h"
#include "model/evaluate.h"

enum { CHECKED_WINDOWS = 2 };

assay_status assay_import_check(const assay_model *m, const assay_windows *w, assay_pool *pool,
                                const assay_progress *progress, assay_errinfo *err)
{
    assay_windows few = *w;
    if (few.n > CHECKED_WINDOWS) few.n = CHECKED_WINDOWS;
    assay_tables tables = {0};
    assay_peaks peaks = {0};
    assay_window_result result[CHECKED_WINDOWS] = {{0}};
    assay_choice *out = assay_mem_alloc(few.n * few.length, sizeof *out);
    assay_status s = out ? assay_tables_new(&tables, &m->cfg, (uint32_t)few.length, err)
                         : ASSAY_FAIL(err, ASSAY_ENOMEM, "import", "out of memory");
    if (s == ASSAY_OK) s = assay_evaluate_integer(out, result, &peaks, m, &tables, &few, pool, progress, err);
    for (size_t i = 0; i < few.n; i++) {
        if (s == ASSAY_OK && result[i].n < few.length) {
            s = result[i].why.status;
            if (err && err->status == ASSAY_OK) *err = result[i].why;
        }
        assay_errinfo_clear(&result[i].why);
    }
    assay_tables_clear(&tables);
    assay_mem_free(out);
    return s;
}
