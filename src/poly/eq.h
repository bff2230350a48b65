/* SPDX-License-Identifier: Apache-2.0 */
/* The multilinear equality polynomial eq(a, b) = prod_i (1 - a_i - b_i + 2 a_i b_i), for single points and small tables
 * in portable C. Large tables are the backend's k_eq. */
#ifndef ASSAY_POLY_EQ_H
#define ASSAY_POLY_EQ_H

#include "field/k.h"
#include <stddef.h>
#include <stdint.h>

/* eq(a, b) of n variables. */
kel assay_eq_eval(const kel *a, const kel *b, unsigned n);

/* eq(r, bits of index): variable i is bit i of index. Bits of index beyond n must be zero. */
kel assay_eq_index(const kel *r, unsigned n, uint64_t index);

/* out[b] = eq(r, b) for all b < 2^n; variable i is bit i of b. 2^n products. */
void assay_eq_table(kel *out, const kel *r, unsigned n);

/* The same for b < n only, 1 <= n <= 2^n_vars (eq_prefix.c). About 2 n products. */
void assay_eq_prefix(kel *out, size_t n, const kel *r, unsigned n_vars);

/* sum of eq(r, b) over b < n <= 2^n_vars. n_vars products. */
kel assay_eq_below(const kel *r, unsigned n_vars, uint64_t n);

#endif
