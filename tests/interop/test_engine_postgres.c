/* SPDX-License-Identifier: Apache-2.0 */
/* Several daemons on one PostgreSQL queue, with true workers: one dies, jobs are cancelled from another, the server is
 * restarted; every job is proven once.
 * ctest: labels interop
 * ctest: uses unit/engine
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "engine/keeper.h"
#include "groth16/chain.h"
#include "harness.h"
#include "unit/engine/engine_fixture.h"
#include "unit/engine/postgres_server.h"
#include <signal.h>
#include <stdatomic.h>
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

enum { MIB = 1 << 20, JOBS = 16, LEASE = 3000, PARTITIONS = 20 };

static chain quick, slow; /* circuits of those names */
static assay_buffer quick_wtns, slow_wtns;
static char circuits[600];

static bool make_circuit(chain *c, assay_buffer *wtns, const char *name, uint32_t n)
{
    char path[1200];
    if (!chain_make(c, assay_curve_get(ASSAY_BN254), n, true)) return false;
    (void)snprintf(path, sizeof path, "%s/%s.zkey", circuits, name);
    *wtns = chain_read(c->wtns);
    return symlink(c->zkey, path) == 0 && wtns->n > 0;
}

/* A fresh queue on the server and the circuits. False: the test is to be left. */
static bool begin(queue_place *p)
{
    if (!postgres_begin(p)) return false;
    if (circuits[0]) return true;
    (void)snprintf(circuits, sizeof circuits, "%s/circuits", assay_test_tmpdir());
    return CHECK(mkdir(circuits, 0700) == 0 && make_circuit(&quick, &quick_wtns, "quick", 100) &&
                 make_circuit(&slow, &slow_wtns, "slow", 1 << 15));
}

static assay_engine *open_engine(const queue_place *p, const char *owner, uint64_t lease)
{
    assay_engine_options o = fixture_options("");
    o.circuits = circuits;
    o.memory = 1024 * (uint64_t)MIB;
    o.threads = 2;
    o.queue.where = p->where;
    o.queue.owner = owner;
    o.queue.attempts = 10;
    o.queue.lease = lease;
    return fixture_open(&o);
}

static bool submit(assay_engine *e, const char *id, const char *subject, const assay_buffer *wtns)
{
    const assay_blob blob = {wtns->p, wtns->n};
    const assay_submit_answer a = fixture_submit_blobs(e, id, subject, ASSAY_PRIORITY_NORMAL, 0, &blob, 1);
    return a.status == ASSAY_OK && a.outcome == ASSAY_SUBMIT_NEW;
}

static const char *name_of(unsigned i)
{
    static char name[16];
    (void)snprintf(name, sizeof name, "job-%u", i);
    return name;
}

static void check_proof(assay_engine *e, const char *id, const chain *c)
{
    assay_job_view v;
    assay_buffer result;
    assay_blob out[2] = {{NULL, 0}, {NULL, 0}};
    assay_groth16_key *key = NULL;
    size_t got = 0;
    bool found;
    REQUIRE_OK(assay_engine_get(e, id, &found, &v, &result, NULL));
    CHECK(found && v.state == ASSAY_JOB_COMPLETED);
    REQUIRE_OK(assay_blobs_unpack(out, 2, &got, result.p, result.n, NULL));
    CHECK_EQ_U64(got, 2);
    REQUIRE_OK(assay_groth16_key_open(&key, c->zkey, NULL, NULL));
    assay_buffer proof = {NULL, 0}, publics = {NULL, 0};
    memcpy(&proof.p, &out[0].p, sizeof proof.p); /* only read */
    memcpy(&publics.p, &out[1].p, sizeof publics.p);
    proof.n = out[0].n;
    publics.n = out[1].n;
    CHECK(chain_verifies(key, &publics, &proof));
    assay_groth16_key_free(key);
    assay_buffer_free(&result);
}

/* A daemon of its own, which says when it runs and is killed some time. */
static pid_t start_daemon(const queue_place *p, uint64_t lease)
{
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) return -1;
    (void)fflush(stdout);
    const pid_t pid = fork(); /* no thread of this process runs now */
    if (pid == 0) {
        const assay_engine *e = open_engine(p, "the daemon that dies", lease);
        if (!e || write(ends[1], "y", 1) != 1) _exit(5);
        for (;;) (void)pause();
    }
    (void)close(ends[1]);
    CHECK(read(ends[0], &byte, 1) == 1 && byte == 'y');
    (void)close(ends[0]);
    return pid;
}

