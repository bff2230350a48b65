/* SPDX-License-Identifier: Apache-2.0 */
/* The engine over a true queue and a made-up keeper, which does what the tests' inputs say.
 * ctest: labels threads
 * ctest: uses support/keeper */
#define _POSIX_C_SOURCE 200809L
#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "engine_fixture.h"
#include "harness.h"
#include "support/keeper/fake_keeper.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

static void check_result(assay_engine *e, const char *id, const char *const *labels, size_t n)
{
    assay_job_view v;
    assay_buffer result;
    assay_blob blobs[2 * ASSAY_JOB_PARTITIONS];
    size_t got = 0;
    bool found;
    char want[64];
    REQUIRE_OK(assay_engine_get(e, id, &found, &v, &result, NULL));
    CHECK(found && v.state == ASSAY_JOB_COMPLETED);
    CHECK_OK(assay_blobs_unpack(blobs, 2 * ASSAY_JOB_PARTITIONS, &got, result.p, result.n, NULL));
    CHECK_EQ_U64(got, 2 * n);
    for (size_t i = 0; i < n && got == 2 * n; i++) {
        (void)snprintf(want, sizeof want, "proof of %s", labels[i]);
        CHECK(blobs[2 * i].n == strlen(want) && memcmp(blobs[2 * i].p, want, strlen(want)) == 0);
        (void)snprintf(want, sizeof want, "public %s", labels[i]);
        CHECK(blobs[2 * i + 1].n == strlen(want) && memcmp(blobs[2 * i + 1].p, want, strlen(want)) == 0);
    }
    assay_buffer_free(&result);
}

