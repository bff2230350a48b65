/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a tree of processes: children count, shared pages count once, names are found. */
#define _DEFAULT_SOURCE
#include "cli/process_tree.h"
#include "harness.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 64 << 20, SLACK = 16 << 20 };

static void *block(void)
{
    void *p = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) memset(p, 1, BLOCK);
    return p;
}

/* A child that fills `blocks` of its own, says so, and waits to be killed. */
static pid_t child(int blocks, const char *name)
{
    int said[2];
    char byte;
    if (pipe(said) != 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        bool good = prctl(PR_SET_NAME, name) == 0;
        for (int i = 0; i < blocks; i++) good = good && block() != MAP_FAILED;
        if (!good || write(said[1], "x", 1) != 1) _exit(1);
        for (;;) (void)pause();
    }
    (void)close(said[1]);
    const bool there = pid > 0 && read(said[0], &byte, 1) == 1;
    (void)close(said[0]);
    return there ? pid : -1;
}

static void end(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

TEST(children_count)
{
    const uint64_t before = assay_tree_memory(getpid());
    REQUIRE(before > 0);
    const pid_t pid = child(2, "two-blocks");
    REQUIRE(pid > 0);
    const uint64_t with = assay_tree_memory(getpid()), its = assay_tree_memory(pid);
    CHECK(with > before + 2 * (uint64_t)BLOCK - SLACK);
    CHECK(its > 2 * (uint64_t)BLOCK - SLACK && its < with);
    end(pid);
    CHECK(assay_tree_memory(getpid()) < before + SLACK);
    CHECK(assay_tree_memory(pid) == 0);
}

TEST(shared_pages_count_once)
{
    void *p = block();
    REQUIRE(p != MAP_FAILED);
    const uint64_t before = assay_tree_memory(getpid());
    const pid_t pid = child(0, "sharer");
    REQUIRE(pid > 0);
    CHECK(assay_tree_memory(getpid()) < before + SLACK);
    end(pid);
    (void)munmap(p, BLOCK);
}

TEST(the_peak_stays)
{
    size_t looks = 0;
    assay_tree_watch *w = assay_tree_watch_begin(getpid(), 5);
    REQUIRE(w != NULL);
    const uint64_t before = assay_tree_memory(getpid());
    const pid_t pid = child(2, "peak");
    REQUIRE(pid > 0);
    (void)assay_tree_watch_peak(w, &looks);
    for (const size_t first = looks; looks < first + 2; (void)assay_tree_watch_peak(w, &looks)) {
        const struct timespec t = {0, 1000000};
        (void)nanosleep(&t, NULL);
    }
    end(pid);
    CHECK(assay_tree_watch_peak(w, &looks) > before + 2 * (uint64_t)BLOCK - SLACK);
    assay_tree_watch_end(w);
}

/* A child of a child that is gone: no descendant of ours. Its pid. */
static pid_t stranger(const char *name)
{
    int said[2];
    pid_t pid = -1;
    if (pipe(said) != 0) return -1;
    const pid_t middle = fork();
    if (middle == 0) {
        pid = child(0, name);
        _exit(write(said[1], &pid, sizeof pid) == sizeof pid ? 0 : 1);
    }
    (void)waitpid(middle, NULL, 0);
    if (read(said[0], &pid, sizeof pid) != sizeof pid) pid = -1;
    (void)close(said[0]);
    (void)close(said[1]);
    return pid;
}

TEST(names)
{
    CHECK(assay_process_named("no-such-name") == 0);
    const pid_t pid = child(0, "named) (so");
    REQUIRE(pid > 0);
    CHECK(assay_process_named("named) (so") == 0); /* a child of this one does not count */
    end(pid);
    const pid_t other = stranger("named) R 1 so");
    REQUIRE(other > 0);
    CHECK(assay_process_named("named) R 1 so") == other);
    (void)kill(other, SIGKILL);
}
