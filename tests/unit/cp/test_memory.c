/* SPDX-License-Identifier: Apache-2.0 */
/* The planned memory of a proof against what base/mem counts while one is made. ctest: uses support */
#include "base/mem.h"
#include "cp/memory.h"
#include "harness.h"
#include "support/cp_fixture.h"
#include <stdio.h>
#include <string.h>

typedef struct example {
    cp_fixture f;
    assay_request rq;
} example;

static bool make(example *x, uint32_t n_new)
{
    static const char prompt[] = "Q: What is 27 + 45?\nA:";
    assay_model m;
    assay_errinfo err = {0};
    assay_run_options opt = {0};
    assay_commit_params params;
    assay_tables tables;
    uint32_t ids[512] = {256}, n = 1, n_out = 0, y = 0;
    char path[4096];
    memset(&m, 0, sizeof m);
    (void)snprintf(path, sizeof path, "%s/examples/tiny", assay_test_source_dir());
    if (!CHECK_OK(assay_model_import(&m, path, NULL, &opt, &err))) return false;
    if (!CHECK_OK(assay_commit_params_choose(&params, &m.cfg, 128, 1000, &err))) return false;
    if (!CHECK_OK(cp_fixture_commit(&x->f, &m, &params, 1))) return false;
    for (size_t i = 0; i < sizeof prompt - 1; i++) ids[n++] = (uint8_t)prompt[i];
    if (!CHECK_OK(assay_tables_new(&tables, &x->f.model.cfg, n + n_new, &err))) return false;
    assay_status s = assay_model_reply(&x->f.model, &tables, ids, n, n_new, &n_out, &y, &opt, &err);
    assay_tables_clear(&tables);
    return CHECK_OK(s) && CHECK_OK(assay_request_new(&x->rq, ids, n, n_out, y, NULL, 0, &err));
}

TEST(the_plan_is_what_a_proof_takes)
{
    static const uint32_t replies[] = {3, 41};
    for (size_t i = 0; i < 2; i++) {
        example x;
        assay_writer proof;
        assay_cp_plan plan;
        assay_errinfo err = {0};
        memset(&x, 0, sizeof x);
        REQUIRE(make(&x, replies[i]));
        REQUIRE_OK(assay_cp_plan_make(&plan, &x.f.pub, x.rq.n_prompt, x.rq.n_tokens, ASSAY_POLICY_EXACT, 1, &err));
        assay_writer_init(&proof, ASSAY_MAX_PROOF_FILE);
        assay_mem_peak_reset();
        uint64_t before = assay_mem_peak();
        REQUIRE_OK(cp_fixture_prove(&x.f, &x.rq, NULL, &proof));
        printf("%u tokens: planned %.1f MB (%s; commitment %.1f), counted %.1f MB (%.1f before)\n", x.rq.n_tokens,
               1e-6 * (double)plan.peak_bytes, plan.stage, 1e-6 * (double)plan.commitment_bytes,
               1e-6 * (double)assay_mem_peak(), 1e-6 * (double)before);
        CHECK(assay_mem_peak() <= plan.peak_bytes);
        CHECK(assay_mem_peak() >= plan.peak_bytes / 100 * 85);
        CHECK(before <= plan.commitment_bytes + (1 << 20));
        CHECK(plan.n_rows > 0 && plan.n_instances == 1 && plan.look_ups < plan.leaves);
        assay_writer_clear(&proof);
        assay_request_clear(&x.rq);
        cp_fixture_clear(&x.f);
    }
}

/* The gap policy has four cells and five look-ups a checked position. */
TEST(a_plan_follows_the_policy)
{
    example x;
    assay_cp_plan exact, gap;
    assay_errinfo err = {0};
    memset(&x, 0, sizeof x);
    REQUIRE(make(&x, 3));
    const uint32_t n = x.rq.n_prompt, tokens = n + 9;
    REQUIRE_OK(assay_cp_plan_make(&exact, &x.f.pub, n, tokens, ASSAY_POLICY_EXACT, 1, &err));
    REQUIRE_OK(assay_cp_plan_make(&gap, &x.f.pub, n, tokens, ASSAY_POLICY_GAP, 1, &err));
    CHECK_EQ_U64(gap.look_ups, exact.look_ups + 5 * 10);
    CHECK_EQ_U64(gap.cells, exact.cells + 4 * 10);
    assay_request_clear(&x.rq);
    cp_fixture_clear(&x.f);
}

TEST(lengths_that_no_proof_has)
{
    example x;
    assay_cp_plan plan;
    assay_errinfo err = {0};
    memset(&x, 0, sizeof x);
    REQUIRE(make(&x, 1));
    CHECK_STATUS(assay_cp_plan_make(&plan, &x.f.pub, 1, 0, ASSAY_POLICY_EXACT, 1, &err), ASSAY_ERANGE);
    CHECK_STATUS(assay_cp_plan_make(&plan, &x.f.pub, 0, 4, ASSAY_POLICY_EXACT, 1, &err), ASSAY_ERANGE);
    CHECK_STATUS(assay_cp_plan_make(&plan, &x.f.pub, 5, 4, ASSAY_POLICY_EXACT, 1, &err), ASSAY_ERANGE);
    CHECK_STATUS(assay_cp_plan_make(&plan, &x.f.pub, 1, x.f.model.cfg.max_positions + 1, ASSAY_POLICY_EXACT, 1, &err),
                 ASSAY_ERANGE);
    CHECK_STATUS(assay_cp_plan_make(&plan, &x.f.pub, 1, 4, 7, 1, &err), ASSAY_EUNSUPPORTED);
    assay_errinfo_clear(&err);
    assay_request_clear(&x.rq);
    cp_fixture_clear(&x.f);
}
