/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads plan and look up at once, with one catalogue whose memory of circuits is too small for them.
 * ctest: labels threads
 * ctest: uses unit/groth16 */
#define _POSIX_C_SOURCE 200809L
#include "engine/catalogue_impl.h"
#include "groth16/chain.h"
#include "harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 60 };

typedef struct work {
    assay_catalogue *c;
    assay_subject_entry e;
    assay_blob input;
    atomic_uint wrong;
} work;

static void *plan_many(void *ctx)
{
    work *w = ctx;
    for (unsigned i = 0; i < ROUNDS; i++) {
        assay_job_plan j, again;
        const unsigned threads = 1 + i * 7 % (ASSAY_PLAN_FACTS + 9); /* what is asked for is another key each time */
        const assay_status s = assay_job_plan_make(&j, w->c, w->e.kind, &w->e, &w->input, 1, threads, UINT64_MAX, NULL);
        const assay_status t =
            assay_job_plan_make(&again, w->c, w->e.kind, &w->e, &w->input, 1, threads, UINT64_MAX, NULL);
        if (s != ASSAY_OK || t != ASSAY_OK || j.key != again.key || j.prove != again.prove || j.peak != again.peak)
            atomic_fetch_add(&w->wrong, 1);
    }
    return NULL;
}

TEST(plans_at_once)
{
    chain k;
    work w = {.e = {.kind = ASSAY_JOB_GROTH16, .name = "chain"}};
    pthread_t threads[THREADS];
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 20, true));
    assay_buffer wtns = chain_read(k.wtns);
    w.input = (assay_blob){wtns.p, wtns.n};
    (void)snprintf(w.e.path, sizeof w.e.path, "%s", k.zkey);
    REQUIRE_OK(assay_file_stamp_read(&w.e.stamp, k.zkey, NULL));
    REQUIRE_OK(assay_catalogue_new(&w.c, "", "", NULL));
    for (size_t i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, plan_many, &w) == 0);
    for (size_t i = 0; i < THREADS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
    CHECK_EQ_U64(atomic_load(&w.wrong), 0);
    assay_catalogue_free(w.c);
    assay_buffer_free(&wtns);
}
