/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs, keys and parameters of bellman. A proof has only one encoding. */
#include "fuzz.h"
#include "groth16/bellman.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t again[ASSAY_BELLMAN_PROOF_BYTES];
    assay_proof proof;
    assay_vk vk;
    assay_bellman_params b;
    assay_affine point;
    if (assay_bellman_proof_decode(&proof, "f", data, size, NULL) == ASSAY_OK) {
        assay_bellman_proof_encode(again, &proof);
        FUZZ_REQUIRE(memcmp(again, data, sizeof again) == 0);
    }
    if (assay_bellman_vk_parse(&vk, "f", data, size, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(assay_vk_check(&vk, "f", NULL) == ASSAY_OK);
        assay_vk_clear(&vk);
    }
    if (assay_bellman_params_of(&b, "f", data, size, NULL) != ASSAY_OK) return 0;
    for (unsigned part = 0; part < ASSAY_PARAMS_PARTS; part++)
        for (uint32_t i = 0; i < b.n[part]; i++)
            fuzz_either(assay_bellman_params_points(&point, &b, part, i, 1, ASSAY_POINT_CURVE, NULL));
    assay_bellman_params_close(&b);
    return 0;
}
