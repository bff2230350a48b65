/* SPDX-License-Identifier: Apache-2.0 */
/* The engine when workers, keys and keepers fail; keys by hand, watches, and the end.
 * ctest: labels threads
 * ctest: uses support/keeper */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/mem.h"
#include "engine_fixture.h"
#include "harness.h"
#include "support/keeper/fake_keeper.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* ---- workers that fail */

TEST(a_bad_witness_fails_its_job_alone)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("bad");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *texts[] = {"a 5 500 ok", "b 5 5 bad", "c 5 5 ok"};
    CHECK_OK(fixture_submit(e, "bad", "K10", ASSAY_PRIORITY_NORMAL, 0, texts, 3).status);
    CHECK_OK(fixture_submit_one(e, "good", "K10", "g 5 5 ok").status);
    const assay_job_view v = fixture_wait(e, "bad");
    CHECK(v.state == ASSAY_JOB_FAILED && v.attempts == 1);
    CHECK_EQ_STR(v.error, "partition 1: constraint 7 does not hold");
    CHECK(fixture_wait(e, "good").state == ASSAY_JOB_COMPLETED);
    assay_engine_close(e);
}

TEST(a_crash_is_tried_again_but_not_for_ever)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("crash");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "twice", "K10", "t 5 5 crash2").status);
    CHECK_OK(fixture_submit_one(e, "always", "K10", "a 5 5 crash").status);
    assay_job_view v = fixture_wait(e, "twice");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 3);
    v = fixture_wait(e, "always");
    CHECK(v.state == ASSAY_JOB_FAILED && v.attempts == 3);
    CHECK_EQ_STR(v.error, "the worker crashed (attempt 3 of 3)");
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK(fake_runs_of(s, "t") == 3 && fake_runs_of(s, "a") == 3);
    assay_mem_free(s);
    assay_engine_look *l = assay_engine_look_new(e);
    CHECK(l && l->retried == 4 && l->failed == 1 && l->completed == 1);
    assay_engine_look_free(l);
    assay_engine_close(e);
}

TEST(a_kill_for_memory_is_tried_once_more_with_fewer_beside_it)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("oom");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "once", "K10", "o 5 5 oom1").status);
    CHECK(fixture_wait(e, "once").state == ASSAY_JOB_COMPLETED);
    CHECK_OK(fixture_submit_one(e, "always", "K10", "a 5 5 oom").status);
    const assay_job_view v = fixture_wait(e, "always");
    CHECK(v.state == ASSAY_JOB_FAILED && v.attempts == 2);
    CHECK_EQ_STR(v.error, "partition 0 was killed for its memory, for the second time: planned 4 MiB, it had 77 MiB");
    assay_engine_look *l = assay_engine_look_new(e);
    CHECK(l && l->killed_for_memory == 3 && strstr(l->why, "fewer at once"));
    assay_engine_look_free(l);
    const char *texts[] = {"x 20 20 ok", "y 20 20 ok", "z 20 20 ok"};
    fake_keeper_reset(1);
    CHECK_OK(fixture_submit(e, "after", "K10", ASSAY_PRIORITY_NORMAL, 0, texts, 3).status);
    CHECK(fixture_wait(e, "after").state == ASSAY_JOB_COMPLETED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(s->most_at_once, 1);
    assay_mem_free(s);
    assay_engine_close(e);
}

/* More often than there are attempts: none is begun. */
TEST(a_worker_for_which_there_is_no_process_waits)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("unborn");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *texts[] = {"a 5 300 ok", "b 5 5 unborn5", "c 5 5 unborn1"};
    CHECK_OK(fixture_submit(e, "late", "K10", ASSAY_PRIORITY_NORMAL, 0, texts, 3).status);
    assay_job_view v = fixture_wait(e, "late");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 1);
    CHECK_OK(fixture_submit_one(e, "never", "K10", "n 5 5 unborn").status);
    CHECK(fixture_wait_stage(e, "never", "wait"));
    assay_job_state before;
    CHECK_OK(assay_engine_cancel(e, "never", &before, NULL));
    v = fixture_wait(e, "never");
    CHECK(v.state == ASSAY_JOB_CANCELLED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK(fake_runs_of(s, "a") == 1 && fake_runs_of(s, "b") == 6 && fake_runs_of(s, "c") == 2);
    assay_mem_free(s);
    assay_engine_close(e);
}

