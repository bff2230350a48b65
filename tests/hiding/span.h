/* SPDX-License-Identifier: Apache-2.0 */
/* Subspaces of F^n, grown one vector at a time. */
#ifndef ASSAY_TESTS_HIDING_SPAN_H
#define ASSAY_TESTS_HIDING_SPAN_H

#include "field/m31.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct span {
    size_t n, rank;
    uint32_t *rows; /* rank vectors with leading 1, each zero at the pivots of the others found before it */
    size_t *pivot;
} span;
/* At most max vectors will be independent. */
void span_init(span *s, size_t n, size_t max);
void span_clear(span *s);
/* Adds v, which is changed; whether it was outside. */
bool span_add(span *s, uint32_t *v);

/* x with a x = b, n equations; a is [n][n] and is changed, as b is: x is left there. False when a is singular. */
bool linear_solve(uint32_t *a, uint32_t *b, size_t n);

#endif
