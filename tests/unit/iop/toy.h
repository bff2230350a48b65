/* SPDX-License-Identifier: Apache-2.0 */
/* A toy statement for the tests of this folder: n leaves of look-ups of a column in a small table, and a product of two
 * vectors, through the whole interactive proof. Committed cells over F: values, multiplicities, then y, x[], w[] with
 * y = sum x w. */
#ifndef ASSAY_TESTS_IOP_TOY_H
#define ASSAY_TESTS_IOP_TOY_H

#include "iop/iop.h"

enum { TOY_FUNCTIONALS = 6 };

typedef struct toy {
    size_t n_leaves, n_values, n_table, n_inner; /* n_leaves = n_values + n_table */
    unsigned inner_vars;
    size_t n_cells;
    uint32_t *cells;
    uint32_t *numerators;
    /* the functionals of the run made last: coefficients on all cells */
    size_t n_functionals;
    assay_claim claim[TOY_FUNCTIONALS];
    kel *coef[TOY_FUNCTIONALS];
    kel alpha;
    assay_backend be;
    assay_pool *pool;
} toy;

/* A party's end of a run. */
typedef struct toy_party {
    assay_channel ch;
    assay_writer out;
    assay_reader in;
    assay_iop *iop;
    kel last; /* a challenge drawn at the end: equal transcripts have equal ones */
} toy_party;

void toy_new(toy *t, size_t n_leaves, size_t n_inner, unsigned threads);
void toy_free(toy *t);

/* Plans; fills the K cells of the plan (allocated) with random pads and their products. */
void toy_plan(toy *t, assay_iop_plan *plan, kel **k_cells);
/* Prover: k_cells as the prover believes them. tamper may be NULL, drop as for assay_iop_drop. */
void toy_prove(toy *t, toy_party *p, const assay_iop_plan *plan, const kel *k_cells, const assay_tamper *tamper,
               const char *drop);
void toy_verify(toy *t, toy_party *v, const assay_iop_plan *plan, const toy_party *p, const char *drop);
void toy_party_clear(toy_party *p);

/* sum weight functional + sum cell_weight cell - value on the given cells. */
kel toy_identity(const toy *t, const assay_iop *iop, const assay_iop_plan *plan, const kel *k_cells);
/* For assay_iop_requirement_value: ctx is the toy. */
kel toy_functional_value(void *ctx, assay_claim functional);

kel toy_random_k(void);

#endif
