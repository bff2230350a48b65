/* SPDX-License-Identifier: Apache-2.0 */
/* Checking proofs and witnesses: what is wrong with bytes that are judged is a reason to reject, what is wrong with the
 * key or the machine a status. */
#include "assay/groth16.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "groth16/json.h"
#include "groth16/key.h"
#include "groth16/report.h"
#include "groth16/witness.h"
#include <stdio.h>
#include <string.h>

assay_status assay_groth16_verify(assay_groth16_report *out, const void *vkey, size_t n_vkey, const void *publics,
                                  size_t n_publics, const void *proof, size_t n_proof, int allow_development,
                                  assay_errinfo *err)
{
    assay_vk vk = {0};
    assay_publics v = {0};
    assay_proof p;
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    assay_status s = assay_groth16_report_begin(out, vkey, publics, proof, err);
    if (s == ASSAY_OK) s = assay_vk_read_json(&vk, "verification key", vkey, n_vkey, err);
    if (s != ASSAY_OK) return s;
    s = assay_publics_parse_json(&v, vk.curve, "public values", publics, n_publics, &why);
    if (s == ASSAY_OK) s = assay_proof_parse_json(&p, vk.curve, "proof", proof, n_proof, &why);
    if (s != ASSAY_OK)
        s = assay_groth16_report_bytes(out, s, &why, err);
    else if (v.n != vk.n_public || (s = assay_vk_check(&vk, "verification key", err)) == ASSAY_OK)
        assay_groth16_report_judge(out, &vk, &v, &p, allow_development); /* another number is refused by it at once */
    assay_publics_clear(&v);
    assay_vk_clear(&vk);
    return s;
}

assay_status assay_groth16_export_vkey(const assay_groth16_key *key, assay_buffer *out, assay_errinfo *err)
{
    assay_writer w;
    *out = (assay_buffer){NULL, 0};
    assay_writer_init(&w, ASSAY_JSON_MAX_BYTES);
    assay_vk_json(&w, &key->vk);
    return assay_buffer_take(out, &w, "verification key", err);
}

assay_status assay_groth16_export_calldata(assay_buffer *out, const void *publics, size_t n_publics, const void *proof,
                                           size_t n_proof, assay_errinfo *err)
{
    assay_publics v = {0};
    assay_proof p;
    assay_writer w;
    *out = (assay_buffer){NULL, 0};
    if (!publics || !proof) return ASSAY_FAIL(err, ASSAY_EINVAL, "proof", "a pointer is NULL");
    assay_status s = assay_proof_parse_json(&p, assay_curve_get(ASSAY_BN254), "proof", proof, n_proof, err);
    if (s == ASSAY_OK) s = assay_publics_parse_json(&v, p.curve, "public values", publics, n_publics, err);
    assay_writer_init(&w, ASSAY_JSON_MAX_BYTES);
    if (s == ASSAY_OK) s = assay_calldata(&w, &p, &v, err);
    if (s == ASSAY_OK) s = assay_buffer_take(out, &w, "call data", err);
    assay_writer_clear(&w);
    assay_publics_clear(&v);
    return s;
}

assay_status assay_groth16_check_witness(assay_groth16_report *out, const char *r1cs, const char *wtns, const char *sym,
                                         const assay_groth16_circuit_options *options, assay_errinfo *err)
{
    static const assay_groth16_circuit_options usual = {0};
    const assay_groth16_circuit_options *o = options ? options : &usual;
    char text[sizeof out->reason - 32];
    assay_wtns w = {0};
    assay_pool *pool = NULL;
    assay_status s = assay_groth16_report_begin(out, r1cs, wtns, out, err);
    if (s == ASSAY_OK) s = assay_pool_new(&pool, o->threads, err);
    if (s == ASSAY_OK) s = assay_wtns_read(&w, wtns, err);
    if (s == ASSAY_OK)
        s = assay_groth16_witness_check(text, sizeof text, r1cs, sym, NULL, &w, 0, 0, pool, &o->progress, err);
    if (s == ASSAY_OK) {
        (void)snprintf(out->reason, sizeof out->reason, "%s%s", text, text[0] ? " is not satisfied" : "");
        out->verdict = text[0] ? ASSAY_REJECT : ASSAY_ACCEPT;
    }
    assay_wtns_clear(&w);
    assay_pool_free(pool);
    return s;
}
