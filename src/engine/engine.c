/* SPDX-License-Identifier: Apache-2.0 */
/* The engine as its callers see it: life, questions, and what is handed to its threads. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_impl.h"
#include "hash/random.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LOG_PAIRS = 16 };

void assay_engine_ring(assay_engine *e)
{
    const uint64_t one = 1;
    const ssize_t n = write(e->event, &one, sizeof one);
    (void)n; /* full means that it rings already */
}

void assay_engine_log(assay_engine *e, int level, const char *event, ...)
{
    const char *pairs[2 * LOG_PAIRS];
    size_t n = 0;
    if (!e->options.log) return;
    va_list args;
    va_start(args, event);
    for (const char *text; n < 2 * LOG_PAIRS && (text = va_arg(args, const char *)) != NULL; n++) pairs[n] = text;
    va_end(args);
    e->options.log(e->options.log_ctx, level, event, pairs, n / 2);
}

void assay_text_copy(char *out, size_t n, const char *text)
{
    (void)snprintf(out, n, "%s", text);
    (void)assay_line_flatten(out);
}

bool assay_engine_ask(assay_engine *e, const assay_request *r)
{
    assay_request *copy = assay_mem_alloc(1, sizeof *copy);
    if (!copy) return false;
    *copy = *r;
    copy->next = NULL;
    (void)pthread_mutex_lock(&e->lock);
    if (e->last_request)
        e->last_request->next = copy;
    else
        e->first_request = copy;
    e->last_request = copy;
    (void)pthread_mutex_unlock(&e->lock);
    assay_engine_ring(e);
    return true;
}

/* ---- life */

static char *copy_text(const char *text)
{
    const size_t n = text ? strlen(text) + 1 : 1;
    char *copy = assay_mem_alloc(n, 1);
    if (copy && text) memcpy(copy, text, n);
    return copy;
}

/* The dispatcher outlives the caller's texts. */
static assay_status copy_options(assay_engine *e, const assay_engine_options *o, assay_errinfo *err)
{
    e->options = *o;
    e->options.preload = NULL;
    e->options.n_preload = 0;
    e->options.program = copy_text(o->program);
    e->options.circuits = copy_text(o->circuits);
    e->options.models = copy_text(o->models);
    e->options.queue.where = copy_text(o->queue.where);
    e->options.queue.owner = copy_text(o->queue.owner);
    if (!e->options.program || !e->options.circuits || !e->options.models || !e->options.queue.where ||
        !e->options.queue.owner)
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "engine", "out of memory");
    for (size_t i = 0; i < o->n_preload; i++) {
        assay_request r = {.kind = ASSAY_REQUEST_PRELOAD, .initial = true, .began = assay_clock_ms()};
        if (strlen(o->preload[i]) > ASSAY_JOB_SUBJECT)
            return ASSAY_FAIL(err, ASSAY_ERANGE, o->preload[i], "preload: longer than a name can be");
        memcpy(r.name, o->preload[i], strlen(o->preload[i]) + 1);
        if (!assay_engine_ask(e, &r)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "engine", "out of memory");
        e->initial_left++;
    }
    return ASSAY_OK;
}

static assay_status allocate(assay_engine *e, assay_errinfo *err)
{
    e->board = assay_mem_alloc(1, sizeof *e->board);
    e->heads = assay_mem_alloc(ASSAY_ENGINE_HEADS, sizeof *e->heads);
    e->recent = assay_mem_alloc(ASSAY_LOOK_JOBS, sizeof *e->recent);
    e->draft = assay_mem_alloc(1, sizeof *e->draft);
    e->shown = assay_mem_alloc(1, sizeof *e->shown);
    e->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!e->board || !e->heads || !e->recent || !e->draft || !e->shown || e->event < 0)
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "engine", "out of memory");
    return assay_watches_new(&e->watches, err);
}

static assay_settings_given given_of(const assay_engine_options *o)
{
    return (assay_settings_given){o->threads, o->partition_workers, o->gpu_workers, o->gpu_threads, o->pipeline};
}

