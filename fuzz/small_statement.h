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

/* One layer of width 8, one head, a vocabulary of 5, whose weights have 7 bits, those of embedding and head 9. */
static inline void small_config(assay_model_config *c)
{
    static const assay_layer_config layer = {.q = {10, 13, 5},
                                             .k = {10, 13, 6},
                                             .v = {10, 13, 7},
                                             .qr = {9, 13, 4},
                                             .kr = {9, 13, 5},
                                             .o = {12, 7, 8},
                                             .gate = {10, 13, 7},
                                             .up = {12, 11, 6},
                                             .act = {14, 7, 12},
                                             .down = {12, 10, 6},
                                             .fn1 = 11,
                                             .fn2 = 11,
                                             .fsg = 13};
    *c = (assay_model_config){.family = 1, .n_layers = 1, .d = 8, .n_heads = 1, .n_kv = 1, .head_dim = 8, .ff = 8};
    c->vocab = 5, c->max_positions = 512, c->rope_theta_q16 = (uint64_t)10000 << 16;
    c->eps_q60 = (uint64_t)2684 << 32 | 1522823604u; /* 1e-5 */
    c->bos = -1, c->n_stop = 1, c->stop[0] = 4;
    c->n_bits = 15, c->score_f = 9, c->dist_bits = 16, c->cos_bits = 12, c->e_bits = 12, c->z_bits = 19, c->o_guard = 1;
    c->rsqrt_in = 12, c->rsqrt_out = 12, c->rs_t = assay_model_rsqrt_unit(c->d), c->resid_bits = 16;
    c->f_embed = 6, c->f_head = 6, c->f_gf = 9, c->fn_final = 11, c->ng = (assay_site){16, 8, 12}, c->logit_f = 18;
    c->unit = assay_mem_alloc(3, sizeof *c->unit);
    c->eps_term = assay_mem_alloc(3, sizeof *c->eps_term);
    c->layer = assay_mem_alloc(1, sizeof *c->layer);
    FUZZ_REQUIRE(c->unit && c->eps_term && c->layer);
    for (uint32_t j = 0; j < 3; j++) {
        c->unit[j] = j < 2 ? 8 : 7;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
    }
    c->layer[0] = layer;
}

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
    assay_model_config c;
    small_config(&c);
    assay_model_config_encode(&s->config, &c);
    assay_model_config_clear(&c);
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
