/* SPDX-License-Identifier: Apache-2.0 */
/* Small commitments. The tokenizer is not one: nothing here reads text. */
#include "unit/cp/small_commitment.h"
#include "harness.h"
#include "unit/model/small_model.h"
#include <stdio.h>
#include <string.h>

enum { N_PROMPT = 3, N_NEW = 2 };

static bool show(assay_status s, const assay_errinfo *err)
{
    char text[400];
    if (CHECK_OK(s)) return true;
    printf("  %s\n", assay_errinfo_text(err, text, sizeof text));
    return false;
}

bool assay_small_commitment(assay_commitment **out, uint64_t lifetime)
{
    static const char tokenizer[] = "{}";
    const assay_small_shape shape = {1, 8, 2, 1, 4, 12, 20, true};
    assay_errinfo err = {0};
    assay_model m;
    *out = NULL;
    if (!assay_small_model(&m, shape, 3)) return false;
    assay_status s = assay_commitment_alloc(out, 1, &err);
    if (s != ASSAY_OK) {
        assay_model_clear(&m);
        return show(s, &err);
    }
    return show(assay_commitment_of_model(*out, &m, tokenizer, sizeof tokenizer - 1, 100, lifetime, &err), &err);
}

bool assay_small_request(assay_request **out, assay_commitment *c)
{
    assay_errinfo err = {0};
    uint32_t ids[N_PROMPT];
    assay_status s = ASSAY_ENORESULT;
    for (uint64_t seed = 0; seed < 50 && s == ASSAY_ENORESULT; seed++) {
        memset(&err, 0, sizeof err);
        assay_small_ids(ids, N_PROMPT, c->pub.cfg.vocab, seed);
        s = assay_commitment_reply(c, out, ids, N_PROMPT, N_NEW, "nonce", 5, &err);
    }
    return show(s, &err);
}

bool assay_small_verdict(assay_verdict *out, const assay_commitment *c, const assay_request *r,
                         const assay_buffer *proof)
{
    assay_commitment_parts parts;
    assay_errinfo err = {0};
    assay_verifier *v = NULL;
    assay_report report;
    *out = ASSAY_REJECT;
    if (!show(assay_commitment_export(c, &parts, &err), &err)) return false;
    assay_status s = assay_verifier_new(&v, parts.config.p, parts.config.n, parts.ivk.p, parts.ivk.n, &err);
    if (s == ASSAY_OK) s = assay_verifier_check(v, &report, r, proof->p, proof->n, assay_commitment_id(c), 100, &err);
    if (s == ASSAY_OK) *out = report.verdict;
    assay_verifier_free(v);
    assay_commitment_parts_free(&parts);
    return show(s, &err);
}
