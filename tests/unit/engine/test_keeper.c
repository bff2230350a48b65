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

enum { SMALL = 100, MANY = 100, MOST_PEAK = 32 << 20 };

static keeping g;
static chain small;
static assay_subject_entry circuit;
static assay_buffer witness;

/* One small circuit for all tests; its entry checks the witness against the circuit. */
static bool begin(void)
{
    if (!small.r1cs[0] && !chain_make(&small, assay_curve_get(ASSAY_BN254), SMALL, true)) return false;
    circuit = keeping_entry(&small, "small", true);
    witness = chain_read(small.wtns);
    return keeping_start(&g);
}

static void end(void)
{
    keeping_stop(&g);
    assay_buffer_free(&witness);
}

/* ---- proofs */

TEST(a_proof_with_a_loaded_key)
{
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &circuit));
    REQUIRE(keeping_run(&g, 1, &circuit, &witness, false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_STARTED, 1);
    REQUIRE(e && e->pid > 0);
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&small, e));
    CHECK_EQ_U64(e->signal, 0);
    CHECK_EQ_STR(e->error, "");
    CHECK(e->peak > 0 && e->peak < MOST_PEAK);
    CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_READY, 1), 0);
    end();
}

TEST(a_proof_without_a_loaded_key)
{
    int pids[2];
    REQUIRE(begin());
    const assay_subject_entry unchecked = keeping_entry(&small, "small", false);
    REQUIRE(keeping_run(&g, 7, &circuit, &witness, false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 7);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&small, e));
    REQUIRE(keeping_run(&g, 8, &unchecked, &witness, false));
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 8);
    REQUIRE(e != NULL);
    CHECK(keeping_verifies(&small, e));
    CHECK_EQ_U64(assay_keeper_pids(g.k, pids, 2), 1);
    end();
}

TEST(a_worker_waits_for_its_prover)
{
    static const char *const order[] = {"synthesis", "ready", "prove", "verify"};
    size_t at = 0;
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &circuit));
    REQUIRE(keeping_run(&g, 1, &circuit, &witness, true));
    REQUIRE(keeping_run(&g, 2, &circuit, &witness, true));
    REQUIRE(keeping_wait(&g, ASSAY_KEEPER_READY, 1) && keeping_wait(&g, ASSAY_KEEPER_READY, 2));
    keeping_listen(&g, 50);
    CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_ENDED, 0), 0);
    CHECK_OK(assay_keeper_go(g.k, 2, 2, NULL));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&small, e));
    CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_ENDED, 1), 0);
    CHECK_OK(assay_keeper_go(g.k, 1, 0, NULL));
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&small, e));
    CHECK_OK(assay_keeper_go(g.k, 1, 0, NULL)); /* ended meanwhile */
    for (size_t i = 0; i < g.n; i++)            /* every stage that was told came in its order */
        if (g.said[i].kind == ASSAY_KEEPER_STAGE && g.said[i].task == 1) {
            while (at < 4 && strcmp(order[at], g.said[i].stage) != 0) at++;
            CHECK(g.said[i].done >= 0 && g.said[i].done <= 1);
        }
    CHECK(at < 4);
    end();
}

TEST(many_at_once)
{
    REQUIRE(begin());
    const size_t before = keeping_descriptors((int)getpid());
    REQUIRE(keeping_load(&g, &circuit));
    for (uint64_t i = 1; i <= MANY; i++) REQUIRE(keeping_run(&g, i, &circuit, &witness, i % 2));
    for (uint64_t i = 1; i <= MANY; i += 2) {
        REQUIRE(keeping_wait(&g, ASSAY_KEEPER_READY, i));
        CHECK_OK(assay_keeper_go(g.k, i, 1, NULL));
    }
    for (uint64_t i = 1; i <= MANY; i++) {
        const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, i);
        REQUIRE(e != NULL);
        CHECK(keeping_verifies(&small, e));
    }
    keeping_listen(&g, 20);
    for (uint64_t i = 1; i <= MANY; i++) CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_ENDED, i), 1);
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before + 1); /* the key's process */
    int pids[3];
    REQUIRE(assay_keeper_pids(g.k, pids, 3) == 2);
    CHECK_EQ_U64(keeping_children(pids[1], NULL, 0), 0);
    CHECK_EQ_U64(keeping_children((int)getpid(), NULL, 0), 2);
    end();
    CHECK_EQ_U64(keeping_children((int)getpid(), NULL, 0), 0);
}

/* ---- bad input */

