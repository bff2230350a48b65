/* SPDX-License-Identifier: Apache-2.0 */
/* Small models and their proofs. */
#include "proof.h"
#include "base/mem.h"
#include "harness.h"
#include <stdlib.h>
#include <string.h>

bool proof_maker_ask(proof_maker *m, assay_request *rq, uint32_t n_prompt, uint32_t n_new, uint64_t seed)
{
    assay_tables tb;
    assay_errinfo err = {0};
    assay_run_options opt = {0};
    uint32_t ids[64], n_out = 0, y = 0;
    assay_status s = ASSAY_ENORESULT;
    memset(rq, 0, sizeof *rq);
    if (!CHECK_OK(assay_tables_new(&tb, &m->f.model.cfg, 64, &err))) return false;
    /* Random weights refuse some prompts: the first one that has a result. */
    for (unsigned i = 0; i < 100 && s != ASSAY_OK; i++) {
        assay_small_ids(ids, n_prompt, m->f.model.cfg.vocab, seed + i);
        s = assay_model_reply(&m->f.model, &tb, ids, n_prompt, n_new, &n_out, &y, &opt, &err);
    }
    assay_tables_clear(&tb);
    return CHECK_OK(s) && CHECK_OK(assay_request_new(rq, ids, n_prompt, n_out, y, "hiding", 6, &err));
}

bool proof_maker_new(proof_maker *m, assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint64_t seed)
{
    const assay_commit_params params = {128, 13, 10, 2};
    assay_model model;
    memset(m, 0, sizeof *m);
    if (!assay_small_model(&model, shape, seed)) return false;
    if (!CHECK_OK(cp_fixture_commit(&m->f, &model, &params, 3))) return false;
    return proof_maker_ask(m, &m->rq, n_prompt, n_new, seed);
}

void proof_maker_clear(proof_maker *m)
{
    assay_request_clear(&m->rq);
    cp_fixture_clear(&m->f);
}

static int stop_before_merge(void *ctx, const char *stage, double done)
{
    (void)ctx;
    (void)done;
    return strcmp(stage, "merging") == 0;
}

void proof_make(proof_maker *m, const assay_request *rq, const assay_cheat *hooks, bool claims_only,
                assay_writer *proof)
{
    const assay_prover_key key = {&m->f.pub, &m->f.model, &m->f.rows, m->f.tree, m->f.seed};
    const assay_progress progress = {stop_before_merge, NULL};
    memset(&m->f.err, 0, sizeof m->f.err);
    assay_writer_init(proof, ASSAY_MAX_PROOF_FILE);
    assay_status s = assay_cp_prove(proof, &key, rq, NULL, &m->f.be, claims_only ? &progress : NULL, hooks, &m->f.err);
    CHECK_STATUS(s, claims_only ? ASSAY_ECANCELED : ASSAY_OK);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(kel));
}

size_t proof_repeats(const kel *v, size_t n)
{
    size_t found = 0;
    kel *sorted = (kel *)assay_mem_alloc(n, sizeof *sorted);
    if (!CHECK(sorted != NULL)) return n;
    memcpy(sorted, v, n * sizeof *v);
    qsort(sorted, n, sizeof *sorted, by_bytes);
    for (size_t i = 1; i < n; i++) found += memcmp(&sorted[i - 1], &sorted[i], sizeof *sorted) == 0;
    assay_mem_free(sorted);
    return found;
}
