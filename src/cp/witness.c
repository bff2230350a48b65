/* SPDX-License-Identifier: Apache-2.0 */
/* Words and boxes of the witness; see witness.h. */
#include "cp/witness.h"

#include "base/mem.h"
#include <string.h>

typedef struct words {
    int32_t *v;
} words;

static void canonical(void *ctx, size_t begin, size_t end)
{
    int32_t *v = ((words *)ctx)->v;
    uint32_t *u = (uint32_t *)v;
    for (size_t i = begin; i < end; i++) u[i] = m31_from_i64(v[i]);
}

assay_status assay_witness_init(assay_witness *w, const assay_cp_shape *shape, const assay_tables *tables,
                                const assay_backend *be, assay_trace *trace, assay_errinfo *err)
{
    memset(w, 0, sizeof *w);
    w->shape = shape;
    w->tables = tables;
    w->be = be;
    w->trace = *trace;
    memset(trace, 0, sizeof *trace);
    for (unsigned t = 0; t < TEN_COUNT; t++) {
        words x = {w->trace.t[t]};
        if (!x.v) continue;
        assay_pool_range(be->pool, (size_t)assay_tensor_cells(&shape->run, (assay_tensor)t), 1 << 16, canonical, &x);
        w->ten[t] = (uint32_t *)x.v;
    }
    words h = {w->trace.h};
    size_t n_h = (size_t)model_sites(shape->run.cfg) * shape->run.n_tokens * shape->run.cfg->d;
    assay_pool_range(be->pool, n_h, 1 << 16, canonical, &h);
    w->h = (uint32_t *)w->trace.h;

    w->mult = assay_mem_alloc(shape->n_grids, sizeof(uint32_t *));
    if (!w->mult) return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    for (uint32_t g = TEN_COUNT; g < shape->n_grids; g++) {
        if (g == shape->hid) continue;
        w->mult[g] = assay_mem_alloc(shape->grid[g].extent[0], sizeof(uint32_t));
        if (!w->mult[g]) return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    }
    return ASSAY_OK;
}

void assay_witness_drop_tensors(assay_witness *w)
{
    if (!w->shape) return;
    if (w->dist) assay_mem_free_secret(w->dist, witness_distances(w->shape) * sizeof(uint32_t));
    w->dist = NULL;
    assay_trace_clear(&w->trace);
    memset(w->ten, 0, sizeof w->ten);
    w->h = NULL;
}

void assay_witness_clear(assay_witness *w)
{
    assay_witness_drop_tensors(w);
    for (uint32_t g = 0; w->mult && g < w->shape->n_grids; g++)
        if (w->mult[g]) assay_mem_free_secret(w->mult[g], w->shape->grid[g].extent[0] * sizeof(uint32_t));
    assay_mem_free(w->mult);
    if (w->cells) assay_mem_free_secret(w->cells, w->n_cells * sizeof(kel));
    memset(w, 0, sizeof *w);
}

void assay_witness_box(const assay_witness *w, uint32_t grid, const assay_box *b, uint32_t *out)
{
    const assay_grid *g = &w->shape->grid[grid];
    if (grid == w->shape->hid) {
        uint32_t words_n = (uint32_t)1 << b->log_len[0], n = (uint32_t)1 << b->log_len[1];
        for (uint32_t k = 0; k < words_n; k++)
            for (uint32_t i = 0; i < n; i++) *out++ = w->cells[b->start[1] + i].v[b->start[0] + k];
        return;
    }
    const uint32_t *src = grid < TEN_COUNT ? w->ten[grid] : w->mult[grid];
    size_t len[ASSAY_GRID_AXES] = {1, 1, 1, 1};
    for (unsigned a = 0; a < g->n_axes; a++) len[a] = (size_t)1 << b->log_len[a];
    if (g->causal) {
        for (uint32_t i = 0; i < len[0]; i++)
            for (uint32_t j = 0; j < len[1]; j++)
                for (uint32_t l = 0; l < len[2]; l++)
                    for (uint32_t h = 0; h < len[3]; h++)
                        *out++ = src[witness_causal_index(&w->shape->run, b->start[0] + i, b->start[1] + j,
                                                          b->start[2] + l, b->start[3] + h)];
        return;
    }
    /* Up to three plain axes: missing ones count as a leading extent of 1. */
    uint32_t shift = 3u - g->n_axes;
    size_t n0 = shift > 0 ? 1 : len[0], n1 = shift > 1 ? 1 : len[1 - shift], n2 = len[2 - shift];
    size_t s0 = shift > 0 ? 0 : b->start[0], s1 = shift > 1 ? 0 : b->start[1 - shift], s2 = b->start[2 - shift];
    size_t e1 = shift > 1 ? 1 : g->extent[1 - shift], e2 = g->extent[2 - shift];
    for (size_t x = 0; x < n0; x++)
        for (size_t y = 0; y < n1; y++, out += n2)
            memcpy(out, src + ((s0 + x) * e1 + s1 + y) * e2 + s2, n2 * sizeof *out);
}
