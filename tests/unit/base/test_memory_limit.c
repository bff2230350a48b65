/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses support
 * Limits of memory on made-up trees of both versions of control groups, and on this machine. */
#define _POSIX_C_SOURCE 200809L
#include "base/memory_limit.h"
#include "base/memory_text.h"
#include "harness.h"
#include "support/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONE UINT64_MAX
#define MIB  "048576\n" /* behind a digit: mebibytes, a few */

static const char mounts_v2[] = "24 27 0:21 / /proc rw - proc proc rw\n"
                                "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
static const char mounts_v1[] =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "34 31 0:31 / /sys/fs/cgroup/memory rw,relatime shared:3 master:4 - cgroup cgroup rw,memory\n";

static assay_memory_limits read_tree(const char *root)
{
    assay_memory_limits l;
    memset(&l, 0x5a, sizeof l);
    assay_memory_limits_read(&l, root);
    return l;
}

TEST(nothing_to_read_is_no_limit)
{
    const assay_memory_limits l = read_tree(assay_tree_new());
    CHECK(l.installed == NONE && l.available == NONE && l.least == NONE && l.group_max == NONE);
    CHECK_EQ_U64(l.group_used, 0);
    CHECK_EQ_STR(l.group, "");
}

TEST(meminfo)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/meminfo",
                   "MemTotal:       24684084 kB\nMemFree:        20285136 kB\nMemAvailable:   22629428 kB\n");
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.installed, (uint64_t)24684084 << 10);
    CHECK_EQ_U64(l.available, (uint64_t)22629428 << 10);
}

/* The least limit and the group that leaves least are not the same one. */
TEST(version_2_walks_up_to_the_root)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/a/b/c\n");
    assay_tree_put(root, "/proc/self/mountinfo", mounts_v2);
    assay_tree_put(root, "/sys/fs/cgroup/a/b/c/memory.max", "max\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/b/c/memory.current", "1000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/b/memory.max", "1048576000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/b/memory.current", "48576000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "4000000000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.current", "3900000000\n");
    assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.least, 1048576000);
    CHECK_EQ_U64(l.group_max, 4000000000);
    CHECK_EQ_U64(l.group_used, 3900000000);
    CHECK_EQ_STR(l.group, "/a");

    assay_tree_put(root, "/sys/fs/cgroup/memory.max", "500\n"); /* the root of a container has one */
    assay_tree_put(root, "/sys/fs/cgroup/memory.current", "900\n");
    l = read_tree(root);
    CHECK_EQ_U64(l.least, 500);
    CHECK_EQ_U64(l.group_max, 500);
    CHECK_EQ_STR(l.group, "/");
}

TEST(high_counts_as_a_limit)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/a\n");
    assay_tree_put(root, "/proc/self/mountinfo", mounts_v2);
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "3000000000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.high", "2000000000\n");
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 2000000000);
    CHECK_EQ_U64(l.least, 2000000000);
    CHECK_EQ_U64(l.group_used, 0);
}

TEST(cache_that_can_be_had_back_does_not_count)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/a\n");
    assay_tree_put(root, "/proc/self/mountinfo", mounts_v2);
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "3000000000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.current", "2500000000\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.stat",
                   "anon 300000000\nfile 2100000000\ntotal_inactive_file 7\ninactive_file 2000000000\n");
    CHECK_EQ_U64(read_tree(root).group_used, 500000000);
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.stat", "inactive_file 2600000000\n"); /* read later than current */
    CHECK_EQ_U64(read_tree(root).group_used, 0);
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.stat", "inactive_file 99999999999999999999999\n");
    CHECK_EQ_U64(read_tree(root).group_used, 2500000000);
}

TEST(version_1)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "5:devices:/x\n4:cpu,memory:/a/b\n1:cpuset:/\n0::/\n");
    assay_tree_put(root, "/proc/self/mountinfo", mounts_v1);
    assay_tree_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1147483648\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 5\ntotal_inactive_file 47483648\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 2147483648);
    CHECK_EQ_U64(l.group_used, 1100000000);
    CHECK_EQ_U64(l.least, 2147483648);
    CHECK_EQ_STR(l.group, "/a");
}

/* Version 2 beside version 1, each with a limit of its own: here the memory controller is in version 1, and what
 * stands in the other tree's root is nobody's. */
TEST(both_versions_at_once)
{
    const char *root = assay_tree_new();
    char mounts[1024];
    (void)snprintf(mounts, sizeof mounts, "%s%s", mounts_v1,
                   "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    assay_tree_put(root, "/proc/self/cgroup", "4:memory:/v1\n0::/v2\n");
    assay_tree_put(root, "/proc/self/mountinfo", mounts);
    assay_tree_put(root, "/sys/fs/cgroup/memory/v1/memory.limit_in_bytes", "800000000\n");
    assay_tree_put(root, "/sys/fs/cgroup/v2/memory.max", "1\n"); /* not where version 2 is mounted */
    CHECK_EQ_U64(read_tree(root).group_max, 800000000);
    assay_tree_put(root, "/sys/fs/cgroup/unified/v2/memory.max", "700000000\n");
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 700000000);
    CHECK_EQ_STR(l.group, "/v2");
}

