/* SPDX-License-Identifier: Apache-2.0 */
/* What keeper processes and workers have and do not have: memory, variables, signals, descriptors, secrets.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "base/mem.h"
#include "engine/keeper_process.h"
#include "harness.h"
#include "keeping.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A variable that keeper processes get: bytes that each process may have. */
#define LIMIT "ASSAY_TEST_DATA_LIMIT"

__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    const char *bytes = getenv(LIMIT);
    if (bytes && argc == 3 && strcmp(argv[1], ASSAY_KEEPER_ARGUMENT) == 0) {
        const struct rlimit most = {strtoull(bytes, NULL, 10), strtoull(bytes, NULL, 10)};
        if (setrlimit(RLIMIT_DATA, &most) != 0) _exit(3);
    }
    assay_keeper_main(argc, argv);
}

enum { LARGE = 20000, PATH = 600, TEXT = 16384 };

static keeping_circuit f;

static bool read_text(char out[TEXT], int pid, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    FILE *file = fopen(path, "re");
    memset(out, 0, TEXT);
    if (!file) return false;
    (void)!fread(out, 1, TEXT - 1, file);
    (void)fclose(file);
    return true;
}

/* Whether the bytes that a file of /proc has hold such a piece; zeros are no end. */
static bool has(int pid, const char *name, const char *piece)
{
    char text[TEXT];
    return read_text(text, pid, name) && memmem(text, sizeof text, piece, strlen(piece)) != NULL;
}

/* Whether a descriptor of the process leads to something of this name. */
static bool has_open(int pid, const char *name)
{
    char path[PATH], to[PATH];
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *d = opendir(path);
    if (!CHECK(d != NULL)) return false;
    for (const struct dirent *e; (e = readdir(d));) {
        (void)snprintf(path, sizeof path, "/proc/%d/fd/%.200s", pid, e->d_name);
        const ssize_t n = readlink(path, to, sizeof to - 1);
        to[n > 0 ? n : 0] = 0;
        found = found || strstr(to, name);
    }
    (void)closedir(d);
    return found;
}

/* ---- memory */

/* The large circuit, its key, its witness. */
static chain big;
static assay_buffer big_witness;
static assay_subject_entry big_entry;

static bool make_big(void)
{
    if (big.r1cs[0]) return true;
    if (!chain_make(&big, assay_curve_get(ASSAY_BN254), LARGE, true)) return false;
    big_entry = keeping_entry(&big, "big", false);
    big_witness = chain_read(big.wtns);
    f.files.r1cs[0] = 0; /* they lay in its place */
    return true;
}

