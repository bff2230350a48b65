/* SPDX-License-Identifier: Apache-2.0 */
/* Keeper processes and workers that do not keep to the rules: the daemon's side ends every task once, and goes on.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "engine/keeper_process.h"
#include "engine/worker_channel.h"
#include "harness.h"
#include "keeping.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* How they misbehave, in a variable that keeper processes get. */
#define CONDUCT "ASSAY_TEST_CONDUCT"

static int kept = -1; /* a worker's end */

static void say(int fd, assay_message_kind kind, uint64_t task, assay_status status)
{
    const assay_worker_message m = {.kind = kind, .task = task, .status = status, .text = "rogue"};
    (void)assay_channel_send(fd, &m, NULL, -1, true);
}

static void flood(int worker)
{
    assay_worker_message m = {.kind = ASSAY_MESSAGE_STAGE};
    for (;;) {
        m.stage = m.stage == ASSAY_STAGE_PROVE ? ASSAY_STAGE_VERIFY : ASSAY_STAGE_PROVE;
        if (assay_channel_send(worker, &m, NULL, -1, true) != ASSAY_CHANNEL_OK) _exit(0);
    }
}

/* A task in the hands of a rogue: `worker` is its end of the task's socket. */
static void misbehave(const char *conduct, int worker, uint64_t task)
{
    static const uint8_t bytes[1] = {1};
    const assay_blob one = {bytes, 1};
    int memory = -1;
    say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_STARTED, task, ASSAY_OK);
    if (strcmp(conduct, "flood") == 0) flood(worker);
    if (strcmp(conduct, "garbage") == 0) (void)send(worker, "x", 1, MSG_NOSIGNAL);
    if (strcmp(conduct, "nothing in it") == 0) say(worker, ASSAY_MESSAGE_DONE, 0, ASSAY_OK);
    if (strcmp(conduct, "twice") == 0) {
        const assay_worker_message m = {.kind = ASSAY_MESSAGE_DONE};
        for (int i = 0; i < 3; i++) {
            if (assay_memory_share(&memory, "outputs", &one, 1, NULL) != ASSAY_OK) _exit(1);
            (void)assay_channel_send(worker, &m, NULL, memory, true);
            (void)close(memory);
        }
        say(worker, ASSAY_MESSAGE_DONE, 0, ASSAY_EINTERNAL);
        for (int i = 0; i < 3; i++) say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_EXITED, task, ASSAY_EINTERNAL);
        say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_EXITED, task + 1000, ASSAY_EINTERNAL);
        say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_LOADED, task, ASSAY_OK);
        say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_GRANT, task, ASSAY_OK);
    }
    if (strcmp(conduct, "silent exit") == 0) _exit(7);
    if (strcmp(conduct, "fails when killed") == 0) {
        kept = worker;
        return;
    }
    (void)close(worker); /* hangs up, and lives on */
}

__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    const char *conduct = getenv(CONDUCT);
    if (argc != 3 || strcmp(argv[1], ASSAY_KEEPER_ARGUMENT) != 0) return;
    if (!conduct) assay_keeper_main(argc, argv);
    (void)prctl(PR_SET_PDEATHSIG, 9);
    say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_UP, 0, ASSAY_OK);
    for (;;) {
        static assay_subject_entry entry;
        assay_worker_message m;
        int passed;
        if (assay_channel_receive(ASSAY_KEEPER_SOCKET, &m, &entry, &passed, true) != ASSAY_CHANNEL_OK) _exit(0);
        if (m.kind == ASSAY_MESSAGE_FORK) misbehave(conduct, passed, m.task);
        if (m.kind == ASSAY_MESSAGE_KILL && kept >= 0) {
            say(kept, ASSAY_MESSAGE_DONE, 0, ASSAY_EINTERNAL);
            (void)close(kept);
        }
        if (m.kind == ASSAY_MESSAGE_KILL) say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_EXITED, m.task, ASSAY_ENOMEM);
        if (m.kind == ASSAY_MESSAGE_LOAD)
            for (int i = 0; i < 3; i++) say(ASSAY_KEEPER_SOCKET, ASSAY_MESSAGE_LOADED, 0, ASSAY_EFORMAT);
    }
}

