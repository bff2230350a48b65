/* SPDX-License-Identifier: Apache-2.0 */
/* Files: bounded reads, maps, atomic writes, folders, locks, and what a signal leaves behind. */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "harness.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[256];

static const char *at(const char *name)
{
    (void)snprintf(path, sizeof path, "%s/%s", assay_test_tmpdir(), name);
    return path;
}

static unsigned entries(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) (void)closedir(d);
    return n;
}

TEST(write_then_read)
{
    uint8_t *p = NULL, big[5000];
    size_t n = 1;
    struct stat st;
    for (size_t i = 0; i < sizeof big; i++) big[i] = (uint8_t)assay_test_random();
    REQUIRE_OK(assay_file_write(at("a"), big, sizeof big, 0600, NULL));
    REQUIRE(stat(path, &st) == 0);
    CHECK_EQ_U64(st.st_mode & 0777, 0600);
    REQUIRE_OK(assay_file_read(path, sizeof big, &p, &n, NULL));
    REQUIRE(n == sizeof big);
    CHECK_EQ_MEM(p, big, n);
    assay_mem_free_secret(p, n);

    REQUIRE_OK(assay_file_write(path, "", 0, 0644, NULL)); /* replaces */
    REQUIRE_OK(assay_file_read(path, 0, &p, &n, NULL));
    CHECK(n == 0 && p != NULL);
    assay_mem_free_secret(p, n);
    CHECK_EQ_U64(entries(assay_test_tmpdir()), 1);
}

TEST(read_refusals)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_errinfo e;
    assay_errinfo_clear(&e);
    CHECK_STATUS(assay_file_read(at("missing"), 10, &p, &n, &e), ASSAY_EIO);
    CHECK_EQ_STR(e.reason, "no such file");
    assay_errinfo_clear(&e);
    CHECK_STATUS(assay_file_read("", 10, &p, &n, &e), ASSAY_EIO);
    CHECK_EQ_STR(e.reason, "its name is empty");
    CHECK(p == NULL);
    REQUIRE_OK(assay_file_write(at("eleven"), "hello world", 11, 0644, NULL));
    CHECK_STATUS(assay_file_read(path, 10, &p, &n, NULL), ASSAY_ERANGE);
    CHECK(p == NULL && n == 0);
    CHECK_STATUS(assay_file_read(assay_test_tmpdir(), 10, &p, &n, NULL), ASSAY_EIO);
    (void)assay_mem_fail_after(1);
    CHECK_STATUS(assay_file_read(path, 11, &p, &n, NULL), ASSAY_ENOMEM);
    (void)assay_mem_fail_after(0);
}

TEST(maps)
{
    assay_map m;
    REQUIRE_OK(assay_file_write(at("m"), "mapped", 6, 0644, NULL));
    REQUIRE_OK(assay_map_open(&m, path, NULL));
    REQUIRE(m.n == 6);
    CHECK_EQ_MEM(m.p, "mapped", 6);
    assay_map_close(&m);
    CHECK(m.p == NULL && m.n == 0);
    REQUIRE_OK(assay_file_write(path, NULL, 0, 0644, NULL));
    REQUIRE_OK(assay_map_open(&m, path, NULL));
    CHECK(m.p != NULL && m.n == 0);
    assay_map_close(&m);
    CHECK_STATUS(assay_map_open(&m, at("missing"), NULL), ASSAY_EIO);
    CHECK_STATUS(assay_map_open(&m, assay_test_tmpdir(), NULL), ASSAY_EIO);
}

/* A pipe that nobody writes to: refused at once. */
TEST(pipes_do_not_hang)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_map m;
    assay_errinfo e;
    REQUIRE(mkfifo(at("fifo"), 0600) == 0);
    (void)alarm(20); /* ends a program that waits for a writer */
    assay_errinfo_clear(&e);
    CHECK_STATUS(assay_file_read(path, 10, &p, &n, &e), ASSAY_EIO);
    CHECK_EQ_STR(e.reason, "not a regular file");
    CHECK(p == NULL);
    assay_errinfo_clear(&e);
    CHECK_STATUS(assay_map_open(&m, path, &e), ASSAY_EIO);
    CHECK_EQ_STR(e.reason, "not a regular file");
    (void)alarm(0);
}