TEST(a_worker_that_gets_no_memory)
{
#ifdef ASSAY_SANITIZED
    assay_test_skip("sanitizers take any amount of address space");
#else
    REQUIRE(make_big());
    REQUIRE(setenv(LIMIT, "8000000", 1) == 0);
    REQUIRE(keeping_begin(&f));
    const assay_subject_entry small = f.circuit;
    REQUIRE(keeping_run(&f.g, 1, &big_entry, &big_witness, false));
    keeping_ended(&f, 1, ASSAY_ENOMEM, 0, "memory");
    REQUIRE(keeping_run(&f.g, 2, &small, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    REQUIRE(unsetenv(LIMIT) == 0);
    keeping_end(&f);
#endif
}

#ifdef ASSAY_SANITIZED
TEST(a_worker_that_is_killed_for_its_memory)
{
    assay_test_skip("with sanitizers a keeper takes more than its worker");
}
#else
static bool put(const char *folder, const char *name, const char *text)
{
    char path[PATH + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r+e"); /* it must be there: the folder may be no group */
    if (!file) return false;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* A control group of its own with a limit, for a process; "" if there can be none. */
static void limit_group(char folder[PATH], int pid, const char *bytes)
{
    static const struct {
        const char *root, *limit;
    } kinds[] = {{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}};
    char number[32];
    (void)snprintf(number, sizeof number, "%d", pid);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(folder, PATH, "%s/assay-test-%d", kinds[i].root, pid);
        if (mkdir(folder, 0700) != 0) continue;
        if (put(folder, kinds[i].limit, bytes) && put(folder, "cgroup.procs", number)) return;
        (void)rmdir(folder);
    }
    folder[0] = 0;
}

TEST(a_worker_that_is_killed_for_its_memory)
{
    char folder[PATH];
    int pid;
    REQUIRE(make_big());
    REQUIRE(keeping_begin(&f));
    REQUIRE(assay_keeper_pids(f.g.k, &pid, 1) == 1);
    limit_group(folder, pid, "7000000");
    if (!folder[0]) {
        assay_test_skip("no control group can be made");
        keeping_end(&f);
        return;
    }
    REQUIRE(keeping_run(&f.g, 1, &big_entry, &big_witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK_STATUS(e->status, ASSAY_ENOMEM);
    CHECK_EQ_U64(e->signal, SIGKILL);
    CHECK(e->peak > 3 << 20 && e->peak < 20 << 20); /* known though it was killed */
    if (!CHECK(strstr(e->error, "it has killed for want of memory since") != NULL)) printf("    %s\n", e->error);
    CHECK(keeping_alive(pid)); /* the worker was taken, not its keeper */
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_GONE, 0), 0);
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    keeping_end(&f);
    for (int i = 0; i < 100 && rmdir(folder) != 0; i++) (void)usleep(10000);
}
#endif

#ifdef ASSAY_SANITIZED
enum { MOST_BESIDE = 1 << 30 }; /* sanitizers keep books */
#else
enum { MOST_BESIDE = 16 << 20 };
#endif

/* The measure of a worker's memory does not depend on what its keeper holds. */
TEST(peaks_are_the_workers_own)
{
    const uint64_t arrays = 3 * (uint64_t)32 * 32768; /* of the transforms, the most at one time */
    REQUIRE(make_big());
    REQUIRE(keeping_begin(&f));
    for (uint64_t i = 0; i < 2; i++) {
        REQUIRE(keeping_run(&f.g, 1 + i, &big_entry, &big_witness, false));
        const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1 + i);
        REQUIRE(e && keeping_verifies(&big, e));
        if (!CHECK(e->peak > arrays + (1 << 20) && e->peak < arrays + MOST_BESIDE))
            printf("    %llu\n", (unsigned long long)e->peak);
        if (i == 0) REQUIRE(keeping_load(&f.g, &big_entry)); /* 9 MiB */
    }
    keeping_end(&f);
}

/* Its keeper takes no orders: a worker that is to be stopped notices that the daemon hung up. */
TEST(a_worker_whose_keeper_is_stuck)
{
    int pid;
    REQUIRE(make_big());
    REQUIRE(keeping_begin(&f));
    REQUIRE(assay_keeper_pids(f.g.k, &pid, 1) == 1);
    REQUIRE(keeping_run(&f.g, 1, &big_entry, &big_witness, true) && keeping_wait(&f.g, ASSAY_KEEPER_READY, 1));
    REQUIRE(kill(pid, SIGSTOP) == 0);
    CHECK_OK(assay_keeper_go(f.g.k, 1, 1, NULL)); /* some 600 ms */
    CHECK_OK(assay_keeper_kill(f.g.k, 1, NULL));
    keeping_listen(&f.g, 3000);
    REQUIRE(kill(pid, SIGCONT) == 0);
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && e->status == ASSAY_ECANCELED && e->signal == 0); /* it was not killed: it was through already */
    keeping_end(&f);
}

TEST(workers_go_first)
{
    int pids[2];
    char own[TEXT], now[TEXT];
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(read_text(own, (int)getpid(), "oom_score_adj"));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, pids, 2) == 2);
    REQUIRE(read_text(now, worker, "oom_score_adj"));
    CHECK_EQ_STR(now, "1000\n");
    REQUIRE(read_text(now, pids[1], "oom_score_adj"));
    CHECK_EQ_STR(now, own);
    keeping_end(&f);
}

/* ---- secrets */

