/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's halves of this folder, gathered in assay_iop_prover_ops (prove.c). Contracts: iop/tape.h. */
#ifndef ASSAY_IOP_PROVE_H
#define ASSAY_IOP_PROVE_H

#include "iop/tape.h"

/* gkr_tree_prove.c: the tree; gkr_layer_prove.c: the sumcheck of one layer */
assay_status assay_gkr_prover_new(assay_gkr_prover **g, kel *root_q, const assay_backend *be, uint64_t n,
                                  const uint32_t *p, assay_kvec *q);
void assay_gkr_prover_free(assay_gkr_prover *g);
assay_status assay_gkr_prover_layer(assay_gkr_prover *g, assay_sumcheck_prover *sp, unsigned i, const kel *point,
                                    kel lambda);
void assay_gkr_prover_ends(assay_gkr_prover *g, kel out[4]);

enum { GKR_MAX_DEPTH = 30 };

/* The state of the sumcheck of one layer (gkr_layer_prove.c). */
typedef struct gkr_layer {
    const assay_backend *be;
    assay_kvec a[4]; /* p0, p1, q0, q1 of the real nodes; beyond them 0, 0, 1, 1 */
    size_t n_real;
    assay_kvec eq; /* of the variables after the present one, as many as there are real pairs */
    kel r[GKR_MAX_DEPTH];
    unsigned n_vars, at;
    kel lambda;
    kel before; /* eq of the variables bound so far */
    kel claim;  /* sum of eq t over the rest, without `before` */
    kel t[3];   /* value at 0, slope, leading coefficient of the present round's t */
} gkr_layer;

/* Sets up eq and the claim's bookkeeping; a, be and n_real are filled by the caller, eq has room for
 * assay_gkr_eq_room(n_real). */
void assay_gkr_layer_start(gkr_layer *l, const kel *point, unsigned n_vars, kel lambda, kel claim);
size_t assay_gkr_eq_room(size_t n_real);
void assay_gkr_layer_round(void *ctx, kel *values, kel claim);
void assay_gkr_layer_fold(void *ctx, kel x);

/* product_list_prove.c */
assay_status assay_products_start(assay_dot_prover *d, assay_sumcheck_prover *sp, const assay_iop *iop, const kel *eq,
                                  unsigned n_vars);
void assay_products_end(assay_dot_prover *d, kel out[2]);

#endif
