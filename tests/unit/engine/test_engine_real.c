/* SPDX-License-Identifier: Apache-2.0 */
/* The engine with true workers: proofs of circuits that verify, whatever is killed meanwhile.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "engine/keeper.h"
#include "engine_fixture.h"
#include "groth16/chain.h"
#include "harness.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* This program is what keepers execute. */
__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
}

enum { MIB = 1 << 20, SMALL = 100, OTHER = 300, SLOW = 1 << 15 };

static chain small, other, slow;
static assay_buffer small_wtns, other_wtns, slow_wtns, bad_wtns;
static char circuits[600];

static void link_in(const char *name, const char *suffix, const char *path)
{
    char link_path[1200];
    (void)snprintf(link_path, sizeof link_path, "%s/%s%s", circuits, name, suffix);
    CHECK(symlink(path, link_path) == 0);
}

static bool circuit(chain *c, assay_buffer *wtns, const char *name, assay_curve_id curve, uint32_t n)
{
    if (!chain_make(c, assay_curve_get(curve), n, true)) return false;
    link_in(name, ".zkey", c->zkey);
    link_in(name, ".r1cs", c->r1cs);
    link_in(name, ".sym", c->sym);
    *wtns = chain_read(c->wtns);
    return wtns->n > 0;
}

/* Circuits "small", "other" (on another curve), "slow" (seconds). */
static bool make_circuits(void)
{
    if (circuits[0]) return true;
    (void)snprintf(circuits, sizeof circuits, "%s/circuits", assay_test_tmpdir());
    CHECK(mkdir(circuits, 0700) == 0);
    if (!circuit(&small, &small_wtns, "small", ASSAY_BN254, SMALL) ||
        !circuit(&other, &other_wtns, "other", ASSAY_BLS381, OTHER) ||
        !circuit(&slow, &slow_wtns, "slow", ASSAY_BN254, SLOW))
        return false;
    bad_wtns = chain_read(small.bad);
    return bad_wtns.n > 0;
}

static assay_engine_options options(const char *name)
{
    assay_engine_options o = fixture_options(name);
    o.circuits = circuits;
    o.memory = 1024 * (uint64_t)MIB;
    o.threads = 2;
    return o;
}

static assay_submit_answer submit(assay_engine *e, const char *id, const char *subject, unsigned priority,
                                  uint64_t deadline, const assay_buffer *const *inputs, size_t n)
{
    assay_blob blobs[ASSAY_JOB_PARTITIONS];
    for (size_t i = 0; i < n; i++) blobs[i] = (assay_blob){inputs[i]->p, inputs[i]->n};
    return fixture_submit_blobs(e, id, subject, priority, deadline, blobs, n);
}

static assay_submit_answer submit_one(assay_engine *e, const char *id, const char *subject, const assay_buffer *wtns)
{
    return submit(e, id, subject, ASSAY_PRIORITY_NORMAL, 0, &wtns, 1);
}

/* The job is complete, and each of its n proofs verifies. */
static void check_proofs(assay_engine *e, const char *id, const chain *c, size_t n)
{
    assay_job_view v;
    assay_buffer result;
    assay_blob out[2 * ASSAY_JOB_PARTITIONS];
    assay_groth16_key *key = NULL;
    size_t got = 0;
    bool found;
    REQUIRE_OK(assay_engine_get(e, id, &found, &v, &result, NULL));
    CHECK(found && v.state == ASSAY_JOB_COMPLETED);
    if (v.error[0]) printf("    %s: %s\n", id, v.error);
    CHECK_OK(assay_blobs_unpack(out, 2 * ASSAY_JOB_PARTITIONS, &got, result.p, result.n, NULL));
    CHECK_EQ_U64(got, 2 * n);
    REQUIRE_OK(assay_groth16_key_open(&key, c->zkey, NULL, NULL));
    for (size_t i = 0; i + 1 < got; i += 2) {
        assay_buffer proof, publics;
        CHECK_OK(assay_buffer_copy(&proof, out[i].p, out[i].n, "proof", NULL));
        CHECK_OK(assay_buffer_copy(&publics, out[i + 1].p, out[i + 1].n, "publics", NULL));
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
    }
    assay_groth16_key_free(key);
    assay_buffer_free(&result);
}

/* The process of a job's worker; 0 when there is none within some seconds. */
static int worker_of(assay_engine *e, const char *id)
{
    int pid = 0;
    for (int i = 0; i < 2000 && pid == 0; i++) {
        assay_engine_look *l = assay_engine_look_new(e);
        for (size_t k = 0; l && k < l->n_workers; k++)
            if (strcmp(l->workers[k].job, id) == 0) pid = l->workers[k].pid;
        assay_engine_look_free(l);
        if (pid == 0) fixture_nap(3);
    }
    return pid;
}

