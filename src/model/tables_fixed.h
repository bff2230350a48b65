/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point elementary functions in integers only, for the tables of the model: the same bits on every machine.
 *
 * An assay_fx is a non-negative number below 256 with 120 fractional bits. Results are within 2^-100 of the truth
 * (cosine and sine: 2^-56), so the tables, which need 2^-30 of a rounding step, can tell when a rounding is in doubt.
 */
#ifndef ASSAY_MODEL_TABLES_FIXED_H
#define ASSAY_MODEL_TABLES_FIXED_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 assay_fx;

enum { FX_BITS = 120 };
#define FX_ONE ((assay_fx)1 << FX_BITS)

/* floor(a b) */
assay_fx assay_fx_mul(assay_fx a, assay_fx b);
/* floor(a / b); b < 128, a / b < 256 */
assay_fx assay_fx_div(assay_fx a, assay_fx b);
assay_fx assay_fx_ln2(void);
/* ln(x / 2^16), 2^16 <= x < 2^64 */
assay_fx assay_fx_ln_q16(uint64_t x);
/* exp(-y) */
assay_fx assay_fx_exp_neg(assay_fx y);
/* exp(-a 2^-f), -40 <= f <= 60; 0 where a 2^-f >= 100 */
assay_fx assay_fx_exp_neg_ratio(uint64_t a, int f);
/* 2^128 w / (2 pi), w <= 1: the angle w as a fraction of a turn. t angles are t times the result, modulo 2^128. */
assay_fx assay_fx_turn(assay_fx w);
/* floor(2^128 turn / f) as a fraction of 2^128, f = f_q32 / 2^32 from 1 to 2^16: the angle divided by f. */
assay_fx assay_fx_turn_div(assay_fx turn, uint64_t f_q32);
/* Cosine and sine of turn / 2^128 turns, times 2^62. Exact at quarter turns. */
void assay_fx_cos_sin(int64_t *c, int64_t *s, assay_fx turn);

/* *out = floor(v / 2^bits + 1/2), 31 <= bits <= 120. False when v / 2^bits is within 2^-30 of a half: the rounding of
 * an approximation is then in doubt. */
bool assay_fx_round(int64_t *out, assay_fx v, unsigned bits);

#endif
