/* SPDX-License-Identifier: Apache-2.0 */
/* The public shape of a proof; docs/protocol.md §6.2, §7.3. */
#include "cp/shape.h"

#include "base/mem.h"
#include "cp/families.h"
#include <string.h>

uint32_t assay_cp_axis_extent(const assay_run_shape *r, uint8_t axis)
{
    switch (axis) {
    case AX_HE:
        return r->cfg->n_heads * r->cfg->head_dim;
    case AX_GE:
        return r->cfg->n_kv * r->cfg->head_dim;
    case AX_AE:
        return (r->cfg->n_heads + r->cfg->n_kv) * r->cfg->head_dim;
    case AX_I:
    case AX_J:
        return r->n_tokens;
    default:
        return assay_axis_extent(r, (assay_axis)axis);
    }
}

/* Axes of model tensors as the layout has them: (head, dimension) joined, causal cells first. */
static unsigned joined_axes(assay_tensor t, uint8_t axis[ASSAY_GRID_AXES])
{
    const assay_axis *a = assay_tensor_axes(t);
    if (t == TEN_EX || t == TEN_ZF || t == TEN_DREM) {
        static const uint8_t causal[] = {AX_I, AX_J, AX_L, AX_H};
        memcpy(axis, causal, sizeof causal);
        return 4;
    }
    unsigned n = 0;
    for (unsigned i = 0; i < 4 && a[i] != AX_NONE; i++) {
        bool joined = i + 1 < 4 && a[i + 1] == AX_E;
        axis[n++] = joined ? cp_joined_axis((uint8_t)a[i]) : (uint8_t)a[i];
        if (joined) break;
    }
    return n;
}

const uint8_t *assay_cp_grid_axes(const assay_cp_shape *s, uint32_t g)
{
    return s->axes[g];
}

static assay_status add_grid(assay_cp_shape *s, const uint8_t *axis, const uint32_t *extent, unsigned n_axes,
                             assay_errinfo *err)
{
    if (s->n_grids == ASSAY_MAX_GRIDS) return ASSAY_FAIL(err, ASSAY_ERANGE, "shape", "too many look-up tables");
    if (s->n_grids == s->cap_grids) {
        uint32_t cap = s->cap_grids ? 2 * s->cap_grids : TEN_COUNT + 32;
        assay_grid *g = assay_mem_grow(s->grid, s->cap_grids, cap, sizeof *g);
        if (g) s->grid = g;
        uint8_t(*a)[ASSAY_GRID_AXES] = g ? assay_mem_grow(s->axes, s->cap_grids, cap, sizeof *a) : NULL;
        if (a) s->axes = a;
        if (!g || !a) return ASSAY_FAIL(err, ASSAY_ENOMEM, "shape", "out of memory");
        s->cap_grids = cap;
    }
    for (unsigned i = 0; i < n_axes; i++) s->axes[s->n_grids][i] = axis[i];
    s->grid[s->n_grids++] = assay_grid_of(n_axes, extent, axis[0] == AX_I);
    return ASSAY_OK;
}

static assay_status add_tensors(assay_cp_shape *s, assay_errinfo *err)
{
    for (unsigned t = 0; t < TEN_COUNT; t++) {
        uint8_t axis[ASSAY_GRID_AXES] = {0};
        uint32_t extent[ASSAY_GRID_AXES] = {0};
        unsigned n = joined_axes((assay_tensor)t, axis);
        for (unsigned a = 0; a < n; a++) extent[a] = assay_cp_axis_extent(&s->run, axis[a]);
        if (assay_tensor_cells(&s->run, (assay_tensor)t) == 0) extent[n - 1] = 0;
        assay_status st = add_grid(s, axis, extent, n, err);
        if (st != ASSAY_OK) return st;
    }
    return ASSAY_OK;
}

/* Marks the tables that boxes [first, end) of family f look up. */
static void mark_tables(const assay_family *f, uint32_t first, uint32_t end, uint8_t *used)
{
    for (uint32_t b = first; b < end; b++) {
        const assay_box *x = &f->grid.box[b];
        for (uint32_t i = x->start[0]; i < x->start[0] + ((uint32_t)1 << x->log_len[0]); i++)
            used[f->table + (f->table_by_axis0 ? f->table_by_axis0[i] : 0)] = 1;
        if (!f->table_by_axis0) break;
    }
}