TEST(fifty_jobs_of_three_circuits)
{
    REQUIRE(make_circuits());
    const assay_engine_options o = options("fifty");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    for (unsigned i = 0; i < 50; i++) {
        char id[16];
        const assay_buffer *two[] = {&small_wtns, &small_wtns};
        (void)snprintf(id, sizeof id, "j%u", i);
        if (i % 25 == 3)
            CHECK_OK(submit_one(e, id, "slow", &slow_wtns).status);
        else if (i % 3 == 0)
            CHECK_OK(submit_one(e, id, "other", &other_wtns).status);
        else
            CHECK_OK(submit(e, id, "small", 1 + i % 4, 0, two, 2).status);
    }
    for (unsigned i = 0; i < 50; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "j%u", i);
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
        if (i % 25 == 3)
            check_proofs(e, id, &slow, 1);
        else if (i % 3 == 0)
            check_proofs(e, id, &other, 1);
        else
            check_proofs(e, id, &small, 2);
    }
    assay_engine_look *l = assay_engine_look_new(e);
    REQUIRE(l);
    CHECK_EQ_U64(l->completed, 50);
    CHECK_EQ_U64(l->n_keys, 3);
    CHECK(l->budget.peak <= l->budget.total);
    CHECK(l->done[ASSAY_JOB_GROTH16].sum.peak_bytes > 0);
    assay_engine_look_free(l);
    assay_engine_close(e);
}

TEST(a_killed_worker_takes_its_job_alone_and_that_goes_again)
{
    REQUIRE(make_circuits());
    const assay_engine_options o = options("killed");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(submit_one(e, "victim", "slow", &slow_wtns).status);
    CHECK(fixture_wait_stage(e, "victim", "prove"));
    CHECK_OK(submit_one(e, "bystander", "slow", &slow_wtns).status);
    const int pid = worker_of(e, "victim");
    REQUIRE(pid > 1);
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(fixture_wait(e, "bystander").attempts == 1);
    const assay_job_view v = fixture_wait(e, "victim");
    CHECK_EQ_U64(v.attempts, 2);
    check_proofs(e, "victim", &slow, 1);
    check_proofs(e, "bystander", &slow, 1);
    assay_engine_close(e);
}

TEST(a_witness_that_breaks_the_circuit_is_named)
{
    REQUIRE(make_circuits());
    const assay_engine_options o = options("bad");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    const assay_buffer *inputs[] = {&small_wtns, &bad_wtns};
    char want[32];
    CHECK_OK(submit(e, "bad", "small", ASSAY_PRIORITY_NORMAL, 0, inputs, 2).status);
    const assay_job_view v = fixture_wait(e, "bad");
    CHECK(v.state == ASSAY_JOB_FAILED && v.attempts == 1);
    (void)snprintf(want, sizeof want, "%u", (unsigned)small.broken);
    CHECK(strncmp(v.error, "partition 1: ", 13) == 0 && strstr(v.error, want));
    CHECK_STATUS(submit_one(e, "wrong", "other", &small_wtns).status, ASSAY_ERANGE);
    assay_engine_close(e);
}

TEST(cancelled_and_late_workers_are_gone)
{
    REQUIRE(make_circuits());
    const assay_engine_options o = options("cancelled");
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    assay_job_state before;
    const assay_buffer *input = &slow_wtns;
    CHECK_OK(submit_one(e, "c", "slow", &slow_wtns).status);
    CHECK(fixture_wait_stage(e, "c", "prove"));
    const int pid = worker_of(e, "c");
    CHECK_OK(assay_engine_cancel(e, "c", &before, NULL));
    CHECK(fixture_wait(e, "c").state == ASSAY_JOB_CANCELLED);
    CHECK(pid > 1 && kill(pid, 0) != 0);
    CHECK_OK(submit(e, "d", "slow", ASSAY_PRIORITY_NORMAL, assay_unix_ms() + 150, &input, 1).status);
    const assay_job_view v = fixture_wait(e, "d");
    CHECK(v.state == ASSAY_JOB_FAILED && strstr(v.error, "deadline"));
    assay_engine_look *l = assay_engine_look_new(e);
    CHECK(l && l->n_workers == 0 && l->workers_bytes == 0);
    assay_engine_look_free(l);
    assay_engine_close(e);
}

/* The plan in so much room, for budgets that are just too small. */
static assay_job_plan plan_in(const char *name, const assay_buffer *wtns, uint64_t room)
{
    assay_catalogue *c = NULL;
    assay_job_plan p = {0};
    assay_subject_entry *entry = assay_mem_alloc(1, sizeof *entry);
    const assay_blob input = {wtns->p, wtns->n};
    CHECK_OK(assay_catalogue_new(&c, circuits, "", NULL));
    CHECK(entry != NULL);
    if (entry) CHECK_OK(assay_catalogue_find(c, ASSAY_JOB_GROTH16, name, entry, NULL));
    if (entry) CHECK_OK(assay_job_plan_make(&p, c, ASSAY_JOB_GROTH16, entry, &input, 1, 2, room, NULL));
    assay_mem_free(entry);
    assay_catalogue_free(c);
    return p;
}

