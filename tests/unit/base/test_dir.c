/* SPDX-License-Identifier: Apache-2.0 */
/* Whole folders: what is in them, one entry under two spellings, leftovers of a killed process. */
#define _DEFAULT_SOURCE
#include "base/dir.h"
#include "base/file.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 512, LONGER = 1024 };

static void make(const char *folder, const char *name)
{
    char path[LONGER];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    REQUIRE_OK(assay_file_write(path, "x", 1, 0644, NULL));
}

static void new_folder(char folder[PATH], const char *name)
{
    (void)snprintf(folder, PATH, "%s/%s", assay_test_tmpdir(), name);
    REQUIRE_OK(assay_dir_make(folder, 0755, false, NULL));
}

static bool there(const char *folder, const char *name)
{
    char path[LONGER];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return assay_path_exists(path);
}

TEST(holds_only)
{
    static const char *const names[] = {"a", "sub/b", "sub"};
    char folder[PATH], sub[PATH], extra[PATH], want[LONGER];
    new_folder(folder, "holds");
    CHECK(assay_dir_holds_only(folder, NULL, 0, extra, sizeof extra));
    new_folder(sub, "holds/sub");
    make(folder, "a");
    make(folder, "sub/b");
    CHECK(assay_dir_holds_only(folder, names, 3, extra, sizeof extra));
    CHECK(!assay_dir_holds_only(folder, names, 1, extra, sizeof extra)); /* sub */
    make(folder, "sub/c");
    CHECK(!assay_dir_holds_only(folder, names, 3, extra, sizeof extra));
    (void)snprintf(want, sizeof want, "%s/sub/c", folder);
    CHECK_EQ_STR(extra, want);
    REQUIRE(unlink(want) == 0);
    make(folder, ".hidden");
    CHECK(!assay_dir_holds_only(folder, names, 3, extra, sizeof extra));
    (void)snprintf(want, sizeof want, "%s/missing", folder);
    CHECK(!assay_dir_holds_only(want, names, 3, extra, sizeof extra));
    CHECK_STATUS(assay_dir_remove(folder, names, 3, NULL), ASSAY_EIO); /* what is not listed stays */
    CHECK(there(folder, ".hidden") && !there(folder, "a") && !there(folder, "sub"));
}

TEST(links)
{
    char folder[PATH], link[PATH];
    new_folder(folder, "linked");
    (void)snprintf(link, sizeof link, "%s/link", assay_test_tmpdir());
    REQUIRE(symlink(folder, link) == 0);
    CHECK(assay_path_is_link(link) && assay_path_is_dir(link));
    CHECK(!assay_path_is_link(folder) && !assay_path_is_link("/nowhere"));
}

TEST(one_entry_under_two_spellings)
{
    char folder[PATH], a[PATH + 32], b[PATH + 32];
    new_folder(folder, "spelled");
    new_folder(b, "spelled/sub");
    (void)snprintf(a, sizeof a, "%s/new", folder);
    CHECK(assay_path_same(a, a));
    const char *const same[] = {"./new", "/new", "sub/../new"};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(b, sizeof b, "%s/%s", folder, same[i]);
        CHECK(assay_path_same(a, b));
    }
    const char *const others[] = {"new2", "sub/new", "ne"};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(b, sizeof b, "%s/%s", folder, others[i]);
        CHECK(!assay_path_same(a, b));
    }
    CHECK(assay_path_same("x", "./x") && !assay_path_same("x", "y") && !assay_path_same("x", "/x"));
    CHECK(!assay_path_same("/nowhere/x", "/nowhere/./x")); /* neither can be written */
}

TEST(sweep)
{
    char folder[PATH];
    new_folder(folder, "sweep");
    const char *const gone[] = {"counter.tmpabc123", "counter.tmp......"};
    const char *const kept[] = {"counter",       "counter.tmp",        "counter.tmpabc12", "counter.tmpabc1234",
                                "key.tmpabc123", "xcounter.tmpabc123", "counter.old"};
    for (size_t i = 0; i < 2; i++) make(folder, gone[i]);
    for (size_t i = 0; i < 7; i++) make(folder, kept[i]);
    assay_dir_sweep(folder, "counter");
    for (size_t i = 0; i < 2; i++) CHECK(!there(folder, gone[i]));
    for (size_t i = 0; i < 7; i++) CHECK(there(folder, kept[i]));
    assay_dir_sweep("/nowhere", "counter");
}
