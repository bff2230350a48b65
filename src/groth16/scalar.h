/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 32 bytes in the files of iden3, lowest byte first. */
#ifndef ASSAY_GROTH16_SCALAR_H
#define ASSAY_GROTH16_SCALAR_H

#include "base/bytes.h"
#include "curve/curve.h"
#include "field/limbs.h"

/* Four limbs from 32 bytes; false when they are not below r (out then holds them all the same). */
static inline bool scalar_load(uint64_t out[ASSAY_FR_LIMBS], const uint8_t *p, const assay_curve *c)
{
    for (int i = 0; i < ASSAY_FR_LIMBS; i++) out[i] = assay_load_u64(p + 8 * i);
    return limbs_less(out, c->fr_modulus, ASSAY_FR_LIMBS);
}

static inline void scalar_store(uint8_t *p, const uint64_t v[ASSAY_FR_LIMBS])
{
    for (int i = 0; i < ASSAY_FR_LIMBS; i++) assay_store_u64(p + 8 * i, v[i]);
}

#endif