TEST(inputs_do_not_stay)
{
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0);
    CHECK(!has_open(worker, "memfd:") && !has(worker, "maps", "memfd:"));
    CHECK(!has_open((int)getpid(), "memfd:") && !has((int)getpid(), "maps", "memfd:"));
    CHECK_OK(assay_keeper_go(f.g.k, 1, 1, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK(!has_open((int)getpid(), "memfd:"));
    keeping_end(&f);
}

TEST(a_small_environment_and_no_core)
{
    int pid;
    REQUIRE(setenv("PGPASSWORD", "not for workers", 1) == 0 && setenv("ASSAY_TEST_SEEN", "1", 1) == 0);
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, &pid, 1) == 1);
    CHECK(has(pid, "environ", "ASSAY_TEST_SEEN=1"));
    CHECK(!has(pid, "environ", "PGPASSWORD"));
    for (size_t i = 0; i < 2; i++) {
        const int p = i ? worker : pid;
        CHECK(has(p, "limits", "Max core file size        0                    0"));
        CHECK(!has_open(p, "/dev/tty") && has_open(p, "/dev/null"));
    }
    REQUIRE(unsetenv("PGPASSWORD") == 0);
    keeping_end(&f);
}

/* In /proc what is closed to others belongs to root. As another user: root is not kept out of anything. */
TEST(nobody_looks_inside)
{
    int status = 0;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const assay_keeper_options o = {.program = "/proc/self/exe"};
        assay_keeper *k = NULL;
        assay_keeper_event e = {0};
        char path[64];
        struct stat st = {0};
        int pid = 0;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
        if (assay_keeper_start(&k, &o, NULL) != ASSAY_OK || assay_keeper_pids(k, &pid, 1) != 1) _exit(3);
        for (int i = 0; i < 200; i++) { /* until it is ready, which is not said */
            assay_keeper_next(k, &e);
            (void)usleep(1000);
        }
        (void)snprintf(path, sizeof path, "/proc/%d/maps", pid);
        if (stat(path, &st) != 0) _exit(4);
        assay_keeper_stop(k);
        _exit(st.st_uid == 0 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_EQ_U64(WEXITSTATUS(status), 0);
}

/* What the daemon has open is not for its processes, whether or not it is marked so. */
TEST(no_descriptor_of_the_daemon)
{
    int pid, pair[2];
    REQUIRE(pipe(pair) == 0); /* not close-on-exec */
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, &pid, 1) == 1);
    CHECK(keeping_descriptors(pid) <= 7);    /* 0, 1, 2, daemon, signals, score, the worker's */
    CHECK(keeping_descriptors(worker) <= 6); /* 0, 1, 2, daemon, keeper, the key's file */
    CHECK(!has_open(pid, "pipe:[") || has_open((int)getpid(), "pipe:["));
    (void)close(pair[1]);
    char c;
    CHECK(read(pair[0], &c, 1) == 0); /* nobody else has the other end */
    (void)close(pair[0]);
    keeping_end(&f);
}

TEST(signals_for_the_service_are_for_the_daemon)
{
    static const int sent[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    int pid;
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    REQUIRE(worker > 0 && assay_keeper_pids(f.g.k, &pid, 1) == 1);
    CHECK(getpgid(pid) == pid && getpgid(worker) == pid); /* no terminal's group */
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        CHECK(kill(pid, sent[i]) == 0 && kill(worker, sent[i]) == 0);
    CHECK_OK(assay_keeper_go(f.g.k, 1, 1, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK(keeping_alive(pid));
    keeping_end(&f);
}

/* Nobody but the daemon starts one. */
TEST(by_hand)
{
    int status = 0;
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        (void)freopen("/dev/null", "w", stderr);
        (void)execl("/proc/self/exe", "x", ASSAY_KEEPER_ARGUMENT, "1", (char *)NULL);
        _exit(9);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK_EQ_U64(WEXITSTATUS(status), 2);
}

TEST(a_program_that_cannot_be_started)
{
    const assay_keeper_options missing = {.program = "/nowhere/assayd"}, other = {.program = "/bin/true"};
    assay_keeper *k = NULL;
    assay_errinfo err = {0};
    CHECK_STATUS(assay_keeper_start(&k, &missing, &err), ASSAY_EIO);
    CHECK(k == NULL && strcmp(err.subject, "/nowhere/assayd") == 0);
    f.g.n = 0;
    REQUIRE_OK(assay_keeper_start(&f.g.k, &other, NULL)); /* another program, which ends at once */
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_GONE, 0);
    CHECK(e && e->status == ASSAY_EINTERNAL && strstr(e->error, "exit code 0"));
    keeping_stop(&f.g);
}
