/* SPDX-License-Identifier: Apache-2.0 */
/* Shape of the weight commitment; docs/protocol.md §6.4. */
#include "commit/tail.h"
#include "cp/shape.h"

enum { MAX_C = 28, MAX_JB = 12, MIN_C = 10 };

assay_matrix_dims assay_matrix_dims_of(const assay_model_config *cfg, assay_matrix_kind m)
{
    uint32_t he = cfg->n_heads * cfg->head_dim, ge = cfg->n_kv * cfg->head_dim, n = cfg->n_layers;
    switch (m) {
    case MAT_EMBED:
        return (assay_matrix_dims){1, cfg->d, cfg->vocab};
    case MAT_Q:
        return (assay_matrix_dims){n, he, cfg->d};
    case MAT_K:
    case MAT_V:
        return (assay_matrix_dims){n, ge, cfg->d};
    case MAT_O:
        return (assay_matrix_dims){n, cfg->d, he};
    case MAT_GATE:
    case MAT_UP:
        return (assay_matrix_dims){n, cfg->ff, cfg->d};
    case MAT_DOWN:
        return (assay_matrix_dims){n, cfg->d, cfg->ff};
    case MAT_GAIN:
        return (assay_matrix_dims){1, 1, cfg->d};
    case MAT_HEAD:
        return (assay_matrix_dims){1, cfg->vocab, cfg->d};
    case MAT_FIRST_K:
    case MAT_FIRST_V:
        if (!cfg->fixed_first) break;
        return (assay_matrix_dims){n, ge, 1};
    case MAT_BQ:
        return (assay_matrix_dims){cfg->parts & ASSAY_PART_BIAS ? n : 0, he, 1};
    case MAT_BK:
    case MAT_BV:
        return (assay_matrix_dims){cfg->parts & ASSAY_PART_BIAS ? n : 0, ge, 1};
    case MAT_NQ:
    case MAT_NK:
        return (assay_matrix_dims){model_has_head_norms(cfg) ? n : 0, 1, cfg->head_dim};
    case MAT_COUNT:
        break;
    }
    return (assay_matrix_dims){0, 0, 0};
}

static void weight_grids(assay_grid grids[MAT_COUNT], const assay_model_config *cfg, uint32_t jb)
{
    for (unsigned m = 0; m < MAT_COUNT; m++) {
        assay_matrix_dims d = assay_matrix_dims_of(cfg, (assay_matrix_kind)m);
        const uint32_t extent[3] = {d.n, (uint32_t)(((uint64_t)d.out + ((uint64_t)1 << jb) - 1) >> jb), d.in};
        grids[m] = assay_grid_of(3, extent, false);
    }
}

assay_status assay_weights_place(assay_grid grids[MAT_COUNT], const assay_model_config *cfg,
                                 const assay_commit_params *p, assay_errinfo *err)
{
    uint32_t rows;
    if (p->security != 128 && p->security != 100)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "security", "is not 128 or 100", p->security);
    if (p->c < MIN_C || p->c > MAX_C || p->a >= p->c || p->a < ASSAY_WITNESS_SLOTS || p->jb > MAX_JB)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "commitment shape", "is outside what this version makes", p->c, p->a);
    if ((uint64_t)1 << p->a <= assay_query_count(p->security, ASSAY_MAIN_LOG_RATE))
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "random slots", "are fewer than one proof opens", p->a);
    weight_grids(grids, cfg, p->jb);
    return assay_place_rows(grids, MAT_COUNT, p->c, p->a, 1, &rows, err);
}

assay_status assay_commit_params_choose(assay_commit_params *p, const assay_model_config *cfg, uint32_t security,
                                        uint64_t lifetime, assay_errinfo *err)
{
    assay_grid grids[MAT_COUNT];
    if (security != 128 && security != 100)
        return ASSAY_FAIL1(err, ASSAY_EINVAL, "security", "is not 128 or 100", security);
    if (lifetime == 0 || lifetime > (uint64_t)1 << 20)
        return ASSAY_FAIL1(err, ASSAY_EINVAL, "lifetime", "is not between 1 and 1048576 proofs", lifetime);
    uint64_t slots = lifetime * assay_query_count(security, ASSAY_MAIN_LOG_RATE) + 1;
    p->security = security;
    p->a = layout_ceil_log2(slots);
    if (p->a < ASSAY_WITNESS_SLOTS) p->a = ASSAY_WITNESS_SLOTS;
    /* Longer rows until the matrices need at most 2^8 of them (and then the longest allowed with more). */
    for (p->c = p->a + 1 < MIN_C ? MIN_C : p->a + 1; p->c <= MAX_C; p->c++) {
        uint64_t room = ((uint64_t)1 << p->c) - ((uint64_t)1 << p->a);
        for (p->jb = 0; p->jb <= (p->c < MAX_C ? 8u : MAX_JB); p->jb++) {
            uint64_t cells = 0;
            weight_grids(grids, cfg, p->jb);
            for (unsigned m = 0; m < MAT_COUNT; m++) cells += assay_grid_cells(&grids[m]);
            if (cells <= room) return ASSAY_OK;
        }
    }
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "model", "has more weights than one commitment holds");
}
