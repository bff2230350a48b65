/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the look-up tables; docs/protocol.md §7.2. */
#include "cp/lookup_tables.h"

#include "field/m31.h"

unsigned assay_table_width(assay_table_id id)
{
    switch (id) {
    case TABLE_NEXP:
        return 6;
    case TABLE_RSQRT:
        return 4;
    case TABLE_ZEXP:
        return 3;
    default:
        return id >= TABLE_EXP && id < TABLE_SILU ? 3 : 2;
    }
}

uint32_t assay_table_rows(const assay_model_config *cfg, assay_table_id id)
{
    switch (id) {
    case TABLE_RANGE:
        return 1u << 17;
    case TABLE_SQUARE:
        return 1u << 16;
    case TABLE_NEXP:
        return 2 * (ASSAY_SIGMA_MAX + ASSAY_NORM_OVER + 1);
    case TABLE_RSQRT:
        return (ASSAY_NORM_OVER + 1) * 2u << (cfg->rsqrt_in - 1);
    case TABLE_POW:
        return 15;
    case TABLE_ZEXP:
        return 10;
    default:
        break;
    }
    if (id < TABLE_SILU) return (1u << model_exp_bits(cfg)) + 1;
    return 1u << cfg->layer[id - TABLE_SILU].gate.b;
}

static uint32_t signed_word(int64_t v)
{
    return m31_from_i64(v);
}

static void range_row(uint32_t row, uint32_t *v)
{
    uint32_t s = 0;
    while (row >> (s + 1)) s++;
    v[0] = s;
    v[1] = row ? row - ((uint32_t)1 << s) : 0;
}

static void nexp_row(uint32_t g, uint32_t *v)
{
    uint32_t raw = g >> 1, sigma = raw < ASSAY_SIGMA_MAX ? raw : ASSAY_SIGMA_MAX;
    v[0] = g;
    v[1] = g & 1;
    v[2] = sigma;
    v[3] = raw - sigma;
    v[4] = (uint32_t)1 << sigma;
    v[5] = ((uint32_t)1 << sigma) >> 1;
}

void assay_table_row(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id, uint32_t row,
                     uint32_t *v)
{
    uint32_t half = (uint32_t)1 << (cfg->rsqrt_in - 1);
    switch (id) {
    case TABLE_RANGE:
        range_row(row, v);
        return;
    case TABLE_SQUARE: {
        int64_t x = (int64_t)row - 32768;
        v[0] = signed_word(x);
        v[1] = (uint32_t)(x * x >> 15);
        return;
    }
    case TABLE_NEXP:
        nexp_row(row, v);
        return;
    case TABLE_RSQRT:
        v[0] = row / half & 1;
        v[1] = half + row % half;
        v[2] = row / half >> 1;
        v[3] = tb->rsqrt[row];
        return;
    case TABLE_POW:
        v[0] = row;
        v[1] = (uint32_t)1 << row;
        return;
    case TABLE_ZEXP:
        v[0] = row;
        v[1] = (uint32_t)1 << row;
        v[2] = row >= 1;
        return;
    default:
        break;
    }
    if (id < TABLE_SILU) {
        bool top = row == (uint32_t)1 << model_exp_bits(cfg);
        v[0] = top ? 0 : row << model_dist_rem_bits(cfg);
        v[1] = assay_exp_at(tb, (int32_t)(id - TABLE_EXP), top ? 0 : row);
        v[2] = top;
        return;
    }
    uint32_t l = id - TABLE_SILU;
    v[0] = signed_word((int64_t)row - ((int64_t)1 << (cfg->layer[l].gate.b - 1)));
    v[1] = signed_word(tb->silu[l][row]);
}

assay_table_part assay_table_part_of(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id,
                                     uint32_t first, uint32_t n)
{
    if (id == TABLE_SQUARE) return (assay_table_part){true, -32768, 0, n};
    if (id >= TABLE_SILU)
        return (assay_table_part){true, -((int64_t)1 << (cfg->layer[id - TABLE_SILU].gate.b - 1)), 0, n};
    if (id < TABLE_EXP || first != 0) return (assay_table_part){false, 0, 0, n};
    const uint32_t rows = tb->exp_rows[id - TABLE_EXP]; /* all of the table but its last row */
    return (assay_table_part){true, 0, (unsigned)model_dist_rem_bits(cfg), rows < n ? rows : n};
}

/* The only row that can hold v, by its key; the caller compares the rest. */
static int64_t find_key(const assay_model_config *cfg, assay_table_id id, const uint32_t *v)
{
    uint32_t half = (uint32_t)1 << (cfg->rsqrt_in - 1);
    switch (id) {
    case TABLE_RANGE:
        return v[0] <= 16 ? ((int64_t)1 << v[0]) + v[1] : -1;
    case TABLE_SQUARE:
        return m31_to_i64(v[0]) + 32768;
    case TABLE_NEXP:
        return v[0];
    case TABLE_RSQRT:
        return v[0] <= 1 && v[2] <= ASSAY_NORM_OVER ? (int64_t)(2 * v[2] + v[0]) * half + v[1] - half : -1;
    case TABLE_POW:
    case TABLE_ZEXP:
        return v[0];
    default:
        break;
    }
    if (id < TABLE_SILU) return v[2] == 1 ? (int64_t)1 << model_exp_bits(cfg) : v[0] >> model_dist_rem_bits(cfg);
    return m31_to_i64(v[0]) + ((int64_t)1 << (cfg->layer[id - TABLE_SILU].gate.b - 1));
}

int64_t assay_table_find(const assay_model_config *cfg, const assay_tables *tb, assay_table_id id, const uint32_t *v)
{
    uint32_t w[ASSAY_TABLE_WIDTH];
    int64_t row = find_key(cfg, id, v);
    if (row < 0 || row >= (int64_t)assay_table_rows(cfg, id)) return -1;
    assay_table_row(cfg, tb, id, (uint32_t)row, w);
    for (unsigned k = 0; k < assay_table_width(id); k++)
        if (v[k] != w[k]) return -1;
    return row;
}
