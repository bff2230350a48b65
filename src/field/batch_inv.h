/* SPDX-License-Identifier: Apache-2.0 */
/* Many inverses for one inversion and three products each. */
#ifndef ASSAY_FIELD_BATCH_INV_H
#define ASSAY_FIELD_BATCH_INV_H

#include "field/k.h"
#include <stddef.h>
#include <stdint.h>

/* out[i] = 1/in[i], and 0 where in[i] = 0. out and in have n elements and do not overlap. */
void assay_m31_batch_inv(uint32_t *out, const uint32_t *in, size_t n);
void assay_k_batch_inv(kel *out, const kel *in, size_t n);

#endif
