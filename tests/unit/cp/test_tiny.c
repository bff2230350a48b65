/* SPDX-License-Identifier: Apache-2.0 */
/* The example model end to end in memory: commit, reply, prove, verify.
 * ctest: uses support */
#include "base/mem.h"
#include "harness.h"
#include "model/tokenizer.h"
#include "support/cp_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void diagnose(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    const char *names[64];
    size_t n = cp_false_requirements(cp, w, p, names, 64);
    (void)ctx;
    for (size_t i = 0; i < n && i < 64; i++) printf("  does not hold: %s\n", names[i]);
    CHECK_EQ_U64(n, 0);
}

TEST(tiny_reply_is_proven)
{
    cp_fixture f;
    assay_model m;
    assay_errinfo err = {0};
    assay_run_options opt = {0};
    assay_commit_params params;
    char path[512];
    memset(&m, 0, sizeof m);
    snprintf(path, sizeof path, "%s/examples/tiny", assay_test_source_dir());
    REQUIRE_OK(assay_model_import(&m, path, NULL, &opt, &err));
    REQUIRE_OK(assay_commit_params_choose(&params, &m.cfg, 128, 1000, &err));
    double t0 = now();
    REQUIRE_OK(cp_fixture_commit(&f, &m, &params, 1));
    printf("commit %.3f s, c %u a %u jb %u\n", now() - t0, params.c, params.a, params.jb);

    static const char prompt[] = "Q: What is 27 + 45?\nA:";
    uint32_t ids[256] = {256}, n = 1, n_out, y;
    for (size_t i = 0; i < strlen(prompt); i++) ids[n++] = (uint8_t)prompt[i];
    uint32_t n_prompt = n;
    assay_tables tb;
    REQUIRE_OK(assay_tables_new(&tb, &f.model.cfg, 128, &err));
    opt.pool = f.pool;
    REQUIRE_OK(assay_model_reply(&f.model, &tb, ids, n_prompt, 41, &n_out, &y, &opt, &err));
    printf("%u + %u tokens\n", n_prompt, n_out - n_prompt);
    assay_request rq;
    REQUIRE_OK(assay_request_new(&rq, ids, n_prompt, n_out, y, "", 0, &err));
    assay_cheat look = {0};
    if (getenv("ASSAY_DIAGNOSE")) look.claims = diagnose;
    assay_writer proof;
    for (int k = 0; k < 2; k++) {
        t0 = now();
        assay_status s = cp_fixture_prove(&f, &rq, look.claims ? &look : NULL, &proof);
        char text[512];
        if (s != ASSAY_OK)
            printf("%s (%s:%d)\n", assay_errinfo_text(&f.err, text, sizeof text), f.err.file, f.err.line);
        REQUIRE_OK(s);
        printf("prove %.3f s, %zu bytes\n", now() - t0, proof.n);
        assay_cp_result r;
        t0 = now();
        CHECK_OK(cp_fixture_verify(&f, &rq, &proof, NULL, 0, &r));
        printf("verify %.3f s: %s\n", now() - t0, r.reason);
        CHECK(r.verdict == ASSAY_ACCEPT);
        assay_writer_clear(&proof);
    }
    assay_request_clear(&rq);
    assay_tables_clear(&tb);
    cp_fixture_clear(&f);
}
