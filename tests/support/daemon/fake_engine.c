/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of tests. */
#define _POSIX_C_SOURCE 200809L
#include "support/daemon/fake_engine.h"
#include "engine/blob_list_codec.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    struct job *next;
    assay_job_view view;
    assay_job_spec spec;
    assay_blob *inputs;
    uint8_t *bytes;
    uint8_t digest[32];
    assay_blob *result; /* copies */
    size_t n_result;
} job;

struct assay_watch {
    struct assay_watch *next;
    job *of;
    assay_watch_fn *fn;
    void *ctx;
};

typedef struct held {
    struct held *next;
    const assay_job_spec *spec;
    assay_submit_fn *fn;
    void *ctx;
} held;

struct assay_engine {
    pthread_mutex_t lock;     /* of the tables */
    pthread_mutex_t delivery; /* one change at a time is told, and none while something is unwatched */
    job *jobs;
    assay_watch *watches;
    held *held;
    bool holds, has_answer;
    assay_submit_answer answer;
    assay_key_answer key;
    size_t cancels;
    uint64_t sequence;
    assay_engine_look look;
};

assay_engine *fake_engine_new(void)
{
    assay_engine *e = calloc(1, sizeof *e);
    if (!e) abort();
    (void)pthread_mutex_init(&e->lock, NULL);
    (void)pthread_mutex_init(&e->delivery, NULL);
    return e;
}

static void free_job(job *j)
{
    free(j->inputs);
    free(j->bytes);
    for (size_t i = 0; i < j->n_result; i++) free((void *)(uintptr_t)j->result[i].p);
    free(j->result);
    free(j);
}

void fake_engine_free(assay_engine *e)
{
    while (e->jobs) {
        job *j = e->jobs;
        e->jobs = j->next;
        free_job(j);
    }
    (void)pthread_mutex_destroy(&e->lock);
    (void)pthread_mutex_destroy(&e->delivery);
    free(e);
}

static void lock(assay_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
}

static void unlock(assay_engine *e)
{
    (void)pthread_mutex_unlock(&e->lock);
}

static job *find(assay_engine *e, const char *id)
{
    for (job *j = e->jobs; j; j = j->next)
        if (strcmp(j->view.id, id) == 0) return j;
    return NULL;
}

/* ---- submissions */

static void keep_inputs(job *j, const assay_job_spec *spec)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < spec->n_inputs; i++) n += spec->inputs[i].n;
    j->bytes = malloc(n + 1);
    j->inputs = calloc(spec->n_inputs + 1, sizeof *j->inputs);
    if (!j->bytes || !j->inputs) abort();
    for (size_t i = 0; i < spec->n_inputs; i++) {
        if (spec->inputs[i].n) memcpy(j->bytes + at, spec->inputs[i].p, spec->inputs[i].n);
        j->inputs[i] = (assay_blob){j->bytes + at, spec->inputs[i].n};
        at += spec->inputs[i].n;
    }
    j->spec.inputs = j->inputs;
}

/* With the lock held. */
static assay_submit_answer enter(assay_engine *e, const assay_job_spec *spec)
{
    assay_submit_answer a = {.status = ASSAY_OK, .outcome = ASSAY_SUBMIT_NEW, .queue_position = 3};
    uint8_t digest[32];
    (void)snprintf(a.id, sizeof a.id, "%s", spec->id);
    if (e->has_answer) {
        e->has_answer = false;
        (void)snprintf(e->answer.id, sizeof e->answer.id, "%s", spec->id);
        return e->answer;
    }
    assay_job_digest(digest, spec);
    job *j = find(e, spec->id);
    if (j) {
        a.outcome = memcmp(digest, j->digest, 32) == 0 ? ASSAY_SUBMIT_EXISTED : ASSAY_SUBMIT_CONFLICT;
        return a;
    }
    j = calloc(1, sizeof *j);
    if (!j) abort();
    j->spec = *spec;
    keep_inputs(j, spec);
    memcpy(j->digest, digest, 32);
    j->view = (assay_job_view){.kind = spec->kind,
                               .priority = spec->priority,
                               .state = ASSAY_JOB_QUEUED,
                               .sequence = ++e->sequence,
                               .stage = "",
                               .partitions = 1,
                               .queue_position = 3,
                               .deadline = spec->deadline};
    (void)snprintf(j->view.id, sizeof j->view.id, "%s", spec->id);
    (void)snprintf(j->view.subject, sizeof j->view.subject, "%s", spec->subject);
    j->next = e->jobs;
    e->jobs = j;
    return a;
}

