/* SPDX-License-Identifier: Apache-2.0 */
/* A small fixed model, committed and asked when a target starts: what a verifier holds of it, a request, and a proof
 * that is accepted. All from constants, so that an input means the same in every run. */
#ifndef ASSAY_FUZZ_SMALL_STATEMENT_H
#define ASSAY_FUZZ_SMALL_STATEMENT_H

#include "base/mem.h"
#include "cp/prove.h"
#include "fuzz.h"
#include "model/weights.h"
#include <string.h>

/* The model configuration as config.bin holds it (docs/formats.md), by words: one layer of width 8, one head, a
 * vocabulary of 5, whose weights have 7 bits, those of embedding and head 9. */
static const uint32_t small_config[] = {
    1,  1,  1,  8,  1,  1,  8,  8,  5,  512, 0, 655360000, 0,  1522823604, 2684, 4294967295u, 1,  4,  15, 9,
    12, 12, 19, 1,  12, 12, 15, 16, 6,  6,   9, 11,        16, 8,          12,   18,          8,  5,  0,  8,
    5,  0,  7,  1,  0,  10, 13, 5,  10, 13,  6, 10,        13, 7,          9,    13,          4,  9,  13, 5,
    12, 7,  8,  10, 13, 7,  12, 11, 6,  14,  7, 12,        12, 10,         6,    11,          11, 13, 0};

typedef struct small_statement {
    assay_public pub;
    assay_request rq;
    assay_writer config, ivk, req, next, proof; /* the files */
} small_statement;

static inline void small_public(small_statement *s)
{
    static const uint8_t head[] = "ASSAYCFG\1\0\0";
    assay_writer_init(&s->config, ASSAY_MAX_PUBLIC_FILE);
    assay_write_bytes(&s->config, head, 12);
    for (int i = 0; i < 32; i++) assay_write_u8(&s->config, 0); /* no tokenizer */
    for (size_t i = 0; i < sizeof small_config / sizeof *small_config; i++)
        assay_write_u32(&s->config, small_config[i]);
    FUZZ_REQUIRE(assay_config_decode(&s->pub, s->config.p, s->config.n, NULL) == ASSAY_OK);
    s->pub.params = (assay_commit_params){128, 13, 10, 2};
}

/* The weights; *cfg is moved into the model. */
static inline void small_model(assay_model *m, assay_model_config *cfg)
{
    uint32_t state = 1;
    *m = (assay_model){0};
    m->cfg = *cfg;
    FUZZ_REQUIRE(assay_model_alloc(m, NULL) == ASSAY_OK);
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array w = assay_weight_at(m, i);
        int32_t range = w.rows == 1 || w.rows == m->cfg.vocab ? 255 : 63;
        for (size_t k = 0; k < (size_t)w.rows * w.cols; k++) {
            state = state * 1664525u + 1013904223u;
            (*w.slot)[k] = (int16_t)((int32_t)((state >> 8) % (uint32_t)(2 * range + 1)) - range);
        }
    }
}

/* A one-token prompt that the model answers, with one token of reply. */
static inline void small_request(small_statement *s, const assay_model *m)
{
    assay_tables tb;
    assay_run_options opt = {0};
    uint32_t ids[4], n = 0, y = 0;
    assay_status st = ASSAY_ENORESULT;
    FUZZ_REQUIRE(assay_tables_new(&tb, &m->cfg, 4, NULL) == ASSAY_OK);
    for (uint32_t id = 0; id < m->cfg.vocab && st != ASSAY_OK; id++) {
        ids[0] = id;
        st = assay_model_reply(m, &tb, ids, 1, 1, &n, &y, &opt, NULL);
    }
    FUZZ_REQUIRE(st == ASSAY_OK);
    assay_tables_clear(&tb);
    FUZZ_REQUIRE(assay_request_new(&s->rq, ids, 1, n, y, "fuzz", 4, NULL) == ASSAY_OK);
    assay_writer_init(&s->req, ASSAY_MAX_PUBLIC_FILE);
    assay_writer_init(&s->next, ASSAY_MAX_PUBLIC_FILE);
    assay_request_encode(&s->req, &s->rq);
    assay_next_token_encode(&s->next, s->rq.ids[n]);
}

/* Everything, with fixed coins. */
static inline void small_statement_make(small_statement *s)
{
    static const uint8_t seed[32] = {1}, coins[32] = {2};
    const assay_cheat fixed = {.coins = coins};
    assay_backend be;
    assay_model m;
    assay_weight_rows rows;
    assay_matrix *tree;
    memset(s, 0, sizeof *s);
    assay_backend_cpu_init(&be, NULL);
    small_public(s);
    small_model(&m, &s->pub.cfg); /* shares the configuration with pub, which keeps it */
    small_request(s, &m);
    FUZZ_REQUIRE(assay_weight_rows_new(&rows, &m, &s->pub.params, seed, &be, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(assay_matrix_commit(&tree, rows.code, &be, (const uint32_t *const *)rows.row, rows.n_rows,
                                     ASSAY_TREE_WEIGHTS, rows.salt_key, s->pub.root, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(assay_public_identify(&s->pub, NULL) == ASSAY_OK);
    assay_writer_init(&s->ivk, ASSAY_MAX_PUBLIC_FILE);
    assay_ivk_encode(&s->ivk, &s->pub);
    const assay_prover_key key = {&s->pub, &m, &rows, tree, seed};
    assay_writer_init(&s->proof, ASSAY_MAX_PROOF_FILE);
    FUZZ_REQUIRE(assay_cp_prove(&s->proof, &key, &s->rq, NULL, &be, NULL, &fixed, NULL) == ASSAY_OK);
    assay_matrix_free(tree);
    assay_weight_rows_clear(&rows);
    memset(&m.cfg, 0, sizeof m.cfg);
    assay_model_clear(&m);
}

#endif