static void refused(uint64_t task, const assay_subject_entry *e, const assay_buffer *input, assay_status want,
                    const char *part)
{
    REQUIRE(keeping_run(&g, task, e, input, false));
    const assay_keeper_event *said = keeping_wait(&g, ASSAY_KEEPER_ENDED, task);
    REQUIRE(said != NULL);
    CHECK_STATUS(said->status, want);
    if (!CHECK(strstr(said->error, part) != NULL)) printf("    %s\n", said->error);
    CHECK(said->outputs.p == NULL && said->outputs.n == 0);
    CHECK_EQ_U64(said->signal, 0);
}

TEST(bad_inputs_fail_alone)
{
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &circuit));
    assay_buffer bad = chain_read(small.bad), nothing = {NULL, 0};
    assay_subject_entry missing = circuit, unbuilt = circuit;
    refused(1, &circuit, &bad, ASSAY_EUNSATISFIED, small.culprit);
    bad.n /= 2;
    refused(2, &circuit, &bad, ASSAY_EFORMAT, "witness");
    refused(3, &circuit, &nothing, ASSAY_EFORMAT, "witness");
    (void)strcat(missing.path, ".not");
    missing.stamp.inode++;
    refused(4, &missing, &witness, ASSAY_EIO, missing.path);
    unbuilt.kind = ASSAY_JOB_POREP;
    refused(5, &unbuilt, &witness, ASSAY_EUNSUPPORTED, "porep");
    const assay_worker_order two = {.task = 6, .entry = circuit, .threads = 1};
    REQUIRE_OK(assay_keeper_run(g.k, &two, NULL));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 6);
    CHECK(e && e->status == ASSAY_ERANGE);
    refused(7, &circuit, &nothing, ASSAY_EFORMAT, "witness");
    REQUIRE(keeping_run(&g, 8, &circuit, &witness, false));
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 8);
    CHECK(e && keeping_verifies(&small, e));
    bad.n *= 2;
    assay_buffer_free(&bad);
    end();
}

TEST(bad_orders)
{
    const assay_blob nine[9] = {{NULL, 0}};
    REQUIRE(begin());
    const assay_worker_order o = {.task = 1, .entry = circuit, .inputs = nine, .n_inputs = 9, .threads = 1};
    CHECK_STATUS(assay_keeper_run(g.k, &o, NULL), ASSAY_EINVAL);
    REQUIRE(keeping_run(&g, 1, &circuit, &witness, true));
    const assay_blob input = {witness.p, witness.n};
    const assay_worker_order again = {.task = 1, .entry = circuit, .inputs = &input, .n_inputs = 1, .threads = 1};
    CHECK_STATUS(assay_keeper_run(g.k, &again, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_keeper_kill(g.k, 99, NULL)); /* no such task: it ended, for all that is known */
    CHECK(keeping_wait(&g, ASSAY_KEEPER_READY, 1));
    end();
}

/* ---- ends of workers */

/* A worker that waits for its prover; its process. */
static int waiting(uint64_t task)
{
    if (!keeping_run(&g, task, &circuit, &witness, true)) return 0;
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_STARTED, task);
    const int pid = e ? e->pid : 0;
    return keeping_wait(&g, ASSAY_KEEPER_READY, task) ? pid : 0;
}

static void ended(uint64_t task, assay_status want, int signal, const char *part)
{
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, task);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, want);
    CHECK_EQ_U64(e->signal, signal);
    if (!CHECK(strstr(e->error, part) != NULL)) printf("    %s\n", e->error);
    CHECK(e->outputs.p == NULL);
}

TEST(ends_of_workers)
{
    for (int loaded = 0; loaded < 2; loaded++) {
        REQUIRE(begin());
        if (loaded) REQUIRE(keeping_load(&g, &circuit));
        const int first = waiting(1), other = waiting(2), crash = waiting(3), stopped = waiting(4);
        REQUIRE(first > 0 && other > 0 && crash > 0 && stopped > 0);
        CHECK(kill(first, SIGKILL) == 0);
        ended(1, ASSAY_ENOMEM, SIGKILL, "killed by the system, probably for its memory");
        CHECK(kill(crash, SIGABRT) == 0);
        ended(3, ASSAY_EINTERNAL, SIGABRT, "SIGABRT");
        CHECK(kill(stopped, SIGSTOP) == 0);
        CHECK_OK(assay_keeper_go(g.k, 4, 1, NULL));
        CHECK_OK(assay_keeper_kill(g.k, 4, NULL));
        ended(4, ASSAY_ECANCELED, SIGKILL, "stopped");
        CHECK_OK(assay_keeper_go(g.k, 2, 1, NULL));
        const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
        CHECK(e && keeping_verifies(&small, e));
        keeping_listen(&g, 20);
        for (uint64_t i = 1; i <= 4; i++) CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_ENDED, i), 1);
        CHECK(keeping_gone(first) && keeping_gone(other) && keeping_gone(crash) && keeping_gone(stopped));
        end();
    }
}

