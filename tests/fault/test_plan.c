/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses unit/groth16
 * ctest: uses unit/cp
 * ctest: uses unit/model
 * Failing allocations while jobs are planned. */
#include "engine/catalogue_impl.h"
#include "fault/fault.h"
#include "groth16/chain.h"
#include "unit/cp/small_commitment.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
    assay_subject_entry e;
    assay_blob inputs[2];
    size_t n_inputs;
} bench;

/* From a fresh catalogue, so that the files are read. */
static assay_status plan(void *ctx, assay_errinfo *err)
{
    const bench *b = ctx;
    assay_catalogue *c = NULL;
    assay_job_plan j;
    assay_status s = assay_catalogue_new(&c, "", assay_test_tmpdir(), err);
    if (s == ASSAY_OK) s = assay_job_plan_make(&j, c, b->e.kind, &b->e, b->inputs, b->n_inputs, 1, UINT64_MAX, err);
    if (c) CHECK((j.peak != 0) == (s == ASSAY_OK));
    assay_catalogue_free(c);
    return s;
}

TEST(circuits)
{
    chain k;
    bench b = {.n_inputs = 1};
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 20, true));
    assay_buffer wtns = chain_read(k.wtns);
    b.e.kind = ASSAY_JOB_GROTH16;
    (void)snprintf(b.e.name, sizeof b.e.name, "chain");
    (void)snprintf(b.e.path, sizeof b.e.path, "%s", k.zkey);
    (void)snprintf(b.e.r1cs, sizeof b.e.r1cs, "%s", k.r1cs);
    CHECK_OK(assay_file_stamp_read(&b.e.stamp, k.zkey, NULL));
    b.inputs[0] = (assay_blob){wtns.p, wtns.n};
    CHECK(assay_fault_every(plan, &b, 1) > 5);
    assay_buffer_free(&wtns);
}

TEST(replies)
{
    char folder[256];
    bench b = {.n_inputs = 2};
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_catalogue *cat = NULL;
    assay_buffer req, y;
    (void)snprintf(folder, sizeof folder, "%s/m", assay_test_tmpdir());
    REQUIRE(assay_small_commitment(&c, 4) && assay_small_request(&r, c));
    REQUIRE_OK(assay_commitment_save(c, folder, 0, NULL));
    REQUIRE_OK(assay_request_files(r, &req, &y, NULL));
    REQUIRE_OK(assay_catalogue_new(&cat, "", assay_test_tmpdir(), NULL));
    REQUIRE_OK(assay_catalogue_find(cat, ASSAY_JOB_REPLY, "m", &b.e, NULL));
    b.inputs[0] = (assay_blob){req.p, req.n};
    b.inputs[1] = (assay_blob){y.p, y.n};
    CHECK(assay_fault_every(plan, &b, 1) > 5);
    assay_catalogue_free(cat);
    assay_buffer_free(&req);
    assay_buffer_free(&y);
    assay_request_free(r);
    assay_commitment_free(c);
}