TEST(without_mountinfo_the_usual_places_are_tried)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/a\n");
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "5" MIB);
    CHECK_EQ_U64(read_tree(root).group_max, 5048576);
    root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "3:memory:/a\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "6" MIB);
    CHECK_EQ_U64(read_tree(root).group_max, 6048576);
}

/* A container without a namespace of groups: the path is the host's, the mount shows the container's part. */
TEST(a_mounted_part_of_the_tree)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "4:memory:/docker/0123/job\n");
    assay_tree_put(root, "/proc/self/mountinfo",
                   "50 49 0:31 /docker/01 /other rw - cgroup cgroup rw,memory\n"
                   "51 49 0:31 /docker/0123 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                   "52 49 0:31 /docker/0123 /late rw - cgroup cgroup rw,memory\n");
    assay_tree_put(root, "/other/memory.limit_in_bytes", "1\n");
    assay_tree_put(root, "/late/memory.limit_in_bytes", "1\n");
    assay_tree_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9" MIB);
    assay_tree_put(root, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7" MIB);
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 7048576);
    CHECK_EQ_STR(l.group, "/job");
}

/* With a namespace whose root the process is outside of: only the mount itself is to be seen. Nothing above it is
 * read. */
TEST(a_group_outside_of_the_namespace)
{
    static const char *const paths[] = {"0::/../x\n", "0::/..\n", "0::/a/../../x\n"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *root = assay_tree_new();
        assay_tree_put(root, "/proc/self/cgroup", paths[i]);
        assay_tree_put(root, "/proc/self/mountinfo", mounts_v2);
        assay_tree_put(root, "/sys/fs/x/memory.max", "1\n");
        assay_tree_put(root, "/sys/fs/memory.max", "1\n");
        assay_tree_put(root, "/sys/fs/cgroup/x/memory.max", "1\n");
        assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "1\n");
        CHECK_EQ_U64(read_tree(root).group_max, NONE);
        assay_tree_put(root, "/sys/fs/cgroup/memory.max", "8" MIB);
        CHECK_EQ_U64(read_tree(root).group_max, 8048576);
    }
}

TEST(of_mounts_that_do_not_show_the_group_the_first_counts)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/../x\n");
    assay_tree_put(root, "/proc/self/mountinfo",
                   "1 2 0:1 /a /first rw - cgroup2 none rw\n2 2 0:1 /b /second rw - cgroup2 none rw\n");
    assay_tree_put(root, "/first/memory.max", "4" MIB);
    assay_tree_put(root, "/second/memory.max", "3" MIB);
    CHECK_EQ_U64(read_tree(root).group_max, 4048576);
}

TEST(a_path_with_blanks_and_dots)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/..a/b c\n");
    assay_tree_put(root, "/proc/self/mountinfo", "1 2 0:1 / /sys\\040fs/c\\134x rw - cgroup2 none rw\n");
    assay_tree_put(root, "/sys fs/c\\x/..a/b c/memory.max", "4" MIB);
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 4048576);
    CHECK_EQ_STR(l.group, "/..a/b c");
}

TEST(a_long_path_is_cut_in_the_report_only)
{
    const char *root = assay_tree_new();
    char group[512], text[600];
    memset(group, 'g', sizeof group);
    for (size_t i = 0; i < 400; i += 100) group[i] = '/';
    group[400] = 0;
    (void)snprintf(text, sizeof text, "0::%s\n", group);
    assay_tree_put(root, "/proc/self/cgroup", text);
    (void)snprintf(text, sizeof text, "/sys/fs/cgroup%s/memory.max", group);
    assay_tree_put(root, text, "4" MIB);
    const assay_memory_limits l = read_tree(root);
    CHECK_EQ_U64(l.group_max, 4048576);
    CHECK_EQ_U64(strlen(l.group), ASSAY_MEMORY_GROUP - 1);
    CHECK_EQ_MEM(l.group, group, ASSAY_MEMORY_GROUP - 1);
}

/* Lines longer than any path are passed over whole: their end is not taken for a line. */
TEST(long_lines)
{
    enum { LONG = 20000 };
    char *text = malloc(LONG + 64);
    REQUIRE(text);
    memset(text, 'x', LONG);
    (void)snprintf(text + LONG, 64, "\n0::/a\n");
    const char *root = assay_tree_new();
    assay_tree_put(root, "/sys/fs/cgroup/a/memory.max", "4" MIB);
    assay_tree_put(root, "/proc/self/cgroup", text);
    CHECK_EQ_U64(read_tree(root).group_max, 4048576);
    for (size_t i = 0; i < 32; i++) { /* wherever reading stops within the line */
        memset(text, 'x', LONG);
        for (size_t at = 12287 - 16; at < LONG - 8; at += 12287)
            for (size_t k = 0; k < 32; k++) text[at + k] = "0::/a"[(k + i) % 5];
        text[LONG] = 0;
        assay_tree_put(root, "/proc/self/cgroup", text);
        CHECK_EQ_U64(read_tree(root).group_max, NONE);
    }
    free(text);
}