TEST(a_dead_keepers_jobs_go_again)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("gone");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *texts[] = {"a 5 1500 ok", "b 5 1500 ok", "c 5 5 ok"};
    CHECK_OK(fixture_submit(e, "cut", "K0", ASSAY_PRIORITY_NORMAL, 0, texts, 3).status);
    CHECK_OK(fixture_submit_one(e, "waited", "K0", "w 5 5 ok").status);
    CHECK(fixture_wait_stage(e, "cut", "prove"));
    fake_keeper_die();
    const assay_job_view v = fixture_wait(e, "cut");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 2);
    CHECK_EQ_U64(fixture_wait(e, "waited").attempts, 1);
    assay_engine_close(e);
}

TEST(a_keys_process_dies_and_its_jobs_go_again)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("key-gone");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "cut", "K10", "c 5 1500 ok").status);
    CHECK_OK(fixture_submit_one(e, "other", "L10", "o 5 300 ok").status);
    CHECK(fixture_wait_stage(e, "cut", "prove"));
    fake_key_die("K10");
    const assay_job_view v = fixture_wait(e, "cut");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 2);
    CHECK_EQ_U64(fixture_wait(e, "other").attempts, 1);
    assay_engine_close(e);
}

TEST(a_key_that_cannot_be_loaded_fails_its_jobs)
{
    fake_keeper_reset(20);
    const assay_engine_options o = fixture_options("key-bad");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    fake_load_fails("K10", ASSAY_EFORMAT);
    CHECK_OK(fixture_submit_one(e, "bad", "K10", "b 5 5 ok").status);
    const assay_job_view v = fixture_wait(e, "bad");
    CHECK(v.state == ASSAY_JOB_FAILED && strstr(v.error, "cannot be loaded"));
    CHECK_OK(fixture_submit_one(e, "good", "K10", "g 5 5 ok").status);
    CHECK(fixture_wait(e, "good").state == ASSAY_JOB_COMPLETED);
    assay_engine_close(e);
}

/* Replaced while it is loaded or read, locked by another program: the next attempt finds it. */
TEST(a_key_that_others_have_is_tried_again)
{
    fake_keeper_reset(20);
    const assay_engine_options o = fixture_options("key-busy");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    fake_load_fails("K10", ASSAY_EBUSY);
    CHECK_OK(fixture_submit_one(e, "loads", "K10", "l 5 5 ok").status);
    assay_job_view v = fixture_wait(e, "loads");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 2);
    CHECK_OK(fixture_submit_one(e, "reads", "K0", "r 5 5 busy1").status);
    v = fixture_wait(e, "reads");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.attempts == 2);
    assay_engine_close(e);
}

TEST(a_changed_key_is_loaded_anew)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("stamp");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "old", "K10", "old 5 200 ok").status);
    CHECK(fixture_wait_stage(e, "old", "prove"));
    fake_stamp_change("K10");
    CHECK_OK(fixture_submit_one(e, "new", "K10", "new 5 5 ok").status);
    CHECK(fixture_wait(e, "old").state == ASSAY_JOB_COMPLETED);
    CHECK(fixture_wait(e, "new").state == ASSAY_JOB_COMPLETED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK(s->n_loads == 2 && s->n_evicts == 1);
    assay_mem_free(s);
    assay_engine_close(e);
}

/* ---- keys by hand */

