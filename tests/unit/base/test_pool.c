/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: each job once, ranges cover, nesting, sharing, many short loops.
 * ctest: labels threads */
#define _GNU_SOURCE
#include "base/mem.h"
#include "base/pool.h"
#include "harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define NJOBS 1000

static void count_job(void *ctx, size_t job)
{
    atomic_fetch_add((atomic_uint *)ctx + job, 1);
}

static const unsigned thread_counts[] = {1, 2, 3, 8};

TEST(every_job_once)
{
    for (size_t t = 0; t < 4; t++) {
        assay_pool *p = NULL;
        REQUIRE_OK(assay_pool_new(&p, thread_counts[t], NULL));
        CHECK_EQ_U64(assay_pool_threads(p), thread_counts[t]);
        for (size_t n = 0; n <= NJOBS; n = n < 5 ? n + 1 : n + 199) {
            static atomic_uint counts[NJOBS];
            for (size_t i = 0; i < NJOBS; i++) atomic_store(&counts[i], 0);
            assay_pool_run(p, n, count_job, counts);
            unsigned wrong = 0;
            for (size_t i = 0; i < NJOBS; i++) wrong += atomic_load(&counts[i]) != (i < n);
            CHECK_EQ_U64(wrong, 0);
        }
        assay_pool_free(p);
    }
    assay_pool_free(NULL);
    CHECK_EQ_U64(assay_pool_threads(NULL), 1);
}

static void fill_range(void *ctx, size_t begin, size_t end)
{
    uint32_t *v = (uint32_t *)ctx;
    for (size_t i = begin; i < end; i++) v[i] += (uint32_t)i + (begin % 64 != 0) * 1000000u;
}

TEST(ranges_cover_without_overlap)
{
    static uint32_t v[70001];
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 70001}, grains[] = {0, 1, 64, 100, 5000, SIZE_MAX};
    assay_pool *p = NULL;
    REQUIRE_OK(assay_pool_new(&p, 3, NULL));
    for (size_t a = 0; a < 7; a++) {
        for (size_t b = 0; b < 6; b++) {
            for (size_t i = 0; i < 70001; i++) v[i] = 0;
            assay_pool_range(b % 2 ? p : NULL, sizes[a], grains[b], fill_range, v);
            size_t wrong = 0;
            for (size_t i = 0; i < 70001; i++) wrong += v[i] != (i < sizes[a] ? i : 0);
            CHECK_EQ_U64(wrong, 0);
        }
    }
    assay_pool_free(p);
}

typedef struct nested {
    assay_pool *p;
    atomic_uint sum;
} nested;

static void inner_job(void *ctx, size_t job)
{
    atomic_fetch_add(&((nested *)ctx)->sum, (unsigned)job);
}
static void outer_job(void *ctx, size_t job)
{
    (void)job;
    assay_pool_run(((nested *)ctx)->p, 10, inner_job, ctx);
}

TEST(nested_calls_run_inline)
{
    nested n = {NULL, 0};
    REQUIRE_OK(assay_pool_new(&n.p, 4, NULL));
    for (int i = 0; i < 50; i++) assay_pool_run(n.p, 20, outer_job, &n);
    CHECK_EQ_U64(atomic_load(&n.sum), 50 * 20 * 45);
    assay_pool_free(n.p);
}

/* Plain memory written in one loop and read in the next: a missing barrier shows here, and under TSan. */
typedef struct chain {
    uint64_t a[256], b[256];
} chain;

static void step_ab(void *ctx, size_t i)
{
    chain *c = (chain *)ctx;
    c->b[i] = c->a[i] + c->a[(i + 1) % 256];
}
static void step_ba(void *ctx, size_t i)
{
    chain *c = (chain *)ctx;
    c->a[i] = c->b[i] ^ c->b[(i + 7) % 256];
}

static void chain_run(assay_pool *p, chain *c)
{
    for (size_t i = 0; i < 256; i++) c->a[i] = i * i + 1;
    for (int i = 0; i < 300; i++) {
        assay_pool_run(p, 256, step_ab, c);
        assay_pool_run(p, 256, step_ba, c);
    }
}

TEST(loops_see_each_other)
{
    static chain one, many;
    assay_pool *p = NULL;
    REQUIRE_OK(assay_pool_new(&p, 4, NULL));
    chain_run(NULL, &one);
    chain_run(p, &many);
    CHECK_EQ_MEM(many.a, one.a, sizeof one.a);
    assay_pool_free(p);
}

static assay_pool *shared_pool;

static void *shared_user(void *arg)
{
    chain_run(shared_pool, (chain *)arg);
    return NULL;
}

TEST(two_callers_share_a_pool)
{
    static chain one, x, y;
    pthread_t other;
    REQUIRE_OK(assay_pool_new(&shared_pool, 3, NULL));
    chain_run(NULL, &one);
    REQUIRE(pthread_create(&other, NULL, shared_user, &x) == 0);
    chain_run(shared_pool, &y);
    (void)pthread_join(other, NULL);
    CHECK_EQ_MEM(x.a, one.a, sizeof one.a);
    CHECK_EQ_MEM(y.a, one.a, sizeof one.a);
    assay_pool_free(shared_pool);
}

static void pause_job(void *ctx, size_t job)
{
    struct timespec t = {0, 2000000};
    if (job == 0) (void)nanosleep(&t, NULL);
    atomic_fetch_add((atomic_uint *)ctx, 1);
}

/* Long enough for workers and caller to fall asleep and be woken. */
TEST(sleepers_wake)
{
    assay_pool *p = NULL;
    atomic_uint sum = 0;
    struct timespec t = {0, 3000000};
    REQUIRE_OK(assay_pool_new(&p, 2, NULL));
    for (int i = 0; i < 20; i++) {
        (void)nanosleep(&t, NULL);
        assay_pool_run(p, 4, pause_job, &sum);
    }
    CHECK_EQ_U64(atomic_load(&sum), 80);
    assay_pool_free(p);
}

TEST(bad_arguments_and_memory)
{
    assay_pool *p = NULL;
    CHECK_STATUS(assay_pool_new(&p, 1000000, NULL), ASSAY_EINVAL);
    CHECK(p == NULL);
    (void)assay_mem_fail_after(1);
    CHECK_STATUS(assay_pool_new(&p, 2, NULL), ASSAY_ENOMEM);
    (void)assay_mem_fail_after(0);
    CHECK(p == NULL);
    REQUIRE_OK(assay_pool_new(&p, 0, NULL));
    CHECK(assay_pool_threads(p) >= 1);
    assay_pool_free(p);
}
