/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of snarkjs: each text is tried as a key, as a proof (with and without a curve) and as public values of both
 * curves. What is read is written and read again, and written the same. */
#include "fuzz.h"
#include "groth16/json.h"
#include <string.h>

static void require_same(const assay_writer *a, const assay_writer *b)
{
    FUZZ_REQUIRE(!a->bad && !b->bad && a->n == b->n && memcmp(a->p, b->p, a->n) == 0);
}

static void try_vk(const uint8_t *p, size_t n, assay_writer w[2])
{
    assay_vk vk;
    if (assay_vk_parse_json(&vk, "f", p, n, NULL) != ASSAY_OK) return;
    assay_vk_json(&w[0], &vk);
    assay_vk_clear(&vk);
    FUZZ_REQUIRE(assay_vk_parse_json(&vk, "f", w[0].p, w[0].n, NULL) == ASSAY_OK);
    assay_vk_json(&w[1], &vk);
    assay_vk_clear(&vk);
    require_same(&w[0], &w[1]);
}

static void try_proof(const assay_curve *c, const uint8_t *p, size_t n, assay_writer w[2])
{
    assay_proof proof;
    if (assay_proof_parse_json(&proof, c, "f", p, n, NULL) != ASSAY_OK) return;
    assay_proof_json(&w[0], &proof);
    FUZZ_REQUIRE(assay_proof_parse_json(&proof, NULL, "f", w[0].p, w[0].n, NULL) == ASSAY_OK);
    assay_proof_json(&w[1], &proof);
    require_same(&w[0], &w[1]);
}

static void try_publics(const assay_curve *c, const uint8_t *p, size_t n, assay_writer w[2])
{
    assay_publics x;
    if (assay_publics_parse_json(&x, c, "f", p, n, NULL) != ASSAY_OK) return;
    assay_publics_json(&w[0], &x);
    assay_publics_clear(&x);
    FUZZ_REQUIRE(assay_publics_parse_json(&x, c, "f", w[0].p, w[0].n, NULL) == ASSAY_OK);
    assay_publics_json(&w[1], &x);
    assay_publics_clear(&x);
    require_same(&w[0], &w[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = 0; kind < 6; kind++) {
        assay_writer w[2];
        const assay_curve *c = assay_curve_get((assay_curve_id)(kind % 2));
        assay_writer_init(&w[0], 1 << 22);
        assay_writer_init(&w[1], 1 << 22);
        if (kind == 0)
            try_vk(data, size, w);
        else if (kind < 4)
            try_proof(kind == 1 ? NULL : c, data, size, w);
        else
            try_publics(c, data, size, w);
        assay_writer_clear(&w[0]);
        assay_writer_clear(&w[1]);
    }
    return 0;
}