TEST(keys_are_preloaded_and_evicted)
{
    fake_keeper_reset(30);
    assay_engine_options o = fixture_options("keys");
    const char *first[] = {"P10"};
    o.preload = first;
    o.n_preload = 1;
    o.evict_idle = 60000;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK(!assay_engine_ready(e));
    for (int i = 0; i < 500 && !assay_engine_ready(e); i++) fixture_nap(2);
    CHECK(assay_engine_ready(e));
    assay_key_answer a = fixture_key(e, "P10", true);
    CHECK(a.status == ASSAY_OK && a.was_loaded && a.bytes == 10 * MIB);
    a = fixture_key(e, "Q20", true);
    CHECK(a.status == ASSAY_OK && !a.was_loaded && a.ms >= 30 && a.bytes == 20 * MIB);
    a = fixture_key(e, "R40", true); /* the others were used lately */
    CHECK(a.status == ASSAY_ENOMEM && strstr(a.error, "41 MiB"));
    CHECK_OK(fixture_submit_one(e, "user", "Q20", "u 5 1500 ok").status);
    CHECK(fixture_wait_stage(e, "user", "prove"));
    CHECK_STATUS(fixture_key(e, "Q20", false).status, ASSAY_EBUSY);
    CHECK(fixture_wait(e, "user").state == ASSAY_JOB_COMPLETED);
    a = fixture_key(e, "Q20", false);
    CHECK(a.status == ASSAY_OK && a.was_loaded && a.bytes == 20 * MIB);
    a = fixture_key(e, "Q20", false);
    CHECK(a.status == ASSAY_OK && !a.was_loaded);
    CHECK_STATUS(fixture_key(e, "none", false).status, ASSAY_EIO);
    CHECK_STATUS(fixture_key(e, "none", true).status, ASSAY_EIO);
    a = fixture_key(e, "R40", true);
    CHECK(a.status == ASSAY_OK);
    assay_engine_close(e);
}

/* ---- watches */

typedef struct watched {
    assay_engine *e;
    assay_watch *watch;
    pthread_mutex_t lock;
    uint64_t last;
    unsigned n, ends, inside;
    bool unwatch_at_first, slow;
} watched;

static void note(void *ctx, const assay_job_view *v)
{
    watched *w = ctx;
    (void)pthread_mutex_lock(&w->lock);
    CHECK_EQ_U64(w->inside, 0);
    w->inside++;
    CHECK(v->sequence > w->last);
    CHECK(w->ends == 0);
    w->last = v->sequence;
    w->n++;
    w->ends += assay_job_ended(v->state);
    assay_watch *watch = w->watch;
    (void)pthread_mutex_unlock(&w->lock);
    if (w->slow) fixture_nap(50);
    if (w->unwatch_at_first && watch) assay_engine_unwatch(w->e, watch);
    (void)pthread_mutex_lock(&w->lock);
    w->inside--;
    (void)pthread_mutex_unlock(&w->lock);
}

static void begin_watch(watched *w, assay_engine *e, const char *id)
{
    bool found;
    *w = (watched){.e = e, .unwatch_at_first = w->unwatch_at_first, .slow = w->slow};
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_mutex_lock(&w->lock); /* the first call waits for `watch` */
    CHECK_OK(assay_engine_watch(e, id, note, w, &w->watch, &found, NULL));
    CHECK(found);
    (void)pthread_mutex_unlock(&w->lock);
}

