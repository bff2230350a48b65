/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up tables: every row is found where it stands, and nothing else is.
 * ctest: uses unit/model */
#include "cp/lookup_tables.h"
#include "harness.h"
#include "unit/model/small_model.h"
#include <string.h>

static void check_table(const assay_model *m, const assay_tables *tb, assay_table_id id)
{
    uint32_t rows = assay_table_rows(&m->cfg, id), v[ASSAY_TABLE_WIDTH], w[ASSAY_TABLE_WIDTH];
    unsigned width = assay_table_width(id);
    for (uint32_t row = 0; row<rows; row += rows> 4096 ? 1 + row % 7 : 1) {
        assay_table_row(&m->cfg, tb, id, row, v);
        for (unsigned k = 0; k < width; k++) REQUIRE(v[k] < M31_P);
        int64_t at = assay_table_find(&m->cfg, tb, id, v);
        /* Row 0 of RANGE repeats row 1. */
        REQUIRE(at == (int64_t)row || (id == TABLE_RANGE && row == 0 && at == 1));
        for (unsigned k = 0; k < width; k++) {
            memcpy(w, v, sizeof w);
            w[k] = m31_add(w[k], 1 + (uint32_t)(assay_test_random() % (M31_P - 1)));
            at = assay_table_find(&m->cfg, tb, id, w);
            if (at < 0) continue;
            /* A changed tuple may be another row's, never this one's. */
            uint32_t x[ASSAY_TABLE_WIDTH];
            assay_table_row(&m->cfg, tb, id, (uint32_t)at, x);
            for (unsigned j = 0; j < width; j++) REQUIRE(x[j] == w[j]);
        }
    }
}

TEST(rows_are_found)
{
    assay_model m;
    assay_tables tb;
    assay_errinfo err = {0};
    REQUIRE(assay_small_model(&m, (assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 3));
    REQUIRE_OK(assay_tables_new(&tb, &m.cfg, 16, &err));
    static const assay_table_id ids[] = {TABLE_RANGE, TABLE_SQUARE,   TABLE_NEXP, TABLE_RSQRT,   TABLE_POW,
                                         TABLE_ZEXP,  TABLE_EXP + 12, TABLE_SILU, TABLE_SILU + 1};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) check_table(&m, &tb, ids[i]);
    assay_tables_clear(&tb);
    assay_model_clear(&m);
}
