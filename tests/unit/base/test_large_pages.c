/* SPDX-License-Identifier: Apache-2.0 */
/* Large pages are asked for, for the inside of an array alone. */
#include "base/large_pages.h"
#include "base/mem.h"
#include "harness.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the mapping that has this address asked for large pages. */
static bool asked(const void *p)
{
    char line[512];
    bool inside = false, yes = false;
    FILE *f = fopen("/proc/self/smaps", "re");
    if (!CHECK(f != NULL)) return false;
    while (fgets(line, sizeof line, f)) {
        char *at;
        const uint64_t from = strtoull(line, &at, 16);
        if (at > line && *at == '-') inside = from <= (uintptr_t)p && (uintptr_t)p < strtoull(at + 1, NULL, 16);
        if (inside && strncmp(line, "VmFlags:", 8) == 0) yes = strstr(line, " hg") != NULL;
    }
    (void)fclose(f);
    return yes;
}

TEST(large_pages)
{
    const size_t page = (size_t)2 << 20, n = 4 * page;
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
        assay_test_skip("the system has no large pages");
        return;
    }
    uint8_t *p = assay_mem_alloc_raw(n, 1);
    REQUIRE(p != NULL);
    CHECK(!asked(p + n / 2));
    assay_large_pages(p, n);
    CHECK(asked(p + n / 2));
    CHECK(((uintptr_t)p % page == 0) == asked(p)); /* not what lies before the first whole one */
    memset(p, 7, n);
    CHECK(p[0] == 7 && p[n / 2] == 7 && p[n - 1] == 7);
    assay_mem_free(p);
}

TEST(small_arrays)
{
    uint8_t *p = assay_mem_alloc_raw(1 << 20, 1);
    REQUIRE(p != NULL);
    assay_large_pages(p, 1 << 20); /* no whole page inside, or none at all */
    assay_large_pages(NULL, 100 << 20);
    CHECK(!asked(p));
    assay_mem_free(p);
}