TEST(watches_hear_each_change_and_the_end_last)
{
    fake_keeper_reset(20);
    const assay_engine_options o = fixture_options("watch");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    watched all[3] = {{.slow = false}, {.unwatch_at_first = true}, {.slow = true}};
    bool found = true;
    assay_watch *none;
    CHECK_OK(assay_engine_watch(e, "nobody", note, NULL, &none, &found, NULL));
    CHECK(!found && !none);
    CHECK_OK(fixture_submit_one(e, "w", "K10", "w 40 40 ok").status);
    for (int i = 0; i < 3; i++) begin_watch(&all[i], e, "w");
    CHECK(fixture_wait(e, "w").state == ASSAY_JOB_COMPLETED);
    fixture_nap(200);
    assay_engine_unwatch(e, all[0].watch);
    assay_engine_unwatch(e, all[2].watch);
    CHECK(all[0].n >= 4 && all[0].ends == 1); /* load or synthesis, ready or prove, and so on */
    CHECK(all[1].n == 1);
    CHECK(all[2].ends == 1);
    watched late = {.slow = true};
    begin_watch(&late, e, "w"); /* of a job that has ended: one call */
    fixture_nap(20);
    assay_engine_unwatch(e, late.watch); /* waits for the call that runs */
    CHECK_EQ_U64(late.inside, 0);
    CHECK(late.n == 1 && late.ends == 1);
    assay_engine_close(e);
}

static void wait_for_end(watched *w)
{
    unsigned ends = 0;
    for (int i = 0; i < 1000 && ends == 0; i++) {
        fixture_nap(10);
        (void)pthread_mutex_lock(&w->lock);
        ends = w->ends;
        (void)pthread_mutex_unlock(&w->lock);
    }
    CHECK_EQ_U64(ends, 1);
    assay_engine_unwatch(w->e, w->watch);
}

TEST(watches_of_waiting_jobs_hear_of_their_end)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("waiting");
    o.partition_workers = 1;
    o.queue.lease = 60000;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    watched cancelled = {.slow = false}, late = {.slow = false};
    const char *text[] = {"x 60000 1 ok"};
    assay_job_state before;
    CHECK_OK(fixture_submit_one(e, "runs", "K0", "r 60000 1 ok").status);
    CHECK(fixture_wait_stage(e, "runs", "synthesis"));
    CHECK_OK(fixture_submit_one(e, "cancelled", "K0", "c 1 1 ok").status);
    begin_watch(&cancelled, e, "cancelled");
    fixture_nap(100); /* it has heard that it waits */
    CHECK_OK(assay_engine_cancel(e, "cancelled", &before, NULL));
    wait_for_end(&cancelled);
    CHECK_OK(fixture_submit(e, "late", "K0", ASSAY_PRIORITY_LOW, assay_unix_ms() + 500, text, 1).status);
    begin_watch(&late, e, "late");
    wait_for_end(&late);
    CHECK(cancelled.n == 2 && late.n == 2);
    assay_engine_close(e);
}

/* ---- the end */

TEST(draining_begins_nothing)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("drain-begins");
    o.memory = 20 * MIB; /* 16 for jobs: one key of 10 and one worker of 4 */
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "runs", "K10", "r 5 1500 ok").status);
    CHECK(fixture_wait_stage(e, "runs", "prove"));
    CHECK_OK(fixture_submit_one(e, "held", "L10", "h 5 5 ok").status); /* claimed, and waits for memory */
    CHECK(fixture_wait_stage(e, "held", "wait"));
    assay_engine_drain(e, 60000);
    assay_job_view v;
    bool found;
    CHECK_OK(assay_engine_get(e, "runs", &found, &v, NULL, NULL));
    CHECK(found && v.state == ASSAY_JOB_COMPLETED);
    CHECK_OK(assay_engine_get(e, "held", &found, &v, NULL, NULL));
    CHECK(found && v.state == ASSAY_JOB_QUEUED && v.attempts == 0);
    assay_engine_close(e);
}

