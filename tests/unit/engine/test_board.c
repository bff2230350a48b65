/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: cases. */
#include "base/mem.h"
#include "board_fixture.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

static const assay_board_limits plain = {.slots = 2, .provers = 1, .most = 8, .pipeline = true, .batch_size = 1};

static assay_move next(assay_board *b)
{
    return assay_board_next(b, NULL, 0, 1000);
}

TEST(a_partition_takes_its_key_and_its_memory_and_gives_back_what_it_needs_no_more)
{
    assay_board *b = fixture_board(&plain, 100);
    assay_board_job j;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    assay_board_add(b, &j);
    assay_move m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD && m.key && m.job == &j);
    CHECK_EQ_U64(b->budget.used, 12 + 5);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_key_loaded(b, m.key, 9, 1001);
    CHECK_EQ_U64(b->budget.used, 9 + 5);
    CHECK_EQ_U64(m.key->references, 1);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_RUN && m.task == &j.tasks[0]);
    assay_board_task_ready(b, m.task);
    CHECK_EQ_U64(b->budget.used, 9 + 4);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_GO && m.task == &j.tasks[0]);
    CHECK_EQ_U64(b->budget.used, 9 + 4);
    assay_board_task_ended(b, m.task, 1002);
    CHECK(assay_board_job_over(&j));
    CHECK_EQ_U64(b->budget.used, 9);
    const assay_board_key *k = assay_board_key_find(b, ASSAY_JOB_GROTH16, "X");
    CHECK(k && k->references == 0 && k->last_used == 1002);
    assay_mem_free(b);
}

TEST(a_job_that_is_to_end_starts_nothing_more)
{
    assay_board *b = fixture_board(&plain, 1000);
    assay_board_job j;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 4);
    j.plan.key = 0;
    assay_board_add(b, &j);
    CHECK(next(b).kind == ASSAY_MOVE_RUN && next(b).kind == ASSAY_MOVE_RUN);
    assay_board_task_ready(b, &j.tasks[1]);
    CHECK(assay_board_stop(b, &j)); /* the first synthesises, the second is ready: workers to be killed */
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ready(b, &j.tasks[0]);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    CHECK(!assay_board_job_over(&j));
    assay_board_task_ended(b, &j.tasks[0], 1);
    assay_board_task_ended(b, &j.tasks[1], 1);
    CHECK(assay_board_job_over(&j));
    CHECK_EQ_U64(b->budget.used, 0);
    assay_mem_free(b);
}

TEST(slots_and_provers_bound_the_workers)
{
    assay_board *b = fixture_board(&plain, 1000);
    assay_board_job j;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 5);
    j.plan.key = 0;
    assay_board_add(b, &j);
    assay_move m[4];
    for (int i = 0; i < 2; i++) CHECK((m[i] = next(b)).kind == ASSAY_MOVE_RUN);
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* two slots */
    assay_board_task_ready(b, m[1].task);
    assay_board_task_ready(b, m[0].task);
    m[2] = next(b);
    CHECK(m[2].kind == ASSAY_MOVE_GO && m[2].task == m[0].task); /* the first partition first */
    m[3] = next(b);
    CHECK(m[3].kind == ASSAY_MOVE_RUN); /* its slot is free */
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, m[2].task, 1);
    m[2] = next(b);
    CHECK(m[2].kind == ASSAY_MOVE_GO && m[2].task == m[1].task);
    b->limits.most = 2;
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* two run */
    assay_board_task_ended(b, m[2].task, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_mem_free(b);
}

