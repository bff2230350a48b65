/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's side of the statement: hooks that make leaves and tables from the witness. */
#ifndef ASSAY_CP_PROVER_H
#define ASSAY_CP_PROVER_H

#include "cp/statement.h"
#include "cp/witness.h"

typedef struct assay_cp_prover {
    assay_witness *w;
    const assay_backend *be;
    const uint32_t *const *weight_rows; /* 2^jb rows of 2^c words, borrowed */
    assay_kvec p;                       /* their fold, made by the bind hook */
    assay_dot_prover dot;
    assay_channel *ch; /* failures go there */
} assay_cp_prover;

void assay_cp_prover_init(assay_cp_prover *p, assay_witness *w, const assay_backend *be,
                          const uint32_t *const *weight_rows, assay_channel *ch);
void assay_cp_prover_clear(assay_cp_prover *p);
/* Hooks over p. */
assay_cp_hooks assay_cp_prover_hooks(assay_cp_prover *p);

/* Leaves of one instance (prover_leaves.c). */
void assay_prover_leaves(void *ctx, assay_cp *cp, uint32_t instance, uint32_t **p, assay_kvec *q);
/* Tables of one relation in p->dot (prover_tables.c, prover_score.c). */
void assay_prover_tables(assay_cp_prover *p, assay_cp *cp, assay_dot_id id, uint32_t arg, kel theta);
void assay_prover_score_tables(assay_cp_prover *p, assay_cp *cp, uint32_t instance);
/* p->dot with n_terms tables of n elements, of n_vars variables; false after a failure. */
bool assay_prover_dot(assay_cp_prover *p, size_t n_terms, size_t n, unsigned n_vars);

#endif