static assay_status set_up(assay_engine *e, const assay_engine_options *o, assay_errinfo *err)
{
    assay_status s = allocate(e, err);
    if (s == ASSAY_OK) s = copy_options(e, o, err);
    if (s == ASSAY_OK) s = assay_memory_find(&e->memory, "", o->memory, o->margin, err);
    if (s == ASSAY_OK && e->memory.total <= o->daemon_memory)
        s = ASSAY_FAIL2(err, ASSAY_ERANGE, "memory.total",
                        "leaves nothing for jobs (MiB in all, MiB of the daemon's own)", e->memory.total >> 20,
                        o->daemon_memory >> 20);
    if (s != ASSAY_OK) return s;
    e->room = e->memory.total - o->daemon_memory;
    const assay_settings_given given = given_of(o);
    e->settings = assay_settings_choose(&given, assay_threads_available());
    const assay_board_limits limits = {.slots = e->settings.partition_workers,
                                       .provers = e->settings.gpu_workers,
                                       .most = e->settings.partition_workers + e->settings.gpu_workers,
                                       .pipeline = e->settings.pipeline,
                                       .batch_size = o->batch_size,
                                       .batch_wait = o->batch_wait};
    assay_board_init(e->board, &limits, e->memory.total, o->daemon_memory);
    s = assay_catalogue_new(&e->catalogue, e->options.circuits, e->options.models, err);
    return s == ASSAY_OK ? assay_queue_open(&e->queue, &e->options.queue, err) : s;
}

/* The dispatcher itself starts the keeper, and ends with it: whether it could is known when `drained` is cleared. */
static assay_status start(assay_engine *e, assay_errinfo *err)
{
    if (pthread_create(&e->dispatcher, NULL, assay_dispatcher_loop, e) != 0)
        return ASSAY_FAIL(err, ASSAY_EIO, "engine", "a thread cannot be started");
    e->dispatcher_runs = true;
    (void)pthread_mutex_lock(&e->lock);
    while (!e->begun) (void)pthread_cond_wait(&e->idle, &e->lock);
    (void)pthread_mutex_unlock(&e->lock);
    if (e->begun_status != ASSAY_OK) {
        if (err) *err = e->begun_error;
        return e->begun_status;
    }
    if (pthread_create(&e->submitter, NULL, assay_submitter_loop, e) != 0)
        return ASSAY_FAIL(err, ASSAY_EIO, "engine", "a thread cannot be started");
    e->submitter_runs = true;
    return ASSAY_OK;
}

assay_status assay_engine_open(assay_engine **out, const assay_engine_options *o, assay_errinfo *err)
{
    *out = NULL;
    assay_engine *e = assay_mem_alloc(1, sizeof *e);
    if (!e) return ASSAY_FAIL(err, ASSAY_ENOMEM, "engine", "out of memory");
    e->event = -1;
    (void)pthread_mutex_init(&e->lock, NULL);
    (void)pthread_mutex_init(&e->look_lock, NULL);
    (void)pthread_cond_init(&e->more, NULL);
    (void)pthread_cond_init(&e->idle, NULL);
    e->drain_until = UINT64_MAX;
    assay_status s = set_up(e, o, err);
    if (s == ASSAY_OK) s = start(e, err);
    if (s == ASSAY_OK)
        *out = e;
    else
        assay_engine_close(e);
    return s;
}

void assay_engine_drain(assay_engine *e, uint64_t drain_ms)
{
    const uint64_t now = assay_clock_ms(), until = drain_ms > UINT64_MAX - 1 - now ? UINT64_MAX - 1 : now + drain_ms;
    atomic_store(&e->draining, true);
    (void)pthread_mutex_lock(&e->lock);
    if (until < e->drain_until) e->drain_until = until;
    (void)pthread_mutex_unlock(&e->lock);
    assay_engine_ring(e);
    (void)pthread_mutex_lock(&e->lock);
    while (e->dispatcher_runs && !e->drained) (void)pthread_cond_wait(&e->idle, &e->lock);
    (void)pthread_mutex_unlock(&e->lock);
}

static void end_threads(assay_engine *e)
{
    if (e->begun && e->begun_status == ASSAY_OK) assay_engine_drain(e, 0);
    (void)pthread_mutex_lock(&e->lock);
    e->stop = true;
    (void)pthread_cond_broadcast(&e->more);
    (void)pthread_mutex_unlock(&e->lock);
    if (e->submitter_runs) (void)pthread_join(e->submitter, NULL);
    if (e->event >= 0) assay_engine_ring(e);
    if (e->dispatcher_runs) (void)pthread_join(e->dispatcher, NULL);
}

static void free_options(assay_engine_options *o)
{
    const char *const texts[] = {o->program, o->circuits, o->models, o->queue.where, o->queue.owner};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *p;
        memcpy(&p, &texts[i], sizeof p);            /* ours: copy_options made it */
        if (p) assay_mem_free_secret(p, strlen(p)); /* a queue's address may hold a password */
    }
}

