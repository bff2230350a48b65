/* SPDX-License-Identifier: Apache-2.0 */
/* Two engines over one PostgreSQL queue, with made-up keepers.
 * ctest: labels interop
 * ctest: uses support/keeper */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/mem.h"
#include "engine_fixture.h"
#include "harness.h"
#include "postgres_server.h"
#include "support/keeper/fake_keeper.h"
#include <stdio.h>
#include <string.h>

static bool have(void)
{
    const char *why = "";
    bool failed = false;
    if (postgres_have(&why, &failed)) return true;
    if (failed)
        CHECK_EQ_STR(why, "");
    else
        assay_test_skip(why);
    return false;
}

static assay_engine *open_one(const char *owner)
{
    assay_engine_options o = fixture_options("shared");
    o.queue.where = postgres_usual_url();
    o.queue.owner = owner;
    o.queue.connections = 4;
    return fixture_open(&o);
}

TEST(two_daemons_work_each_job_once)
{
    if (!have()) return;
    assay_engine *a = open_one("a"), *b = open_one("b");
    REQUIRE(a && b);
    fake_keeper_reset(1);
    for (unsigned i = 0; i < 40; i++) {
        char id[16], text[32];
        (void)snprintf(id, sizeof id, "s%u", i);
        (void)snprintf(text, sizeof text, "S%u 10 10 ok", i);
        CHECK(fixture_submit_one(i % 2 ? a : b, id, "K10", text).outcome == ASSAY_SUBMIT_NEW);
        CHECK(fixture_submit_one(i % 2 ? b : a, id, "K10", text).outcome == ASSAY_SUBMIT_EXISTED);
    }
    for (unsigned i = 0; i < 40; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "s%u", i);
        CHECK(fixture_wait(a, id).state == ASSAY_JOB_COMPLETED);
        CHECK(fixture_wait(b, id).state == ASSAY_JOB_COMPLETED);
    }
    fake_seen *s = fake_keeper_seen();
    assay_engine_look *la = assay_engine_look_new(a), *lb = assay_engine_look_new(b);
    REQUIRE(s && la && lb);
    for (unsigned i = 0; i < 40; i++) {
        char label[16];
        (void)snprintf(label, sizeof label, "S%u", i);
        CHECK_EQ_U64(fake_runs_of(s, label), 1);
    }
    CHECK_EQ_U64(la->completed + lb->completed, 40);
    CHECK(la->completed > 0 && lb->completed > 0);
    assay_mem_free(s);
    assay_engine_look_free(la);
    assay_engine_look_free(lb);
    assay_engine_close(a);
    assay_engine_close(b);
}

TEST(a_job_of_another_daemon_is_watched_and_cancelled)
{
    if (!have()) return;
    assay_engine *b = open_one("b");
    REQUIRE(b);
    fake_keeper_reset(1);
    CHECK_OK(fixture_submit_one(b, "far", "K0", "far 20000 1 ok").status);
    CHECK(fixture_wait_stage(b, "far", "synthesis"));
    assay_engine *a = open_one("a");
    REQUIRE(a);
    assay_job_state before;
    assay_job_view v;
    bool found;
    CHECK_OK(assay_engine_get(a, "far", &found, &v, NULL, NULL));
    CHECK(found && v.state == ASSAY_JOB_RUNNING);
    CHECK_OK(assay_engine_cancel(a, "far", &before, NULL));
    CHECK(before == ASSAY_JOB_RUNNING);
    CHECK(fixture_wait(a, "far").state == ASSAY_JOB_CANCELLED);
    CHECK(fixture_wait(b, "far").state == ASSAY_JOB_CANCELLED);
    assay_engine_close(a);
    assay_engine_close(b);
}

TEST(who_loses_its_lease_drops_the_job_and_another_ends_it)
{
    if (!have()) return;
    assay_engine *b = open_one("b");
    REQUIRE(b);
    fake_keeper_reset(1);
    CHECK_OK(fixture_submit_one(b, "taken", "K0", "taken 20000 1 ok").status);
    CHECK(fixture_wait_stage(b, "taken", "synthesis"));
    /* Its lease ends as if b had slept; another takes it, as the sweep and a claim would. */
    CHECK(postgres_sql("assay", "UPDATE jobs SET owner = 'other', token = decode(repeat('07', 16), 'hex') WHERE id = "
                                "'taken' RETURNING 1") == 1);
    bool dropped = false;
    for (int i = 0; i < 300 && !dropped; i++) {
        assay_engine_look *l = assay_engine_look_new(b);
        dropped = l && l->n_workers == 0;
        assay_engine_look_free(l);
        fixture_nap(10);
    }
    CHECK(dropped); /* by the next heartbeat, within a second */
    assay_job_view v;
    bool found;
    CHECK_OK(assay_engine_get(b, "taken", &found, &v, NULL, NULL));
    CHECK(found && v.state == ASSAY_JOB_RUNNING); /* at the other's */
    const uint8_t token[ASSAY_QUEUE_TOKEN] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    assay_engine_options o = fixture_options("shared");
    o.queue.where = postgres_usual_url();
    assay_queue *q;
    bool ours = false;
    REQUIRE_OK(assay_queue_open(&q, &o.queue, NULL));
    const assay_blob result = {(const uint8_t *)"done", 4};
    CHECK_OK(assay_queue_finish(q, "taken", token, ASSAY_JOB_COMPLETED, &result, "", &v.times, &ours, NULL));
    CHECK(ours);
    CHECK(fixture_wait(b, "taken").state == ASSAY_JOB_COMPLETED); /* b's watchers hear of it */
    assay_queue_close(q);
    assay_engine_close(b);
}

TEST(a_server_that_dies_and_comes_back_loses_nothing)
{
    if (!have()) return;
    assay_engine *a = open_one("a");
    REQUIRE(a);
    fake_keeper_reset(1);
    CHECK_OK(fixture_submit_one(a, "through", "K0", "through 300 300 ok").status);
    CHECK_OK(fixture_submit_one(a, "after", "K0", "after 10 10 ok").status);
    CHECK(fixture_wait_stage(a, "through", "synthesis"));
    postgres_kill();
    fixture_nap(1000);
    assay_engine_look *l = assay_engine_look_new(a); /* does not wait for it */
    CHECK(l && !assay_engine_ready(a));
    assay_engine_look_free(l);
    CHECK(fixture_submit_one(a, "refused", "K0", "refused 1 1 ok").status != ASSAY_OK);
    CHECK(postgres_start());
    CHECK(fixture_wait(a, "through").state == ASSAY_JOB_COMPLETED);
    CHECK(fixture_wait(a, "after").state == ASSAY_JOB_COMPLETED);
    fake_seen *s = fake_keeper_seen();
    REQUIRE(s);
    CHECK_EQ_U64(fake_runs_of(s, "after"), 1);
    assay_mem_free(s);
    CHECK(assay_engine_ready(a));
    assay_engine_close(a);
}
