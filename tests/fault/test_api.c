/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations in committing, proving and verifying, through the public interface, on a small model.
 * ctest: uses unit/cp
 * ctest: uses unit/model
 * ctest: timeout 600 */
#include "base/mem.h"
#include "fault/api_fixture.h"
#include "model/weights.h"
#include <string.h>

/* From weights in memory to a commitment, and its parts. */
static assay_status commit(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    assay_commitment *c = NULL;
    assay_commitment_parts out;
    assay_public pub;
    assay_model m;
    memset(&m, 0, sizeof m);
    assay_status s = assay_config_decode(&pub, f->parts.config.p, f->parts.config.n, err);
    m.cfg = pub.cfg; /* the rest of pub owns nothing */
    if (s == ASSAY_OK) s = assay_model_weights_decode(&m, "weights", f->parts.weights.p, f->parts.weights.n, err);
    if (s == ASSAY_OK) s = assay_commitment_alloc(&c, 1, err);
    if (s == ASSAY_OK) s = assay_commitment_of_model(c, &m, "{}", 2, 128, 1, err);
    if (s == ASSAY_OK) {
        s = assay_commitment_export(c, &out, err);
        if (s == ASSAY_OK) assay_commitment_parts_free(&out);
    }
    assay_model_clear(&m);
    assay_commitment_free(c);
    return s;
}

static assay_status load(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    assay_commitment *c = NULL;
    assay_status s = assay_commitment_load(&c, &f->parts, 1, err);
    assay_commitment_free(c);
    return s;
}

static assay_status save_and_open(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    const assay_open_options o = {.threads = 1};
    assay_commitment *c = NULL;
    assay_status s = assay_commitment_save(f->c, f->dir, 1, err);
    if (s == ASSAY_OK) s = assay_commitment_open(&c, f->dir, &o, err);
    assay_commitment_free(c);
    return s;
}

static assay_status reply(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    assay_request *r = NULL;
    assay_status s =
        assay_commitment_reply(f->c, &r, assay_request_ids(f->r), assay_request_n_prompt(f->r), 2, "nonce", 5, err);
    assay_request_free(r);
    return s;
}

static assay_status verify(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    assay_verifier *v = NULL;
    assay_report report;
    assay_status s = assay_verifier_new(&v, f->parts.config.p, f->parts.config.n, f->parts.ivk.p, f->parts.ivk.n, err);
    if (s == ASSAY_OK) {
        s = assay_verifier_check_files(v, &report, &f->req, &f->next, &f->proof, assay_commitment_id(f->c), 100, err);
        CHECK(report.verdict == (s == ASSAY_OK ? f->want : ASSAY_REJECT));
    }
    assay_verifier_free(v);
    return s;
}

TEST(commit)
{
    assay_api_every(commit, 1, 20);
}
TEST(load)
{
    assay_api_every(load, 1, 20);
}
TEST(save_and_open)
{
    assay_api_every(save_and_open, 1, 40);
}
TEST(reply)
{
    assay_api_every(reply, 1, 4);
}
/* A sample; test_prove.c has all. */
TEST(prove)
{
    assay_api_every(assay_api_prove, 47, 100);
}
TEST(verify)
{
    assay_api_every(verify, 1, 50);
}

/* A proof that is rejected is rejected, or not checked: never accepted because memory ran out. */
TEST(verify_altered)
{
    assay_api_fixture f;
    if (assay_api_setup(&f)) {
        f.proof.p[f.proof.n / 2] ^= 1;
        f.want = ASSAY_REJECT;
        CHECK(assay_fault_every(verify, &f, 1) >= 50);
    }
    assay_api_teardown(&f);
}
