/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses support
 * The budget on made-up machines, and the ledger. tests/unit/base/test_memory_limit.c has more of the machines. */
#include "engine/budget.h"
#include "harness.h"
#include "support/tree.h"
#include <stdio.h>
#include <string.h>

#define AUTO     ASSAY_BUDGET_AUTO
#define GIBIBYTE ((uint64_t)1 << 30)

/* A machine of 16 GiB of which 12 are available, and a group. */
static const char *machine(const char *max, const char *current)
{
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 12582912 kB\n");
    assay_tree_put(root, "/proc/self/cgroup", "0::/job\n");
    if (max) assay_tree_put(root, "/sys/fs/cgroup/job/memory.max", max);
    if (current) assay_tree_put(root, "/sys/fs/cgroup/job/memory.current", current);
    return root;
}

TEST(what_is_available_less_the_margin)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    CHECK_OK(assay_memory_find(&f, machine(NULL, NULL), AUTO, 2 * GIBIBYTE, &err));
    CHECK_EQ_U64(f.total, 10 * GIBIBYTE);
    CHECK_EQ_U64(f.installed, 16 * GIBIBYTE);
    CHECK_EQ_U64(f.available, 12 * GIBIBYTE);
    CHECK_EQ_U64(f.group_max, UINT64_MAX);
    CHECK_EQ_STR(f.group, "");
    CHECK_EQ_STR(f.why, "10.0 GiB: 12.0 GiB of memory are available, less 2.0 GiB margin");
}

TEST(a_group_that_leaves_less)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    CHECK_OK(assay_memory_find(&f, machine("8589934592\n", "1610612736\n"), AUTO, GIBIBYTE / 2, &err));
    CHECK_EQ_U64(f.total, 6 * GIBIBYTE);
    CHECK_EQ_U64(f.group_max, 8 * GIBIBYTE);
    CHECK_EQ_U64(f.group_current, 3 * GIBIBYTE / 2);
    CHECK_EQ_STR(f.group, "/job");
    CHECK_EQ_STR(f.why, "6.0 GiB: control group /job allows 8.0 GiB and has taken 1.5 GiB, less 512 MiB margin");
    CHECK_OK(assay_memory_find(&f, machine("14495514624\n", "1610612736\n"), AUTO, 0, &err)); /* 12 of 13.5: as much */
    CHECK_EQ_U64(f.total, 12 * GIBIBYTE);
    CHECK(strstr(f.why, "available"));
}

TEST(what_is_given_is_taken)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    CHECK_OK(assay_memory_find(&f, machine("8589934592\n", "0\n"), 3 * GIBIBYTE, GIBIBYTE, &err));
    CHECK_EQ_U64(f.total, 3 * GIBIBYTE);
    CHECK_EQ_STR(f.why, "3.0 GiB as given");
    CHECK_OK(assay_memory_find(&f, machine("8589934592\n", "0\n"), 9 * GIBIBYTE, GIBIBYTE, &err));
    CHECK_EQ_U64(f.total, 9 * GIBIBYTE);
    CHECK_EQ_STR(f.why, "9.0 GiB as given, but only 8.0 GiB are left in the control group");
    CHECK_OK(assay_memory_find(&f, machine(NULL, NULL), 13 * GIBIBYTE, GIBIBYTE, &err));
    CHECK_EQ_STR(f.why, "13.0 GiB as given, but only 12.0 GiB are available");
    CHECK_OK(assay_memory_find(&f, assay_tree_new(), GIBIBYTE, 0, &err)); /* where nothing is known */
    CHECK_EQ_STR(f.why, "1.0 GiB as given");
}

TEST(too_little_or_nothing_known)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    char text[400];
    CHECK_STATUS(assay_memory_find(&f, assay_tree_new(), AUTO, 0, &err), ASSAY_EIO);
    err = (assay_errinfo){0};
    CHECK_STATUS(assay_memory_find(&f, machine("1073741824\n", "536870912\n"), AUTO, 449 << 20, &err), ASSAY_ERANGE);
    CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text),
                 "memory.margin: leaves less than 64 MiB of the memory that is there (MiB there, margin) (512, 449)");
    CHECK_OK(assay_memory_find(&f, machine("1073741824\n", "536870912\n"), AUTO, 448 << 20, &err));
    CHECK_EQ_U64(f.total, 64 << 20);
    CHECK_STATUS(assay_memory_find(&f, machine("100\n", "900\n"), AUTO, 0, &err), ASSAY_ERANGE);
    CHECK_STATUS(assay_memory_find(&f, machine(NULL, NULL), AUTO, UINT64_MAX - 1, &err), ASSAY_ERANGE);
}

TEST(a_group_with_a_strange_name_stays_one_line)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    const char *root = assay_tree_new();
    assay_tree_put(root, "/proc/self/cgroup", "0::/a\x1b[2Jb\n");
    assay_tree_put(root, "/sys/fs/cgroup/a\x1b[2Jb/memory.max", "8589934592\n");
    CHECK_OK(assay_memory_find(&f, root, AUTO, 0, &err));
    CHECK(strstr(f.why, "/a?[2Jb") != NULL);
}

TEST(this_machine)
{
    assay_memory_found f;
    assay_errinfo err = {0};
    CHECK_OK(assay_memory_find(&f, "", AUTO, 0, &err));
    CHECK(f.total <= f.installed && f.total >= (uint64_t)64 << 20);
    CHECK(strlen(f.why) > 10 && !strchr(f.why, '\n'));
}

/* ---- the ledger */

TEST(ledger)
{
    assay_budget b = {.total = 100};
    assay_reservation x = {0}, y = {0};
    CHECK(assay_budget_set(&b, &x, 60));
    CHECK_EQ_U64(assay_budget_free(&b), 40);
    CHECK(!assay_budget_set(&b, &y, 41));
    CHECK(y.bytes == 0 && b.used == 60 && b.peak == 60);
    CHECK(assay_budget_set(&b, &y, 40));
    CHECK(!assay_budget_set(&b, &y, 41));
    CHECK(y.bytes == 40 && b.used == 100 && b.peak == 100);
    CHECK(assay_budget_set(&b, &x, 10));
    CHECK(assay_budget_set(&b, &y, 90));
    CHECK(assay_budget_set(&b, &x, 0) && assay_budget_set(&b, &y, 0));
    CHECK(b.used == 0 && b.peak == 100);
    CHECK(!assay_budget_set(&b, &x, UINT64_MAX));
    CHECK(x.bytes == 0 && b.used == 0);
}

TEST(what_is_forced_may_pass_the_total)
{
    assay_budget b = {.total = 100};
    assay_reservation x = {0}, y = {0};
    assay_budget_force(&b, &x, 130);
    CHECK(b.used == 130 && b.peak == 130);
    CHECK_EQ_U64(assay_budget_free(&b), 0);
    CHECK(!assay_budget_set(&b, &y, 1));
    CHECK(!assay_budget_set(&b, &x, 131));
    CHECK(assay_budget_set(&b, &x, 120)); /* shrinking never fails */
    CHECK(assay_budget_set(&b, &x, 99) && assay_budget_set(&b, &y, 1));
    CHECK_EQ_U64(b.used, 100);
}
