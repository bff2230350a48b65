/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads. The queue is a list of links, each with a call: as long as there are calls, so bounded with them. */
#include "daemon/workers.h"
#include "base/mem.h"
#include <pthread.h>

typedef struct job {
    struct job *next;
    assay_call *call;
} job;

struct assay_workers {
    pthread_mutex_t lock;
    pthread_cond_t more;
    job *first, *last;
    bool closing;
    unsigned n;
    pthread_t threads[];
};

static void *work(void *arg)
{
    assay_workers *w = arg;
    for (;;) {
        (void)pthread_mutex_lock(&w->lock);
        while (!w->first && !w->closing) (void)pthread_cond_wait(&w->more, &w->lock);
        job *j = w->first;
        if (j) {
            w->first = j->next;
            if (!w->first) w->last = NULL;
        }
        (void)pthread_mutex_unlock(&w->lock);
        if (!j) return NULL;
        assay_call_work(j->call);
        assay_call_release(j->call);
        assay_mem_free(j);
    }
}

assay_status assay_workers_new(assay_workers **out, unsigned nthreads, assay_errinfo *err)
{
    *out = NULL;
    assay_workers *w = assay_mem_alloc(1, sizeof *w + nthreads * sizeof w->threads[0]);
    if (!w) return ASSAY_FAIL(err, ASSAY_ENOMEM, "workers", "out of memory");
    if (pthread_mutex_init(&w->lock, NULL) != 0 || pthread_cond_init(&w->more, NULL) != 0) {
        assay_mem_free(w);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "workers", "out of memory");
    }
    for (; w->n < nthreads; w->n++)
        if (pthread_create(&w->threads[w->n], NULL, work, w) != 0) {
            assay_workers_free(w);
            return ASSAY_FAIL(err, ASSAY_EIO, "workers", "a thread cannot be started");
        }
    *out = w;
    return ASSAY_OK;
}

void assay_workers_put(assay_workers *w, assay_call *c)
{
    job *j = assay_mem_alloc(1, sizeof *j);
    if (!j) {
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    j->call = assay_call_hold(c);
    (void)pthread_mutex_lock(&w->lock);
    if (w->last)
        w->last->next = j;
    else
        w->first = j;
    w->last = j;
    (void)pthread_cond_signal(&w->more);
    (void)pthread_mutex_unlock(&w->lock);
}

void assay_workers_free(assay_workers *w)
{
    if (!w) return;
    (void)pthread_mutex_lock(&w->lock);
    w->closing = true;
    (void)pthread_cond_broadcast(&w->more);
    (void)pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->n; i++) (void)pthread_join(w->threads[i], NULL);
    (void)pthread_cond_destroy(&w->more);
    (void)pthread_mutex_destroy(&w->lock);
    assay_mem_free(w);
}