TEST(inputs_are_held_from_the_first_start_to_the_last)
{
    assay_board *b = fixture_board(&plain, 30);
    assay_board_job j, other;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 3);
    j.plan.key = 0;
    j.input_bytes = 15;
    assay_board_add(b, &j);
    CHECK_EQ_U64(b->budget.used, 0);
    assay_move m[3];
    CHECK((m[0] = next(b)).kind == ASSAY_MOVE_RUN);
    CHECK_EQ_U64(b->budget.used, 15 + 5);
    CHECK((m[1] = next(b)).kind == ASSAY_MOVE_RUN);
    CHECK_EQ_U64(b->budget.used, 15 + 10);
    for (int i = 0; i < 2; i++) assay_board_task_ended(b, m[i].task, 1);
    CHECK_EQ_U64(b->budget.used, 15);
    /* A better one fits alone, but not beside those inputs: nothing runs, so it starts. */
    fixture_job(&other, "Y", ASSAY_PRIORITY_CRITICAL, 2, 1);
    assay_board_add(b, &other);
    m[2] = next(b);
    CHECK(m[2].kind == ASSAY_MOVE_LOAD && m[2].job == &other && m[2].forced);
    assay_board_key_gone(b, m[2].key);
    (void)assay_board_stop(b, &other);
    assay_board_remove(b, &other);
    CHECK((m[2] = next(b)).kind == ASSAY_MOVE_RUN && m[2].job == &j);
    assay_board_inputs_gone(b, &j);
    CHECK_EQ_U64(b->budget.used, 5);
    assay_board_task_ended(b, m[2].task, 1);
    assay_board_remove(b, &j);
    CHECK_EQ_U64(b->budget.used, 0);
    j.input_bytes = 26; /* too much beside another's worker */
    fixture_job(&other, "Y", ASSAY_PRIORITY_CRITICAL, 2, 1);
    other.plan.key = 0;
    assay_board_add(b, &other);
    CHECK(next(b).job == &other);
    assay_board_add(b, &j);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, &other.tasks[0], 1);
    CHECK(next(b).job == &j);
    CHECK(assay_board_stop(b, &j));
    assay_board_task_ended(b, &j.tasks[0], 1);
    assay_board_remove(b, &j); /* what it did not come to use goes with it */
    CHECK_EQ_U64(b->budget.used, 0);
    assay_mem_free(b);
}

TEST(without_a_pipeline_one_partition_runs)
{
    assay_board_limits l = plain;
    l.pipeline = false;
    assay_board *b = fixture_board(&l, 1000);
    assay_board_job j;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 2);
    j.plan.key = 0;
    assay_board_add(b, &j);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_proving(b, m.task);
    CHECK_EQ_U64(b->budget.used, 4);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, m.task, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_mem_free(b);
}

TEST(a_critical_job_overtakes_at_both_stages)
{
    assay_board_limits l = plain;
    l.slots = 3;
    assay_board *b = fixture_board(&l, 1000);
    assay_board_job low, critical;
    REQUIRE(b);
    fixture_job(&low, "X", ASSAY_PRIORITY_LOW, 1, 9);
    fixture_job(&critical, "X", ASSAY_PRIORITY_CRITICAL, 50, 2);
    low.plan.key = critical.plan.key = 0;
    assay_board_add(b, &low);
    for (int i = 0; i < 3; i++) CHECK(next(b).kind == ASSAY_MOVE_RUN);
    for (int i = 0; i < 3; i++) assay_board_task_ready(b, &low.tasks[i]);
    CHECK(next(b).task == &low.tasks[0]); /* proves */
    assay_board_add(b, &critical);
    assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.task == &critical.tasks[0]);
    assay_board_task_ready(b, m.task);
    assay_board_task_ended(b, &low.tasks[0], 1);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_GO && m.task == &critical.tasks[0]);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.task == &critical.tasks[1]);
    assay_mem_free(b);
}

TEST(the_best_waits_for_memory_and_nobody_overtakes_it)
{
    assay_board_limits l = plain;
    l.slots = 4;
    assay_board *b = fixture_board(&l, 20);
    assay_board_job one, large, small;
    REQUIRE(b);
    fixture_job(&one, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    fixture_job(&large, "Y", ASSAY_PRIORITY_NORMAL, 2, 1);
    fixture_job(&small, "Z", ASSAY_PRIORITY_NORMAL, 3, 1);
    one.plan.key = small.plan.key = 0;
    assay_board_add(b, &one);
    assay_board_add(b, &large);
    assay_board_add(b, &small);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.job == &one);
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* 5 of 20 taken, 17 wanted; 5 would do for small */
    assay_board_task_ended(b, m.task, 1);
    const assay_move n = next(b);
    CHECK(n.kind == ASSAY_MOVE_LOAD && n.job == &large);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_mem_free(b);
}

