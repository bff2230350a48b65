/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for jobs. The engine's callbacks and the server's leave a mark and wake the thread; only the thread
 * begins, answers and frees followers. */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "daemon/service_impl.h"
#include <string.h>
#include <time.h>

enum {
    SLOW = 1 << 12,    /* bytes that a watcher has not taken: it gets no more events until it has */
    LOOK_AGAIN = 50,   /* ms, while a watcher is slow */
    LOOK_ANYWAY = 1000 /* ms */
};

struct assay_follower {
    assay_follower *next;
    assay_service *service;
    assay_call *call; /* held */
    assay_follow_form form;
    bool without_result;
    assay_wanted *wanted;
    assay_watch *watch; /* the thread's own */
    bool begun;         /* the thread's own */
    uint64_t until;     /* assay_clock_ms */

    bool gone, changed; /* with the lock held, as what follows */
    assay_job_view job;
    char id[ASSAY_JOB_ID + 1];
};

static void wake(assay_service *s)
{
    (void)pthread_cond_signal(&s->work);
}

/* ---- marks */

static void on_change(void *ctx, const assay_job_view *job)
{
    assay_follower *f = ctx;
    assay_service *s = f->service;
    (void)pthread_mutex_lock(&s->lock);
    f->job = *job;
    f->changed = true;
    wake(s);
    (void)pthread_mutex_unlock(&s->lock);
}

static void on_gone(void *ctx, assay_call *c)
{
    (void)c;
    assay_follower *f = ctx;
    assay_service *s = f->service;
    (void)pthread_mutex_lock(&s->lock);
    f->gone = true;
    wake(s);
    (void)pthread_mutex_unlock(&s->lock);
}

