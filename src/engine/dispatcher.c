/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatcher: one thread that decides. It sleeps in poll on the keeper, the queue's event, its own bell and timers;
 * each round takes what has come, makes the moves that the board wants, ends what is over, tells who watches, and shows
 * how things are. It alone calls the keeper; its calls of the queue wait for the disk, so nobody waits for it. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_impl.h"
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum {
    SWEEP_MS = 2000,
    REFRESH_MS = 250, /* of counts that changed */
    IDLE_MS = 1000,   /* a round at least so often */
    NEWS_MS = 500,    /* from another daemon's change to a heartbeat at the latest */
    RETRY_MS = 1000   /* after a refusal of the queue's */
};

assay_status assay_engine_queue_said(assay_engine *e, assay_status st, const assay_errinfo *err)
{
    char text[ASSAY_JOB_ERROR];
    const bool answers = st == ASSAY_OK;
    if (atomic_exchange(&e->queue_answers, answers) != answers)
        assay_engine_log(e, answers ? ASSAY_ENGINE_INFO : ASSAY_ENGINE_ERROR,
                         answers ? "queue_answers" : "queue_refuses", "error",
                         answers ? "" : assay_errinfo_text(err, text, sizeof text), NULL);
    return st;
}

/* ---- what has come */

static void cancel_live(assay_engine *e, const char *id)
{
    assay_live_job *j = assay_engine_job(e, id);
    if (j)
        assay_engine_stop_job(e, j, ASSAY_END_CANCELLED, "cancelled");
    else
        atomic_store(&e->heads_dirty, true); /* it waited, and does not any more */
    assay_watches_ask(e->watches, id);
    e->counts_dirty = true;
}

static void take_requests(assay_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    assay_request *r = e->first_request;
    e->first_request = e->last_request = NULL;
    (void)pthread_mutex_unlock(&e->lock);
    for (assay_request *next; r; r = next) {
        next = r->next;
        if (r->kind == ASSAY_REQUEST_CANCEL) {
            cancel_live(e, r->name);
            assay_mem_free(r);
        } else {
            assay_engine_key_request(e, r);
        }
    }
}

static void refresh_heads(assay_engine *e, uint64_t now)
{
    assay_errinfo err = {0};
    if (now < e->queue_after || !atomic_exchange(&e->heads_dirty, false)) return;
    size_t n = 0;
    const assay_status s = assay_queue_heads(e->queue, e->heads, ASSAY_ENGINE_HEADS, &n, &err);
    if (assay_engine_queue_said(e, s, &err) != ASSAY_OK) {
        atomic_store(&e->heads_dirty, true);
        e->queue_after = now + RETRY_MS;
        n = 0;
    }
    e->n_heads = n;
    e->counts_dirty = e->look_dirty = true;
}

static void refresh_counts(assay_engine *e, uint64_t now)
{
    assay_errinfo err = {0};
    if (now < e->refresh_at || (!e->counts_dirty && now < e->refresh_at + IDLE_MS)) return;
    e->refresh_at = now + REFRESH_MS;
    e->counts_dirty = false;
    const assay_status s = assay_queue_count(e->queue, &e->draft->queue, &err);
    if (assay_engine_queue_said(e, s, &err) != ASSAY_OK) e->refresh_at = now + RETRY_MS;
    uint64_t waiting = 0;
    for (size_t i = 0; i < ASSAY_JOB_KINDS; i++) waiting += e->draft->queue.waiting[i];
    if (s == ASSAY_OK) atomic_store(&e->waiting, waiting);
    e->look_dirty = true;
}

/* ---- timers */

static void heartbeat(assay_engine *e, uint64_t now)
{
    static const uint64_t parts = 3; /* of a lease: two may be missed */
    assay_errinfo err = {0};
    if (now < e->heartbeat_at) return;
    e->heartbeat_at = now + (e->options.queue.lease / parts > 0 ? e->options.queue.lease / parts : 1);
    size_t n = 0, i = 0;
    for (const assay_live_job *j = e->jobs; j; j = j->next) n++;
    if (n == 0) return;
    assay_queue_lease *leases = assay_mem_alloc(n, sizeof *leases);
    if (!leases) return; /* the next one may find memory */
    for (const assay_live_job *j = e->jobs; j; j = j->next, i++) {
        memcpy(leases[i].id, j->view.id, sizeof leases[i].id);
        memcpy(leases[i].token, j->token, sizeof leases[i].token);
    }
    const assay_status s = assay_engine_queue_said(e, assay_queue_heartbeat(e->queue, leases, n, &err), &err);
    i = 0;
    for (assay_live_job *j = e->jobs; s == ASSAY_OK && j; j = j->next, i++) {
        if (leases[i].lost)
            assay_engine_stop_job(e, j, ASSAY_END_DROP, "the lease was lost");
        else if (leases[i].cancel_requested)
            assay_engine_stop_job(e, j, ASSAY_END_CANCELLED, "cancelled");
    }
    assay_mem_free(leases);
}

