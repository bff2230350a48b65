/* SPDX-License-Identifier: Apache-2.0 */
/* The statement as one text for planner, prover and verifier: it draws the points, makes every claim of
 * docs/protocol.md §7 and requires what must hold. The prover's values come through hooks; the verifier has none. */
#ifndef ASSAY_CP_STATEMENT_H
#define ASSAY_CP_STATEMENT_H

#include "cp/functional.h"
#include "iop/iop.h"

enum { ASSAY_MAX_AXIS_BITS = 32 };

/* Challenges drawn after the witness root, docs/protocol.md §7. */
typedef struct assay_points {
    kel alpha, beta[ASSAY_TABLE_WIDTH];
    kel j[16], x[ASSAY_MAX_AXIS_BITS]; /* low and high coordinates of output indices */
    kel theta;                         /* of both limbs of the mix */
    kel l[16], s[16], b[16], t[ASSAY_MAX_AXIS_BITS], p[ASSAY_MAX_AXIS_BITS], d[ASSAY_MAX_AXIS_BITS], h[16], e[16],
        a[16];
} assay_points;

/* Relations proven by a sumcheck of sums of products of two tables. */
typedef enum assay_dot_id {
    DOT_SCORE,
    DOT_MATRIX,
    DOT_GAIN,
    DOT_HEAD_GAIN,
    DOT_HEAD,
    DOT_NORM,
    DOT_SQUARE,
    DOT_MIX,
    DOT_ROWS,
    DOT_ACT
} assay_dot_id;
enum { ASSAY_DOT_TERMS = 7 };

struct assay_cp;

/* The prover's side. start makes the tables of a relation; factor gives term k's factor (side 0: a, 1: b) after the
 * last round. */
typedef struct assay_cp_hooks {
    void *ctx;
    void (*bind)(void *ctx, struct assay_cp *cp); /* once the points are drawn: P can be folded */
    void (*leaves)(void *ctx, struct assay_cp *cp, uint32_t instance, uint32_t **p, assay_kvec *q);
    void (*start)(void *ctx, struct assay_cp *cp, assay_dot_id id, uint32_t arg, kel theta,
                  assay_sumcheck_prover *side);
    kel (*factor)(void *ctx, unsigned k, unsigned side);
    void (*stop)(void *ctx);
    kel (*mix_sum)(void *ctx, struct assay_cp *cp, kel theta);
} assay_cp_hooks;

typedef struct assay_cp {
    const assay_cp_shape *shape;
    const assay_tables *tables;
    const uint32_t *ids; /* n_tokens, then the token after them: ids[n_tokens] */
    assay_iop *iop;
    assay_functional fn;
    assay_points pt;
    const assay_cp_hooks *hooks; /* NULL but for the prover */
    /* eq weights over whole axes at the points, shared by relations */
    assay_weights w_l, w_s, w_b, w_t, w_p, w_d, w_h, w_e, w_a;
    /* instances' leaf points, for the prover's score tables */
    const kel *leaf_point;
} assay_cp;

/* Runs everything from the points to the last requirement. */
void assay_statement_run(assay_cp *cp);

/* ---- parts (one file each) */
void assay_points_draw(assay_cp *cp);
void assay_rel_lookups(assay_cp *cp);
void assay_rel_score(assay_cp *cp, uint32_t instance, const kel *leaf_point, assay_claim start);
void assay_rel_matrices(assay_cp *cp);
void assay_rel_linear(assay_cp *cp);
void assay_rel_products(assay_cp *cp);

/* ---- shared by the parts */
/* Names of a dot relation: the sumcheck and requirement, messages and requirements of its factors. */
typedef struct assay_dot_names {
    const char *name, *a[ASSAY_DOT_TERMS], *b[ASSAY_DOT_TERMS], *ra[ASSAY_DOT_TERMS], *rb[ASSAY_DOT_TERMS];
} assay_dot_names;
/* Sumcheck of start = sum sum_k a_k b_k over n_vars variables; sends the factors, requires their products. a, b: claims
 * of the factors. */
void assay_dot_run(assay_cp *cp, const assay_dot_names *names, assay_dot_id id, uint32_t arg, kel theta,
                   assay_claim start, unsigned n_vars, unsigned n_terms, assay_claim *a, assay_claim *b, kel *point);
/* Requires claim = value of a fresh functional and returns its node for terms. */
assay_claim assay_define(assay_cp *cp, assay_claim claim, const char *name);
/* The residual at norm sites as terms (docs/protocol.md §7.1): coef * sum ws wt wd h. */
void assay_residual_terms(assay_cp *cp, assay_claim node, kel coef, assay_weights ws, assay_weights wt,
                          assay_weights wd);
/* Heads of q and k as terms: coef * sum wl wt wae x, x at head a that of q below H, and of k from there on. */
void assay_head_terms(assay_cp *cp, assay_claim node, kel coef, assay_weights wl, assay_weights wt, assay_weights wae);
/* The part of weights that lies on [from, from + n), with from as index 0. */
assay_weights assay_weights_clip(assay_weights a, uint32_t from, uint32_t n);

/* The rows of one kind of norm: the weights over their axes at the statement's points, and over the values of a row. */
typedef struct assay_norm_rows {
    assay_norm_kind kind;
    unsigned n_axes;    /* (s, t), or (l, t, a) */
    uint32_t extent[3]; /* of these axes */
    uint32_t width;     /* D or E */
    assay_weights row[3], cell;
} assay_norm_rows;
assay_norm_rows assay_norm_rows_of(const assay_cp *cp, assay_norm_kind kind);
/* coef * sum w t over rows; t as the residual's is called, w: n_axes weights. */
void assay_norm_row_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, assay_tensor t,
                          const assay_weights *w);
/* The same over cells: values of a row are weighed by `cell`. */
void assay_norm_cell_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, assay_tensor t,
                           const assay_weights *w, assay_weights cell);
/* The same of what is normed. */
void assay_norm_input_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, const assay_weights *w,
                            assay_weights cell);

/* out(j) for an output axis of the given extent, j < extent. */
assay_weights assay_out_weights(assay_cp *cp, uint32_t extent);
/* sum of ax * (2^shift y + rem), the remainder being the tensor after y (y may hold a high limb), as terms of node;
 * half_sum: sum of ax * floor(2^shift / 2). shift: by axis 0, at most 2 ASSAY_MAX_LAYERS + 1 entries. */
void assay_requant_terms(assay_cp *cp, assay_claim node, assay_tensor y, const int32_t *shift, const assay_weights *ax,
                         kel *half_sum);
/* Entry by entry products, on whole axes. */
assay_weights assay_weights_times(assay_cp *cp, assay_weights a, assay_weights b);
/* w[i] * c[i], c small signed integers. */
assay_weights assay_weights_scaled(assay_cp *cp, assay_weights w, const int64_t *c);
kel assay_weights_sum(assay_weights w);
/* Weights over a joined (head, dimension) axis from weights over heads and over dimensions. */
assay_weights assay_weights_joined(assay_cp *cp, assay_weights heads, assay_weights dims);
/* Key/value heads from query heads: the sum over each group. */
assay_weights assay_weights_grouped(assay_cp *cp, assay_weights heads);
/* A single index of an axis. */
assay_weights assay_weights_at(assay_cp *cp, uint32_t i, kel v);

static inline kel k_pow2(unsigned e) /* 2^e, e < 62 */
{
    return k_from_i64((int64_t)1 << e);
}

#endif
