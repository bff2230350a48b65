/* SPDX-License-Identifier: Apache-2.0 */
/* A small commitment with a request and a proof, for the failing-allocation tests of the public interface. */
#ifndef ASSAY_TESTS_API_FIXTURE_H
#define ASSAY_TESTS_API_FIXTURE_H

#include "fault/fault.h"
#include "unit/cp/small_commitment.h"

typedef struct assay_api_fixture {
    assay_commitment *c;
    assay_commitment_parts parts;
    assay_request *r;
    assay_buffer req, next, proof;
    char dir[512];
    assay_verdict want; /* of the proof: ASSAY_ACCEPT until a test alters it */
} assay_api_fixture;

bool assay_api_setup(assay_api_fixture *f);
void assay_api_teardown(assay_api_fixture *f);

/* assay_fault_every on a fresh fixture; checks that a run makes at least `least` allocations. */
void assay_api_every(assay_fault_op *op, uint64_t stride, uint64_t least);

/* An operation on a fixture: one proof. */
assay_status assay_api_prove(void *ctx, assay_errinfo *err);

#endif
