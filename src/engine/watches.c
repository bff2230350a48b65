/* SPDX-License-Identifier: Apache-2.0 */
/* Watches in a table by job. While one is being called the lock is free, and the watch is marked: who removes it waits
 * for the call's end, unless it is the call itself that removes. */
#define _POSIX_C_SOURCE 200809L
#include "engine/watches.h"
#include "base/mem.h"
#include <pthread.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct assay_watch {
    assay_watch *next;
    char id[ASSAY_JOB_ID + 1];
    assay_watch_fn *fn;
    void *ctx;
    uint64_t seen;  /* the last sequence told */
    uint64_t round; /* of the last telling that came by */
    bool told, ended, asks, running, removed;
};

struct assay_watches {
    pthread_mutex_t lock;
    pthread_cond_t ran;
    pthread_t teller;
    uint64_t round;
    size_t n_asks;
    assay_watch *buckets[BUCKETS];
};

static size_t bucket_of(const char *id)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *id; id++) h = (h ^ (uint8_t)*id) * 16777619u;
    return h % BUCKETS;
}

assay_status assay_watches_new(assay_watches **out, assay_errinfo *err)
{
    assay_watches *w = *out = assay_mem_alloc(1, sizeof *w);
    if (!w) return ASSAY_FAIL(err, ASSAY_ENOMEM, "watches", "out of memory");
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->ran, NULL);
    return ASSAY_OK;
}

void assay_watches_free(assay_watches *w)
{
    if (!w) return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (assay_watch *x = w->buckets[i], *next; x; x = next) {
            next = x->next;
            assay_mem_free(x);
        }
    (void)pthread_cond_destroy(&w->ran);
    (void)pthread_mutex_destroy(&w->lock);
    assay_mem_free(w);
}

static void ask(assay_watches *w, assay_watch *x, bool asks)
{
    if (x->asks == asks) return;
    x->asks = asks;
    w->n_asks += asks ? 1 : SIZE_MAX;
}

assay_watch *assay_watches_add(assay_watches *w, const char *id, assay_watch_fn *fn, void *ctx)
{
    assay_watch *x = assay_mem_alloc(1, sizeof *x);
    if (!x) return NULL;
    memcpy(x->id, id, strlen(id) + 1);
    x->fn = fn;
    x->ctx = ctx;
    assay_watch **at = &w->buckets[bucket_of(id)];
    (void)pthread_mutex_lock(&w->lock);
    x->next = *at;
    *at = x;
    ask(w, x, true);
    (void)pthread_mutex_unlock(&w->lock);
    return x;
}

static void unlink_watch(assay_watches *w, assay_watch *x)
{
    assay_watch **at = &w->buckets[bucket_of(x->id)];
    while (*at != x) at = &(*at)->next;
    *at = x->next;
    ask(w, x, false);
}

void assay_watches_remove(assay_watches *w, assay_watch *x)
{
    if (!x) return;
    (void)pthread_mutex_lock(&w->lock);
    unlink_watch(w, x);
    bool free_here = true;
    if (x->running && pthread_equal(w->teller, pthread_self())) {
        x->removed = true; /* by its own call: the teller frees it */
        free_here = false;
    } else {
        while (x->running) (void)pthread_cond_wait(&w->ran, &w->lock);
    }
    (void)pthread_mutex_unlock(&w->lock);
    if (free_here) assay_mem_free(x);
}

/* The next watch of the job that this round has not come by. */
static assay_watch *next_of(const assay_watches *w, const char *id)
{
    for (assay_watch *x = w->buckets[bucket_of(id)]; x; x = x->next)
        if (x->round != w->round && strcmp(x->id, id) == 0) return x;
    return NULL;
}

void assay_watches_tell(assay_watches *w, const assay_job_view *job)
{
    assay_watch *x;
    (void)pthread_mutex_lock(&w->lock);
    w->teller = pthread_self();
    w->round++;
    while ((x = next_of(w, job->id)) != NULL) {
        x->round = w->round;
        ask(w, x, false);
        if (x->ended || (x->told && job->sequence <= x->seen && !assay_job_ended(job->state))) continue;
        x->told = true;
        x->seen = job->sequence;
        x->ended = assay_job_ended(job->state);
        x->running = true;
        (void)pthread_mutex_unlock(&w->lock);
        x->fn(x->ctx, job);
        (void)pthread_mutex_lock(&w->lock);
        x->running = false;
        if (x->removed)
            assay_mem_free(x);
        else
            (void)pthread_cond_broadcast(&w->ran);
    }
    (void)pthread_mutex_unlock(&w->lock);
}

void assay_watches_ask(assay_watches *w, const char *id)
{
    const size_t first = id ? bucket_of(id) : 0, end = id ? first + 1 : BUCKETS;
    (void)pthread_mutex_lock(&w->lock);
    for (size_t i = first; i < end; i++)
        for (assay_watch *x = w->buckets[i]; x; x = x->next)
            if (!x->ended && (!id || strcmp(x->id, id) == 0)) ask(w, x, true);
    (void)pthread_mutex_unlock(&w->lock);
}

bool assay_watches_asked(assay_watches *w, char id[ASSAY_JOB_ID + 1])
{
    bool found = false;
    (void)pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < BUCKETS && w->n_asks && !found; i++)
        for (assay_watch *x = w->buckets[i]; x && !found; x = x->next)
            if (x->asks) {
                memcpy(id, x->id, sizeof x->id);
                ask(w, x, false);
                found = true;
            }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}
