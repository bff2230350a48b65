/* SPDX-License-Identifier: Apache-2.0 */
/* The public shape of one proof: index sets of all cells, look-up families, instances, placement. Everything is
 * computed from the configuration, the commitment's parameters and the lengths of the request, by both parties; nothing
 * is read from a proof but what it states of gaps, which is part of the statement. Source: docs/protocol.md §6, §7.2,
 * §7.3. */
#ifndef ASSAY_CP_SHAPE_H
#define ASSAY_CP_SHAPE_H

#include "cp/layout.h"
#include "cp/lookup_tables.h"
#include "model/model.h"
#include "model/tensors.h"

/* Parameters of a commitment, part of the ID. */
typedef struct assay_commit_params {
    uint32_t security; /* 128 or 100 */
    uint32_t c;        /* log2 of the row length */
    uint32_t a;        /* log2 of the random slots in a weight row */
    uint32_t jb;       /* log2 of the weight rows R_W */
} assay_commit_params;

enum { ASSAY_WITNESS_SLOTS = 8 /* log2 */ };
/* Grids of a shape have smaller numbers; larger ones name the committed matrices (cp/functional.h). */
enum { ASSAY_MAX_GRIDS = 0x10000 };

/* Committed matrices, in the order of docs/protocol.md §6.4. */
typedef enum assay_matrix_kind {
    MAT_EMBED,
    MAT_Q,
    MAT_K,
    MAT_V,
    MAT_O,
    MAT_GATE,
    MAT_UP,
    MAT_DOWN,
    MAT_GAIN,
    MAT_HEAD,
    MAT_FIRST_K, /* rotated keys and values of a fixed first token: one input, which is 1 */
    MAT_FIRST_V,
    MAT_BQ, /* biases of q, k, v: one input; no copies in models without */
    MAT_BK,
    MAT_BV,
    MAT_NQ, /* gains of norms of heads: one output; no copies in models without */
    MAT_NK,
    MAT_COUNT
} assay_matrix_kind;
typedef struct assay_matrix_dims {
    uint32_t n, out, in;
} assay_matrix_dims;
assay_matrix_dims assay_matrix_dims_of(const assay_model_config *cfg, assay_matrix_kind m);

/* Axes of grids: those of model/tensors.h, with (head, dimension) joined. */
enum { AX_HE = 64, AX_GE = 65, AX_ROW = 66, AX_WORD = 67, AX_CELL = 68, AX_AE = 69 };
/* The axis that heads on an axis of model/tensors.h (or AX_...) make with their dimensions; AX_NONE for no heads. */
static inline uint8_t cp_joined_axis(uint8_t heads)
{
    return heads == AX_H ? AX_HE : heads == AX_G ? AX_GE : heads == AX_A ? AX_AE : AX_NONE;
}

/* An affine form of cells, one of a look-up tuple: c0 + by_axis0[i0] + sum coef * tensor, plus a virtual value. Tensors
 * have a subset of the family's axes. */
enum { ASSAY_COMP_REFS = 3, ASSAY_MAX_TUPLE = 6 };
typedef enum assay_virtual { VIRT_NONE, VIRT_RESIDUAL, VIRT_SCORE, VIRT_HEADS } assay_virtual;
typedef struct assay_component {
    /* RESIDUAL: + h at (s, t, c); SCORE: - q.k of the cell (i, j, l, h); HEADS: + q or k at (l, t, (a, e)) */
    assay_virtual virt;
    uint8_t n_refs;
    struct {
        uint8_t tensor;
        int32_t coef;
    } ref[ASSAY_COMP_REFS];
    int32_t c0;
    const int32_t *by_axis0; /* borrowed from the shape; NULL: none */
} assay_component;
typedef struct assay_family {
    const char *name;
    uint8_t n_axes, n_comps;
    uint8_t axis[ASSAY_GRID_AXES];
    assay_grid grid; /* natural boxes; bases are leaf indices in the box's instance */
    int32_t table;   /* table id, plus table_by_axis0 */
    const int32_t *table_by_axis0;
    assay_component comp[ASSAY_MAX_TUPLE];
} assay_family;

/* Boxes [first_box, end_box) of one family. */
typedef struct assay_instance_part {
    uint32_t family, first_box, end_box;
} assay_instance_part;
typedef struct assay_instance_table {
    assay_table_id table;
    uint32_t mult;   /* its multiplicities' grid */
    assay_grid grid; /* leaves */
} assay_instance_table;
typedef struct assay_instance {
    assay_instance_part *part;
    assay_instance_table *table;
    uint32_t n_part, n_table;
    uint64_t n_leaves;
    bool has_scores;
} assay_instance;

typedef struct assay_cp_shape {
    assay_run_shape run;
    assay_commit_params params;
    assay_gap_bounds gap;             /* what the proof states; zero: the exact policy */
    assay_grid *grid;                 /* n_grids: TEN_COUNT tensors, then multiplicities, last the hiding cells */
    uint8_t (*axes)[ASSAY_GRID_AXES]; /* of each grid */
    uint32_t n_grids, cap_grids, hid;
    assay_grid weights[MAT_COUNT];
    assay_family *family;
    uint32_t n_family;
    assay_instance *instance;
    uint32_t n_instance;
    uint32_t n_rows, row_bits; /* F-rows; log2 of the stack's rows */
    int32_t *constants;        /* storage of by_axis0 vectors */
    size_t n_constants;
} assay_cp_shape;

/* leaf_limit: most family leaves an instance; 0, in production: 2^26, or as many as the largest box (at most 2^30). cfg
 * is borrowed and must outlive the shape. gap: NULL for the exact policy. */
ASSAY_MUST_USE assay_status assay_cp_shape_init(assay_cp_shape *s, const assay_model_config *cfg,
                                                const assay_commit_params *params, uint32_t n_prompt, uint32_t n_tokens,
                                                const assay_gap_bounds *gap, uint64_t leaf_limit, assay_errinfo *err);
/* Adds n_cells hiding cells and counts the rows that all cells take. Cheap: nothing is placed. */
ASSAY_MUST_USE assay_status assay_cp_shape_close(assay_cp_shape *s, uint32_t n_cells, assay_errinfo *err);
/* Places everything, after assay_cp_shape_close. Memory: 32 bytes and more a box and a row times c. */
ASSAY_MUST_USE assay_status assay_cp_shape_place(assay_cp_shape *s, assay_errinfo *err);
void assay_cp_shape_clear(assay_cp_shape *s);

/* Axes of grid g (n_axes entries), for broadcasting. */
const uint8_t *assay_cp_grid_axes(const assay_cp_shape *s, uint32_t g);
uint32_t assay_cp_axis_extent(const assay_run_shape *r, uint8_t axis);

/* Least c and jb for a model's weights with 2^a slots a row (and at least min_c); docs/protocol.md §6.4. */
ASSAY_MUST_USE assay_status assay_commit_params_choose(assay_commit_params *p, const assay_model_config *cfg,
                                                       uint32_t security, uint64_t lifetime, assay_errinfo *err);
/* Whether the parameters are ones that this version makes and the weights fit; fills grids[MAT_COUNT] with their
 * placement. */
ASSAY_MUST_USE assay_status assay_weights_place(assay_grid grids[MAT_COUNT], const assay_model_config *cfg,
                                                const assay_commit_params *p, assay_errinfo *err);

#endif
