/* SPDX-License-Identifier: Apache-2.0 */
/* Whole proofs of the example model (or another folder): wall time by stage, proof size, checking time.
 *     bench_cp [MODEL_DIR [TOKENS [RUNS [THREADS]]]] */
#include "cp_setup.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stages {
    const char *name;
    double since;
} stages;

static int on_progress(void *ctx, const char *stage, double done)
{
    stages *s = ctx;
    double t = setup_now();
    (void)done;
    if (s->name) printf("  %-20s %8.1f ms\n", s->name, 1e3 * (t - s->since));
    s->name = stage;
    s->since = t;
    return 0;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/tiny";
    uint32_t tokens = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
    int runs = argc > 3 ? atoi(argv[3]) : 3;
    unsigned threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    static cp_setup s;
    assay_errinfo err;
    char text[512];
    memset(&err, 0, sizeof err);
    assay_status st = setup_make(&s, folder, tokens, threads, &err);
    printf("backend %s, %u threads; %u prompt and %u reply tokens\n", s.be.name ? s.be.name : "?",
           assay_pool_threads(s.pool), s.rq.n_prompt, s.rq.n_tokens - s.rq.n_prompt);
    const assay_prover_key key = setup_key(&s);
    for (int k = 0; k < runs && st == ASSAY_OK; k++) {
        stages g = {NULL, 0};
        const assay_progress progress = {on_progress, &g};
        assay_writer proof;
        assay_cp_result r;
        assay_writer_init(&proof, ASSAY_MAX_PROOF_FILE);
        double t0 = setup_now();
        st = assay_cp_prove(&proof, &key, &s.rq, NULL, &s.be, &progress, NULL, &err);
        double t1 = setup_now();
        if (st == ASSAY_OK) on_progress(&g, "", 1);
        if (st == ASSAY_OK) st = assay_cp_verify(&r, &s.pub, &s.rq, NULL, proof.p, proof.n, 128, NULL, 0, &err);
        if (st == ASSAY_OK)
            printf("prove %.3f s, %zu bytes; verify %.3f s: %s\n", t1 - t0, proof.n, setup_now() - t1,
                   r.verdict == ASSAY_ACCEPT ? "accepted" : r.reason);
        assay_writer_clear(&proof);
    }
    if (st != ASSAY_OK) printf("%s: %s\n", assay_status_name(st), assay_errinfo_text(&err, text, sizeof text));
    return st != ASSAY_OK;
}
