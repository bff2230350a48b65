/* SPDX-License-Identifier: Apache-2.0 */
/* Keeper processes and workers: proofs of circuits, and every way in which it may go wrong.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "engine/keeper.h"
#include "harness.h"
#include "keeping.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* This program is what keepers execute. */
__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
}

enum { MANY = 100, MOST_PEAK = 32 << 20 };

static keeping_circuit f;

/* ---- proofs */

TEST(a_proof_with_a_loaded_key)
{
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_STARTED, 1);
    REQUIRE(e && e->pid > 0);
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&f.files, e));
    CHECK_EQ_U64(e->signal, 0);
    CHECK_EQ_STR(e->error, "");
    CHECK(e->peak > 0 && e->peak < MOST_PEAK);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_READY, 1), 0);
    keeping_end(&f);
}

TEST(a_proof_without_a_loaded_key)
{
    int pids[2];
    REQUIRE(keeping_begin(&f));
    const assay_subject_entry unchecked = keeping_entry(&f.files, "small", false);
    REQUIRE(keeping_run(&f.g, 7, &f.circuit, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 7);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&f.files, e));
    REQUIRE(keeping_run(&f.g, 8, &unchecked, &f.witness, false));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 8);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&f.files, e));
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, pids, 2), 1);
    keeping_end(&f);
}

TEST(a_worker_waits_for_its_prover)
{
    static const char *const order[] = {"synthesis", "ready", "prove", "verify"};
    size_t at = 0;
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, true));
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, true));
    REQUIRE(keeping_wait(&f.g, ASSAY_KEEPER_READY, 1) && keeping_wait(&f.g, ASSAY_KEEPER_READY, 2));
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, 0), 0);
    CHECK_OK(assay_keeper_go(f.g.k, 2, 2, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, 1), 0);
    CHECK_OK(assay_keeper_go(f.g.k, 1, 0, NULL));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK_OK(assay_keeper_go(f.g.k, 1, 0, NULL)); /* ended meanwhile */
    for (size_t i = 0; i < f.g.n; i++)            /* every stage that was told came in its order */
        if (f.g.said[i].kind == ASSAY_KEEPER_STAGE && f.g.said[i].task == 1) {
            while (at < 4 && strcmp(order[at], f.g.said[i].stage) != 0) at++;
            CHECK(f.g.said[i].done >= 0 && f.g.said[i].done <= 1);
        }
    CHECK(at < 4);
    keeping_end(&f);
}

TEST(many_at_once)
{
    int pids[3];
    REQUIRE(keeping_begin(&f));
    const size_t before = keeping_descriptors((int)getpid());
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(assay_keeper_pids(f.g.k, pids, 3) == 2);
    const size_t of_keeper = keeping_descriptors(pids[1]);
    for (uint64_t i = 1; i <= MANY; i++) REQUIRE(keeping_run(&f.g, i, &f.circuit, &f.witness, i % 2));
    for (uint64_t i = 1; i <= MANY; i += 2) {
        REQUIRE(keeping_wait(&f.g, ASSAY_KEEPER_READY, i));
        CHECK_OK(assay_keeper_go(f.g.k, i, 1, NULL));
    }
    for (uint64_t i = 1; i <= MANY; i++) {
        const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, i);
        REQUIRE(e != NULL);
        CHECK(keeping_verifies(&f.files, e));
    }
    keeping_listen(&f.g, 20);
    for (uint64_t i = 1; i <= MANY; i++) CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, i), 1);
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before + 1); /* the key's process */
    CHECK_EQ_U64(keeping_descriptors(pids[1]), of_keeper);
    CHECK_EQ_U64(keeping_children(pids[1], NULL, 0), 0);
    CHECK_EQ_U64(keeping_children((int)getpid(), NULL, 0), 2);
    keeping_end(&f);
    CHECK_EQ_U64(keeping_children((int)getpid(), NULL, 0), 0);
}

/* ---- bad input */