/* One more table of an instance, with its multiplicities. */
static assay_status add_table(assay_cp_shape *s, assay_instance *in, assay_table_id id, assay_errinfo *err)
{
    static const uint8_t axis[] = {AX_ROW};
    uint32_t rows = assay_table_rows(s->run.cfg, id);
    assay_instance_table *t = &in->table[in->n_table];
    t->table = id;
    t->mult = s->n_grids;
    t->grid = assay_grid_of(1, &rows, false);
    assay_status st = add_grid(s, axis, &rows, 1, err);
    if (st != ASSAY_OK) return st;
    in->n_table++;
    return assay_grid_cut(&t->grid, err);
}

enum { TABLE_LIMIT = TABLE_SILU + ASSAY_MAX_LAYERS };

/* Gives the instance its tables and every box of its families and tables a leaf index. */
static assay_status close_instance(assay_cp_shape *s, assay_instance *in, assay_errinfo *err)
{
    uint8_t used[TABLE_LIMIT] = {0};
    uint32_t n_table = 0;
    size_t n_box = 0, at = 0;
    for (uint32_t p = 0; p < in->n_part; p++) {
        mark_tables(&s->family[in->part[p].family], in->part[p].first_box, in->part[p].end_box, used);
        n_box += in->part[p].end_box - in->part[p].first_box;
    }
    for (uint32_t id = 0; id < TABLE_LIMIT; id++) n_table += used[id];
    in->table = assay_mem_alloc(n_table, sizeof *in->table);
    if (!in->table) return ASSAY_FAIL(err, ASSAY_ENOMEM, "shape", "out of memory");
    for (uint32_t id = 0; id < TABLE_LIMIT; id++) {
        if (!used[id]) continue;
        assay_status st = add_table(s, in, id, err);
        if (st != ASSAY_OK) return st;
        n_box += in->table[in->n_table - 1].grid.n_box;
    }
    assay_box **boxes = assay_mem_alloc(n_box, sizeof(assay_box *));
    if (!boxes) return ASSAY_FAIL(err, ASSAY_ENOMEM, "shape", "out of memory");
    for (uint32_t p = 0; p < in->n_part; p++)
        for (uint32_t b = in->part[p].first_box; b < in->part[p].end_box; b++)
            boxes[at++] = &s->family[in->part[p].family].grid.box[b];
    for (uint32_t t = 0; t < in->n_table; t++)
        for (uint32_t b = 0; b < in->table[t].grid.n_box; b++) boxes[at++] = &in->table[t].grid.box[b];
    assay_status st = assay_place_leaves(boxes, n_box, &in->n_leaves, err);
    assay_mem_free(boxes);
    return st;
}

static assay_instance *open_instance(assay_cp_shape *s)
{
    assay_instance *p = assay_mem_grow(s->instance, s->n_instance, (size_t)s->n_instance + 1, sizeof *p);
    if (!p) return NULL;
    s->instance = p;
    p = &s->instance[s->n_instance];
    p->part = assay_mem_alloc(s->n_family, sizeof *p->part);
    s->n_instance++;
    return p->part ? p : NULL;
}

/* A fraction tree of 2^26 leaves takes about 4 GB; one of 2^30 is the most that soundness allows (a count of look-ups
 * stays below p). */
enum { LEAVES_LOG = 26, MAX_LEAVES_LOG = 30 };

static assay_status too_large(const assay_family *f, uint64_t n, assay_errinfo *err)
{
    return ASSAY_FAIL1(err, ASSAY_ERANGE, f->name, "too many look-ups in one box", n);
}

/* Sizes come from the extents, so that nothing is cut of a shape that is too large. */
static assay_status cut_families(assay_cp_shape *s, uint64_t *largest, assay_errinfo *err)
{
    *largest = 0;
    for (uint32_t f = 0; f < s->n_family; f++) {
        unsigned log = assay_grid_largest(&s->family[f].grid);
        if (log > MAX_LEAVES_LOG) return too_large(&s->family[f], assay_grid_cells(&s->family[f].grid), err);
        if ((uint64_t)1 << log > *largest) *largest = (uint64_t)1 << log;
    }
    for (uint32_t f = 0; f < s->n_family; f++) {
        assay_status st = assay_grid_cut(&s->family[f].grid, err);
        if (st != ASSAY_OK) return st;
    }
    return ASSAY_OK;
}

