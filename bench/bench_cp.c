/* SPDX-License-Identifier: Apache-2.0 */
/* Whole proofs of the example model (or another folder): wall time by stage, proof size, checking time.
 *     bench_cp [MODEL_DIR [TOKENS [RUNS [THREADS]]]] */
#include "base/mem.h"
#include "commit/matrix.h"
#include "cp/prove.h"
#include "cp/verify.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct stages {
    const char *name;
    double since;
} stages;

static int on_progress(void *ctx, const char *stage, double done)
{
    stages *s = ctx;
    double t = now();
    (void)done;
    if (s->name) printf("  %-20s %8.1f ms\n", s->name, 1e3 * (t - s->since));
    s->name = stage;
    s->since = t;
    return 0;
}

typedef struct setup {
    assay_model model;
    assay_public pub;
    assay_weight_rows rows;
    assay_matrix *tree;
    assay_tables tables;
    assay_request rq;
    assay_pool *pool;
    assay_backend be;
    uint8_t seed[32];
} setup;

static assay_status make(setup *s, const char *folder, uint32_t tokens, unsigned threads, assay_errinfo *err)
{
    static const char prompt[] = "Q: What is 27 + 45?\nA:";
    assay_run_options opt;
    uint32_t ids[4096], n = 0, n_out, y;
    memset(&opt, 0, sizeof opt);
    assay_status st = assay_pool_new(&s->pool, threads, err);
    if (st != ASSAY_OK) return st;
    assay_backend_cpu_init(&s->be, s->pool);
    opt.pool = s->pool;
    double t0 = now();
    if ((st = assay_model_import(&s->model, folder, NULL, &opt, err)) != ASSAY_OK) return st;
    double t1 = now();
    s->pub.cfg = s->model.cfg;
    st = assay_commit_params_choose(&s->pub.params, &s->model.cfg, 128, 1000, err);
    if (st == ASSAY_OK) st = assay_weight_rows_new(&s->rows, &s->model, &s->pub.params, s->seed, &s->be, err);
    if (st == ASSAY_OK)
        st = assay_matrix_commit(&s->tree, s->rows.code, &s->be, (const uint32_t *const *)s->rows.row, s->rows.n_rows,
                                 ASSAY_TREE_WEIGHTS, s->rows.salt_key, s->pub.root, err);
    if (st == ASSAY_OK) st = assay_public_identify(&s->pub, err);
    if (st != ASSAY_OK) return st;
    printf("import and calibrate %.0f ms, commit %.0f ms (c %u, a %u, R_W %u)\n", 1e3 * (t1 - t0), 1e3 * (now() - t1),
           s->pub.params.c, s->pub.params.a, 1u << s->pub.params.jb);
    if (s->model.cfg.bos >= 0) ids[n++] = (uint32_t)s->model.cfg.bos;
    for (size_t i = 0; i < sizeof prompt - 1 && n < tokens; i++) ids[n++] = (uint8_t)prompt[i];
    st = assay_tables_new(&s->tables, &s->model.cfg, tokens + 1, err);
    if (st == ASSAY_OK) st = assay_model_reply(&s->model, &s->tables, ids, n, tokens - n, &n_out, &y, &opt, err);
    if (st == ASSAY_OK) st = assay_request_new(&s->rq, ids, n, n_out, y, NULL, 0, err);
    return st;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/tiny";
    uint32_t tokens = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
    int runs = argc > 3 ? atoi(argv[3]) : 3;
    unsigned threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    static setup s;
    assay_errinfo err;
    char text[512];
    memset(&err, 0, sizeof err);
    assay_status st = tokens < 2 || tokens > 4000 ? ASSAY_EINVAL : make(&s, folder, tokens, threads, &err);
    printf("backend %s, %u threads; %u prompt and %u reply tokens\n", s.be.name ? s.be.name : "?",
           assay_pool_threads(s.pool), s.rq.n_prompt, s.rq.n_tokens - s.rq.n_prompt);
    const assay_prover_key key = {&s.pub, &s.model, &s.rows, s.tree, s.seed};
    for (int k = 0; k < runs && st == ASSAY_OK; k++) {
        stages g = {NULL, 0};
        const assay_progress progress = {on_progress, &g};
        assay_writer proof;
        assay_cp_result r;
        assay_writer_init(&proof, ASSAY_MAX_PROOF_FILE);
        double t0 = now();
        st = assay_cp_prove(&proof, &key, &s.rq, &s.be, &progress, NULL, &err);
        double t1 = now();
        if (st == ASSAY_OK) on_progress(&g, "", 1);
        if (st == ASSAY_OK) st = assay_cp_verify(&r, &s.pub, &s.rq, proof.p, proof.n, 128, NULL, 0, &err);
        if (st == ASSAY_OK)
            printf("prove %.3f s, %zu bytes; verify %.3f s: %s\n", t1 - t0, proof.n, now() - t1,
                   r.verdict == ASSAY_ACCEPT ? "accepted" : r.reason);
        assay_writer_clear(&proof);
    }
    if (st != ASSAY_OK) printf("%s: %s\n", assay_status_name(st), assay_errinfo_text(&err, text, sizeof text));
    return st != ASSAY_OK;
}
