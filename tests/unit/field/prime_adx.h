/* SPDX-License-Identifier: Apache-2.0 */
/* Field operations compiled for ADX, to compare with plain C: product, sum and difference of a and b, one after the
 * other; and mul_sum of four elements. They need ASSAY_CPU_ADX. */
#ifndef ASSAY_TESTS_PRIME_ADX_H
#define ASSAY_TESTS_PRIME_ADX_H

#include <stdint.h>

void prime_adx_bn254_fq(uint64_t *out, const uint64_t *a, const uint64_t *b);
void prime_adx_bn254_fr(uint64_t *out, const uint64_t *a, const uint64_t *b);
void prime_adx_bls381_fq(uint64_t *out, const uint64_t *a, const uint64_t *b);
void prime_adx_bls381_fr(uint64_t *out, const uint64_t *a, const uint64_t *b);

void prime_adx_sum_bn254_fq(uint64_t *out, const uint64_t *four);
void prime_adx_sum_bn254_fr(uint64_t *out, const uint64_t *four);
void prime_adx_sum_bls381_fq(uint64_t *out, const uint64_t *four);

#endif
