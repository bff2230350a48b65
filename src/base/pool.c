/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads for data-parallel loops.
 *
 * One atomic word describes the loop: its number, whether it is open, and how many workers are inside. The caller
 * writes the loop's data, opens it, works itself, closes it when no job is left, and waits for the workers inside. A
 * worker that wakes too late finds the loop closed and touches nothing, so the caller never waits for one that did not
 * take part. Workers spin for some microseconds between loops and then sleep; the caller does the same for the last
 * jobs. */
#define _GNU_SOURCE
#include "base/pool.h"
#include "base/isa.h"
#include "base/mem.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SPINS       2000
#define MAX_THREADS 1024u

#define WORD_OPEN   (UINT64_C(1) << 31)
#define WORD_INSIDE (WORD_OPEN - 1)
#define WORD_NUMBER (UINT64_C(1) << 32) /* one unit of the loop's number */

struct assay_pool {
    _Atomic uint64_t word; /* number << 32 | open << 31 | workers inside */
    _Atomic size_t next;   /* next job */
    size_t njobs;          /* these three: written before the loop opens, read by workers inside */
    assay_job_fn *fn;
    void *ctx;
    atomic_flag busy;        /* one loop at a time: a second thread that shares the pool runs its loop inline */
    atomic_bool stop;        /* workers must return */
    _Atomic unsigned asleep; /* workers waiting on `wake` */
    atomic_bool waiting;     /* the caller waits on `done` */
    pthread_mutex_t lock;    /* for the two conditions only */
    pthread_cond_t wake, done;
    unsigned nworkers; /* threads started; the caller is one more */
    pthread_t threads[];
};

/* Set while a thread runs jobs, so that a nested call runs inline. */
static _Thread_local bool inside_job;

static void run_inline(size_t njobs, assay_job_fn *fn, void *ctx)
{
    for (size_t i = 0; i < njobs; i++) fn(ctx, i);
}

static void take_jobs(assay_pool *p)
{
    size_t i;
    inside_job = true;
    while ((i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->njobs) p->fn(p->ctx, i);
    inside_job = false;
}

/* Waits for a loop after number `seen`: spins, then sleeps. Returns the word, in which the loop may be closed again. */
static uint64_t wait_for_loop(assay_pool *p, uint64_t seen)
{
    uint64_t w;
    for (int i = 0; i < SPINS; i++) {
        w = atomic_load(&p->word);
        if (w / WORD_NUMBER != seen || atomic_load(&p->stop)) return w;
        cpu_relax();
    }
    (void)pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->asleep, 1);
    while ((w = atomic_load(&p->word)) / WORD_NUMBER == seen && !atomic_load(&p->stop))
        (void)pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->asleep, 1);
    (void)pthread_mutex_unlock(&p->lock);
    return w;
}

static void *worker(void *arg)
{
    assay_pool *p = (assay_pool *)arg;
    uint64_t seen = 0;
    while (!atomic_load(&p->stop)) {
        uint64_t w = wait_for_loop(p, seen);
        seen = w / WORD_NUMBER;
        bool joined = false;
        while ((w & WORD_OPEN) && w / WORD_NUMBER == seen && !joined)
            joined = atomic_compare_exchange_weak(&p->word, &w, w + 1);
        if (!joined) continue;
        take_jobs(p);
        w = atomic_fetch_sub(&p->word, 1);
        if ((w & (WORD_INSIDE | WORD_OPEN)) == 1 && atomic_load(&p->waiting)) { /* the last one out */
            (void)pthread_mutex_lock(&p->lock);
            (void)pthread_cond_signal(&p->done);
            (void)pthread_mutex_unlock(&p->lock);
        }
    }
    return NULL;
}