void assay_service_follow(assay_service *s, assay_call *c, assay_follow_form form, const char *id, assay_wanted *wanted,
                          uint64_t timeout_ms, bool without_result)
{
    assay_follower *f = assay_mem_alloc(1, sizeof *f);
    if (!f) {
        if (wanted) assay_wanted_give(s, wanted, false);
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    const uint64_t now = assay_clock_ms();
    f->service = s;
    f->call = assay_call_hold(c);
    f->form = form;
    f->without_result = without_result;
    f->wanted = wanted;
    f->until = timeout_ms == 0 || timeout_ms > UINT64_MAX - now ? UINT64_MAX : now + timeout_ms;
    (void)memcpy(f->id, id, strlen(id) + 1);
    /* Before the list has it: the thread may free it as soon as it has. */
    assay_call_on_cancel(c, on_gone, f);
    (void)pthread_mutex_lock(&s->lock);
    s->n_followers++;
    f->next = s->followers;
    s->followers = f;
    wake(s);
    (void)pthread_mutex_unlock(&s->lock);
}

/* ---- who wants a job */

static assay_wanted *find_wanted(assay_service *s, const char *id)
{
    for (assay_wanted *w = s->wanted; w; w = w->next)
        if (strcmp(w->id, id) == 0) return w;
    return NULL;
}

assay_wanted *assay_wanted_take(assay_service *s, const char *id)
{
    assay_wanted *fresh = assay_mem_alloc(1, sizeof *fresh), *w;
    (void)pthread_mutex_lock(&s->lock);
    while ((w = find_wanted(s, id)) != NULL && w->cancelling) (void)pthread_cond_wait(&s->quiet, &s->lock);
    if (!w && fresh) {
        w = fresh;
        fresh = NULL;
        (void)memcpy(w->id, id, strlen(id) + 1);
        w->next = s->wanted;
        s->wanted = w;
    }
    if (w) w->refs++;
    (void)pthread_mutex_unlock(&s->lock);
    assay_mem_free(fresh);
    return w;
}

/* Takes it out of the list. With the lock held. */
static void forget(assay_service *s, assay_wanted *w)
{
    assay_wanted **at = &s->wanted;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    assay_mem_free(w);
}

void assay_wanted_give(assay_service *s, assay_wanted *w, bool ended)
{
    (void)pthread_mutex_lock(&s->lock);
    if (ended) w->runs_alone = true; /* nothing to cancel any more */
    if (--w->refs == 0) {
        w->cancelling = w->made_by_prove && !w->runs_alone && !s->stopped;
        if (w->cancelling)
            wake(s);
        else
            forget(s, w);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static void log_abandoned(const assay_service *s, const char *id)
{
    const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("job", id)};
    if (s->log) assay_log_event(s->log, ASSAY_LOG_INFO, "job_abandoned", fields, 1);
}

/* Cancels a job that nobody wants, if there is one. */
static bool cancel_one(assay_service *s)
{
    assay_job_state before;
    assay_wanted *w;
    (void)pthread_mutex_lock(&s->lock);
    for (w = s->wanted; w && !w->cancelling;) w = w->next;
    (void)pthread_mutex_unlock(&s->lock);
    if (!w) return false;
    log_abandoned(s, w->id);
    const assay_status st = assay_engine_cancel(s->engine, w->id, &before, NULL);
    if (st != ASSAY_OK && s->log) {
        const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("job", w->id),
                                          ASSAY_LOG_TEXT_FIELD("reason", assay_status_name(st))};
        assay_log_event(s->log, ASSAY_LOG_WARN, "job_not_cancelled", fields, 2);
    }
    (void)pthread_mutex_lock(&s->lock);
    forget(s, w);
    (void)pthread_cond_broadcast(&s->quiet);
    (void)pthread_mutex_unlock(&s->lock);
    return true;
}

/* ---- the thread */

/* Ends a follower that is out of the list. ended: the job has, or there is none. */
static void end_follower(assay_service *s, assay_follower *f, bool ended)
{
    assay_call_on_cancel(f->call, NULL, NULL);
    if (f->watch) assay_engine_unwatch(s->engine, f->watch); /* later there may be no engine */
    if (f->wanted) assay_wanted_give(s, f->wanted, ended);
    assay_call_release(f->call);
    assay_mem_free(f);
    (void)pthread_mutex_lock(&s->lock);
    s->n_followers--;
    (void)pthread_cond_broadcast(&s->quiet);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Whether there is something to do for a follower; a watcher that is slow is looked at again soon. */
static bool is_due(const assay_service *s, assay_follower *f, uint64_t now, uint64_t *next)
{
    if (!f->begun || f->gone || s->stopped || now >= f->until) return true;
    if (f->until < *next) *next = f->until;
    if (!f->changed) return false;
    if (assay_job_ended(f->job.state)) return true;
    if (f->form != FOLLOW_WATCH) return false;
    if (assay_call_pending(f->call) <= SLOW) return true;
    if (now + LOOK_AGAIN < *next) *next = now + LOOK_AGAIN;
    return false;
}

/* Takes out a follower for which there is something to do. With the lock held. */
static assay_follower *take_due(assay_service *s, uint64_t *next)
{
    const uint64_t now = assay_clock_ms();
    *next = now + LOOK_ANYWAY;
    for (assay_follower **at = &s->followers; *at; at = &(*at)->next) {
        assay_follower *f = *at;
        if (!is_due(s, f, now, next)) continue;
        *at = f->next;
        return f;
    }
    return NULL;
}

/* Begins to watch the job. False when that cannot be: the call is answered. */
static bool begin(assay_service *s, assay_follower *f, bool *ended)
{
    assay_errinfo err = {0};
    bool found = false;
    f->begun = true;
    const assay_status st = assay_engine_watch(s->engine, f->id, on_change, f, &f->watch, &found, &err);
    *ended = st == ASSAY_OK && !found;
    if (st == ASSAY_OK && found) return true;
    f->watch = NULL;
    if (st == ASSAY_OK)
        assay_call_finish(f->call, ASSAY_RPC_NOT_FOUND, "job_id: there is no such job");
    else
        assay_service_fail(f->call, &err);
    return false;
}

/* Answers what changed. True when that was the end of the follower. */
static bool answer(assay_service *s, assay_follower *f, const assay_job_view *job)
{
    assay_errinfo err = {0};
    const bool ended = assay_job_ended(job->state);
    if (f->form != FOLLOW_WATCH) {
        if (ended) assay_result_reply(s, f->call, f->form, job);
        return ended;
    }
    const assay_status st = assay_result_event(s, f->call, job, !f->without_result, &err);
    if (st != ASSAY_OK)
        assay_service_fail(f->call, &err);
    else if (ended)
        assay_call_finish(f->call, ASSAY_RPC_OK, NULL);
    return ended || st != ASSAY_OK;
}

/* What is due for a follower that is out of the list: it ends, or goes back. */
static void serve(assay_service *s, assay_follower *f)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool gone = f->gone, stopped = s->stopped, changed = f->changed;
    const assay_job_view job = f->job;
    f->changed = false;
    (void)pthread_mutex_unlock(&s->lock);
    bool over = true, ended = changed && assay_job_ended(job.state);
    if (gone) {
        /* Nobody to answer. */
    } else if (changed && (ended || !stopped)) {
        over = answer(s, f, &job);
    } else if (stopped) {
        assay_call_finish(f->call, ASSAY_RPC_UNAVAILABLE, "the daemon is stopping; the job stays in the queue");
    } else if (assay_clock_ms() >= f->until) {
        assay_result_timeout(f->call, f->id);
    } else {
        over = !f->begun && !begin(s, f, &ended);
    }
    if (over) {
        end_follower(s, f, ended);
        return;
    }
    (void)pthread_mutex_lock(&s->lock);
    f->next = s->followers;
    s->followers = f;
    (void)pthread_mutex_unlock(&s->lock);
}

static void wait_until(assay_service *s, uint64_t next)
{
    struct timespec t = {0, 0};
    const uint64_t now = assay_clock_ms(), ms = next > now ? next - now : 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(&s->work, &s->lock, &t);
}

static bool has_cancellations(const assay_service *s)
{
    for (const assay_wanted *w = s->wanted; w; w = w->next)
        if (w->cancelling) return true;
    return false;
}

static void *follow(void *arg)
{
    assay_service *s = arg;
    for (;;) {
        uint64_t next;
        (void)pthread_mutex_lock(&s->lock);
        assay_follower *f = take_due(s, &next);
        const bool cancels = has_cancellations(s), over = s->closing && !f && !cancels;
        if (!f && !cancels && !over) wait_until(s, next);
        (void)pthread_mutex_unlock(&s->lock);
        if (over) return NULL;
        if (cancels) (void)cancel_one(s);
        if (f) serve(s, f);
    }
}

/* ---- life */

assay_status assay_follow_start(assay_service *s, assay_errinfo *err)
{
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock) != 0) return ASSAY_FAIL(err, ASSAY_ENOMEM, "service", "out of memory");
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->work, &clock);
    (void)pthread_cond_init(&s->quiet, NULL);
    (void)pthread_condattr_destroy(&clock);
    if (pthread_create(&s->thread, NULL, follow, s) != 0)
        return ASSAY_FAIL(err, ASSAY_EIO, "service", "a thread cannot be started");
    s->started = true;
    return ASSAY_OK;
}

void assay_follow_stop(assay_service *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->stopped = true;
    wake(s);
    while (s->n_followers || has_cancellations(s)) (void)pthread_cond_wait(&s->quiet, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

void assay_follow_free(assay_service *s)
{
    assay_follow_stop(s);
    (void)pthread_mutex_lock(&s->lock);
    s->closing = true;
    wake(s);
    (void)pthread_mutex_unlock(&s->lock);
    if (s->started) (void)pthread_join(s->thread, NULL);
    (void)pthread_cond_destroy(&s->work);
    (void)pthread_cond_destroy(&s->quiet);
    (void)pthread_mutex_destroy(&s->lock);
}
