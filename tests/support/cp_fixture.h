/* SPDX-License-Identifier: Apache-2.0 */
/* A committed model in memory, for tests of the statement: commit once, prove and verify many times. */
#ifndef ASSAY_TESTS_CP_FIXTURE_H
#define ASSAY_TESTS_CP_FIXTURE_H

#include "cp/prove.h"
#include "cp/verify.h"

typedef struct cp_fixture {
    assay_public pub;
    assay_model model;
    assay_weight_rows rows;
    assay_matrix *tree;
    assay_pool *pool;
    assay_backend be;
    uint8_t seed[32];
    const assay_policy *policy; /* that proofs are made and checked under; NULL: exact */
    assay_errinfo err;
} cp_fixture;

/* Commits to a model, which is taken over (its configuration and weights are cleared by cp_fixture_clear). */
assay_status cp_fixture_commit(cp_fixture *f, assay_model *model, const assay_commit_params *params, uint8_t seed_byte);
/* The same with weight rows changed before they are committed. */
assay_status cp_fixture_commit_rows(cp_fixture *f, assay_model *model, const assay_commit_params *params,
                                    uint8_t seed_byte, void (*rows)(cp_fixture *f));
void cp_fixture_clear(cp_fixture *f);

assay_status cp_fixture_prove(cp_fixture *f, const assay_request *rq, const assay_cheat *cheat, assay_writer *proof);
/* Verifies; result in out. */
assay_status cp_fixture_verify(cp_fixture *f, const assay_request *rq, const assay_writer *proof, const char *drop,
                               uint64_t leaf_limit, assay_cp_result *out);

/* Value of a functional leaf on the prover's own cells. */
kel cp_functional_value(const assay_cp *cp, const assay_witness *w, const assay_kvec *p, assay_claim node);
/* Counts the requirements that do not hold; names up to `room` of them. */
size_t cp_false_requirements(assay_cp *cp, const assay_witness *w, const assay_kvec *p, const char **names,
                             size_t room);
/* Value of the nth requirement of a name; false when there is none. */
bool cp_requirement_value(assay_cp *cp, const assay_witness *w, const assay_kvec *p, const char *which, uint32_t nth,
                          kel *value);

#endif