TEST(numbers)
{
    static const struct {
        const char *text;
        uint64_t value;
    } all[] = {{"0\n", 0},
               {"17", 17},
               {"17 \t\n", 17},
               {"max\n", NONE},
               {"", NONE},
               {"\n", NONE},
               {"-1\n", NONE},
               {"+1\n", NONE},
               {" 1\n", NONE},
               {"1x\n", NONE},
               {"1 2\n", NONE},
               {"0x10\n", NONE},
               {"1e9\n", NONE},
               {"4000000000000000000\n", 4000000000000000000},
               {"9223372036854771712\n", NONE},
               {"18446744073709551615\n", NONE},
               {"18446744073709551616\n", NONE},
               {"18446744073709551617\n", NONE},
               {"340282366920938463463374607431768211457\n", NONE}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK_EQ_U64(assay_memory_number(all[i].text), all[i].value);
}

TEST(fields)
{
    CHECK_EQ_U64(assay_memory_field("a 1\nb 2\n", "b"), 2);
    CHECK_EQ_U64(assay_memory_field("ab 1\nb 2\n", "b"), 2);
    CHECK_EQ_U64(assay_memory_field("xb 1\nbb 2", "b"), NONE);
    CHECK_EQ_U64(assay_memory_field("b", "b"), NONE);
    CHECK_EQ_U64(assay_memory_field("", "b"), NONE);
    CHECK_EQ_U64(assay_memory_field("M:   3 kB\n", "M:"), 3072);
    CHECK_EQ_U64(assay_memory_field("M:\n3 kB\n", "M:"), NONE);
    CHECK_EQ_U64(assay_memory_field("M: 4503599627370496 kB\n", "M:"), NONE);
    CHECK_EQ_U64(assay_memory_field("M: 99999999999999999999 kB\n", "M:"), NONE);
}

TEST(lines_that_are_none)
{
    char a[ASSAY_GROUP_PATH], b[ASSAY_GROUP_PATH];
    static const char *const groups[] = {"",
                                         "\n",
                                         "0",
                                         "0:",
                                         "0:/a\n",
                                         "0::\n",
                                         "0::a\n",
                                         "1::/a\n",
                                         "00::/a\n",
                                         "4:memoryx:/a\n",
                                         "4:xmemory,mem:/a\n",
                                         "4:name=memory:/a\n"};
    static const char *const mounts[] = {"",
                                         "\n",
                                         " - ",
                                         " - cgroup2 x rw\n",
                                         "1 2 3 / /p - cgroup3 x rw\n",
                                         "1 2 3 / /p rw - cgroup x rw,cpu\n",
                                         "1 2 3 / p rw - cgroup2 x rw\n",
                                         "1 2 3 r /p rw - cgroup2 x rw\n",
                                         "1 2 - cgroup2 x rw\n",
                                         "1 2 3 / /p rw - cgroup\n",
                                         "1 2 3 / /p rw cgroup2 x rw\n",
                                         "1 2 3 / - cgroup2 /p rw\n"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (assay_group_of_line(a, groups[i])) CHECK_EQ_STR(groups[i], "is none");
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++)
        if (assay_group_mount_of_line(a, b, mounts[i])) CHECK_EQ_STR(mounts[i], "is none");
}

TEST(is_no_more_than_this_machine_has)
{
    const uint64_t limit = assay_memory_limit();
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    REQUIRE(pages > 0 && size > 0);
    CHECK(limit <= (uint64_t)pages * (uint64_t)size);
    CHECK(limit > (uint64_t)1 << 20);
    CHECK_EQ_U64(assay_memory_limit(), limit);
}

/* In a group with a limit: ASSAY_TEST_GROUP_LIMIT says which, in bytes (systemd-run --scope -p MemoryMax=..., docker
 * run
 * --memory=...). */
TEST(the_limit_of_a_real_group)
{
    const char *given = getenv("ASSAY_TEST_GROUP_LIMIT");
    if (!given) {
        assay_test_skip("runs in a control group with a limit, which ASSAY_TEST_GROUP_LIMIT says in bytes");
        return;
    }
    const assay_memory_limits l = read_tree("");
    CHECK_EQ_U64(l.group_max, strtoull(given, NULL, 10));
    CHECK(l.group_used > 0 && l.group_used <= l.group_max);
    CHECK_EQ_U64(assay_memory_limit(), l.group_max);
}