TEST(a_job_of_three_partitions)
{
    fake_keeper_reset(10);
    const assay_engine_options o = fixture_options("three");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *texts[] = {"a 20 20 ok", "b 20 20 ok", "c 20 20 ok"}, *labels[] = {"a", "b", "c"};
    const assay_submit_answer a = fixture_submit(e, "", "K10", ASSAY_PRIORITY_NORMAL, 0, texts, 3);
    CHECK_OK(a.status);
    CHECK(a.outcome == ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(strlen(a.id), 36);
    const assay_job_view v = fixture_wait(e, a.id);
    CHECK(v.state == ASSAY_JOB_COMPLETED);
    CHECK_EQ_U64(v.partitions_done, 3);
    CHECK_EQ_U64(v.attempts, 1);
    CHECK_EQ_U64(v.times.synthesis, 60);
    CHECK_EQ_U64(v.times.prove, 60);
    CHECK(v.times.total >= 60 && v.times.load >= 5);
    CHECK(v.times.peak_bytes >= 2 * MIB);
    check_result(e, a.id, labels, 3);
    assay_engine_look *l = assay_engine_look_new(e);
    REQUIRE(l);
    CHECK_EQ_U64(l->completed, 1);
    CHECK_EQ_U64(l->submitted, 1);
    CHECK(l->n_keys == 1 && l->keys[0].bytes == 10 * MIB && !l->keys[0].references);
    CHECK_EQ_U64(l->budget.used, 14 * MIB);
    CHECK_EQ_U64(l->n_workers, 0);
    CHECK(l->n_spans >= 9 && strstr(l->why, "2 partition workers (as set)"));
    CHECK(l->n_jobs == 1 && l->jobs[0].state == ASSAY_JOB_COMPLETED);
    CHECK(l->per_minute[0] + l->per_minute[1] == 1);
    CHECK_EQ_U64(l->done[ASSAY_JOB_GROTH16].sum.prove, 60);
    assay_engine_look_free(l);
    CHECK(assay_engine_ready(e));
    assay_engine_close(e);
}

/* ---- many */

enum { THREADS = 8, EACH = 25 };

typedef struct arg {
    assay_engine *e;
    unsigned first;
} arg;

static void *submit_some(void *ctx)
{
    const arg *a = ctx;
    for (unsigned i = a->first; i < a->first + EACH; i++) {
        char id[16], text[48];
        const char *subjects[] = {"A20", "B15", "C0", "D25"}, *texts[] = {text};
        (void)snprintf(id, sizeof id, "job-%u", i);
        (void)snprintf(text, sizeof text, "L%u 3 2 ok", i);
        CHECK_OK(fixture_submit(a->e, id, subjects[i % 4], 1 + i % 4, 0, texts, 1).status);
    }
    return NULL;
}

TEST(two_hundred_jobs_from_eight_threads)
{
    fake_keeper_reset(5);
    assay_engine_options o = fixture_options("many");
    o.partition_workers = 3;
    o.gpu_workers = 2;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    pthread_t threads[THREADS];
    arg args[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        args[i] = (arg){e, i * EACH};
        CHECK(pthread_create(&threads[i], NULL, submit_some, &args[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) (void)pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS * EACH; i++) {
        char id[16], label[16];
        const char *labels[] = {label};
        (void)snprintf(id, sizeof id, "job-%u", i);
        (void)snprintf(label, sizeof label, "L%u", i);
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
        check_result(e, id, labels, 1);
    }
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(s->n_runs, THREADS * EACH);
    CHECK(s->most_at_once <= 5 && s->most_proving <= 2);
    CHECK(s->most_at_once >= 3); /* they do run beside each other */
    CHECK(s->most_bytes <= 60 * (uint64_t)MIB);
    assay_mem_free(s);
    assay_engine_close(e);
}

/* ---- order */

TEST(later_critical_jobs_overtake_at_slots_and_at_provers)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("order");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *low[] = {"l1 10 1500 ok", "l2 10 20 ok", "l3 10 20 ok", "l4 10 20 ok"};
    CHECK_OK(fixture_submit(e, "low", "K0", ASSAY_PRIORITY_LOW, 0, low, 4).status);
    CHECK(fixture_wait_stage(e, "low", "prove"));
    CHECK_OK(fixture_submit_one(e, "normal", "K0", "n 10 20 ok").status);
    const char *dated[] = {"d 10 20 ok"}, *critical[] = {"c 10 20 ok"};
    const uint64_t in_an_hour = assay_unix_ms() + 3600000;
    CHECK_OK(fixture_submit(e, "dated", "K0", ASSAY_PRIORITY_NORMAL, in_an_hour, dated, 1).status);
    CHECK_OK(fixture_submit(e, "critical", "K0", ASSAY_PRIORITY_CRITICAL, 0, critical, 1).status);
    CHECK(fixture_wait(e, "low").state == ASSAY_JOB_COMPLETED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    /* l1 proves, l2 and l3 hold the slots; the slot that l2 leaves is the critical one's. */
    CHECK(fake_place_of(s->runs, s->n_runs, "c") < fake_place_of(s->runs, s->n_runs, "d"));
    CHECK(fake_place_of(s->runs, s->n_runs, "d") < fake_place_of(s->runs, s->n_runs, "n"));
    CHECK(fake_place_of(s->runs, s->n_runs, "n") < fake_place_of(s->runs, s->n_runs, "l4"));
    CHECK(fake_place_of(s->goes, s->n_goes, "c") < fake_place_of(s->goes, s->n_goes, "l3"));
    CHECK_EQ_U64(s->goes[0].threads, 4);
    CHECK_EQ_U64(s->runs[0].threads, 2);
    assay_mem_free(s);
    assay_engine_close(e);
}

TEST(without_a_pipeline_one_partition_at_a_time)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("monolithic");
    o.pipeline = false;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *texts[] = {"a 5 5 ok", "b 5 5 ok", "c 5 5 ok"};
    CHECK_OK(fixture_submit(e, "j", "K0", ASSAY_PRIORITY_LOW, 0, texts, 3).status);
    CHECK(fixture_wait(e, "j").state == ASSAY_JOB_COMPLETED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK(s->most_at_once == 1 && s->n_goes == 0 && s->n_runs == 3);
    assay_mem_free(s);
    assay_engine_close(e);
}

TEST(jobs_wait_for_memory_and_keys_make_room)
{
    fake_keeper_reset(3);
    assay_engine_options o = fixture_options("tight");
    o.memory = 40 * MIB; /* 36 for jobs: one key of 25, or 20, and few workers */
    o.partition_workers = 8;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    for (unsigned i = 0; i < 12; i++) {
        char id[16], text[32];
        (void)snprintf(id, sizeof id, "t%u", i);
        (void)snprintf(text, sizeof text, "T%u 4 4 ok", i);
        CHECK_OK(fixture_submit_one(e, id, i % 2 ? "A25" : "B20", text).status);
    }
    for (unsigned i = 0; i < 12; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "t%u", i);
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
    }
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK(s->most_bytes <= 36 * (uint64_t)MIB);
    CHECK(s->n_evicts >= 1 && s->n_loads >= 2);
    assay_mem_free(s);
    assay_engine_close(e);
}

TEST(batches_load_a_key_once)
{
    fake_keeper_reset(3);
    assay_engine_options o = fixture_options("batch");
    o.memory = 40 * MIB;
    o.batch_size = 4;
    o.batch_wait = 400;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    for (unsigned i = 0; i < 8; i++) {
        char id[16], text[32];
        (void)snprintf(id, sizeof id, "b%u", i);
        (void)snprintf(text, sizeof text, "B%u 4 4 ok", i);
        CHECK_OK(fixture_submit_one(e, id, i % 2 ? "A25" : "B20", text).status);
    }
    for (unsigned i = 0; i < 8; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "b%u", i);
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
    }
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(s->n_loads, 2);
    assay_mem_free(s);
    CHECK_OK(fixture_submit_one(e, "alone", "C5", "alone 1 1 ok").status); /* in vain for company */
    const assay_job_view v = fixture_wait(e, "alone");
    CHECK(v.state == ASSAY_JOB_COMPLETED && v.times.queue_wait >= 380);
    assay_engine_close(e);
}

/* ---- what is refused */

TEST(what_cannot_be_is_refused_at_once)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("refused");
    o.queue.max_jobs = 2;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    assay_submit_answer a = fixture_submit_one(e, "big", "K70", "x 1 1 ok");
    CHECK(a.status == ASSAY_ENOMEM && strstr(a.error, "75") && strstr(a.error, "59"));
    a = fixture_submit_one(e, "none", "none", "x 1 1 ok");
    CHECK(a.status == ASSAY_EIO && strstr(a.error, "no such circuit"));
    a = fixture_submit_one(e, "input", "K1", "x");
    CHECK_STATUS(a.status, ASSAY_EFORMAT);
    a = fixture_submit(e, "p", "K1", 5, 0, NULL, 0);
    CHECK(a.status == ASSAY_ERANGE && strstr(a.error, "priority"));
    a = fixture_submit_one(e, "a\nb", "K1", "x 1 1 ok");
    CHECK_STATUS(a.status, ASSAY_ERANGE);
    assay_job_view v;
    bool found = true;
    CHECK_OK(assay_engine_get(e, "big", &found, &v, NULL, NULL));
    CHECK(!found);
    /* Two wait besides those that run; then it is full. */
    for (unsigned i = 0; i < 4; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "f%u", i);
        CHECK(fixture_submit_one(e, id, "K0", "x 60000 1 ok").outcome == ASSAY_SUBMIT_NEW);
        if (i < 2) CHECK(fixture_wait_stage(e, id, "synthesis"));
    }
    CHECK(fixture_submit_one(e, "f4", "K0", "x 1 1 ok").outcome == ASSAY_SUBMIT_FULL);
    assay_engine_close(e);
}