TEST(the_least_recently_used_key_leaves_when_that_helps)
{
    assay_board *b = fixture_board(&plain, 36);
    assay_board_job j[3];
    REQUIRE(b);
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('A' + i), 0};
        fixture_job(&j[i], name, ASSAY_PRIORITY_NORMAL, (uint64_t)i, 1);
        assay_board_add(b, &j[i]);
        assay_move m = next(b);
        if (i == 2) { /* 20 are held, 17 wanted of 16 */
            REQUIRE(m.kind == ASSAY_MOVE_EVICT);
            CHECK_EQ_STR(m.key->entry.name, "A");
            CHECK(next(b).kind == ASSAY_MOVE_NONE); /* until it is gone */
            assay_board_key_gone(b, m.key);
            m = next(b);
        }
        REQUIRE(m.kind == ASSAY_MOVE_LOAD);
        assay_board_key_loaded(b, m.key, 10, 10 + (uint64_t)i);
        m = next(b);
        assay_board_task_ready(b, m.task);
        (void)next(b);
        assay_board_task_ended(b, m.task, 20 + (uint64_t)i);
        assay_board_remove(b, &j[i]);
    }
    CHECK(!assay_board_key_find(b, ASSAY_JOB_GROTH16, "A"));
    CHECK(assay_board_key_find(b, ASSAY_JOB_GROTH16, "B") != NULL);
    assay_mem_free(b);
}

TEST(a_file_that_changed_is_loaded_anew_when_nobody_uses_the_old_key)
{
    assay_board *b = fixture_board(&plain, 1000);
    assay_board_job old, new;
    REQUIRE(b);
    fixture_job(&old, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    fixture_job(&new, "X", ASSAY_PRIORITY_NORMAL, 2, 1);
    new.entry.stamp.inode = 7;
    assay_board_add(b, &old);
    assay_move m = next(b);
    assay_board_key_loaded(b, m.key, 10, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_board_add(b, &new);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, &old.tasks[0], 2);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_EVICT);
    assay_board_key_gone(b, m.key);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_LOAD && m.key->entry.stamp.inode == 7);
    assay_mem_free(b);
}

TEST(preloads_leave_keys_that_were_used_lately)
{
    assay_board *b = fixture_board(&plain, 25);
    assay_board_job j;
    bool wait;
    assay_board_key *found;
    assay_subject_entry e = {.name = "P"};
    REQUIRE(b);
    assay_move m = assay_board_preload(b, &e, 10, 2, 100, 1000, &found, &wait);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1000, &found, &wait).kind == ASSAY_MOVE_NONE && found == m.key);
    assay_board_key_loaded(b, m.key, 20, 1000);
    (void)snprintf(e.name, sizeof e.name, "Q");
    m = assay_board_preload(b, &e, 10, 2, 100, 1050, &found, &wait);
    CHECK(m.kind == ASSAY_MOVE_NONE && !found && !wait);
    m = assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait);
    CHECK(m.kind == ASSAY_MOVE_EVICT);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_NONE && wait);
    (void)snprintf(e.name, sizeof e.name, "P"); /* the one that leaves is not there any more */
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_NONE && wait && !found);
    (void)snprintf(e.name, sizeof e.name, "Q");
    assay_board_key_gone(b, m.key);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_LOAD);
    fixture_job(&j, "Q", ASSAY_PRIORITY_NORMAL, 1, 1); /* a job takes a key that is being preloaded */
    assay_board_add(b, &j);
    CHECK(next(b).kind == ASSAY_MOVE_NONE && j.tasks[0].phase == ASSAY_TASK_LOADING);
    assay_mem_free(b);
}

TEST(what_never_fits_runs_alone)
{
    assay_board *b = fixture_board(&plain, 16);
    assay_board_job j;
    REQUIRE(b);
    fixture_job(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    assay_board_add(b, &j);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_LOAD && m.forced);
    assay_mem_free(b);
}