TEST(draining_lets_jobs_end_and_returns_the_others)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("drain");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "short", "K0", "s 20 20 ok").status);
    CHECK_OK(fixture_submit_one(e, "long", "K0", "l 20 60000 ok").status);
    CHECK(fixture_wait_stage(e, "long", "ready"));
    CHECK_OK(fixture_submit_one(e, "waits", "K0", "w 600 5 ok").status);
    CHECK_OK(fixture_submit_one(e, "waits2", "K0", "v 5 5 ok").status);
    const uint64_t now = assay_clock_ms();
    assay_engine_drain(e, 300);
    CHECK(assay_clock_ms() - now >= 280 && assay_clock_ms() - now < 10000);
    CHECK_STATUS(fixture_submit_one(e, "late", "K0", "x 1 1 ok").status, ASSAY_EBUSY);
    assay_job_view v;
    bool found;
    CHECK_OK(assay_engine_get(e, "short", &found, &v, NULL, NULL));
    CHECK(found && v.state == ASSAY_JOB_COMPLETED);
    const char *back[] = {"long", "waits", "waits2"};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(assay_engine_get(e, back[i], &found, &v, NULL, NULL));
        CHECK(found && v.state == ASSAY_JOB_QUEUED && v.attempts == 0);
    }
    CHECK(!assay_engine_ready(e));
    assay_engine_close(e);

    o.gpu_workers = 2;
    e = fixture_open(&o); /* another day */
    REQUIRE(e);
    for (int i = 1; i < 3; i++) CHECK(fixture_wait(e, back[i]).state == ASSAY_JOB_COMPLETED);
    CHECK(fixture_wait_stage(e, "long", "prove"));
    assay_engine_look *l = assay_engine_look_new(e);
    REQUIRE(l);
    size_t ended = 0;
    for (size_t i = 0; i < l->n_jobs; i++) ended += assay_job_ended(l->jobs[i].state);
    CHECK_EQ_U64(ended, 3); /* the first day's too */
    CHECK(l->jobs[0].state == ASSAY_JOB_RUNNING && l->n_workers == 1 && l->workers[0].prover);
    CHECK_EQ_U64(l->queue.completed, 3);
    CHECK_EQ_U64(l->budget.used, l->daemon_bytes + l->keys_bytes + l->workers_bytes); /* all inputs are gone */
    assay_engine_look_free(l);
    assay_engine_close(e);
}

TEST(options_that_cannot_be_are_refused)
{
    assay_engine_options o = fixture_options("options");
    assay_engine *e;
    assay_errinfo err = {0};
    o.daemon_memory = o.memory;
    CHECK_STATUS(assay_engine_open(&e, &o, &err), ASSAY_ERANGE);
    CHECK(!e && strcmp(err.subject, "memory.total") == 0);
    o = fixture_options("no/such/folder");
    CHECK(assay_engine_open(&e, &o, NULL) != ASSAY_OK && !e);
    assay_engine_close(NULL);
}

TEST(each_allocation_fails_in_turn)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("memory");
    const char *first[] = {"P1"};
    o.preload = first;
    o.n_preload = 1;
    assay_engine *e = NULL;
    unsigned refused = 0;
    for (uint64_t k = 1; k < 1000 && !e; k++) {
        assay_errinfo err = {0};
        (void)assay_mem_fail_after(k);
        const assay_status s = assay_engine_open(&e, &o, &err);
        (void)assay_mem_fail_after(0);
        if (s == ASSAY_OK) break;
        CHECK_STATUS(s, ASSAY_ENOMEM);
        CHECK(e == NULL);
        refused++;
    }
    REQUIRE(e);
    CHECK(refused >= 15);
    unsigned taken = 0;
    for (uint64_t k = 1; k < 40; k++) {
        char id[16];
        (void)snprintf(id, sizeof id, "m%u", (unsigned)k);
        (void)assay_mem_fail_after(k); /* on any of the engine's threads */
        const assay_submit_answer a = fixture_submit_one(e, id, "K10", "m 1 1 ok");
        CHECK(a.status == ASSAY_OK || a.status == ASSAY_ENOMEM);
        if (a.status == ASSAY_OK) {
            fixture_nap(20);
            (void)assay_mem_fail_after(0);
            const assay_job_view v = fixture_wait(e, id);
            CHECK(v.state == ASSAY_JOB_COMPLETED || strstr(v.error, "memory"));
            taken++;
        }
        (void)assay_mem_fail_after(0);
    }
    CHECK(taken > 10 && taken < 39);
    assay_engine_close(e);
}