static void end_daemon(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

TEST(another_daemon_takes_over)
{
    queue_place p;
    if (!begin(&p)) return;
    const pid_t pid = start_daemon(&p, LEASE);
    REQUIRE(pid > 0);
    assay_engine *e = open_engine(&p, "the daemon that lives", LEASE);
    REQUIRE(e != NULL);
    for (unsigned i = 0; i < JOBS; i++)
        CHECK(submit(e, name_of(i), i % 2 ? "quick" : "slow", i % 2 ? &quick_wtns : &slow_wtns));
    bool shared = false;
    for (int i = 0; i < 500 && !shared; i++) {
        shared =
            postgres_sql("assay", "SELECT count(*) FROM jobs WHERE state = 2 AND owner = 'the daemon that dies'") > 0;
        fixture_nap(10);
    }
    CHECK(shared); /* it works some of them when it dies */
    end_daemon(pid);
    for (unsigned i = 0; i < JOBS; i++) {
        CHECK(fixture_wait(e, name_of(i)).state == ASSAY_JOB_COMPLETED);
        check_proof(e, name_of(i), i % 2 ? &quick : &slow);
    }
    assay_queue_counts n;
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    n = queue_counts(q);
    CHECK_EQ_U64(n.completed, JOBS);
    CHECK_EQ_U64(
        postgres_sql("assay", "SELECT count(*) FROM jobs WHERE attempts > 1 AND owner = 'the daemon that lives'") > 0,
        1);
    assay_queue_close(q);
    assay_engine_close(e);
}

/* What is cancelled at one machine stops at another, long before the next heartbeat is due. */
TEST(cancelled_from_another_daemon)
{
    queue_place p;
    assay_job_state before;
    if (!begin(&p)) return;
    const pid_t pid = start_daemon(&p, 20 * LEASE);
    REQUIRE(pid > 0);
    assay_queue *q = queue_open(&p); /* a client's side: a daemon that does not work */
    REQUIRE(q != NULL);
    assay_blob inputs[PARTITIONS];
    for (int i = 0; i < PARTITIONS; i++) inputs[i] = (assay_blob){slow_wtns.p, slow_wtns.n};
    assay_job_spec s = queue_spec("long");
    (void)snprintf(s.subject, sizeof s.subject, "slow");
    s.inputs = inputs;
    s.n_inputs = PARTITIONS;
    CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    for (int i = 0; i < 1000 && queue_view(q, "long").state != ASSAY_JOB_RUNNING; i++) fixture_nap(5);
    CHECK_EQ_U64(queue_view(q, "long").state, ASSAY_JOB_RUNNING);
    CHECK_OK(assay_queue_cancel(q, "long", &before, NULL));
    CHECK_EQ_U64(before, ASSAY_JOB_RUNNING);
    for (int i = 0; i < 1000 && !assay_job_ended(queue_view(q, "long").state); i++) fixture_nap(5);
    CHECK_EQ_U64(queue_view(q, "long").state, ASSAY_JOB_CANCELLED);
    end_daemon(pid);
    assay_queue_close(q);
}

TEST(the_server_is_restarted)
{
    queue_place p;
    if (!begin(&p)) return;
    assay_engine *e = open_engine(&p, "a daemon", LEASE);
    REQUIRE(e != NULL);
    for (unsigned i = 0; i < JOBS; i++)
        CHECK(submit(e, name_of(i), i % 2 ? "quick" : "slow", i % 2 ? &quick_wtns : &slow_wtns));
    postgres_kill();
    fixture_nap(500);
    REQUIRE(postgres_start());
    for (unsigned i = 0; i < JOBS; i++) {
        CHECK(fixture_wait(e, name_of(i)).state == ASSAY_JOB_COMPLETED);
        check_proof(e, name_of(i), i % 2 ? &quick : &slow);
    }
    assay_engine_close(e);
}

/* ---- what is written in one transaction: many small jobs, few large ones */

enum { LARGE = 30000000 };

static _Atomic unsigned answers;

static void count_answer(void *ctx, const assay_submit_answer *a)
{
    (void)ctx;
    CHECK_OK(a->status);
    atomic_fetch_add(&answers, 1);
}

static void submit_without_waiting(assay_engine *e, const char *id, const assay_blob *blob)
{
    assay_job_spec s = queue_spec(id);
    s.kind = ASSAY_JOB_POREP; /* whose inputs are not looked at */
    s.inputs = blob;
    s.n_inputs = 1;
    assay_engine_submit(e, &s, count_answer, NULL);
}

TEST(transactions_are_not_large)
{
    enum { N = 6 };
    queue_place p;
    static const assay_blob little = {(const uint8_t *)"x", 1};
    if (!begin(&p)) return;
    uint8_t *bytes = assay_mem_alloc(LARGE, 1);
    const assay_blob large = {bytes, LARGE};
    assay_engine *e = open_engine(&p, "a daemon", LEASE);
    REQUIRE(e != NULL && bytes != NULL);
    CHECK(postgres_sql("assay", "CREATE TABLE seen (tx bigint); GRANT ALL ON seen TO assay;"
                                "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS "
                                "'BEGIN INSERT INTO assay.seen VALUES (txid_current()); RETURN NULL; END';"
                                "CREATE TRIGGER see AFTER INSERT ON inputs FOR EACH ROW EXECUTE FUNCTION see()") == 0);
    for (int round = 0; round < 2; round++) {
        /* Nobody can write: the first is on its way, the others wait for it. */
        PGconn *c = PQconnectdb(postgres_url("super", POSTGRES_PASSWORD, "assay"));
        PQclear(PQexec(c, "BEGIN; LOCK TABLE assay.inputs IN EXCLUSIVE MODE"));
        atomic_store(&answers, 0);
        for (unsigned i = 0; i < N; i++) {
            submit_without_waiting(e, name_of(i + (unsigned)round * N), round ? &little : &large);
            if (i == 0) fixture_nap(300);
        }
        CHECK_EQ_U64(answers, 0);
        PQclear(PQexec(c, "COMMIT"));
        PQfinish(c);
        for (int i = 0; i < 3000 && atomic_load(&answers) < N; i++) fixture_nap(10);
        CHECK_EQ_U64(answers, N);
        CHECK_EQ_U64(postgres_sql("assay", "SELECT count(DISTINCT tx) FROM seen"), round ? 2 : 1 + 3);
        CHECK(postgres_sql("assay", "DELETE FROM seen") == 0);
    }
    assay_engine_close(e);
    assay_mem_free(bytes);
}
