/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of the public interface. */
#include "fault/api_fixture.h"
#include <stdio.h>
#include <string.h>

bool assay_api_setup(assay_api_fixture *f)
{
    memset(f, 0, sizeof *f);
    (void)snprintf(f->dir, sizeof f->dir, "%s/commitment", assay_test_tmpdir());
    if (!assay_small_commitment(&f->c, 1) || !assay_small_request(&f->r, f->c)) return false;
    f->want = ASSAY_ACCEPT;
    f->c->counter.allowed = UINT64_MAX; /* these proofs leave no one's machine */
    return CHECK_OK(assay_commitment_export(f->c, &f->parts, NULL)) &&
           CHECK_OK(assay_request_files(f->r, &f->req, &f->next, NULL)) &&
           CHECK_OK(assay_commitment_prove(f->c, &f->proof, f->r, NULL, NULL));
}

void assay_api_teardown(assay_api_fixture *f)
{
    assay_commitment_parts_free(&f->parts);
    assay_buffer_free(&f->req);
    assay_buffer_free(&f->next);
    assay_buffer_free(&f->proof);
    assay_request_free(f->r);
    assay_commitment_free(f->c);
}

assay_status assay_api_prove(void *ctx, assay_errinfo *err)
{
    const assay_api_fixture *f = ctx;
    assay_buffer proof;
    assay_status s = assay_commitment_prove(f->c, &proof, f->r, NULL, err);
    if (s != ASSAY_OK) CHECK(proof.p == NULL && proof.n == 0);
    assay_buffer_free(&proof);
    return s;
}

void assay_api_every(assay_fault_op *op, uint64_t stride, uint64_t least)
{
    assay_api_fixture f;
    if (assay_api_setup(&f)) CHECK(assay_fault_every(op, &f, stride) >= least);
    assay_api_teardown(&f);
}