TEST(in_little_memory_jobs_wait_then_keys_are_streamed_then_jobs_refused)
{
    REQUIRE(make_circuits());
    const assay_job_plan p = plan_in("slow", &slow_wtns, UINT64_MAX);
    REQUIRE(p.key > 0);
    assay_engine_options o = options("tight");
    o.partition_workers = 4;
    o.memory = o.daemon_memory + p.key + p.load + p.peak + p.peak / 2; /* one and a half */
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    for (int i = 0; i < 3; i++) {
        const char id[2] = {(char)('a' + i), 0};
        CHECK_OK(submit_one(e, id, "slow", &slow_wtns).status);
    }
    for (int i = 0; i < 3; i++) {
        const char id[2] = {(char)('a' + i), 0};
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
        check_proofs(e, id, &slow, 1);
    }
    assay_engine_look *l = assay_engine_look_new(e);
    CHECK(l && l->budget.peak <= l->budget.total && l->n_keys == 1);
    assay_engine_look_free(l);
    assay_engine_close(e);

    o = options("streamed");
    uint64_t room = p.key + p.load + p.peak; /* down to where the key does not fit any more */
    while (room > MIB && plan_in("slow", &slow_wtns, room).key) room -= MIB / 4;
    o.memory = o.daemon_memory + room;
    e = fixture_open(&o);
    REQUIRE(e);
    CHECK_OK(submit_one(e, "s", "slow", &slow_wtns).status);
    CHECK(fixture_wait(e, "s").state == ASSAY_JOB_COMPLETED);
    check_proofs(e, "s", &slow, 1);
    l = assay_engine_look_new(e);
    CHECK(l && l->n_keys == 0 && l->budget.peak <= l->budget.total);
    assay_engine_look_free(l);
    assay_engine_close(e);

    o = options("refused");
    o.memory = o.daemon_memory + p.process / 2;
    e = fixture_open(&o);
    REQUIRE(e);
    const assay_submit_answer a = submit_one(e, "r", "slow", &slow_wtns);
    char want[24];
    (void)snprintf(want, sizeof want, "%llu)", (unsigned long long)((p.process / 2 - slow_wtns.n) / MIB));
    CHECK_STATUS(a.status, ASSAY_ENOMEM);
    CHECK(strstr(a.error, want) != NULL);
    assay_engine_close(e);
}

/* ---- the daemon dies */

enum { JOBS = 12 };

/* A daemon that accepts jobs until it is killed: tells a pipe when all are in. */
static void be_a_daemon(const assay_engine_options *o, int tell)
{
    assay_engine *e = fixture_open(o);
    for (unsigned i = 0; e && i < JOBS; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "k%u", i);
        (void)submit_one(e, id, i % 4 ? "small" : "slow", i % 4 ? &small_wtns : &slow_wtns);
    }
    const ssize_t n = write(tell, "", 1);
    (void)n;
    for (;;) (void)pause();
}

TEST(a_killed_daemon_loses_no_job_and_doubles_none)
{
    REQUIRE(make_circuits());
    assay_engine_options o = options("daemon");
    o.queue.attempts = 10;
    bool ended[JOBS] = {false};
    for (unsigned round = 0; round < 4; round++) {
        int tell[2];
        char byte;
        REQUIRE(pipe(tell) == 0);
        const pid_t pid = fork(); /* no thread of this process runs now */
        REQUIRE(pid >= 0);
        if (pid == 0) be_a_daemon(&o, tell[1]);
        (void)close(tell[1]);
        CHECK(read(tell[0], &byte, 1) == 1);
        fixture_nap(round * 150);
        CHECK(kill(pid, SIGKILL) == 0);
        CHECK(waitpid(pid, NULL, 0) == pid);
        /* Its keepers and workers die with it: the pipe, which they have too, comes to its end. */
        CHECK(read(tell[0], &byte, 1) == 0);
        (void)close(tell[0]);
        assay_queue *q;
        assay_errinfo err = {0};
        REQUIRE_OK(assay_queue_open(&q, &o.queue, &err));
        for (unsigned i = 0; i < JOBS; i++) {
            char id[16];
            bool found;
            assay_job_view v;
            (void)snprintf(id, sizeof id, "k%u", i);
            CHECK_OK(assay_queue_get(q, id, &found, &v, NULL, NULL));
            CHECK(found && (v.state == ASSAY_JOB_COMPLETED || v.state == ASSAY_JOB_QUEUED));
            CHECK(!ended[i] || v.state == ASSAY_JOB_COMPLETED); /* once and for all */
            ended[i] = v.state == ASSAY_JOB_COMPLETED;
        }
        assay_queue_close(q);
    }
    assay_engine *e = fixture_open(&o);
    REQUIRE(e);
    for (unsigned i = 0; i < JOBS; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "k%u", i);
        CHECK(fixture_wait(e, id).state == ASSAY_JOB_COMPLETED);
        check_proofs(e, id, i % 4 ? &small : &slow, 1);
    }
    assay_engine_close(e);
}
