/* SPDX-License-Identifier: Apache-2.0 */
/* assay/verify.h over the verifier: what is wrong with untrusted bytes is a reason to reject, what is wrong with the
 * machine a status. */
#include "assay/verify.h"
#include "base/mem.h"
#include "cp/verify.h"
#include <stdio.h>
#include <string.h>

struct assay_verifier {
    assay_public pub;
};

_Static_assert((int)ASSAY_MAX_ROUNDS == (int)ASSAY_SOUNDNESS_ROWS, "a report has room for the whole table");

assay_status assay_verifier_new(assay_verifier **out, const void *config, size_t n_config, const void *ivk,
                                size_t n_ivk, assay_errinfo *err)
{
    *out = NULL;
    if (!config || !ivk) return ASSAY_FAIL(err, ASSAY_EINVAL, "verifier", "a pointer is NULL");
    assay_verifier *v = assay_mem_alloc(1, sizeof *v);
    if (!v) return ASSAY_FAIL(err, ASSAY_ENOMEM, "verifier", "out of memory");
    assay_status s = assay_public_decode(&v->pub, config, n_config, ivk, n_ivk, err);
    if (s == ASSAY_OK)
        *out = v;
    else
        assay_mem_free(v);
    return s;
}

void assay_verifier_free(assay_verifier *v)
{
    if (!v) return;
    assay_public_clear(&v->pub);
    assay_mem_free(v);
}

const uint8_t *assay_verifier_id(const assay_verifier *v)
{
    return v->pub.id;
}

const uint8_t *assay_verifier_tokenizer_hash(const assay_verifier *v)
{
    return v->pub.tokenizer_hash;
}

unsigned assay_verifier_security(const assay_verifier *v)
{
    return v->pub.params.security;
}

assay_status assay_verifier_config_check(const assay_verifier *v, uint32_t n_tokens, assay_errinfo *err)
{
    return assay_model_config_check(&v->pub.cfg, n_tokens, err);
}

static void fill_rounds(assay_report *out, const assay_soundness_inputs *in)
{
    assay_soundness_row rows[ASSAY_SOUNDNESS_ROWS];
    if (in->leaves == 0) return; /* the shape was never known */
    out->n_rounds = assay_soundness_table(rows, in, &out->worst, &out->sum);
    for (size_t i = 0; i < out->n_rounds; i++) {
        memcpy(out->rounds[i].name, rows[i].name, sizeof out->rounds[i].name);
        out->rounds[i].bits = rows[i].bits;
    }
}

/* Rejects with the text of an error about untrusted bytes; other errors stay errors. */
static assay_status reject_bytes(assay_report *out, assay_status s, const assay_errinfo *why, assay_errinfo *err)
{
    if (s == ASSAY_EFORMAT || s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED) {
        (void)assay_errinfo_text(why, out->reason, sizeof out->reason);
        return ASSAY_OK;
    }
    if (err && s != ASSAY_OK) *err = *why;
    return s;
}

static assay_status begin(assay_report *out, const void *a, const void *b, unsigned min_security, assay_errinfo *err)
{
    memset(out, 0, sizeof *out);
    (void)snprintf(out->reason, sizeof out->reason, "not checked");
    if (!a || !b) return ASSAY_FAIL(err, ASSAY_EINVAL, "verifier", "a pointer is NULL");
    if (min_security != 128 && min_security != 100)
        return ASSAY_FAIL1(err, ASSAY_EINVAL, "security", "is not 128 or 100", min_security);
    return ASSAY_OK;
}

static void fill_use(assay_use *out, const assay_gap_bounds *gap, const assay_model_config *cfg, uint32_t checked)
{
    out->checked = checked;
    if (gap->policy == ASSAY_POLICY_EXACT) return;
    out->largest = assay_gap_micronats(gap->most, cfg);
    out->sum = assay_gap_micronats(gap->sum, cfg);
    out->tokens = gap->count;
}

assay_status assay_verifier_check(const assay_verifier *v, assay_report *out, const assay_request *request,
                                  const void *proof, size_t n_proof, const uint8_t *id, unsigned min_security,
                                  assay_errinfo *err)
{
    return assay_verifier_check_within(v, out, request, proof, n_proof, id, min_security, NULL, err);
}

assay_status assay_verifier_check_within(const assay_verifier *v, assay_report *out, const assay_request *request,
                                         const void *proof, size_t n_proof, const uint8_t *id, unsigned min_security,
                                         const assay_policy *policy, assay_errinfo *err)
{
    assay_cp_result result;
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    assay_status s = begin(out, request, proof, min_security, err);
    if (s != ASSAY_OK) return s;
    if (id && memcmp(id, v->pub.id, ASSAY_ID_BYTES) != 0) {
        (void)snprintf(out->reason, sizeof out->reason, "the ID is not that of this configuration and key");
        return ASSAY_OK;
    }
    s = assay_request_check(request, &v->pub.cfg, &why);
    if (s != ASSAY_OK) return reject_bytes(out, s, &why, err);
    s = assay_cp_verify(&result, &v->pub, request, policy, proof, n_proof, min_security, NULL, 0, &why);
    fill_rounds(out, &result.soundness);
    if (s != ASSAY_OK) return reject_bytes(out, s, &why, err);
    (void)snprintf(out->reason, sizeof out->reason, "%s", result.reason);
    if (result.verdict == ASSAY_ACCEPT)
        fill_use(&out->use, &result.gap, &v->pub.cfg,
                 assay_request_n_tokens(request) - assay_request_n_prompt(request) + 1);
    out->verdict = result.verdict;
    return ASSAY_OK;
}

assay_status assay_verifier_check_files(const assay_verifier *v, assay_report *out, const assay_buffer *req,
                                        const assay_buffer *next, const assay_buffer *proof, const uint8_t *id,
                                        unsigned min_security, assay_errinfo *err)
{
    return assay_verifier_check_files_within(v, out, req, next, proof, id, min_security, NULL, err);
}

assay_status assay_verifier_check_files_within(const assay_verifier *v, assay_report *out, const assay_buffer *req,
                                               const assay_buffer *next, const assay_buffer *proof, const uint8_t *id,
                                               unsigned min_security, const assay_policy *policy, assay_errinfo *err)
{
    assay_request *request = NULL;
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    assay_status s = begin(out, req && next ? req->p : NULL, proof ? proof->p : NULL, min_security, err);
    if (s != ASSAY_OK) return s;
    s = assay_request_parse(&request, req->p, req->n, next->p, next->n, &why);
    if (s != ASSAY_OK) return reject_bytes(out, s, &why, err);
    s = assay_verifier_check_within(v, out, request, proof->p, proof->n, id, min_security, policy, err);
    assay_request_free(request);
    return s;
}
