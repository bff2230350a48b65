/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown: the dispatcher writes a draft, and puts it in the place of what is shown under a lock that nobody
 * holds for long. Spans (the waterfall) and counts live in the draft from one time to the next. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_impl.h"
#include <string.h>

enum { MINUTE = 60000, HOUR = 60 * MINUTE };

/* ---- a partition's stage */

static void end_span(assay_engine *e, assay_live_task *t, uint64_t now, bool failed)
{
    if (!t->span || e->spans - t->span >= ASSAY_LOOK_SPANS) return; /* none, or its place has another's */
    assay_look_span *s = &e->ring[(t->span - 1) % ASSAY_LOOK_SPANS];
    s->end = now;
    s->failed = failed;
    t->span = 0;
}

void assay_live_stage(assay_engine *e, assay_live_job *j, uint32_t partition, const char *stage, bool failed)
{
    assay_live_task *t = &j->tasks[partition];
    const uint64_t now = assay_unix_ms();
    if (t->stage && strcmp(t->stage, stage) == 0) return;
    end_span(e, t, now, failed);
    t->stage = stage;
    t->since = now;
    t->done = 0;
    j->changed = true;
    e->look_dirty = true;
    if (!*stage) return;
    assay_look_span *s = &e->ring[e->spans++ % ASSAY_LOOK_SPANS];
    *s = (assay_look_span){.partition = partition, .stage = stage, .begin = now};
    memcpy(s->job, j->view.id, sizeof s->job);
    t->span = e->spans;
}

/* Shares of a partition's time, roughly: people want to see it move. */
static double share_of(const assay_board_task *b, const assay_live_task *t)
{
    const char *stage = t->stage ? t->stage : "";
    if (b->phase == ASSAY_TASK_ENDED) return 1;
    if (strcmp(stage, "synthesis") == 0) return 0.25 * t->done;
    if (strcmp(stage, "ready") == 0) return 0.25;
    if (strcmp(stage, "prove") == 0) return 0.25 + 0.7 * t->done;
    return strcmp(stage, "verify") == 0 ? 0.95 : 0;
}

void assay_live_update(assay_live_job *j)
{
    static const char *const order[] = {"verify", "prove", "synthesis", "ready", "load"};
    double sum = 0;
    uint32_t n_done = 0;
    size_t best = sizeof order / sizeof *order;
    for (uint32_t i = 0; i < j->board.n_tasks; i++) {
        sum += share_of(&j->board.tasks[i], &j->tasks[i]);
        n_done += j->board.tasks[i].phase == ASSAY_TASK_ENDED;
        for (size_t k = 0; k < best; k++)
            if (j->tasks[i].stage && strcmp(j->tasks[i].stage, order[k]) == 0) best = k;
    }
    j->view.stage = best < sizeof order / sizeof *order ? order[best] : "wait";
    j->view.partitions_done = n_done;
    const double done = j->board.n_tasks ? sum / j->board.n_tasks : 0;
    if (done > j->view.done) j->view.done = done; /* a partition that is worked again does not take it back */
}

/* ---- counts */

void assay_look_ended(assay_engine *e, const assay_job_view *v)
{
    assay_engine_look *d = e->draft;
    if (v->state == ASSAY_JOB_COMPLETED) {
        d->completed++;
        d->per_minute[0]++;
        assay_look_add(&d->done[v->kind], &v->times);
    } else if (v->state == ASSAY_JOB_FAILED) {
        d->failed++;
    } else {
        d->cancelled++;
    }
    if (v->state != ASSAY_JOB_CANCELLED) d->ended_by_kind[v->kind][v->state == ASSAY_JOB_FAILED]++;
    if (e->n_recent < ASSAY_LOOK_JOBS) e->n_recent++;
    memmove(&e->recent[1], &e->recent[0], (e->n_recent - 1) * sizeof e->recent[0]);
    e->recent[0] = *v;
    e->look_dirty = true;
}