/* ---- ends of keeper processes */

TEST(a_key_whose_process_dies)
{
    int pids[2];
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &circuit));
    const int worker = waiting(1);
    REQUIRE(worker > 0 && assay_keeper_pids(g.k, pids, 2) == 2);
    CHECK(kill(pids[1], SIGKILL) == 0);
    ended(1, ASSAY_ENOMEM, SIGKILL, "keeper: killed by the system");
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_EVICTED, 0);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, ASSAY_ENOMEM);
    CHECK(e->bytes > 0);
    CHECK_EQ_STR(e->name, "small");
    CHECK(keeping_gone(worker) && keeping_gone(pids[1]));
    REQUIRE(keeping_run(&g, 2, &circuit, &witness, false)); /* without it */
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&small, e));
    REQUIRE(keeping_load(&g, &circuit));
    CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_ENDED, 1), 1);
    CHECK_EQ_U64(keeping_count(&g, ASSAY_KEEPER_GONE, 0), 0);
    end();
}

TEST(the_plain_process_dies)
{
    int pid;
    REQUIRE(begin());
    const int worker = waiting(1);
    REQUIRE(worker > 0 && assay_keeper_pids(g.k, &pid, 1) == 1);
    CHECK(kill(pid, SIGSEGV) == 0);
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, ASSAY_EINTERNAL); /* a sanitizer's handler turns the signal into an exit code */
    e = keeping_wait(&g, ASSAY_KEEPER_GONE, 0);
    CHECK(e && e->status == ASSAY_EINTERNAL && strstr(e->error, "keeper: "));
    CHECK(keeping_gone(worker) && keeping_gone(pid));
    CHECK_EQ_U64(assay_keeper_pids(g.k, NULL, 0), 0);
    REQUIRE(keeping_run(&g, 2, &circuit, &witness, false)); /* another takes its place */
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&small, e));
    CHECK_EQ_U64(assay_keeper_pids(g.k, NULL, 0), 1);
    end();
}

TEST(a_process_that_does_not_read)
{
    int pid;
    uint64_t task = 1;
    assay_status s = ASSAY_OK;
    const assay_blob input = {witness.p, witness.n};
    REQUIRE(begin());
    REQUIRE(assay_keeper_pids(g.k, &pid, 1) == 1 && kill(pid, SIGSTOP) == 0);
    REQUIRE(keeping_run(&g, task, &circuit, &witness, false));
    CHECK_OK(assay_keeper_kill(g.k, task, NULL));
    for (size_t i = 0; s == ASSAY_OK && i < 100000; i++) s = assay_keeper_kill(g.k, task, NULL);
    CHECK_STATUS(s, ASSAY_EBUSY); /* the list of what it is to be told has an end */
    const assay_worker_order o = {.task = 2, .entry = circuit, .inputs = &input, .n_inputs = 1, .threads = 1};
    CHECK_STATUS(assay_keeper_run(g.k, &o, NULL), ASSAY_EBUSY);
    CHECK(kill(pid, SIGCONT) == 0);
    ended(task, ASSAY_ECANCELED, SIGKILL, "stopped");
    REQUIRE(keeping_run(&g, 2, &circuit, &witness, false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&small, e));
    CHECK(kill(pid, SIGSTOP) == 0);
    end(); /* does not hang */
    CHECK(!keeping_alive(pid));
}

/* A daemon with a loaded key and two workers, in a process of its own; writes their numbers to `out`. */
static void be_a_daemon(int out)
{
    int pids[5];
    (void)alarm(120);
    if (!begin() || !keeping_load(&g, &circuit)) _exit(1);
    pids[3] = waiting(1);
    (void)kill(pids[3], SIGSTOP);
    assay_subject_entry other = circuit;
    (void)strcpy(other.name, "other");
    pids[2] = keeping_run(&g, 2, &other, &witness, true) && keeping_wait(&g, ASSAY_KEEPER_READY, 2) ? 1 : 0;
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_STARTED, 2);
    pids[4] = e ? e->pid : 0;
    if (assay_keeper_pids(g.k, pids, 2) != 2 || !pids[2] || write(out, pids, sizeof pids) != sizeof pids) _exit(1);
    for (;;) (void)pause();
}

TEST(nothing_outlives_the_daemon)
{
    int pair[2], pids[5] = {0};
    REQUIRE(begin()); /* makes the files */
    end();
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
