/* SPDX-License-Identifier: Apache-2.0 */
/* The limit lies between what this process has and what a machine can have. */
#define _POSIX_C_SOURCE 200809L
#include "base/memory_limit.h"
#include "harness.h"
#include <unistd.h>

TEST(is_no_more_than_the_machine_has)
{
    uint64_t limit = assay_memory_limit();
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    REQUIRE(pages > 0 && size > 0);
    CHECK(limit <= (uint64_t)pages * (uint64_t)size);
    CHECK(limit > (uint64_t)1 << 20);
    CHECK_EQ_U64(assay_memory_limit(), limit);
}
