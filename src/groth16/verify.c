/* SPDX-License-Identifier: Apache-2.0 */
/* The equation of Groth16 (Groth, EUROCRYPT 2016, section 3.2). */
#include "groth16/verify.h"
#include <string.h>

const char assay_groth16_other_number[] = "there are not as many public values as the key has";

/* L, affine. */
static void public_sum(void *out, const assay_vk *vk, const assay_scalar *v)
{
    const assay_group *g1 = &vk->curve->group[ASSAY_G1];
    assay_point sum;
    g1->sum(&sum, assay_vk_ic(vk, 1), v, vk->n_public);
    g1->add_affine(&sum, &sum, assay_vk_ic(vk, 0));
    g1->to_affine(out, &sum);
}

const char *assay_groth16_fault(const assay_vk *vk, const assay_curve *curve, const assay_scalar *v, uint32_t n,
                                const assay_proof *proof)
{
    enum { PAIRS = 4 };
    if (proof->curve->id != vk->curve->id || (n > 0 && curve->id != vk->curve->id))
        return "key, public values and proof are not on one curve";
    if (n != vk->n_public) return assay_groth16_other_number;
    const assay_group *g1 = &vk->curve->group[ASSAY_G1], *g2 = &vk->curve->group[ASSAY_G2];
    _Alignas(uint64_t) uint8_t p[PAIRS * ASSAY_AFFINE_MAX_BYTES], q[PAIRS * ASSAY_AFFINE_MAX_BYTES];
    assay_affine minus_a, sum;
    g1->affine_neg(&minus_a, &proof->a);
    public_sum(&sum, vk, v);
    const void *const left[PAIRS] = {&minus_a, &vk->alpha1, &sum, &proof->c};
    const void *const right[PAIRS] = {&proof->b, &vk->beta2, &vk->gamma2, &vk->delta2};
    for (size_t i = 0; i < PAIRS; i++) {
        memcpy(p + i * g1->affine_bytes, left[i], g1->affine_bytes);
        memcpy(q + i * g2->affine_bytes, right[i], g2->affine_bytes);
    }
    return vk->curve->pairing_product_is_one(p, q, PAIRS) ? NULL : "the pairing equation does not hold";
}
