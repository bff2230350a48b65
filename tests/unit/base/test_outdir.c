/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that appear whole or not at all: commit, abort, signal, every allocation failing in turn. */
#define _DEFAULT_SOURCE
#include "base/mem.h"
#include "base/outdir.h"
#include "harness.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned entries(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) (void)closedir(d);
    return n;
}

static const char *parent(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", assay_test_tmpdir(), name);
    if (assay_dir_make(path, 0755, true, NULL) != ASSAY_OK) return "/nonexistent";
    return path;
}

static assay_status fill(assay_outdir *d)
{
    assay_outfile *f = NULL;
    assay_status s = assay_outdir_mkdir(d, "pub", 0755, NULL);
    if (s == ASSAY_OK) s = assay_outdir_mkdir(d, "sec", 0700, NULL);
    if (s == ASSAY_OK) s = assay_outdir_write(d, "sec/key", "k", 1, 0600, NULL);
    if (s == ASSAY_OK) s = assay_outdir_write(d, "ID.txt", "id", 2, 0644, NULL);
    if (s == ASSAY_OK) s = assay_outdir_file(d, &f, "pub/long", 0644, NULL);
    if (s == ASSAY_OK) s = assay_outfile_append(f, "long", 4, NULL);
    if (s != ASSAY_OK) assay_outfile_abort(f);
    return s == ASSAY_OK ? assay_outfile_commit(f, NULL) : s;
}

static assay_status make_whole(const char *path)
{
    assay_outdir *d = NULL;
    assay_status s = assay_outdir_open(&d, path, 0755, NULL);
    if (s != ASSAY_OK) return s;
    s = fill(d);
    if (s == ASSAY_OK) return assay_outdir_commit(d, NULL);
    assay_outdir_abort(d);
    return s;
}

TEST(commit)
{
    char path[300];
    struct stat st;
    uint8_t *p = NULL;
    size_t n = 0;
    const char *dir = parent("commit");
    (void)snprintf(path, sizeof path, "%s/c", dir);
    REQUIRE_OK(make_whole(path));
    CHECK_EQ_U64(entries(dir), 1);
    CHECK_EQ_U64(entries(path), 3);
    CHECK_STATUS(make_whole(path), ASSAY_EIO); /* never over an old one */
    CHECK_EQ_U64(entries(dir), 1);
    (void)snprintf(path, sizeof path, "%s/c/sec", dir);
    REQUIRE(stat(path, &st) == 0);
    CHECK_EQ_U64(st.st_mode & 0777, 0700);
    (void)snprintf(path, sizeof path, "%s/c/pub/long", dir);
    REQUIRE_OK(assay_file_read(path, 4, &p, &n, NULL));
    CHECK_EQ_MEM(p, "long", 4);
    assay_mem_free_secret(p, n);
}

TEST(empty_folder_is_taken)
{
    char path[300];
    const char *dir = parent("taken");
    (void)snprintf(path, sizeof path, "%s/c/", dir);
    REQUIRE_OK(assay_dir_make(path, 0755, false, NULL));
    CHECK_OK(make_whole(path));
    CHECK_EQ_U64(entries(path), 3);
    CHECK_STATUS(make_whole("/nonexistent/x"), ASSAY_EIO);
    CHECK_STATUS(make_whole(""), ASSAY_ERANGE);
}

TEST(abort_leaves_nothing)
{
    char path[300];
    assay_outdir *d = NULL;
    const char *dir = parent("abort");
    (void)snprintf(path, sizeof path, "%s/c", dir);
    REQUIRE_OK(assay_outdir_open(&d, path, 0755, NULL));
    CHECK_OK(fill(d));
    CHECK_STATUS(assay_outdir_mkdir(d, "pub", 0755, NULL), ASSAY_EIO);
    CHECK_EQ_U64(entries(dir), 1);
    assay_outdir_abort(d);
    CHECK_EQ_U64(entries(dir), 0);
    assay_outdir_abort(NULL);
}

TEST(every_allocation_fails_once)
{
    char path[300];
    const char *dir = parent("alloc");
    (void)snprintf(path, sizeof path, "%s/c", dir);
    assay_status s = ASSAY_ENOMEM;
    uint64_t k = 0;
    while (s != ASSAY_OK && k < 100) {
        (void)assay_mem_fail_after(++k);
        s = make_whole(path);
        (void)assay_mem_fail_after(0);
        CHECK(s == ASSAY_OK || s == ASSAY_ENOMEM);
        if (s != ASSAY_OK && access(path, F_OK) != 0)
            CHECK_EQ_U64(entries(dir), 0);
        else
            break; /* the last allocation serves the sync after the rename */
    }
    CHECK(k > 8);
    CHECK_EQ_U64(entries(dir), 1);
}

TEST(signal_leaves_nothing)
{
    char path[300], c;
    int ready[2], status = 0;
    const char *dir = parent("signal");
    (void)snprintf(path, sizeof path, "%s/c", dir);
    REQUIRE(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        assay_outdir *d = NULL;
        (void)signal(SIGINT, SIG_DFL);
        assay_file_cleanup_on_signals();
        if (assay_outdir_open(&d, path, 0755, NULL) != ASSAY_OK || fill(d) != ASSAY_OK) _exit(3);
        if (write(ready[1], "", 1) != 1) _exit(3);
        for (;;) (void)pause();
    }
    (void)close(ready[1]);
    CHECK(read(ready[0], &c, 1) == 1);
    (void)close(ready[0]);
    CHECK_EQ_U64(entries(dir), 1);
    REQUIRE(child > 0);
    (void)kill(child, SIGINT);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    CHECK_EQ_U64(entries(dir), 0);
}
