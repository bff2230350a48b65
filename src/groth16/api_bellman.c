/* SPDX-License-Identifier: Apache-2.0 */
/* Checking proofs in the formats of bellperson. */
#include "assay/groth16.h"
#include "base/mem.h"
#include "groth16/bellman.h"
#include "groth16/report.h"
#include "groth16/verify.h"
#include <string.h>

/* Values of 32 bytes, lowest byte first. */
static assay_status read_inputs(assay_publics *out, const assay_curve *c, const uint8_t *p, size_t n_bytes,
                                assay_errinfo *err)
{
    const size_t n = n_bytes / ASSAY_FR_BYTES;
    *out = (assay_publics){.curve = c};
    if (n_bytes % ASSAY_FR_BYTES != 0)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, "public values", "are not whole values (bytes, of a value)", n_bytes,
                           ASSAY_FR_BYTES);
    if (n > UINT32_MAX) return ASSAY_FAIL(err, ASSAY_ERANGE, "public values", "are too many");
    if (n == 0) return ASSAY_OK;
    out->v = assay_mem_alloc(n, sizeof *out->v);
    if (!out->v) return ASSAY_FAIL(err, ASSAY_ENOMEM, "public values", "out of memory");
    out->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        assay_fr x;
        if (!c->fr_from_bytes(&x, p + i * ASSAY_FR_BYTES, false))
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "public values", "a value is not below the order", i);
        c->fr_to_limbs(out->v[i], x);
    }
    return ASSAY_OK;
}

assay_status assay_groth16_verify_bellman(assay_groth16_report *out, const void *vk_bytes, size_t n_vk,
                                          const void *inputs, size_t n_inputs, const void *proof, size_t n_proof,
                                          int allow_development, assay_errinfo *err)
{
    static const uint8_t nothing;
    assay_vk vk = {0};
    assay_publics v = {0};
    assay_proof p;
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    assay_status s = assay_groth16_report_begin(out, vk_bytes, n_inputs ? inputs : &nothing, proof, err);
    const uint64_t values = assay_bellman_vk_values(n_vk);
    if (s == ASSAY_OK && values != UINT64_MAX && n_inputs % ASSAY_FR_BYTES == 0 &&
        values != n_inputs / ASSAY_FR_BYTES) {
        assay_groth16_report_verdict(out, assay_groth16_other_number); /* before the time that a stranger's IC takes */
        return ASSAY_OK;
    }
    if (s == ASSAY_OK) s = assay_bellman_vk_parse(&vk, "verification key", vk_bytes, n_vk, err);
    if (s != ASSAY_OK) return s;
    s = read_inputs(&v, vk.curve, inputs, n_inputs, &why);
    if (s == ASSAY_OK) s = assay_bellman_proof_decode(&p, "proof", proof, n_proof, &why);
    if (s == ASSAY_OK)
        assay_groth16_report_judge(out, &vk, &v, &p, allow_development);
    else
        s = assay_groth16_report_bytes(out, s, &why, err);
    assay_publics_clear(&v);
    assay_vk_clear(&vk);
    return s;
}
