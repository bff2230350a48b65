/* SPDX-License-Identifier: Apache-2.0 */
/* Field elements as decimal text, in the one way that each has: digits only, no sign, no leading zero, below the
 * modulus. Variable time; for public values. */
#ifndef ASSAY_GROTH16_DECIMAL_H
#define ASSAY_GROTH16_DECIMAL_H

#include "curve/curve.h"

enum { ASSAY_DECIMAL_BYTES = 20 * ASSAY_FQ_MAX_LIMBS + 1 }; /* 2^64 has 20 digits; with the ending zero */

/* What is wrong with the n characters of text as a number in this form (static text), NULL if nothing. */
const char *assay_decimal_fault(const char *text, size_t n);

/* The number of a text without fault, as n_limbs limbs, lowest first. False when it is not below the modulus. */
bool assay_decimal_read(uint64_t *limbs, const char *text, size_t n, const uint64_t *modulus, unsigned n_limbs);

/* Its text, ended by a zero; returns out. */
char *assay_decimal_write(char out[ASSAY_DECIMAL_BYTES], const uint64_t *limbs, unsigned n_limbs);

#endif