/* What is there and is no regular file stays as it is: a link, its target, a pipe, a folder. (No device: root's
 * would be gone if the check were missing.) */
TEST(outputs_replace_regular_files_only)
{
    char target[256], broken[256], folder[256];
    struct stat st;
    uint8_t *p = NULL;
    size_t n = 0;
    REQUIRE_OK(assay_file_write(at("target"), "kept", 4, 0644, NULL));
    strcpy(target, path);
    REQUIRE(symlink("target", at("link")) == 0 && symlink("nowhere", at("broken")) == 0);
    strcpy(broken, path);
    REQUIRE(mkfifo(at("pipe"), 0600) == 0);
    REQUIRE_OK(assay_dir_make(at("folder"), 0755, false, NULL));
    strcpy(folder, path);
    const char *const names[] = {"link", "broken", "pipe", "folder"};
    for (size_t i = 0; i < 4; i++) {
        assay_errinfo e;
        assay_errinfo_clear(&e);
        CHECK_STATUS(assay_file_write(at(names[i]), "new", 3, 0644, &e), ASSAY_EIO);
        CHECK_EQ_STR(e.reason, "exists and is not a regular file");
        CHECK(lstat(path, &st) == 0 && !S_ISREG(st.st_mode));
    }
    REQUIRE_OK(assay_file_read(target, 4, &p, &n, NULL));
    CHECK_EQ_MEM(p, "kept", 4);
    assay_mem_free_secret(p, n);
    CHECK(unlink(broken) == 0 && rmdir(folder) == 0);
}

TEST(unfinished_writes_leave_nothing)
{
    assay_outfile *f = NULL;
    char dir[256];
    REQUIRE_OK(assay_dir_make(at("out"), 0755, false, NULL));
    strcpy(dir, path);
    REQUIRE_OK(assay_outfile_open(&f, at("out/x"), 0644, NULL));
    REQUIRE_OK(assay_outfile_append(f, "abc", 3, NULL));
    CHECK_EQ_U64(entries(dir), 1);
    assay_outfile_abort(f);
    CHECK_EQ_U64(entries(dir), 0);
    assay_outfile_abort(NULL);

    CHECK_STATUS(assay_outfile_open(&f, at("nowhere/x"), 0644, NULL), ASSAY_EIO);
    CHECK(f == NULL);
    REQUIRE_OK(assay_dir_make(at("out/d"), 0755, false, NULL));
    CHECK_STATUS(assay_file_write(path, "a", 1, 0644, NULL), ASSAY_EIO); /* a folder is in the way */
    CHECK_EQ_U64(entries(dir), 1);
    for (uint64_t k = 1; k <= 2; k++) {
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(assay_file_write(at("out/y"), "a", 1, 0644, NULL), ASSAY_ENOMEM);
    }
    (void)assay_mem_fail_after(0);
    CHECK_EQ_U64(entries(dir), 1);
}

TEST(full_disk)
{
    struct rlimit old, small = {1000, 1000};
    static uint8_t big[4096];
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    small.rlim_max = old.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    assay_status s = assay_file_write(at("big"), big, sizeof big, 0644, NULL);
    (void)setrlimit(RLIMIT_FSIZE, &old);
    CHECK_STATUS(s, ASSAY_EIO);
    CHECK(access(path, F_OK) != 0);
}