void assay_engine_submit(assay_engine *e, const assay_job_spec *spec, assay_submit_fn *fn, void *ctx)
{
    lock(e);
    if (e->holds) {
        held *h = calloc(1, sizeof *h), **last = &e->held;
        if (!h) abort();
        *h = (held){NULL, spec, fn, ctx};
        while (*last) last = &(*last)->next;
        *last = h;
        unlock(e);
        return;
    }
    const assay_submit_answer a = enter(e, spec);
    unlock(e);
    fn(ctx, &a);
}

void fake_engine_hold(assay_engine *e)
{
    lock(e);
    e->holds = true;
    unlock(e);
}

void fake_engine_release(assay_engine *e)
{
    lock(e);
    held *h = e->held;
    e->held = NULL;
    e->holds = false;
    unlock(e);
    while (h) {
        held *next = h->next;
        lock(e);
        const assay_submit_answer a = enter(e, h->spec);
        unlock(e);
        h->fn(h->ctx, &a);
        free(h);
        h = next;
    }
}

size_t fake_engine_held(assay_engine *e)
{
    size_t n = 0;
    lock(e);
    for (const held *h = e->held; h; h = h->next) n++;
    unlock(e);
    return n;
}

void fake_engine_refuse(assay_engine *e, assay_status status, assay_submit_outcome outcome, const char *error)
{
    lock(e);
    e->has_answer = true;
    e->answer = (assay_submit_answer){.status = status, .outcome = outcome};
    (void)snprintf(e->answer.error, sizeof e->answer.error, "%s", error);
    unlock(e);
}

const assay_job_spec *fake_engine_spec(assay_engine *e, const char *id)
{
    lock(e);
    const job *j = find(e, id);
    unlock(e);
    return j ? &j->spec : NULL;
}

assay_job_state fake_engine_state(assay_engine *e, const char *id)
{
    lock(e);
    const job *j = find(e, id);
    const assay_job_state s = j ? j->view.state : (assay_job_state)0;
    unlock(e);
    return s;
}

/* ---- changes */

static void tell(assay_engine *e, const char *id)
{
    (void)pthread_mutex_lock(&e->delivery);
    lock(e);
    assay_watch *w = e->watches;
    unlock(e);
    for (; w; w = w->next) {
        lock(e);
        const assay_job_view view = w->of->view;
        unlock(e);
        if (strcmp(view.id, id) == 0) w->fn(w->ctx, &view);
    }
    (void)pthread_mutex_unlock(&e->delivery);
}

void fake_engine_change(assay_engine *e, const char *id, assay_job_state state, const char *stage, double done,
                        const char *error)
{
    lock(e);
    job *j = find(e, id);
    if (j) {
        j->view.state = state;
        j->view.stage = stage;
        j->view.done = done;
        j->view.sequence = ++e->sequence;
        j->view.times.queue_wait = 5;
        j->view.times.load = 6;
        j->view.times.synthesis = 7;
        j->view.times.prove = 8;
        j->view.times.verify = 9;
        j->view.times.total = 10;
        (void)snprintf(j->view.error, sizeof j->view.error, "%s", error);
    }
    unlock(e);
    tell(e, id);
}