static void turn_minutes(assay_engine *e, uint64_t now)
{
    assay_engine_look *d = e->draft;
    const uint64_t minute = now / MINUTE;
    if (!e->minute) e->minute = minute;
    const uint64_t passed = minute > e->minute ? minute - e->minute : 0;
    e->minute = minute;
    if (passed == 0) return;
    const size_t n = passed < ASSAY_LOOK_MINUTES ? (size_t)passed : ASSAY_LOOK_MINUTES;
    memmove(&d->per_minute[n], &d->per_minute[0], (ASSAY_LOOK_MINUTES - n) * sizeof d->per_minute[0]);
    memset(&d->per_minute[0], 0, n * sizeof d->per_minute[0]);
}

static double proofs_per_hour(const assay_engine_look *d, uint64_t now)
{
    uint64_t n = 0, lived = now > d->started ? now - d->started : 1;
    for (size_t i = 0; i < 60; i++) n += d->per_minute[i];
    if (lived > HOUR) lived = HOUR;
    return (double)n * HOUR / (double)(lived < MINUTE ? MINUTE : lived);
}

/* ---- the draft */

static void draw_jobs(assay_engine *e)
{
    assay_engine_look *d = e->draft;
    d->n_jobs = 0;
    for (const assay_live_job *j = e->jobs; j && d->n_jobs < ASSAY_LOOK_JOBS; j = j->next) {
        if (!j->view.id[0]) continue;
        d->jobs[d->n_jobs++] = j->view;
    }
    /* Half of the places for those that have ended, if so many have. */
    size_t waiting = ASSAY_LOOK_JOBS - d->n_jobs;
    const size_t ended = e->n_recent < waiting / 2 ? e->n_recent : waiting / 2;
    waiting -= ended;
    for (size_t i = 0; i < e->n_heads && i < waiting; i++) {
        d->jobs[d->n_jobs] = e->heads[i];
        d->jobs[d->n_jobs++].sequence <<= ASSAY_SEQUENCE_BITS;
    }
    for (size_t i = 0; i < e->n_recent && d->n_jobs < ASSAY_LOOK_JOBS; i++) d->jobs[d->n_jobs++] = e->recent[i];
}

static void draw_keys(assay_engine *e)
{
    assay_engine_look *d = e->draft;
    d->n_keys = 0;
    d->keys_bytes = 0;
    for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) {
        const assay_board_key *k = &e->board->keys[i];
        if (k->state == ASSAY_KEY_ABSENT) continue;
        assay_look_key *out = &d->keys[d->n_keys++];
        *out = (assay_look_key){.kind = k->entry.kind,
                                .bytes = k->held.bytes,
                                .last_used = k->last_used,
                                .references = k->references,
                                .loading = k->state == ASSAY_KEY_LOADING};
        memcpy(out->name, k->entry.name, sizeof out->name);
        d->keys_bytes += k->held.bytes;
    }
}

static void draw_workers(assay_engine *e)
{
    assay_engine_look *d = e->draft;
    d->n_workers = 0;
    d->workers_bytes = 0;
    for (const assay_live_job *j = e->jobs; j; j = j->next)
        for (uint32_t i = 0; j->on_board && i < j->board.n_tasks; i++) {
            const assay_board_task *b = &j->board.tasks[i];
            const assay_live_task *t = &j->tasks[i];
            d->workers_bytes += b->held.bytes;
            if (!t->number || b->phase == ASSAY_TASK_WAITING || b->phase == ASSAY_TASK_LOADING ||
                b->phase == ASSAY_TASK_ENDED || d->n_workers == ASSAY_LOOK_WORKERS)
                continue;
            assay_look_worker *w = &d->workers[d->n_workers];
            *w = (assay_look_worker){.number = (uint32_t)d->n_workers,
                                     .pid = t->pid,
                                     .kind = j->view.kind,
                                     .partition = i,
                                     .stage = t->stage ? t->stage : "",
                                     .done = t->done,
                                     .since = t->since,
                                     .reserved = b->held.bytes,
                                     .peak = t->peak,
                                     .prover = b->phase == ASSAY_TASK_PROVING};
            memcpy(w->job, j->view.id, sizeof w->job);
            d->n_workers++;
        }
}

