/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform scalars, by rejection: bits above the order's length are dropped, and what is not below the order is drawn
 * again. The one branch on secrets says nothing about what is kept. */
#include "base/mem.h"
#include "field/limbs.h"
#include "groth16/prover.h"
#include "hash/random.h"

static assay_status draw(uint64_t *x, const uint64_t *modulus, assay_errinfo *err)
{
    uint64_t mask = UINT64_MAX;
    while ((mask >> 1) >= modulus[ASSAY_FR_LIMBS - 1]) mask >>= 1;
    do {
        assay_status s = assay_random_bytes((uint8_t *)x, ASSAY_FR_BYTES, err);
        if (s != ASSAY_OK) return s;
        x[ASSAY_FR_LIMBS - 1] &= mask;
    } while (!limbs_less(x, modulus, ASSAY_FR_LIMBS));
    return ASSAY_OK;
}

assay_status assay_groth16_blinding_draw(assay_groth16_blinding *b, const assay_curve *c, assay_errinfo *err)
{
    assay_status s = draw(b->r, c->fr_modulus, err);
    if (s == ASSAY_OK) s = draw(b->s, c->fr_modulus, err);
    if (s != ASSAY_OK) assay_mem_wipe(b, sizeof *b);
    return s;
}