static keeping_circuit f;

static bool begin(const char *conduct)
{
    return CHECK(setenv(CONDUCT, conduct, 1) == 0) && keeping_begin(&f);
}

static void end(uint64_t task)
{
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_ENDED, task), 1);
    keeping_end(&f);
}

TEST(a_worker_that_floods)
{
    const size_t before = keeping_descriptors((int)getpid());
    REQUIRE(begin("flood"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    const uint64_t until = assay_clock_ms() + 500;
    while (assay_clock_ms() < until) { /* next always returns, and has little to say */
        assay_keeper_event e;
        assay_keeper_next(f.g.k, &e);
        if (e.kind != ASSAY_KEEPER_NOTHING) f.g.said[f.g.n++] = e;
    }
    CHECK(keeping_count(&f.g, ASSAY_KEEPER_STAGE, 1) <= 16 + 500 / 50 + 1);
    keeping_end(&f);
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before);
}

/* Many messages that lead to nothing are not read in one go. */
TEST(a_flood_lets_the_daemon_do_other_things)
{
    int pid;
    size_t vain = 0;
    assay_keeper_event e;
    struct pollfd p = {.events = POLLIN};
    REQUIRE(begin("flood"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    REQUIRE(keeping_wait(&f.g, ASSAY_KEEPER_STAGE, 1) && assay_keeper_pids(f.g.k, &pid, 1) == 1);
    (void)usleep(300000); /* its socket is full */
    REQUIRE(kill(pid, SIGSTOP) == 0);
    (void)usleep(50000);
    p.fd = assay_keeper_fd(f.g.k);
    while (vain < 1000 && poll(&p, 1, 0) > 0) {
        assay_keeper_next(f.g.k, &e);
        vain += e.kind == ASSAY_KEEPER_NOTHING;
    }
    CHECK(vain >= 3);
    keeping_end(&f);
}

TEST(a_worker_that_sends_garbage)
{
    REQUIRE(begin("garbage"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    keeping_ended(&f, 1, ASSAY_ENOMEM, 0, "rogue"); /* it was stopped after its time */
    end(1);
}

TEST(a_worker_that_hangs_up)
{
    REQUIRE(begin("hang up"));
    const uint64_t from = assay_clock_ms();
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    keeping_ended(&f, 1, ASSAY_ENOMEM, 0, "rogue");
    CHECK(assay_clock_ms() - from >= 900);
    end(1);
}

/* What a worker says when it is stopped is not its own failure. */
TEST(a_failure_of_being_killed)
{
    REQUIRE(begin("fails when killed"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_STARTED, 1));
    CHECK_OK(assay_keeper_kill(f.g.k, 1, NULL));
    keeping_ended(&f, 1, ASSAY_ECANCELED, 0, "was stopped");
    end(1);
}

TEST(a_result_without_outputs)
{
    REQUIRE(begin("nothing in it"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    keeping_ended(&f, 1, ASSAY_EINTERNAL, 0, "has no outputs");
    end(1);
}

TEST(everything_twice)
{
    const size_t before = keeping_descriptors((int)getpid());
    REQUIRE(begin("twice"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && e->status == ASSAY_OK && e->outputs.n == 1); /* the first result counts */
    end(1);
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before);
}

TEST(a_keeper_that_goes_without_a_word)
{
    REQUIRE(begin("silent exit"));
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false));
    keeping_ended(&f, 1, ASSAY_EINTERNAL, 0, "exit code 7");
    end(1);
}

TEST(a_key_that_is_loaded_thrice)
{
    REQUIRE(begin("hang up"));
    CHECK_OK(assay_keeper_load(f.g.k, &f.circuit, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0);
    CHECK(e && e->status == ASSAY_EFORMAT);
    keeping_listen(&f.g, 100);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_LOADED, 0), 1);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_EVICTED, 0), 0);
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 1);
    keeping_end(&f);
}
