/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "engine_fixture.h"
#include "base/clock.h"
#include "harness.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MIB = 1 << 20, PATIENCE_S = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

static struct timespec deadline(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += PATIENCE_S;
    return t;
}

void fixture_nap(unsigned ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

assay_engine_options fixture_options(const char *name)
{
    static char where[512];
    (void)snprintf(where, sizeof where, "%s/%s.sqlite", assay_test_tmpdir(), name);
    return (assay_engine_options){
        .program = "/proc/self/exe",
        .circuits = "",
        .models = "",
        .queue = {.where = where, .owner = "test", .lease = 3000, .keep = 3600000, .attempts = 3, .max_jobs = 1000},
        .memory = 64 * MIB,
        .margin = 0,
        .daemon_memory = 4 * MIB,
        .evict_idle = 0,
        .threads = 4,
        .partition_workers = 2,
        .gpu_workers = 1,
        .gpu_threads = ASSAY_ENGINE_AUTO,
        .pipeline = true,
        .batch_size = 1};
}

assay_engine *fixture_open(const assay_engine_options *o)
{
    assay_engine *e;
    assay_errinfo err = {0};
    char text[300];
    const assay_status s = assay_engine_open(&e, o, &err);
    if (s != ASSAY_OK) (void)fprintf(stderr, "open: %s\n", assay_errinfo_text(&err, text, sizeof text));
    (void)CHECK_OK(s);
    return e;
}

typedef struct wanted {
    assay_submit_answer submit;
    assay_job_view view;
    assay_key_answer key;
    const char *stage;
    bool came;
} wanted;

static void on_submit(void *ctx, const assay_submit_answer *a)
{
    wanted *w = ctx;
    (void)pthread_mutex_lock(&lock);
    (void)CHECK(!w->came); /* once */
    w->submit = *a;
    w->came = true;
    (void)pthread_cond_broadcast(&came);
    (void)pthread_mutex_unlock(&lock);
}

static bool wait_for(wanted *w)
{
    const struct timespec until = deadline();
    (void)pthread_mutex_lock(&lock);
    while (!w->came && pthread_cond_timedwait(&came, &lock, &until) == 0) continue;
    const bool there = w->came;
    (void)pthread_mutex_unlock(&lock);
    return there;
}

assay_submit_answer fixture_submit_blobs(assay_engine *e, const char *id, const char *subject, unsigned priority,
                                         uint64_t job_deadline, const assay_blob *inputs, size_t n)
{
    wanted w = {.came = false};
    assay_job_spec s = {
        .kind = ASSAY_JOB_GROTH16, .priority = priority, .deadline = job_deadline, .inputs = inputs, .n_inputs = n};
    (void)snprintf(s.id, sizeof s.id, "%s", id);
    (void)snprintf(s.subject, sizeof s.subject, "%s", subject);
    assay_engine_submit(e, &s, on_submit, &w);
    (void)CHECK(wait_for(&w));
    return w.submit;
}

assay_submit_answer fixture_submit(assay_engine *e, const char *id, const char *subject, unsigned priority,
                                   uint64_t job_deadline, const char *const *texts, size_t n)
{
    assay_blob inputs[ASSAY_JOB_PARTITIONS];
    for (size_t i = 0; i < n; i++) inputs[i] = (assay_blob){(const uint8_t *)texts[i], strlen(texts[i])};
    return fixture_submit_blobs(e, id, subject, priority, job_deadline, inputs, n);
}

assay_submit_answer fixture_submit_one(assay_engine *e, const char *id, const char *subject, const char *text)
{
    return fixture_submit(e, id, subject, ASSAY_PRIORITY_NORMAL, 0, &text, 1);
}

/* How far a stage is; -1: not begun. */
static int rank_of(const char *stage)
{
    static const char *const order[] = {"wait", "load", "synthesis", "ready", "prove", "verify"};
    for (int i = 0; i < 6; i++)
        if (strcmp(order[i], stage) == 0) return i;
    return -1;
}

static void on_view(void *ctx, const assay_job_view *v)
{
    wanted *w = ctx;
    (void)pthread_mutex_lock(&lock);
    w->view = *v;
    if (assay_job_ended(v->state) || (w->stage && rank_of(v->stage) >= rank_of(w->stage))) w->came = true;
    (void)pthread_cond_broadcast(&came);
    (void)pthread_mutex_unlock(&lock);
}

static assay_job_view watch_until(assay_engine *e, const char *id, const char *stage)
{
    wanted w = {.stage = stage};
    assay_watch *watch;
    bool found;
    (void)CHECK_OK(assay_engine_watch(e, id, on_view, &w, &watch, &found, NULL));
    if (!CHECK(found)) return (assay_job_view){0};
    const bool there = CHECK(wait_for(&w));
    assay_engine_unwatch(e, watch);
    return there ? w.view : (assay_job_view){0};
}

assay_job_view fixture_wait(assay_engine *e, const char *id)
{
    return watch_until(e, id, NULL);
}

bool fixture_wait_stage(assay_engine *e, const char *id, const char *stage)
{
    const assay_job_view v = watch_until(e, id, stage);
    return v.stage && rank_of(v.stage) >= rank_of(stage);
}

static void on_key(void *ctx, const assay_key_answer *a)
{
    wanted *w = ctx;
    (void)pthread_mutex_lock(&lock);
    (void)CHECK(!w->came);
    w->key = *a;
    w->came = true;
    (void)pthread_cond_broadcast(&came);
    (void)pthread_mutex_unlock(&lock);
}

assay_key_answer fixture_key(assay_engine *e, const char *name, bool preload)
{
    wanted w = {.came = false};
    if (preload)
        assay_engine_preload(e, name, on_key, &w);
    else
        assay_engine_evict(e, name, on_key, &w);
    (void)CHECK(wait_for(&w));
    return w.key;
}
