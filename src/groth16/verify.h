/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a proof: one product of pairings. Decoded values only; portable C, no allocation, no threads. */
#ifndef ASSAY_GROTH16_VERIFY_H
#define ASSAY_GROTH16_VERIFY_H

#include "groth16/vk.h"

/* What assay_groth16_fault says of another number of public values than the key has. */
extern const char assay_groth16_other_number[];

/* Whether e(a, b) = e(alpha, beta) e(L, gamma) e(c, delta), L = IC[0] + sum_i v[i] IC[i + 1]: NULL, or why not, static
 * text. v: n public values of the given curve. Key and proof must have passed assay_vk_check and assay_proof_check, as
 * their decoders see to; curves and the number of public values are compared here. Cost: n_public multiples in G1, four
 * Miller loops, one final exponentiation. */
const char *assay_groth16_fault(const assay_vk *vk, const assay_curve *curve, const assay_scalar *v, uint32_t n,
                                const assay_proof *proof);

#endif