TEST(an_id_is_one_job)
{
    fake_keeper_reset(1);
    const assay_engine_options o = fixture_options("twice");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK(fixture_submit_one(e, "x", "K0", "once 30 1 ok").outcome == ASSAY_SUBMIT_NEW);
    CHECK(fixture_submit_one(e, "x", "K0", "once 30 1 ok").outcome == ASSAY_SUBMIT_EXISTED);
    CHECK(fixture_submit_one(e, "x", "K0", "other 30 1 ok").outcome == ASSAY_SUBMIT_CONFLICT);
    CHECK(fixture_wait(e, "x").state == ASSAY_JOB_COMPLETED);
    CHECK(fixture_submit_one(e, "x", "K0", "once 30 1 ok").outcome == ASSAY_SUBMIT_EXISTED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(fake_runs_of(s, "once"), 1);
    CHECK_EQ_U64(s->n_runs, 1);
    assay_mem_free(s);
    assay_engine_close(e);
}

static void nothing(void *ctx, const assay_submit_answer *a)
{
    (void)ctx;
    CHECK_OK(a->status);
}

TEST(filecoins_jobs_wait_for_their_turn_and_are_told_why_not)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("filecoin");
    o.partition_workers = 1;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(fixture_submit_one(e, "before", "K0", "b 1500 50 ok").status);
    CHECK(fixture_wait_stage(e, "before", "synthesis"));
    static assay_job_spec specs[ASSAY_JOB_KINDS]; /* live until they are answered, long before the end of this */
    static const assay_blob blob = {(const uint8_t *)"{}", 2};
    for (unsigned k = ASSAY_JOB_POREP; k < ASSAY_JOB_KINDS; k++) {
        specs[k] = (assay_job_spec){
            .kind = (assay_job_kind)k, .priority = ASSAY_PRIORITY_NORMAL, .inputs = &blob, .n_inputs = 1};
        (void)snprintf(specs[k].id, sizeof specs[k].id, "fil-%u", k);
    }
    for (unsigned k = ASSAY_JOB_POREP; k < ASSAY_JOB_KINDS; k++) assay_engine_submit(e, &specs[k], nothing, NULL);
    assay_job_view v = {0};
    bool found = false;
    for (int i = 0; i < 500 && !found; i++) {
        fixture_nap(2);
        CHECK_OK(assay_engine_get(e, "fil-2", &found, &v, NULL, NULL));
    }
    CHECK(found && v.state == ASSAY_JOB_QUEUED);
    assay_job_state before;
    CHECK_OK(assay_engine_cancel(e, "fil-3", &before, NULL));
    CHECK(before == ASSAY_JOB_QUEUED);
    CHECK(fixture_wait(e, "fil-3").state == ASSAY_JOB_CANCELLED);
    v = fixture_wait(e, "fil-2");
    CHECK(v.state == ASSAY_JOB_FAILED && strstr(v.error, "porep-c2: the circuit is not built in this version"));
    CHECK(fixture_wait(e, "fil-5").state == ASSAY_JOB_FAILED);
    CHECK(fixture_wait(e, "before").state == ASSAY_JOB_COMPLETED);
    assay_engine_close(e);
}

