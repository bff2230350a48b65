/* SPDX-License-Identifier: Apache-2.0 */
/* A random stack with a random public phi, for the tests of merge and fold. */
#ifndef ASSAY_TESTS_IOP_STACK_H
#define ASSAY_TESTS_IOP_STACK_H

#include "iop/merge.h"

typedef struct stack {
    assay_merge_shape shape;
    assay_kvec p, r, m;
    uint32_t **rows;
    assay_kvec *phi; /* a fresh copy is consumed by each run */
    kel value;       /* <phi, stack> */
    assay_backend be;
    assay_pool *pool;
} stack;

void stack_new(stack *s, unsigned c, unsigned row_bits, size_t n_rows, unsigned threads);
void stack_free(stack *s);

/* Element of the stack at (row, column). */
kel stack_at(const stack *s, size_t row, size_t column);
/* phi's multilinear extension at a point of c + row_bits coordinates, densely. */
kel stack_phi_at(const stack *s, const kel *point);
/* The prover's data with a copy of phi; free with stack_prover_clear. */
assay_merge_prover stack_prover(const stack *s);
void stack_prover_clear(const stack *s, assay_merge_prover *mp);

#endif
