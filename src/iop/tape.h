/* SPDX-License-Identifier: Apache-2.0 */
/* The tape of claims, as the files of this folder see it (docs/protocol.md, "Hidden messages").
 *
 * Node i is  c0 + sum over its edges of coef * target,  a target being an earlier node or a committed cell of K. The
 * edges of node i are edges[first .. first of node i+1 - 1]. Node 0 is the constant 0, which failed calls return. */
#ifndef ASSAY_IOP_TAPE_H
#define ASSAY_IOP_TAPE_H

#include "iop/iop.h"

typedef enum tape_kind { TAPE_AFFINE, TAPE_HIDDEN, TAPE_FUNCTIONAL } tape_kind;

#define TAPE_CELL      0x80000000u /* in an edge: the target is a cell, not a node */
#define TAPE_MAX_LABEL 64

typedef struct tape_edge {
    kel coef;
    uint32_t target;
} tape_edge;

typedef struct tape_node {
    kel c0;
    uint32_t first; /* edge */
    uint32_t kind;  /* tape_kind */
} tape_node;

typedef struct tape_requirement {
    assay_claim claim;
    const char *name;
} tape_requirement;

struct assay_iop {
    assay_channel *ch;
    const assay_iop_ops *ops; /* prover only, as the next two */
    const assay_backend *be;
    const kel *cells;
    bool planned; /* plan is what the planner found */
    assay_iop_plan plan;
    tape_node *nodes;
    tape_edge *edges;
    tape_requirement *requirements;
    uint32_t (*products)[2]; /* pads that product i multiplies */
    size_t n_nodes, cap_nodes, n_edges, cap_edges, n_requirements, cap_requirements, n_products, cap_products;
    uint32_t n_hidden;
    const char *drop;
    kel *weights; /* of nodes, after assay_iop_batch */
    kel *cell_weights;
    kel value;
};

/* Notes a failure in the channel, once; further calls that need memory do nothing. */
void assay_tape_fail(assay_iop *iop, assay_status s);
static inline bool tape_failed(const assay_iop *iop)
{
    return iop->ch->status != ASSAY_OK;
}

/* Opens a node; edges added afterwards are its own until the next node is opened. */
assay_claim assay_tape_node(assay_iop *iop, tape_kind kind, kel c0);
void assay_tape_edge(assay_iop *iop, kel coef, uint32_t target);

/* One past the last edge of node i. */
static inline size_t tape_edges_end(const assay_iop *iop, size_t i)
{
    return i + 1 < iop->n_nodes ? iop->nodes[i + 1].first : iop->n_edges;
}
/* The cell that holds product i (i = n_products: the dummy's). */
static inline uint32_t tape_product_cell(const assay_iop *iop, size_t i)
{
    return iop->plan.n_hidden + 2 + (uint32_t)i;
}

/* "<name><suffix>" in out, which is returned. */
const char *assay_tape_label(char out[TAPE_MAX_LABEL], const char *name, const char *suffix);

/* A prover of one fraction tree. */
typedef struct assay_gkr_prover assay_gkr_prover;

struct assay_iop_ops {
    /* Builds the tree; *root_q is the root's denominator. On failure *g is NULL. q is consumed either way. */
    assay_status (*gkr_new)(assay_gkr_prover **g, kel *root_q, const assay_backend *be, uint64_t n, const uint32_t *p,
                            assay_kvec *q);
    /* Prepares the sumcheck of layer i at the layer's point; the layers come in order from 0. */
    assay_status (*gkr_layer)(assay_gkr_prover *g, assay_sumcheck_prover *sp, unsigned i, const kel *point, kel lambda);
    /* p0, p1, q0, q1 at the point of the layer's sumcheck. */
    void (*gkr_ends)(assay_gkr_prover *g, kel out[4]);
    void (*gkr_free)(assay_gkr_prover *g); /* NULL is fine */

    /* The sumcheck over the product list: eq is the table of the list's challenges, n_products + 1 values. */
    assay_status (*products_start)(assay_dot_prover *d, assay_sumcheck_prover *sp, const assay_iop *iop, const kel *eq,
                                   unsigned n_vars);
    void (*products_end)(assay_dot_prover *d, kel out[2]); /* a~ and b~; clears d */
};

#endif