TEST(heads_are_claimed_in_order_and_few_wait_unbegun)
{
    assay_board *b = fixture_board(&plain, 20);
    static assay_board_job j[12];
    assay_job_view heads[2] = {{.kind = ASSAY_JOB_GROTH16, .subject = "H", .priority = ASSAY_PRIORITY_NORMAL}};
    REQUIRE(b);
    fixture_job(&j[0], "X", ASSAY_PRIORITY_LOW, 1, 1);
    assay_board_add(b, &j[0]);
    assay_move m = assay_board_next(b, NULL, 0, 0);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD); /* 17 of 20: nothing else fits */
    size_t held = 1;
    for (uint64_t d = 1000; d > 990; d--) { /* each is better than the one before */
        heads[0].deadline = d;
        m = assay_board_next(b, heads, 1, 0);
        if (m.kind == ASSAY_MOVE_GIVE_BACK) {
            CHECK_EQ_U64(m.job->deadline, d + ASSAY_BOARD_UNBEGUN); /* the worst that waits */
            assay_board_remove(b, m.job);
            m = assay_board_next(b, heads, 1, 0);
        }
        REQUIRE(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
        fixture_job(&j[held], "H", ASSAY_PRIORITY_NORMAL, 5, 1);
        j[held].deadline = d;
        assay_board_add(b, &j[held++]);
        CHECK(b->n_jobs <= 1 + ASSAY_BOARD_UNBEGUN);
    }
    heads[0].deadline = 991; /* no better than the best that waits, which came with the same time */
    heads[0].submitted = 5;
    CHECK(assay_board_next(b, heads, 1, 0).kind == ASSAY_MOVE_NONE);
    assay_mem_free(b);
}

TEST(batches_keep_jobs_of_a_circuit_together)
{
    assay_board_limits l = plain;
    l.batch_size = 3;
    l.batch_wait = 50;
    assay_board *b = fixture_board(&l, 1000);
    static assay_board_job j[4];
    assay_job_view h[5] = {{.subject = "Y"}, {.subject = "X"}, {.subject = "Y"}, {.subject = "Y"}, {.subject = "Y"}};
    REQUIRE(b);
    for (size_t i = 0; i < 5; i++) {
        h[i].priority = ASSAY_PRIORITY_NORMAL;
        h[i].submitted = 100 + i;
    }
    assay_move m = assay_board_next(b, h, 2, 110); /* one Y, one X: both wait for company */
    CHECK(m.kind == ASSAY_MOVE_NONE);
    CHECK_EQ_U64(assay_board_wake(b, h, 2, 110), 150);
    CHECK(assay_board_next(b, h, 2, 51).kind == ASSAY_MOVE_NONE); /* another machine's clock is a little ahead */
    CHECK_EQ_U64(assay_board_wake(b, h, 2, 10), UINT64_MAX);      /* the clock was set back: nobody waits */
    const uint64_t batches = b->batch.number;
    CHECK(assay_board_next(b, h, 2, 10).kind == ASSAY_MOVE_CLAIM);
    b->batch.number = batches;
    b->batch.left = 0;
    h[1].priority = ASSAY_PRIORITY_CRITICAL; /* does not wait */
    CHECK(assay_board_next(b, h, 2, 110).head == 1);
    h[1].priority = ASSAY_PRIORITY_NORMAL;
    m = assay_board_next(b, h, 5, 110); /* enough Y */
    REQUIRE(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
    fixture_job(&j[0], "Y", ASSAY_PRIORITY_NORMAL, 100, 1);
    j[0].plan.key = 0; /* streamed: no key tells that it goes on */
    assay_board_add(b, &j[0]);
    CHECK(assay_board_next(b, h + 1, 2, 110).kind == ASSAY_MOVE_RUN);
    m = assay_board_next(b, h + 1, 2, 110); /* X came first, but Y's batch has two to go */
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 1);
    b->limits.slots = 9;
    m = assay_board_next(b, h + 3, 2, 160);
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
    const assay_job_view left[2] = {h[4], h[1]};
    m = assay_board_next(b, left, 2, 160); /* three went: order of arrival again */
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 1);
    assay_mem_free(b);
}
