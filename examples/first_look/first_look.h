/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of this example share: one party, prover or verifier. */
#ifndef ASSAY_EXAMPLES_FIRST_LOOK_H
#define ASSAY_EXAMPLES_FIRST_LOOK_H

#include "commit/matrix.h"
#include "iop/iop.h"
#include "iop/merge.h"

enum { VALUE_BITS = 8, SHIFT = 6, VALUES = 1 << VALUE_BITS, REMAINDERS = 1 << SHIFT };
enum { C = 12, N = 1 << C, SLOTS = 256, ROOM = N - SLOTS }; /* a row: 2^12 cells, the last 256 of them random */
enum { SETTING = 128, MAX_FORMS = 8, MAX_ROWS = 16, MASKS = 2 * K_WORDS, MAX_SIDE = 32 };

/* A linear form of the hidden cells, known to both parties: the claim `node` is sum coef[i] cell[i] (+ W's part). */
typedef struct form {
    assay_claim node;
    kel *coef, *of_w;
} form;

/* One party. Cells stand in this order: x, y, rem, how often each table row is looked up, then what hides messages. */
typedef struct party {
    uint32_t rows, inner, columns; /* the statement: x is [rows][inner], W is [inner][columns] */
    int output;
    uint8_t root_w[32];
    size_t y, rem, times, pads, n_cells; /* where the parts begin */
    assay_merge_shape shape;             /* the stack: row W, row R, then rows of cells */
    assay_iop_plan plan;
    assay_channel ch;
    assay_iop *iop;
    form form[MAX_FORMS];
    size_t n_forms;
    assay_merge_result merge;
    uint8_t root[32];
    assay_backend be; /* from here on: the prover's */
    uint32_t *cell, w[N], *row[MAX_ROWS];
    kel *pad;
    assay_code *code;
    assay_matrix *tree_w, *tree;
    assay_kvec m, r, p, u, phi[MAX_ROWS];
} party;

/* Ends the program unless the status is ASSAY_OK. */
void look_need(assay_status s, const char *what);
void *look_get(size_t n, size_t each); /* zeroed memory */

/* statement.c. x and W from a seed, y and rem from them, multiplicities from those; sets the public output. */
void look_fill_values(party *s, uint32_t seed);
/* Makes all claims, for the planner (who counts messages), the prover and the verifier. */
void look_state(party *s);
/* After the batch: phi[n_cells] and phi_w[N], the weight of each cell and of each entry of W in the one claim that is
 * left; and phi's value at the point where the merge ends. */
void look_weigh(const party *s, kel *phi, kel *phi_w);
kel look_weigh_at(const party *s, const kel *phi, const kel *phi_w);

#endif