static void wait_for_workers(assay_pool *p)
{
    for (int i = 0; i < SPINS; i++) {
        if (!(atomic_load(&p->word) & WORD_INSIDE)) return;
        cpu_relax();
    }
    (void)pthread_mutex_lock(&p->lock);
    atomic_store(&p->waiting, true);
    while (atomic_load(&p->word) & WORD_INSIDE) (void)pthread_cond_wait(&p->done, &p->lock);
    atomic_store(&p->waiting, false);
    (void)pthread_mutex_unlock(&p->lock);
}

void assay_pool_run(assay_pool *p, size_t njobs, assay_job_fn *fn, void *ctx)
{
    if (!p || p->nworkers == 0 || njobs < 2 || inside_job || atomic_flag_test_and_set(&p->busy)) {
        run_inline(njobs, fn, ctx);
        return;
    }
    p->njobs = njobs;
    p->fn = fn;
    p->ctx = ctx;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store(&p->word, (atomic_load(&p->word) / WORD_NUMBER + 1) * WORD_NUMBER | WORD_OPEN);
    if (atomic_load(&p->asleep)) {
        (void)pthread_mutex_lock(&p->lock);
        (void)pthread_cond_broadcast(&p->wake);
        (void)pthread_mutex_unlock(&p->lock);
    }
    take_jobs(p);
    atomic_fetch_and(&p->word, ~WORD_OPEN);
    wait_for_workers(p);
    atomic_flag_clear(&p->busy);
}

typedef struct range_loop {
    assay_range_fn *fn;
    void *ctx;
    size_t n, chunk;
} range_loop;

static void run_chunk(void *arg, size_t job)
{
    const range_loop *r = (const range_loop *)arg;
    size_t begin = job * r->chunk;
    size_t count = r->n - begin < r->chunk ? r->n - begin : r->chunk;
    r->fn(r->ctx, begin, begin + count);
}

void assay_pool_range(assay_pool *p, size_t n, size_t grain, assay_range_fn *fn, void *ctx)
{
    if (n == 0) return;
    if (grain > n) grain = n;
    size_t chunk = grain < 64 ? 64 : (grain - 1) / 64 * 64 + 64;
    range_loop r = {fn, ctx, n, chunk};
    assay_pool_run(p, (n - 1) / chunk + 1, run_chunk, &r);
}

static unsigned available_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}

/* Starts one worker. Workers take no signals: those are for the program's own threads. */
static bool start_worker(assay_pool *p)
{
    sigset_t all, old;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0) return false;
    bool started = pthread_create(&p->threads[p->nworkers], NULL, worker, p) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (started) p->nworkers++;
    return started;
}

assay_status assay_pool_new(assay_pool **out, unsigned nthreads, assay_errinfo *err)
{
    *out = NULL;
    if (nthreads == 0) nthreads = available_cpus();
    if (nthreads > MAX_THREADS) return ASSAY_FAIL1(err, ASSAY_EINVAL, NULL, "too many threads", nthreads);
    assay_pool *p = (assay_pool *)assay_mem_alloc(1, sizeof *p + nthreads * sizeof p->threads[0]);
    if (!p) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the thread pool");
    atomic_flag_clear(&p->busy);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->wake, NULL);
    (void)pthread_cond_init(&p->done, NULL);
    while (p->nworkers + 1 < nthreads) {
        if (start_worker(p)) continue;
        unsigned started = p->nworkers;
        assay_pool_free(p);
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "cannot start a thread (started)", started);
    }
    *out = p;
    return ASSAY_OK;
}

void assay_pool_free(assay_pool *p)
{
    if (!p) return;
    atomic_store(&p->stop, true);
    (void)pthread_mutex_lock(&p->lock);
    (void)pthread_cond_broadcast(&p->wake);
    (void)pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->nworkers; i++) (void)pthread_join(p->threads[i], NULL);
    (void)pthread_cond_destroy(&p->done);
    (void)pthread_cond_destroy(&p->wake);
    (void)pthread_mutex_destroy(&p->lock);
    assay_mem_free(p);
}

unsigned assay_pool_threads(const assay_pool *p)
{
    return p ? p->nworkers + 1 : 1;
}
