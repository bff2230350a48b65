/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations while a small model is committed, a reply proved and the proof checked.
 * ctest: uses support
 * ctest: uses unit/model
 * ctest: labels slow
 * ctest: timeout 900 */
#include "base/mem.h"
#include "fault/fault.h"
#include "support/cp_fixture.h"
#include "unit/model/small_model.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const assay_small_shape shape = {1, 8, 1, 1, 8, 8, 5, false};
static const assay_commit_params params = {128, 13, 10, 2};

typedef struct setting {
    cp_fixture f;
    assay_request rq;
    assay_writer proof;
} setting;

static bool find_request(setting *t)
{
    assay_tables tb;
    assay_run_options opt = {0};
    uint32_t ids[8], n_out = 0, y = 0;
    bool found = false;
    if (!CHECK_OK(assay_tables_new(&tb, &t->f.model.cfg, 8, NULL))) return false;
    for (uint64_t seed = 1; seed < 200 && !found; seed++) {
        assay_small_ids(ids, 2, shape.vocab, seed);
        found = assay_model_reply(&t->f.model, &tb, ids, 2, 2, &n_out, &y, &opt, NULL) == ASSAY_OK;
    }
    assay_tables_clear(&tb);
    return CHECK(found) && CHECK_OK(assay_request_new(&t->rq, ids, 2, n_out, y, "c", 1, NULL));
}

/* Commits with one thread, so that allocations come in the same order in each run. */
static bool set_up(setting *t)
{
    assay_model m;
    memset(t, 0, sizeof *t);
    if (!assay_small_model(&m, shape, 9) || !CHECK_OK(cp_fixture_commit(&t->f, &m, &params, 3))) return false;
    assay_pool_free(t->f.pool);
    t->f.pool = NULL;
    assay_backend_cpu_init(&t->f.be, NULL);
    return find_request(t);
}

static void tear_down(setting *t)
{
    assay_writer_clear(&t->proof);
    assay_request_clear(&t->rq);
    cp_fixture_clear(&t->f);
}

static assay_status commit(void *ctx, assay_errinfo *err)
{
    setting *t = (setting *)ctx;
    assay_weight_rows rows = {0};
    assay_matrix *tree = NULL;
    uint8_t root[32];
    assay_status s = assay_weight_rows_new(&rows, &t->f.model, &params, t->f.seed, &t->f.be, err);
    if (s == ASSAY_OK)
        s = assay_matrix_commit(&tree, rows.code, &t->f.be, (const uint32_t *const *)rows.row, rows.n_rows,
                                ASSAY_TREE_WEIGHTS, rows.salt_key, root, err);
    if (s == ASSAY_OK) CHECK_EQ_MEM(root, t->f.pub.root, 32);
    assay_matrix_free(tree);
    assay_weight_rows_clear(&rows);
    return s;
}

static assay_status prove(void *ctx, assay_errinfo *err)
{
    setting *t = (setting *)ctx;
    assay_writer_clear(&t->proof);
    assay_status s = cp_fixture_prove(&t->f, &t->rq, NULL, &t->proof);
    *err = t->f.err;
    return s;
}

static assay_status verify(void *ctx, assay_errinfo *err)
{
    setting *t = (setting *)ctx;
    assay_cp_result r = {0};
    r.verdict = ASSAY_ACCEPT;
    assay_status s = cp_fixture_verify(&t->f, &t->rq, &t->proof, NULL, 0, &r);
    *err = t->f.err;
    /* Never YES without having checked, and YES when it has. */
    CHECK(r.verdict == (s == ASSAY_OK ? ASSAY_ACCEPT : ASSAY_REJECT));
    return s;
}

TEST(commit_prove_verify)
{
    setting t;
    if (set_up(&t)) {
        uint64_t n = assay_fault_every(commit, &t, 1);
        CHECK(n >= 8);
        printf("commit: %" PRIu64 " allocations\n", n);
        n = assay_fault_every(prove, &t, 1);
        CHECK(n >= 100);
        printf("prove: %" PRIu64 " allocations\n", n);
        n = assay_fault_every(verify, &t, 1);
        CHECK(n >= 20);
        printf("verify: %" PRIu64 " allocations\n", n);
    }
    tear_down(&t);
}