/* Oldest first, the last ones. */
static void draw_spans(assay_engine *e)
{
    const size_t n = e->spans < ASSAY_LOOK_SPANS ? (size_t)e->spans : ASSAY_LOOK_SPANS;
    const size_t first = (size_t)((e->spans - n) % ASSAY_LOOK_SPANS);
    memcpy(e->draft->spans, &e->ring[first], (n - (first + n > ASSAY_LOOK_SPANS ? first : 0)) * sizeof e->ring[0]);
    if (first + n > ASSAY_LOOK_SPANS) memcpy(&e->draft->spans[n - first], e->ring, first * sizeof e->ring[0]);
    e->draft->n_spans = n;
}

void assay_engine_publish(assay_engine *e)
{
    assay_engine_look *d = e->draft;
    const assay_engine_options *o = &e->options;
    const assay_settings_given given = {o->threads, o->partition_workers, o->gpu_workers, o->gpu_threads, o->pipeline};
    const uint64_t now = assay_unix_ms();
    if (!d->started) d->started = now;
    turn_minutes(e, now);
    d->now = now;
    d->draining = atomic_load(&e->draining);
    d->ready = e->initial_left == 0 && e->initial_failed == 0 && !d->draining;
    atomic_store(&e->ready, d->ready);
    d->ready = d->ready && atomic_load(&e->queue_answers);
    d->memory = e->memory;
    d->budget = e->board->budget;
    d->daemon_bytes = e->board->daemon.bytes;
    d->threads = e->settings.threads;
    d->partition_workers = e->settings.partition_workers;
    d->gpu_workers = e->settings.gpu_workers;
    d->gpu_threads = e->settings.gpu_threads;
    d->pipeline = e->settings.pipeline;
    assay_settings_why(d->why, sizeof d->why, &e->settings, &given, assay_threads_available(), e->room, e->last_peak,
                       e->penalty);
    d->submitted = atomic_load(&e->submitted);
    d->proofs_per_hour = proofs_per_hour(d, now);
    for (assay_live_job *j = e->jobs; j; j = j->next) assay_live_update(j);
    draw_jobs(e);
    draw_keys(e);
    draw_workers(e);
    draw_spans(e);
    (void)pthread_mutex_lock(&e->look_lock);
    memcpy(e->shown, d, sizeof *d);
    (void)pthread_mutex_unlock(&e->look_lock);
    e->look_dirty = false;
}

/* ---- for others */

bool assay_engine_shown(assay_engine *e, const char *id, assay_job_view *out)
{
    bool found = false;
    (void)pthread_mutex_lock(&e->look_lock);
    for (size_t i = 0; i < e->shown->n_jobs && !found; i++) {
        const assay_job_view *v = &e->shown->jobs[i];
        if (v->state != ASSAY_JOB_RUNNING) break; /* they stand first */
        found = strcmp(v->id, id) == 0;
        if (found) *out = *v;
    }
    (void)pthread_mutex_unlock(&e->look_lock);
    return found;
}

assay_engine_look *assay_engine_look_new(assay_engine *e)
{
    assay_engine_look *l = assay_mem_alloc(1, sizeof *l);
    if (!l) return NULL;
    (void)pthread_mutex_lock(&e->look_lock);
    memcpy(l, e->shown, sizeof *l);
    (void)pthread_mutex_unlock(&e->look_lock);
    l->now = assay_unix_ms();
    return l;
}

void assay_engine_look_free(assay_engine_look *l)
{
    assay_mem_free(l);
}