/* Deadlines of jobs that wait are the queue's to see: it is asked when one of them has come. */
static void sweep(assay_engine *e, uint64_t now, uint64_t unix_now)
{
    assay_errinfo err = {0};
    size_t changed = 0;
    bool due = now >= e->sweep_at;
    for (size_t i = 0; i < e->n_heads; i++)
        due = due || (e->heads[i].deadline && e->heads[i].deadline <= unix_now && now + SWEEP_MS - e->sweep_at > 100);
    if (!due) return;
    e->sweep_at = now + SWEEP_MS;
    const assay_status s = assay_engine_queue_said(e, assay_queue_sweep(e->queue, &changed, &err), &err);
    if (s != ASSAY_OK || changed == 0) return;
    atomic_store(&e->heads_dirty, true);
    e->counts_dirty = true;
    assay_watches_ask(e->watches, NULL);
}

static void check_deadlines(assay_engine *e, uint64_t unix_now)
{
    for (assay_live_job *j = e->jobs; j; j = j->next)
        if (j->view.deadline && j->view.deadline <= unix_now)
            assay_engine_stop_job(e, j, ASSAY_END_FAILED, "deadline passed");
}

static void listen_to_others(assay_engine *e, uint64_t now, bool event)
{
    if (event) {
        assay_queue_quiet(e->queue);
        atomic_store(&e->heads_dirty, true);
        if (e->heartbeat_at > now + NEWS_MS) e->heartbeat_at = now + NEWS_MS; /* a job of ours may be cancelled */
    }
    if (!event && (!assay_queue_shared(e->queue) || now < e->ask_at)) return;
    e->ask_at = now + IDLE_MS;
    atomic_store(&e->heads_dirty, true);
    assay_watches_ask(e->watches, NULL);
}

/* ---- draining */

static void drain(assay_engine *e, uint64_t now)
{
    if (!atomic_load(&e->draining)) return;
    (void)pthread_mutex_lock(&e->lock);
    const uint64_t until = e->drain_until;
    (void)pthread_mutex_unlock(&e->lock);
    for (assay_live_job *j = e->jobs; j; j = j->next)
        if (now >= until || (j->on_board && !j->board.begun)) assay_engine_stop_job(e, j, ASSAY_END_RETURN, "");
}

static void tell_drained(assay_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    if (atomic_load(&e->draining) && !e->jobs && e->drain_until != UINT64_MAX) {
        e->drained = true;
        (void)pthread_cond_broadcast(&e->idle);
    }
    (void)pthread_mutex_unlock(&e->lock);
}

/* ---- watches */

static void tell_one(assay_engine *e, const char *id)
{
    assay_errinfo err = {0};
    bool found = false;
    assay_job_view v = {0};
    const assay_live_job *j = assay_engine_job(e, id);
    if (j) {
        assay_watches_tell(e->watches, &j->view);
        return;
    }
    const assay_status s = assay_engine_queue_said(e, assay_queue_get(e->queue, id, &found, &v, NULL, &err), &err);
    if (s != ASSAY_OK) return; /* asked again below */
    v.sequence <<= ASSAY_SEQUENCE_BITS;
    if (!found) {
        memcpy(v.id, id, strlen(id) + 1);
        v.state = ASSAY_JOB_FAILED;
        v.stage = "";
        assay_text_copy(v.error, sizeof v.error, "nothing is known of this job any more");
    }
    assay_watches_tell(e->watches, &v);
}

static void tell_watches(assay_engine *e, uint64_t now)
{
    char id[ASSAY_JOB_ID + 1];
    for (assay_live_job *j = e->jobs; j; j = j->next) {
        if (!j->changed) continue;
        j->changed = false;
        assay_watches_tell(e->watches, &j->view);
    }
    if (now < e->watch_after) return;
    while (assay_watches_asked(e->watches, id)) {
        tell_one(e, id);
        if (atomic_load(&e->queue_answers)) continue;
        assay_watches_ask(e->watches, NULL);
        e->watch_after = now + RETRY_MS;
        return;
    }
}