/* ---- cancel, deadlines */

static void cancel_in(assay_engine *e, const char *id, const char *stage, const char *text)
{
    assay_job_state before;
    CHECK_OK(fixture_submit_one(e, id, "K10", text).status);
    CHECK(fixture_wait_stage(e, id, stage));
    CHECK_OK(assay_engine_cancel(e, id, &before, NULL));
    CHECK(before == ASSAY_JOB_RUNNING);
    const uint64_t now = assay_clock_ms();
    const assay_job_view v = fixture_wait(e, id);
    CHECK(v.state == ASSAY_JOB_CANCELLED);
    CHECK_EQ_STR(v.error, "cancelled");
    CHECK(assay_clock_ms() - now < 5000); /* at once, not at a heartbeat */
}

TEST(cancel_at_each_stage)
{
    fake_keeper_reset(300);
    assay_engine_options o = fixture_options("cancel");
    o.queue.lease = 60000;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    assay_job_state before;
    cancel_in(e, "load", "load", "x 60000 60000 ok");
    cancel_in(e, "synthesis", "synthesis", "x 60000 60000 ok");
    cancel_in(e, "prove", "prove", "x 5 60000 ok");
    CHECK_OK(fixture_submit_one(e, "prover", "K10", "p 5 60000 ok").status);
    CHECK(fixture_wait_stage(e, "prover", "prove"));
    cancel_in(e, "ready", "ready", "x 5 5 ok");
    for (unsigned i = 0; i < 2; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "slot%u", i);
        CHECK_OK(fixture_submit_one(e, id, "K10", "s 5 60000 ok").status);
        CHECK(fixture_wait_stage(e, id, "ready"));
    }
    CHECK_OK(fixture_submit_one(e, "waits", "K10", "w 5 5 ok").status);
    CHECK_OK(assay_engine_cancel(e, "waits", &before, NULL));
    CHECK(before == ASSAY_JOB_QUEUED);
    CHECK(fixture_wait(e, "waits").state == ASSAY_JOB_CANCELLED);
    CHECK_OK(assay_engine_cancel(e, "waits", &before, NULL));
    CHECK(before == ASSAY_JOB_CANCELLED);
    CHECK_OK(assay_engine_cancel(e, "nobody", &before, NULL));
    CHECK(before == (assay_job_state)0);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(fake_runs_of(s, "w"), 0);
    assay_mem_free(s);
    assay_engine_close(e);
}

TEST(deadlines_waiting_and_running)
{
    fake_keeper_reset(1);
    assay_engine_options o = fixture_options("deadline");
    o.partition_workers = 1;
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const char *text[] = {"r 60000 60000 ok"};
    const uint64_t now = assay_unix_ms();
    CHECK_OK(fixture_submit(e, "runs", "K0", ASSAY_PRIORITY_HIGH, now + 3000, text, 1).status);
    CHECK(fixture_wait_stage(e, "runs", "synthesis"));
    CHECK_OK(fixture_submit(e, "waits", "K0", ASSAY_PRIORITY_NORMAL, now + 300, text, 1).status);
    assay_job_view v = fixture_wait(e, "waits");
    CHECK(v.state == ASSAY_JOB_FAILED && strstr(v.error, "deadline"));
    CHECK(assay_unix_ms() < now + 2800);
    v = fixture_wait(e, "runs");
    CHECK(v.state == ASSAY_JOB_FAILED);
    CHECK_EQ_STR(v.error, "deadline passed");
    CHECK(assay_unix_ms() < now + 8000);
    assay_engine_close(e);
}