void fake_engine_complete(assay_engine *e, const char *id, const assay_blob *result, size_t n)
{
    lock(e);
    job *j = find(e, id);
    if (!j || j->result) abort();
    j->result = calloc(n, sizeof *j->result);
    for (size_t i = 0; i < n; i++) {
        uint8_t *copy = malloc(result[i].n + 1);
        if (!copy || !j->result) abort();
        if (result[i].n) memcpy(copy, result[i].p, result[i].n);
        j->result[i] = (assay_blob){copy, result[i].n};
    }
    j->n_result = n;
    unlock(e);
    fake_engine_change(e, id, ASSAY_JOB_COMPLETED, "", 1, "");
}

assay_status assay_engine_cancel(assay_engine *e, const char *id, assay_job_state *before, assay_errinfo *err)
{
    (void)err;
    *before = fake_engine_state(e, id);
    lock(e);
    e->cancels++;
    unlock(e);
    if (*before == ASSAY_JOB_QUEUED || *before == ASSAY_JOB_RUNNING)
        fake_engine_change(e, id, ASSAY_JOB_CANCELLED, "", 0, "cancelled");
    return ASSAY_OK;
}

size_t fake_engine_cancels(assay_engine *e)
{
    lock(e);
    const size_t n = e->cancels;
    unlock(e);
    return n;
}

assay_status assay_engine_get(assay_engine *e, const char *id, bool *found, assay_job_view *out, assay_buffer *result,
                              assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    lock(e);
    const job *j = find(e, id);
    *found = j != NULL;
    if (j) *out = j->view;
    if (result) *result = (assay_buffer){NULL, 0};
    if (j && result && j->n_result) s = assay_blobs_pack(result, j->result, j->n_result, err);
    unlock(e);
    return s;
}

assay_status assay_engine_watch(assay_engine *e, const char *id, assay_watch_fn *fn, void *ctx, assay_watch **watch,
                                bool *found, assay_errinfo *err)
{
    (void)err;
    assay_watch *w = calloc(1, sizeof *w);
    if (!w) abort();
    (void)pthread_mutex_lock(&e->delivery);
    lock(e);
    job *j = find(e, id);
    *found = j != NULL;
    *w = (assay_watch){e->watches, j, fn, ctx};
    if (j) e->watches = w;
    const assay_job_view view = j ? j->view : (assay_job_view){.id = ""};
    unlock(e);
    if (j) fn(ctx, &view);
    (void)pthread_mutex_unlock(&e->delivery);
    if (!j) free(w);
    *watch = j ? w : NULL;
    return ASSAY_OK;
}

void assay_engine_unwatch(assay_engine *e, assay_watch *watch)
{
    if (!watch) return;
    (void)pthread_mutex_lock(&e->delivery);
    lock(e);
    assay_watch **at = &e->watches;
    while (*at != watch) at = &(*at)->next;
    *at = watch->next;
    unlock(e);
    (void)pthread_mutex_unlock(&e->delivery);
    free(watch);
}

size_t fake_engine_watches(assay_engine *e)
{
    size_t n = 0;
    lock(e);
    for (const assay_watch *w = e->watches; w; w = w->next) n++;
    unlock(e);
    return n;
}

/* ---- keys, look */

void fake_engine_key(assay_engine *e, const assay_key_answer *answer)
{
    e->key = *answer;
}

void assay_engine_preload(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx)
{
    (void)name;
    fn(ctx, &e->key);
}

void assay_engine_evict(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx)
{
    (void)name;
    fn(ctx, &e->key);
}

assay_engine_look *fake_engine_look(assay_engine *e)
{
    return &e->look;
}

assay_engine_look *assay_engine_look_new(assay_engine *e)
{
    assay_engine_look *l = malloc(sizeof *l);
    if (l) *l = e->look;
    return l;
}

void assay_engine_look_free(assay_engine_look *l)
{
    free(l);
}
