/* SPDX-License-Identifier: Apache-2.0 */
/* The look-up tables of docs/protocol.md §7.2: rows as tuples, and where a tuple stands. */
#ifndef ASSAY_CP_LOOKUP_TABLES_H
#define ASSAY_CP_LOOKUP_TABLES_H

#include "field/k.h"
#include "model/model.h"
#include <stdbool.h>

typedef uint32_t assay_table_id;
enum {
    TABLE_RANGE = 1,
    TABLE_SQUARE = 2,
    TABLE_NEXP = 3,
    TABLE_RSQRT = 4,
    TABLE_POW = 5,
    TABLE_ZEXP = 6,
    TABLE_EXP = 16,  /* + b, b = 1 .. 16 */
    TABLE_SILU = 64, /* + layer */
    ASSAY_TABLE_WIDTH = 6,
    ASSAY_NORM_OVER = 8,
    ASSAY_SIGMA_MAX = 15
};

unsigned assay_table_width(assay_table_id id);
uint32_t assay_table_rows(const assay_model_config *cfg, assay_table_id id);
/* What a sum over rows [first, first + 2^k) of one piece of a table need not touch: with `linear` the first entry of a
 * row is 2^log_step (the row plus offset); from row first + used on the other entries are 0. */
typedef struct assay_table_part {
    bool linear;
    int64_t offset;
    unsigned log_step;
    uint32_t used;
} assay_table_part;
assay_table_part assay_table_part_of(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id,
                                     uint32_t first, uint32_t n);
/* The tuple in row `row`, as words of F; v holds ASSAY_TABLE_WIDTH. */
void assay_table_row(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id, uint32_t row,
                     uint32_t *v);
/* The row whose tuple is v, or -1: what the prover counts. */
int64_t assay_table_find(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id, const uint32_t *v);

#endif