/* Deals the families' boxes, in order, to instances of at most leaf_limit leaves; 0: 2^26, or the largest box. */
static assay_status deal_boxes(assay_cp_shape *s, uint64_t leaf_limit, assay_errinfo *err)
{
    assay_instance *in = NULL;
    uint64_t leaves = 0, largest;
    assay_status st = cut_families(s, &largest, err);
    if (st != ASSAY_OK) return st;
    if (leaf_limit == 0) {
        leaf_limit = (uint64_t)1 << MAX_LEAVES_LOG;
        if (largest < leaf_limit) leaf_limit = largest;
        if (leaf_limit < (uint64_t)1 << LEAVES_LOG) leaf_limit = (uint64_t)1 << LEAVES_LOG;
    }
    for (uint32_t f = 0; f < s->n_family; f++) {
        assay_family *fam = &s->family[f];
        for (uint32_t b = 0; b < fam->grid.n_box; b++) {
            uint64_t n = (uint64_t)1 << fam->grid.box[b].log_n;
            if (!in || leaves + n > leaf_limit) {
                if (in && (st = close_instance(s, in, err)) != ASSAY_OK) return st;
                in = open_instance(s);
                if (!in) return ASSAY_FAIL(err, ASSAY_ENOMEM, "shape", "out of memory");
                leaves = 0;
            }
            if (n > leaf_limit) return too_large(fam, n, err);
            if (in->n_part == 0 || in->part[in->n_part - 1].family != f)
                in->part[in->n_part++] = (assay_instance_part){f, b, b};
            in->part[in->n_part - 1].end_box = b + 1;
            if (fam->comp[0].virt == VIRT_SCORE) in->has_scores = true;
            leaves += n;
        }
    }
    return in ? close_instance(s, in, err) : ASSAY_OK;
}

assay_status assay_cp_shape_init(assay_cp_shape *s, const assay_model_config *cfg, const assay_commit_params *params,
                                 uint32_t n_prompt, uint32_t n_tokens, const assay_gap_bounds *gap, uint64_t leaf_limit,
                                 assay_errinfo *err)
{
    memset(s, 0, sizeof *s);
    if (n_prompt == 0 || n_tokens < n_prompt || n_tokens > cfg->max_positions)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "request", "length of prompt and tokens is outside what the model allows",
                           n_prompt, n_tokens);
    assay_status st = assay_model_config_check(cfg, n_tokens, err);
    if (st != ASSAY_OK) return st;
    if (gap && (st = assay_gap_bounds_check(gap, cfg, n_tokens - n_prompt + 1, err)) != ASSAY_OK) return st;
    s->params = *params;
    if (gap) s->gap = *gap;
    assay_run_shape_init(&s->run, cfg, n_prompt, n_tokens, s->gap.policy == ASSAY_POLICY_GAP);
    if ((st = add_tensors(s, err)) == ASSAY_OK && (st = assay_families_make(s, err)) == ASSAY_OK)
        st = deal_boxes(s, leaf_limit, err);
    if (st == ASSAY_OK) st = assay_weights_place(s->weights, cfg, params, err);
    if (st != ASSAY_OK) assay_cp_shape_clear(s);
    return st;
}

assay_status assay_cp_shape_close(assay_cp_shape *s, uint32_t n_cells, assay_errinfo *err)
{
    static const uint8_t axis[] = {AX_WORD, AX_CELL};
    const uint32_t extent[] = {6, n_cells};
    s->hid = s->n_grids;
    assay_status st = add_grid(s, axis, extent, 2, err);
    if (st == ASSAY_OK)
        st = assay_rows_needed(&s->n_rows, s->grid, s->n_grids, s->params.c, ASSAY_WITNESS_SLOTS, 0, err);
    if (st == ASSAY_OK) s->row_bits = layout_ceil_log2(2 + (uint64_t)s->n_rows);
    return st;
}

assay_status assay_cp_shape_place(assay_cp_shape *s, assay_errinfo *err)
{
    return assay_place_rows(s->grid, s->n_grids, s->params.c, ASSAY_WITNESS_SLOTS, 0, &s->n_rows, err);
}

void assay_cp_shape_clear(assay_cp_shape *s)
{
    for (uint32_t g = 0; g < s->n_grids; g++) assay_grid_clear(&s->grid[g]);
    for (uint32_t f = 0; f < s->n_family; f++) assay_grid_clear(&s->family[f].grid);
    for (unsigned m = 0; m < MAT_COUNT; m++) assay_grid_clear(&s->weights[m]);
    for (uint32_t i = 0; i < s->n_instance; i++) {
        for (uint32_t t = 0; t < s->instance[i].n_table; t++) assay_grid_clear(&s->instance[i].table[t].grid);
        assay_mem_free(s->instance[i].part);
        assay_mem_free(s->instance[i].table);
    }
    assay_mem_free(s->instance);
    assay_mem_free(s->family);
    assay_mem_free(s->constants);
    assay_mem_free(s->grid);
    assay_mem_free(s->axes);
    memset(s, 0, sizeof *s);
}