/* ---- the loop */

static void earlier(uint64_t *until, uint64_t t)
{
    if (t < *until) *until = t;
}

/* Milliseconds to sleep at most. */
static int pause_of(const assay_engine *e, uint64_t now, uint64_t unix_now)
{
    uint64_t until = now + IDLE_MS, unix_until = UINT64_MAX;
    earlier(&until, e->heartbeat_at);
    earlier(&until, e->sweep_at);
    if (e->counts_dirty) earlier(&until, e->refresh_at);
    if (e->moves_after > now) earlier(&until, e->moves_after);
    for (const assay_live_job *j = e->jobs; j; j = j->next) {
        if (j->retry_at > now) earlier(&until, j->retry_at);
        if (j->view.deadline && j->end == ASSAY_END_NOT_YET) earlier(&unix_until, j->view.deadline);
    }
    for (size_t i = 0; i < e->n_heads; i++)
        if (e->heads[i].deadline)
            earlier(&unix_until, e->heads[i].deadline < unix_now ? unix_now + 100 : e->heads[i].deadline);
    earlier(&unix_until, assay_board_wake(e->board, e->heads, e->n_heads, unix_now));
    const uint64_t steady = until > now ? until - now : 0, calendar = unix_until > unix_now ? unix_until - unix_now : 0;
    return (int)(steady < calendar ? steady : calendar);
}

static void round_of(assay_engine *e, bool event)
{
    const uint64_t now = assay_clock_ms(), unix_now = assay_unix_ms();
    take_requests(e);
    assay_engine_keeper_events(e);
    listen_to_others(e, now, event);
    heartbeat(e, now);
    check_deadlines(e, unix_now);
    sweep(e, now, unix_now);
    drain(e, now);
    refresh_heads(e, now);
    assay_engine_key_requests(e, now);
    assay_engine_make_moves(e, now);
    assay_engine_end_jobs(e, now);
    assay_engine_make_moves(e, now); /* what ended has left room */
    assay_engine_relieve(e, now);
    refresh_counts(e, now);
    for (assay_live_job *j = e->jobs; j; j = j->next) j->view.sequence += j->changed;
    if (e->look_dirty || now >= e->publish_at) {
        assay_engine_publish(e);
        e->publish_at = now + IDLE_MS;
    }
    tell_watches(e, now);
    tell_drained(e);
}

static bool stops(assay_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    const bool stop = e->stop;
    (void)pthread_mutex_unlock(&e->lock);
    return stop && !e->jobs;
}

static bool begin(assay_engine *e)
{
    const assay_keeper_options o = {.program = e->options.program, .threads = (unsigned)e->settings.threads};
    assay_errinfo err = {0};
    const assay_status s = assay_keeper_start(&e->keeper, &o, &err);
    size_t n = 0;
    atomic_store(&e->queue_answers, true);
    atomic_store(&e->heads_dirty, true);
    e->counts_dirty = true;
    if (s == ASSAY_OK && assay_queue_recent(e->queue, e->recent, ASSAY_LOOK_JOBS, &n, NULL) == ASSAY_OK)
        e->n_recent = n;
    for (size_t i = 0; i < e->n_recent; i++) e->recent[i].sequence <<= ASSAY_SEQUENCE_BITS;
    assay_engine_publish(e);
    (void)pthread_mutex_lock(&e->lock);
    e->begun = true;
    e->begun_status = s;
    e->begun_error = err;
    (void)pthread_cond_broadcast(&e->idle);
    (void)pthread_mutex_unlock(&e->lock);
    return s == ASSAY_OK;
}

void *assay_dispatcher_loop(void *engine)
{
    assay_engine *e = engine;
    uint64_t count;
    if (!begin(e)) return NULL;
    bool event = false;
    while (!stops(e)) {
        round_of(e, event);
        struct pollfd fds[3] = {{.fd = e->event, .events = POLLIN},
                                {.fd = assay_queue_event_fd(e->queue), .events = POLLIN},
                                {.fd = assay_keeper_fd(e->keeper), .events = POLLIN}};
        if (poll(fds, 3, pause_of(e, assay_clock_ms(), assay_unix_ms())) < 0) continue;
        if (fds[0].revents) {
            const ssize_t got = read(e->event, &count, sizeof count);
            (void)got;
        }
        event = fds[1].revents != 0;
    }
    take_requests(e);
    assay_engine_key_refuse_all(e);
    assay_keeper_stop(e->keeper);
    e->keeper = NULL;
    assay_engine_drop_all(e);
    return NULL;
}