TEST(folders_and_paths)
{
    char out[16];
    REQUIRE_OK(assay_dir_make(at("f"), 0700, false, NULL));
    CHECK_STATUS(assay_dir_make(path, 0700, false, NULL), ASSAY_EIO);
    CHECK_OK(assay_dir_make(path, 0700, true, NULL));
    REQUIRE_OK(assay_file_write(at("plain"), "a", 1, 0644, NULL));
    CHECK_STATUS(assay_dir_make(path, 0700, true, NULL), ASSAY_EIO);
    CHECK_STATUS(assay_dir_make(at("no/such"), 0700, true, NULL), ASSAY_EIO);
    CHECK_OK(assay_path_join(out, sizeof out, "dir//", "name", NULL));
    CHECK_EQ_STR(out, "dir/name");
    CHECK_OK(assay_path_join(out, sizeof out, "1234567", "9012345", NULL));
    CHECK_EQ_STR(out, "1234567/9012345");
    CHECK_STATUS(assay_path_join(out, sizeof out, "12345678", "9012345", NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_path_join(out, 1, "", "", NULL), ASSAY_ERANGE);
}

TEST(locks_exclude)
{
    assay_lock l, second;
    int status = 0;
    REQUIRE_OK(assay_lock_take(&l, at("lock"), false, NULL));
    CHECK_STATUS(assay_lock_take(&second, path, false, NULL), ASSAY_EBUSY);
    pid_t child = fork();
    if (child == 0) _exit(assay_lock_take(&second, path, false, NULL) == ASSAY_EBUSY ? 0 : 1);
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assay_lock_release(&l);
    CHECK_OK(assay_lock_take(&second, path, true, NULL));
    assay_lock_release(&second);
    assay_lock_release(&second);
    CHECK_STATUS(assay_lock_take(&l, at("no/lock"), false, NULL), ASSAY_EIO);
}

/* A lock on a file that was removed, or whose name stands for another file now, keeps nobody out. */
TEST(removed_locks_are_noticed)
{
    assay_lock l, second;
    char moved[256];
    REQUIRE_OK(assay_lock_take(&l, at("gone"), false, NULL));
    CHECK(assay_lock_held(&l, path));
    REQUIRE(unlink(path) == 0);
    CHECK(!assay_lock_held(&l, path));
    CHECK_OK(assay_lock_take(&second, path, false, NULL));
    CHECK(!assay_lock_held(&l, path) && assay_lock_held(&second, path));
    strcpy(moved, path);
    REQUIRE(rename(moved, at("moved")) == 0);
    CHECK(!assay_lock_held(&second, moved) && assay_lock_held(&second, path));
    assay_lock_release(&l);
    assay_lock_release(&second);
    CHECK(!assay_lock_held(&l, path));
}

/* A child starts two files and a folder, one of them finished, and is then interrupted. */
static void interrupted_child(const char *dir, int ready)
{
    char name[300];
    assay_outfile *f = NULL, *g = NULL;
    assay_file_cleanup_on_signals();
    (void)snprintf(name, sizeof name, "%s/one", dir);
    if (assay_outfile_open(&f, name, 0644, NULL) != ASSAY_OK) _exit(3);
    (void)snprintf(name, sizeof name, "%s/two", dir);
    if (assay_outfile_open(&g, name, 0644, NULL) != ASSAY_OK) _exit(3);
    if (assay_outfile_append(f, "abc", 3, NULL) != ASSAY_OK || assay_outfile_commit(g, NULL) != ASSAY_OK) _exit(3);
    if (write(ready, "", 1) != 1) _exit(3);
    for (;;) (void)pause();
}

TEST(signals_remove_unfinished_files)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char dir[256];
    REQUIRE_OK(assay_dir_make(at("sig"), 0755, false, NULL));
    strcpy(dir, path);
    for (size_t i = 0; i < 3; i++) {
        int ready[2], status = 0;
        char c;
        REQUIRE(pipe(ready) == 0);
        pid_t child = fork();
        if (child == 0) {
            (void)signal(signals[i], SIG_DFL);
            interrupted_child(dir, ready[1]);
        }
        (void)close(ready[1]);
        CHECK(read(ready[0], &c, 1) == 1);
        (void)close(ready[0]);
        CHECK_EQ_U64(entries(dir), 2); /* `two`, and the temporary of `one` */
        REQUIRE(child > 0);
        (void)kill(child, signals[i]);
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        CHECK_EQ_U64(entries(dir), 1);
    }
}
