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

/* A run of real nodes whose pairs are summed alike. In a run of ones p0 = p1 = 1 is not stored, and q0, q1 hold q +
 * 1/lambda: then f = q0 + q1 + lambda q0 q1 = lambda (q0 + 1/lambda)(q1 + 1/lambda) - 1/lambda needs two products
 * instead of four, and two arrays are folded instead of four. All runs but the last have even lengths until they are
 * dissolved. */
typedef struct gkr_run {
    size_t from, n; /* nodes */
    size_t p_from;  /* where their p0, p1 stand in a[0], a[1]: those of ones are left out */
    bool ones;
} gkr_run;
enum { GKR_MAX_RUNS = 32, GKR_RUN_ROUNDS = 10 /* runs start at multiples of 2^this and live as many rounds */ };

/* The state of the sumcheck of one layer (gkr_layer_prove.c). */
typedef struct gkr_layer {
    const assay_backend *be;
    assay_kvec a[4]; /* p0, p1, q0, q1 of the real nodes; beyond them 0, 0, 1, 1 */
    size_t n_real;
    gkr_run run[GKR_MAX_RUNS]; /* cover [0, n_real) */
    unsigned n_runs;
    assay_kvec eq; /* of the variables after the present one, as many as there are real pairs */
    kel r[GKR_MAX_DEPTH];
    unsigned n_vars, at;
    kel lambda, lambda_inv;
    kel before; /* eq of the variables bound so far */
    kel claim;  /* sum of eq t over the rest, without `before` */
    kel t[3];   /* value at 0, slope, leading coefficient of the present round's t */
} gkr_layer;

/* Sets up eq and the claim's bookkeeping; be, n_real, n_vars, lambda, a and the runs are filled by the caller, eq has
 * room for assay_gkr_eq_room(n_real). */
void assay_gkr_layer_start(gkr_layer *l, const kel *point, kel claim);
size_t assay_gkr_eq_room(size_t n_real);
void assay_gkr_layer_round(void *ctx, kel *values, kel claim);
void assay_gkr_layer_fold(void *ctx, kel x);

/* gkr_runs_prove.c. One run of all nodes, none of ones. */
void assay_gkr_runs_plain(gkr_layer *l);
/* The layer above the n leaves, whose numerators are words (n_real, n_vars and lambda are set): finds the runs; gives
 * the room that a[0] and a[1] need. Then, with a[2] and a[3] holding the q and a[0], a[1] zero: fills these and shifts
 * those. */
size_t assay_gkr_runs_find(gkr_layer *l, const uint32_t *p, size_t n);
void assay_gkr_runs_fill(gkr_layer *l, const uint32_t *p, size_t n);
/* Back to one run with all arrays in full. */
void assay_gkr_runs_dissolve(gkr_layer *l);

/* product_list_prove.c */
assay_status assay_products_start(assay_dot_prover *d, assay_sumcheck_prover *sp, const assay_iop *iop, const kel *eq,
                                  unsigned n_vars);
void assay_products_end(assay_dot_prover *d, kel out[2]);

#endif
