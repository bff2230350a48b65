/* SPDX-License-Identifier: Apache-2.0 */
/* A committed model and a request for the benchmarks of whole proofs. */
#ifndef ASSAY_BENCH_CP_SETUP_H
#define ASSAY_BENCH_CP_SETUP_H

#include "commit/matrix.h"
#include "cp/prove.h"
#include "cp/verify.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct cp_setup {
    assay_model model;
    assay_public pub;
    assay_weight_rows rows;
    assay_matrix *tree;
    assay_tables tables;
    assay_request rq;
    assay_pool *pool;
    assay_backend be;
    uint8_t seed[32];
} cp_setup;

static inline double setup_now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline assay_prover_key setup_key(const cp_setup *s)
{
    const assay_prover_key key = {&s->pub, &s->model, &s->rows, s->tree, s->seed};
    return key;
}

static inline assay_status setup_commit(cp_setup *s, assay_errinfo *err)
{
    s->pub.cfg = s->model.cfg;
    assay_status st = assay_commit_params_choose(&s->pub.params, &s->model.cfg, 128, 1000, err);
    if (st == ASSAY_OK) st = assay_weight_rows_new(&s->rows, &s->model, &s->pub.params, s->seed, &s->be, err);
    if (st == ASSAY_OK)
        st = assay_matrix_commit(&s->tree, s->rows.code, &s->be, (const uint32_t *const *)s->rows.row, s->rows.n_rows,
                                 ASSAY_TREE_WEIGHTS, s->rows.salt_key, s->pub.root, err);
    return st == ASSAY_OK ? assay_public_identify(&s->pub, err) : st;
}

/* Imports, commits, and lets the model reply to a question of its training text until there are `tokens` in all. */
static inline assay_status setup_make(cp_setup *s, const char *folder, uint32_t tokens, unsigned threads,
                                      assay_errinfo *err)
{
    static const char prompt[] = "Q: What is 27 + 45?\nA:";
    assay_run_options opt;
    uint32_t ids[4096], n = 0, n_out, y;
    memset(&opt, 0, sizeof opt);
    if (tokens < 2 || tokens > 4000) return ASSAY_EINVAL;
    assay_status st = assay_pool_new(&s->pool, threads, err);
    if (st != ASSAY_OK) return st;
    assay_backend_cpu_init(&s->be, s->pool);
    opt.pool = s->pool;
    double t0 = setup_now();
    if ((st = assay_model_import(&s->model, folder, NULL, &opt, err)) != ASSAY_OK) return st;
    double t1 = setup_now();
    if ((st = setup_commit(s, err)) != ASSAY_OK) return st;
    printf("import and calibrate %.0f ms, commit %.0f ms (c %u, a %u, R_W %u)\n", 1e3 * (t1 - t0),
           1e3 * (setup_now() - t1), s->pub.params.c, s->pub.params.a, 1u << s->pub.params.jb);
    if (s->model.cfg.bos >= 0) ids[n++] = (uint32_t)s->model.cfg.bos;
    for (size_t i = 0; i < sizeof prompt - 1 && n < tokens; i++) ids[n++] = (uint8_t)prompt[i];
    st = assay_tables_new(&s->tables, &s->model.cfg, tokens + 1, err);
    if (st == ASSAY_OK) st = assay_model_reply(&s->model, &s->tables, ids, n, tokens - n, &n_out, &y, &opt, err);
    if (st == ASSAY_OK) st = assay_request_new(&s->rq, ids, n, n_out, y, NULL, 0, err);
    return st;
}

#endif
