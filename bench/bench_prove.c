/* SPDX-License-Identifier: Apache-2.0 */
/* One proof of a committed model, stage by stage: wall seconds, CPU seconds of all threads, and the most memory that
 * lived, counted by the library and as the system saw it; beside them what the plan says.
 *     bench_prove COMMITMENT F.req F.y [THREADS]      (takes one proof of the commitment's lifetime) */
#define _POSIX_C_SOURCE 200809L
#include "assay/prove.h"
#include "base/file.h"
#include "base/mem.h"
#include "cp/commitment.h"
#include "cp/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct stages {
    const char *name;
    double wall, cpu;
} stages;

static double seconds(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_progress(void *ctx, const char *stage, double done)
{
    stages *s = ctx;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    (void)done;
    if (s->name)
        printf("%-22s %9.2f s %9.2f s CPU %9.1f MB\n", s->name, wall - s->wall, cpu - s->cpu,
               1e-6 * (double)assay_mem_peak());
    (void)fflush(stdout);
    *s = (stages){stage, wall, cpu};
    assay_mem_peak_reset();
    return 0;
}

static assay_status read_request(assay_request **r, char **argv, assay_errinfo *err)
{
    assay_buffer a = {NULL, 0}, b = {NULL, 0};
    assay_status s = assay_file_read(argv[2], 1 << 20, &a.p, &a.n, err);
    if (s == ASSAY_OK) s = assay_file_read(argv[3], 1 << 20, &b.p, &b.n, err);
    if (s == ASSAY_OK) s = assay_request_parse(r, a.p, a.n, b.p, b.n, err);
    assay_buffer_free(&a);
    assay_buffer_free(&b);
    return s;
}

int main(int argc, char **argv)
{
    assay_open_options o;
    assay_errinfo err;
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_buffer proof = {NULL, 0};
    stages g = {NULL, 0, 0};
    const assay_progress progress = {on_progress, &g};
    assay_cp_plan plan;
    struct rusage usage;
    char text[512];
    memset(&err, 0, sizeof err);
    memset(&o, 0, sizeof o);
    if (argc < 4) return fprintf(stderr, "usage: bench_prove COMMITMENT F.req F.y [THREADS]\n"), 2;
    o.reserve = 1;
    o.threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    assay_mem_keep();
    on_progress(&g, "opening the folder", 0);
    assay_status s = read_request(&r, argv, &err);
    if (s == ASSAY_OK) s = assay_commitment_open(&c, argv[1], &o, &err);
    if (s == ASSAY_OK)
        s = assay_cp_plan_make(&plan, &c->pub, r->n_prompt, r->n_tokens, 0, assay_pool_threads(c->pool), &err);
    if (s == ASSAY_OK) s = assay_commitment_prove(c, &proof, r, &progress, &err);
    if (s == ASSAY_OK) {
        on_progress(&g, "", 1);
        (void)getrusage(RUSAGE_SELF, &usage);
        printf(
            "%u + %u tokens, %s, %u threads: %zu bytes; %llu look-ups, %llu leaves in %u trees, %llu cells in %u rows "
            "of 2^%u\n",
            r->n_prompt, r->n_tokens - r->n_prompt, c->be.name, assay_pool_threads(c->pool), proof.n,
            (unsigned long long)plan.look_ups, (unsigned long long)plan.leaves, plan.n_instances,
            (unsigned long long)plan.cells, plan.n_rows, c->pub.params.c);
        printf("planned %.1f MB (%s; commitment %.1f MB), resident at most %.1f MB; CPU %.2f s\n",
               1e-6 * (double)plan.peak_bytes, plan.stage, 1e-6 * (double)plan.commitment_bytes,
               1e-3 * 1.024 * (double)usage.ru_maxrss, seconds(CLOCK_PROCESS_CPUTIME_ID));
    }
    if (s != ASSAY_OK) printf("%s: %s\n", assay_status_name(s), assay_errinfo_text(&err, text, sizeof text));
    assay_buffer_free(&proof);
    assay_request_free(r);
    assay_commitment_free(c);
    return s != ASSAY_OK;
}