TEST(bad_inputs_fail_alone)
{
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    assay_buffer bad = chain_read(f.files.bad), nothing = {NULL, 0};
    assay_subject_entry missing = f.circuit, unbuilt = f.circuit;
    keeping_refused(&f, 1, &f.circuit, &bad, ASSAY_EUNSATISFIED, f.files.culprit);
    bad.n /= 2;
    keeping_refused(&f, 2, &f.circuit, &bad, ASSAY_EFORMAT, "witness");
    keeping_refused(&f, 3, &f.circuit, &nothing, ASSAY_EFORMAT, "witness");
    (void)strcat(missing.path, ".not");
    missing.stamp.inode++;
    keeping_refused(&f, 4, &missing, &f.witness, ASSAY_EIO, missing.path);
    unbuilt.kind = ASSAY_JOB_POREP;
    keeping_refused(&f, 5, &unbuilt, &f.witness, ASSAY_EUNSUPPORTED, "porep");
    const assay_worker_order two = {.task = 6, .entry = f.circuit, .threads = 1};
    REQUIRE_OK(assay_keeper_run(f.g.k, &two, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 6);
    CHECK(e && e->status == ASSAY_ERANGE);
    keeping_refused(&f, 7, &f.circuit, &nothing, ASSAY_EFORMAT, "witness");
    REQUIRE(keeping_run(&f.g, 8, &f.circuit, &f.witness, false));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 8);
    CHECK(e && keeping_verifies(&f.files, e));
    bad.n *= 2;
    assay_buffer_free(&bad);
    keeping_end(&f);
}

TEST(bad_orders)
{
    const assay_blob nine[9] = {{NULL, 0}};
    REQUIRE(keeping_begin(&f));
    const assay_worker_order o = {.task = 1, .entry = f.circuit, .inputs = nine, .n_inputs = 9, .threads = 1};
    CHECK_STATUS(assay_keeper_run(f.g.k, &o, NULL), ASSAY_EINVAL);
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, true));
    const assay_blob input = {f.witness.p, f.witness.n};
    const assay_worker_order again = {.task = 1, .entry = f.circuit, .inputs = &input, .n_inputs = 1, .threads = 1};
    CHECK_STATUS(assay_keeper_run(f.g.k, &again, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_keeper_kill(f.g.k, 99, NULL)); /* no such task: it ended, for all that is known */
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_READY, 1));
    keeping_end(&f);
}

/* ---- ends of workers */

TEST(ends_of_workers)
{
    for (int loaded = 0; loaded < 2; loaded++) {
        REQUIRE(keeping_begin(&f));
        if (loaded) REQUIRE(keeping_load(&f.g, &f.circuit));
        const int first = keeping_waiting(&f, 1), other = keeping_waiting(&f, 2), crash = keeping_waiting(&f, 3),
                  stopped = keeping_waiting(&f, 4);
        REQUIRE(first > 0 && other > 0 && crash > 0 && stopped > 0);
        CHECK(kill(first, SIGKILL) == 0);
        keeping_ended(&f, 1, ASSAY_ENOMEM, SIGKILL, "killed by the system, probably for its memory");
        CHECK(kill(crash, SIGABRT) == 0);
        keeping_ended(&f, 3, ASSAY_EINTERNAL, SIGABRT, "SIGABRT");
        CHECK(kill(stopped, SIGSTOP) == 0);
        CHECK_OK(assay_keeper_go(f.g.k, 4, 1, NULL));
        CHECK_OK(assay_keeper_kill(f.g.k, 4, NULL));
        keeping_ended(&f, 4, ASSAY_ECANCELED, SIGKILL, "stopped");
        CHECK_OK(assay_keeper_go(f.g.k, 2, 1, NULL));
        const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
        CHECK(e && keeping_verifies(&f.files, e));
        keeping_listen(&f.g, 20);
        for (uint64_t i = 1; i <= 4; i++) CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, i), 1);
        CHECK(keeping_gone(first) && keeping_gone(other) && keeping_gone(crash) && keeping_gone(stopped));
        keeping_end(&f);
    }
}

/* ---- ends of keeper processes */

TEST(a_key_whose_process_dies)
{
    int pids[2];
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, pids, 2) == 2);
    CHECK(kill(pids[1], SIGKILL) == 0);
    keeping_ended(&f, 1, ASSAY_ENOMEM, SIGKILL, "keeper: killed by the system");
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, ASSAY_ENOMEM);
    CHECK(e->bytes > 0);
    CHECK_EQ_STR(e->name, "small");
    CHECK(keeping_gone(worker) && keeping_gone(pids[1]));
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false)); /* without it */
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, 1), 1);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_GONE, 0), 0);
    keeping_end(&f);
}

