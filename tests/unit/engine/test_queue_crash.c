/* SPDX-License-Identifier: Apache-2.0 */
/* kill -9 of the daemon that has the queue's file: what it was told is done stays done, the rest waits again. */
#define _DEFAULT_SOURCE
#include "engine/queue.h"
#include "unit/engine/queue_cases.h"
#include "unit/engine/queue_file.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void child_fn(queue_place *p, int out, unsigned round);

/* A process of its own; *in is what it writes to. */
static pid_t launch(child_fn *run, queue_place *p, unsigned round, int *in)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        run(p, ends[1], round);
        _exit(3);
    }
    (void)close(ends[1]);
    *in = ends[0];
    return child;
}

static void say(int out, const char *what, const char *id)
{
    char line[64];
    const int n = snprintf(line, sizeof line, "%s %s\n", what, id);
    if (write(out, line, (size_t)n) != n) _exit(4);
}

static bool killed(pid_t child)
{
    int status = 0;
    return kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

/* ---- one that claims and dies */

static void claim_and_wait(queue_place *p, int out, unsigned round)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    (void)round;
    assay_queue *q = queue_open(p);
    if (!q || !queue_claim(q, "a", token)) _exit(5);
    say(out, "claimed", "a");
    for (;;) (void)pause();
}

TEST(a_killed_daemons_jobs_wait_again_at_once)
{
    queue_place p;
    char line[64];
    queue_file_place(&p);
    assay_queue *q = queue_open(&p), *second = NULL;
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    assay_queue_close(q);
    for (unsigned i = 1; i <= QUEUE_ATTEMPTS; i++) {
        const assay_queue_options o = queue_options(&p);
        int in = -1;
        const pid_t child = launch(claim_and_wait, &p, i, &in);
        REQUIRE(child > 0);
        CHECK(read(in, line, sizeof line) > 0);
        CHECK_STATUS(assay_queue_open(&second, &o, NULL), ASSAY_EBUSY);
        /* Stopped is not dead, however long. */
        CHECK(kill(child, SIGSTOP) == 0);
        queue_pass(&p, 2 * QUEUE_LEASE);
        CHECK_STATUS(assay_queue_open(&second, &o, NULL), ASSAY_EBUSY);
        CHECK(killed(child));
        (void)close(in);
        q = queue_open(&p); /* no lease is waited for */
        REQUIRE(q != NULL);
        const assay_job_view v = queue_view(q, "a");
        CHECK_EQ_U64(v.attempts, i);
        CHECK_EQ_U64(v.state, i < QUEUE_ATTEMPTS ? ASSAY_JOB_QUEUED : ASSAY_JOB_FAILED);
        if (i == QUEUE_ATTEMPTS) CHECK_EQ_STR(v.error, "begun 3 times and never brought to an end");
        queue_check_tally(&p, q);
        assay_queue_close(q);
    }
}

/* ---- one that works as fast as it can, and says what it was told is done */

static void work_hard(queue_place *p, int out, unsigned round)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    if (!q) _exit(5);
    for (unsigned i = 0;; i++) {
        assay_job_spec specs[3];
        const assay_job_spec *pointers[3] = {&specs[0], &specs[1], &specs[2]};
        assay_submit_outcome outcomes[3];
        bool ours = false;
        for (unsigned k = 0; k < 3; k++) {
            char id[30];
            (void)snprintf(id, sizeof id, "%u.%u.%u", round, i, k);
            specs[k] = queue_spec(id);
        }
        if (assay_queue_submit(q, pointers, 3, outcomes, NULL) != ASSAY_OK) _exit(6);
        for (unsigned k = 0; k < 3; k++) say(out, "submitted", specs[k].id);
        if (!queue_claim(q, specs[1].id, token)) _exit(7);
        const assay_blob result = {(const uint8_t *)specs[1].id, strlen(specs[1].id)};
        if (assay_queue_finish(q, specs[1].id, token, ASSAY_JOB_COMPLETED, &result, NULL, NULL, &ours, NULL) !=
                ASSAY_OK ||
            !ours)
            _exit(8);
        say(out, "finished", specs[1].id);
    }
}

static void check_line(assay_queue *q, const char *what, const char *id)
{
    assay_job_view v;
    assay_buffer result;
    bool found = false;
    CHECK_OK(assay_queue_get(q, id, &found, &v, &result, NULL));
    if (!CHECK(found)) printf("  lost: %s\n", id);
    if (strcmp(what, "finished") == 0) {
        CHECK_EQ_U64(v.state, ASSAY_JOB_COMPLETED);
        CHECK(result.n == strlen(id) && CHECK_EQ_MEM(result.p, id, result.n));
    } else {
        CHECK(v.state == ASSAY_JOB_QUEUED || v.state == ASSAY_JOB_COMPLETED);
    }
    assay_buffer_free(&result);
}

TEST(nothing_acknowledged_is_lost)
{
    enum { ROUNDS = 12 };
    queue_place p;
    unsigned told = 0;
    queue_file_place(&p);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char what[20], id[40];
        int in = -1;
        const pid_t child = launch(work_hard, &p, round, &in);
        REQUIRE(child > 0);
        struct pollfd first = {.fd = in, .events = POLLIN};
        CHECK(poll(&first, 1, 30000) == 1); /* it works */
        (void)usleep((useconds_t)(20000 + assay_test_random() % 60000));
        CHECK(killed(child));
        assay_queue *q = queue_open(&p);
        REQUIRE(q != NULL);
        FILE *lines = fdopen(in, "r");
        REQUIRE(lines != NULL);
        while (fscanf(lines, "%19s %39s", what, id) == 2) {
            check_line(q, what, id);
            told++;
        }
        (void)fclose(lines);
        CHECK_EQ_U64(p.number(&p, "SELECT count(*) FROM jobs WHERE state = 2"), 0);
        CHECK_EQ_U64(p.number(&p, "SELECT count(*) FROM jobs") % 3, 0); /* batches are whole */
        queue_check_tally(&p, q);
        assay_queue_close(q);
    }
    CHECK(told > ROUNDS);
}
