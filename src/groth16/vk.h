/* SPDX-License-Identifier: Apache-2.0 */
/* Verification keys, proofs and public values in memory; json.h and bellman.h read and write them. */
#ifndef ASSAY_GROTH16_VK_H
#define ASSAY_GROTH16_VK_H

#include "backend/groups.h"
#include "curve/curve.h"
#include <stdbool.h>

/* Class C (public). */
typedef struct assay_vk {
    const assay_curve *curve;
    uint32_t n_public;
    bool marked; /* the file says that it is of a development key */
    assay_affine alpha1, beta2, gamma2, delta2;
    uint8_t *ic; /* n_public + 1 affine points of G1, packed */
} assay_vk;

/* Room for the points of IC. ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_vk_init(assay_vk *vk, const assay_curve *curve, uint32_t n_public,
                                          assay_errinfo *err);
void assay_vk_clear(assay_vk *vk);
static inline void *assay_vk_ic(const assay_vk *vk, uint32_t i)
{
    return vk->ic + (size_t)i * vk->curve->group[ASSAY_G1].affine_bytes;
}
/* Every point in its group and none at infinity: with IC[i] at infinity public value i would not be checked, with
 * another point there anybody could make proofs. Whether gamma2 = delta2 (a development key) is for the caller to ask.
 * name: of the file. ASSAY_ERANGE names the point. */
ASSAY_MUST_USE assay_status assay_vk_check(const assay_vk *vk, const char *name, assay_errinfo *err);
/* Other keys under which anybody can forge, whatever the values: NULL, or which it is. beta = +-delta (A = +-IC, B =
 * gamma, C = -+alpha), beta = +-gamma, gamma = -delta (A = alpha, B = beta, C = L). Affine points of G2. assay_vk_check
 * refuses them. */
const char *assay_vk_forgeable(const assay_curve *c, const void *beta, const void *gamma, const void *delta);
/* Whether gamma2 = delta2: no second phase was done, and A = alpha, B = beta, C = -L passes for any public values. */
bool assay_vk_is_development(const assay_vk *vk);

/* e(a, b) = e(alpha, beta) e(L, gamma) e(c, delta). */
typedef struct assay_proof {
    const assay_curve *curve;
    assay_affine a, b, c; /* G1, G2, G1 */
} assay_proof;

/* a, b, c on their curves, of order r, and none at infinity. ASSAY_ERANGE names the point. */
ASSAY_MUST_USE assay_status assay_proof_check(const assay_proof *p, const char *name, assay_errinfo *err);

/* Public values, outputs first, without the constant; each below r. */
typedef struct assay_publics {
    const assay_curve *curve;
    uint32_t n;
    assay_scalar *v; /* NULL for none */
} assay_publics;
void assay_publics_clear(assay_publics *p);

#endif
