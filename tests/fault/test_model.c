/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations in the integer model: tables, trace, reply, evaluation, and its two codecs.
 * ctest: uses unit/model */
#include "base/mem.h"
#include "fault/fault.h"
#include "model/evaluate.h"
#include "model/weights.h"
#include "unit/model/small_model.h"
#include <stdio.h>
#include <string.h>

enum { N_PROMPT = 3, N_TOKENS = 5 };

static const assay_small_shape shape = {2, 16, 2, 1, 8, 24, 20, true};

static uint64_t request_seed; /* of the token ids */

/* A request whose tokens need not be the greedy ones: `force` leaves that aside. */
static assay_status use_trace(void *ctx, assay_errinfo *err)
{
    const assay_model *m = (const assay_model *)ctx;
    assay_run_options opt = {.field = true, .force = true};
    assay_tables tb = {0};
    assay_trace trace = {0};
    uint32_t ids[N_TOKENS];
    assay_small_ids(ids, N_TOKENS, m->cfg.vocab, request_seed);
    assay_status s = assay_tables_new(&tb, &m->cfg, N_TOKENS, err);
    if (s == ASSAY_OK) s = assay_model_trace(&trace, m, &tb, ids, N_PROMPT, N_TOKENS, 1, &opt, err);
    assay_trace_clear(&trace);
    assay_tables_clear(&tb);
    return s;
}

static assay_status use_reply(void *ctx, assay_errinfo *err)
{
    const assay_model *m = (const assay_model *)ctx;
    assay_run_options opt = {0};
    assay_tables tb = {0};
    uint32_t ids[N_TOKENS + 1], n_out = 0, y = 0;
    assay_small_ids(ids, N_PROMPT, m->cfg.vocab, 5);
    assay_status s = assay_tables_new(&tb, &m->cfg, N_TOKENS, err);
    if (s == ASSAY_OK) s = assay_model_reply(m, &tb, ids, N_PROMPT, N_TOKENS - N_PROMPT, &n_out, &y, &opt, err);
    assay_tables_clear(&tb);
    return s == ASSAY_ENORESULT ? ASSAY_OK : s;
}

/* A window that has no result somewhere is no failure. */
static assay_status use_evaluate(void *ctx, assay_errinfo *err)
{
    const assay_model *m = (const assay_model *)ctx;
    assay_tables tb = {0};
    uint32_t ids[2 * N_TOKENS];
    assay_choice choice[2 * N_TOKENS];
    assay_window_result result[2];
    assay_peaks peaks = {0};
    const assay_windows w = {.ids = ids, .n = 2, .length = N_TOKENS};
    assay_small_ids(ids, 2 * N_TOKENS, m->cfg.vocab, 5);
    assay_status s = assay_tables_new(&tb, &m->cfg, N_TOKENS, err);
    if (s == ASSAY_OK) s = assay_evaluate_integer(choice, result, &peaks, m, &tb, &w, NULL, NULL, err);
    assay_tables_clear(&tb);
    return s;
}

/* Configuration through its codec, weights through their file. */
static assay_status use_codecs(void *ctx, assay_errinfo *err)
{
    const assay_model *m = (const assay_model *)ctx;
    assay_model copy;
    assay_writer w;
    char path[256];
    memset(&copy, 0, sizeof copy);
    assay_writer_init(&w, 1 << 20);
    (void)snprintf(path, sizeof path, "%s/weights", assay_test_tmpdir());
    assay_model_config_encode(&w, &m->cfg);
    assay_reader r = assay_reader_of(w.p, w.n);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "writer") : ASSAY_OK;
    if (s == ASSAY_OK) s = assay_model_config_decode(&copy.cfg, &r, err);
    if (s == ASSAY_OK) s = assay_model_weights_save(m, path, err);
    if (s == ASSAY_OK) s = assay_model_weights_load(&copy, path, err);
    assay_model_clear(&copy);
    assay_writer_clear(&w);
    return s;
}

static void with_model(assay_fault_op *op, uint64_t least)
{
    assay_model m;
    memset(&m, 0, sizeof m);
    if (assay_small_model(&m, shape, 3)) CHECK(assay_fault_every(op, &m, 1) >= least);
    assay_model_clear(&m);
}

/* Some random requests have no result: takes the first that has one. */
TEST(trace)
{
    assay_model m;
    memset(&m, 0, sizeof m);
    REQUIRE(assay_small_model(&m, shape, 3));
    for (request_seed = 0; request_seed < 50; request_seed++)
        if (use_trace(&m, NULL) == ASSAY_OK) break;
    CHECK(assay_fault_every(use_trace, &m, 1) >= 4);
    assay_model_clear(&m);
}
TEST(reply)
{
    with_model(use_reply, 4);
}
TEST(evaluation)
{
    with_model(use_evaluate, 8);
}
TEST(codecs)
{
    with_model(use_codecs, 6);
}