void assay_engine_close(assay_engine *e)
{
    if (!e) return;
    end_threads(e);
    for (assay_request *r = e->first_request, *next; r; r = next) {
        next = r->next;
        assay_mem_free(r);
    }
    assay_queue_close(e->queue);
    assay_catalogue_free(e->catalogue);
    assay_watches_free(e->watches);
    assay_mem_free(e->board);
    assay_mem_free(e->heads);
    assay_mem_free(e->recent);
    assay_mem_free(e->draft);
    assay_mem_free(e->shown);
    if (e->event >= 0) (void)close(e->event);
    free_options(&e->options);
    (void)pthread_cond_destroy(&e->more);
    (void)pthread_cond_destroy(&e->idle);
    (void)pthread_mutex_destroy(&e->lock);
    (void)pthread_mutex_destroy(&e->look_lock);
    assay_mem_free(e);
}

bool assay_engine_ready(assay_engine *e)
{
    return atomic_load(&e->ready) && atomic_load(&e->queue_answers);
}

/* ---- jobs */

assay_status assay_engine_cancel(assay_engine *e, const char *id, assay_job_state *before, assay_errinfo *err)
{
    *before = (assay_job_state)0;
    if (strlen(id) > ASSAY_JOB_ID) return ASSAY_OK;
    const assay_status s = assay_queue_cancel(e->queue, id, before, err);
    if (s != ASSAY_OK || (*before != ASSAY_JOB_QUEUED && *before != ASSAY_JOB_RUNNING)) return s;
    assay_request r = {.kind = ASSAY_REQUEST_CANCEL};
    memcpy(r.name, id, strlen(id) + 1);
    (void)assay_engine_ask(e, &r); /* without memory for it: the next heartbeat tells */
    return s;
}

/* The queue knows sequences of its own: those of running jobs count on within them. */
static assay_status get_from_queue(assay_engine *e, const char *id, bool *found, assay_job_view *out,
                                   assay_buffer *result, assay_errinfo *err)
{
    const assay_status s = assay_queue_get(e->queue, id, found, out, result, err);
    if (s == ASSAY_OK && *found) out->sequence <<= ASSAY_SEQUENCE_BITS;
    return s;
}

assay_status assay_engine_get(assay_engine *e, const char *id, bool *found, assay_job_view *out, assay_buffer *result,
                              assay_errinfo *err)
{
    *found = false;
    memset(out, 0, sizeof *out);
    if (result) *result = (assay_buffer){0};
    if (strlen(id) > ASSAY_JOB_ID) return ASSAY_OK;
    if (assay_engine_shown(e, id, out)) {
        *found = true;
        return ASSAY_OK;
    }
    return get_from_queue(e, id, found, out, result, err);
}

assay_status assay_engine_watch(assay_engine *e, const char *id, assay_watch_fn *fn, void *ctx, assay_watch **watch,
                                bool *found, assay_errinfo *err)
{
    assay_job_view view;
    *watch = NULL;
    assay_status s = assay_engine_get(e, id, found, &view, NULL, err);
    if (s != ASSAY_OK || !*found) return s;
    *watch = assay_watches_add(e->watches, id, fn, ctx);
    if (!*watch) {
        *found = false;
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "watch", "out of memory");
    }
    assay_engine_ring(e);
    return ASSAY_OK;
}

void assay_engine_unwatch(assay_engine *e, assay_watch *watch)
{
    assay_watches_remove(e->watches, watch);
}

/* ---- keys */

static void key_request(assay_engine *e, assay_request_kind kind, const char *name, assay_key_fn *fn, void *ctx)
{
    assay_request r = {.kind = kind, .fn = fn, .ctx = ctx, .began = assay_clock_ms()};
    assay_key_answer a = {.status = ASSAY_EIO};
    if (strlen(name) > ASSAY_JOB_SUBJECT) {
        assay_text_copy(a.error, sizeof a.error, "no such circuit or model: longer than a name can be");
        fn(ctx, &a);
        return;
    }
    memcpy(r.name, name, strlen(name) + 1);
    if (assay_engine_ask(e, &r)) return;
    a.status = ASSAY_ENOMEM;
    assay_text_copy(a.error, sizeof a.error, "out of memory");
    fn(ctx, &a);
}

void assay_engine_preload(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx)
{
    key_request(e, ASSAY_REQUEST_PRELOAD, name, fn, ctx);
}

void assay_engine_evict(assay_engine *e, const char *name, assay_key_fn *fn, void *ctx)
{
    key_request(e, ASSAY_REQUEST_EVICT, name, fn, ctx);
}