TEST(the_plain_process_dies)
{
    int pid;
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, &pid, 1) == 1);
    CHECK(kill(pid, SIGSEGV) == 0);
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, ASSAY_EINTERNAL); /* a sanitizer's handler turns the signal into an exit code */
    CHECK(strstr(e->error, "keeper: ") == e->error);
    CHECK(keeping_gone(worker) && keeping_gone(pid));
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 0);
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false)); /* another takes its place */
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 1);
    REQUIRE(assay_keeper_pids(f.g.k, &pid, 1) == 1 && kill(pid, SIGKILL) == 0); /* idle: nobody need know */
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_GONE, 0), 0);
    CHECK(keeping_run(&f.g, 3, &f.circuit, &f.witness, false));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 3);
    CHECK(e && keeping_verifies(&f.files, e));
    keeping_end(&f);
}

TEST(a_process_that_does_not_read)
{
    int pid;
    uint64_t task = 1;
    assay_status s = ASSAY_OK;
    const assay_blob input = {f.witness.p, f.witness.n};
    REQUIRE(keeping_begin(&f));
    REQUIRE(assay_keeper_pids(f.g.k, &pid, 1) == 1 && kill(pid, SIGSTOP) == 0);
    REQUIRE(keeping_run(&f.g, task, &f.circuit, &f.witness, false));
    CHECK_OK(assay_keeper_kill(f.g.k, task, NULL));
    for (size_t i = 0; s == ASSAY_OK && i < 100000; i++) s = assay_keeper_kill(f.g.k, task, NULL);
    CHECK_STATUS(s, ASSAY_EBUSY); /* the list of what it is to be told has an end */
    const assay_worker_order o = {.task = 2, .entry = f.circuit, .inputs = &input, .n_inputs = 1, .threads = 1};
    CHECK_STATUS(assay_keeper_run(f.g.k, &o, NULL), ASSAY_EBUSY);
    CHECK(kill(pid, SIGCONT) == 0);
    keeping_ended(&f, task, ASSAY_ECANCELED, SIGKILL, "stopped");
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK(kill(pid, SIGSTOP) == 0);
    keeping_end(&f); /* does not hang */
    CHECK(!keeping_alive(pid));
}

/* A daemon with a loaded key and two workers, of which one, and one keeper, are stopped, in a process of its own;
 * writes their numbers to `out`. */
static void be_a_daemon(int out)
{
    int pids[5];
    (void)alarm(120);
    if (!keeping_begin(&f) || !keeping_load(&f.g, &f.circuit)) _exit(1);
    pids[3] = keeping_waiting(&f, 1);
    (void)kill(pids[3], SIGSTOP);
    assay_subject_entry other = f.circuit;
    (void)strcpy(other.name, "other");
    pids[2] = keeping_run(&f.g, 2, &other, &f.witness, true) && keeping_wait(&f.g, ASSAY_KEEPER_READY, 2) ? 1 : 0;
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_STARTED, 2);
    pids[4] = e ? e->pid : 0;
    if (assay_keeper_pids(f.g.k, pids, 2) != 2 || kill(pids[0], SIGSTOP) != 0 || !pids[2] ||
        write(out, pids, sizeof pids) != sizeof pids)
        _exit(1);
    for (;;) (void)pause();
}

TEST(nothing_outlives_the_daemon)
{
    int pair[2], pids[5] = {0};
    REQUIRE(keeping_begin(&f)); /* makes the files */
    keeping_end(&f);
    REQUIRE(pipe(pair) == 0);
    const pid_t daemon = fork();
    REQUIRE(daemon >= 0);
    if (daemon == 0) be_a_daemon(pair[1]);
    (void)close(pair[1]);
    CHECK_EQ_U64(read(pair[0], pids, sizeof pids), sizeof pids);
    (void)close(pair[0]);
    for (size_t i = 0; i < 5; i++) CHECK(i == 2 || (pids[i] > 0 && keeping_alive(pids[i])));
    CHECK(kill(daemon, SIGKILL) == 0 && waitpid(daemon, NULL, 0) == daemon);
    for (size_t i = 0; i < 5; i++) CHECK(i == 2 || keeping_gone(pids[i]));
}
