/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation: alignment, zeroing, overflow, growth, injected failures, wiping. */
#include "base/mem.h"
#include "harness.h"
#include <string.h>

TEST(aligned_and_zeroed)
{
    for (size_t n = 1; n < 300; n += 7) {
        uint8_t *p = (uint8_t *)assay_mem_alloc_raw(n, 3);
        REQUIRE(p != NULL);
        CHECK_EQ_U64((uintptr_t)p % 64, 0);
        memset(p, 0xEE, 3 * n);
        assay_mem_free(p);
        p = (uint8_t *)assay_mem_alloc(n, 3);
        REQUIRE(p != NULL);
        unsigned sum = 0;
        for (size_t i = 0; i < 3 * n; i++) sum |= p[i];
        CHECK_EQ_U64(sum, 0);
        assay_mem_free(p);
    }
}

TEST(overflow_is_refused)
{
    size_t v = 1;
    CHECK(assay_mem_alloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(assay_mem_alloc(SIZE_MAX, 1) == NULL);
    CHECK(assay_mem_alloc(0, 8) == NULL);
    CHECK(assay_mem_alloc(8, 0) == NULL);
    CHECK(!assay_mul_size(SIZE_MAX / 2 + 1, 2, &v) && v == 0);
    CHECK(assay_mul_size(SIZE_MAX / 2, 2, &v) && v == SIZE_MAX - 1);
    CHECK(assay_mul_size(0, SIZE_MAX, &v) && v == 0);
    CHECK(!assay_add_size(SIZE_MAX, 1, &v) && v == 0);
    CHECK(assay_add_size(SIZE_MAX - 1, 1, &v) && v == SIZE_MAX);
}

TEST(grow_keeps_and_zeroes)
{
    uint32_t *p = (uint32_t *)assay_mem_grow(NULL, 0, 3, 4), *q;
    REQUIRE(p != NULL);
    for (uint32_t i = 0; i < 3; i++) p[i] = i + 5;
    q = (uint32_t *)assay_mem_grow(p, 3, 1000, 4);
    REQUIRE(q != NULL);
    for (uint32_t i = 0; i < 1000; i++) CHECK_EQ_U64(q[i], i < 3 ? i + 5 : 0);
    CHECK(assay_mem_grow(q, 1000, 10, 4) == NULL);
    CHECK(assay_mem_grow(q, 1000, SIZE_MAX / 2, 4) == NULL);
    CHECK_EQ_U64(q[2], 7);
    assay_mem_free(q);
}

TEST(failure_injection)
{
    (void)assay_mem_fail_after(0);
    for (uint64_t k = 1; k <= 3; k++) {
        (void)assay_mem_fail_after(k);
        for (uint64_t i = 1; i <= 4; i++) {
            void *p = assay_mem_alloc(1, 1);
            CHECK_EQ_U64(p == NULL, i == k);
            assay_mem_free(p);
        }
    }
    CHECK_EQ_U64(assay_mem_fail_after(0), 4);
    CHECK_EQ_U64(assay_mem_fail_after(0), 0);
}

TEST(peak_counts_what_lives)
{
    assay_mem_peak_reset();
    uint64_t before = assay_mem_peak();
    void *a = assay_mem_alloc(1000, 3), *b = assay_mem_alloc_raw(5, 1);
    CHECK_EQ_U64(assay_mem_peak(), before + 3005);
    assay_mem_free(a);
    void *c = assay_mem_grow(b, 5, 50, 1); /* both live for a moment */
    CHECK_EQ_U64(assay_mem_peak(), before + 3005);
    assay_mem_peak_reset();
    CHECK_EQ_U64(assay_mem_peak(), before + 50);
    assay_mem_free_secret(c, 50);
    assay_mem_free(NULL);
    assay_mem_peak_reset();
    CHECK_EQ_U64(assay_mem_peak(), before);
}

TEST(kept_memory_is_memory)
{
    assay_mem_keep();
    for (int k = 0; k < 3; k++) {
        uint8_t *p = assay_mem_alloc(1 << 20, 64); /* zeroed although the pages are used again */
        REQUIRE(p != NULL);
        unsigned sum = 0;
        for (size_t i = 0; i < (size_t)64 << 20; i += 1000) sum |= p[i];
        CHECK_EQ_U64(sum, 0);
        memset(p, 0x55, (size_t)64 << 20);
        assay_mem_free(p);
    }
}

TEST(wipe)
{
    uint8_t b[37];
    memset(b, 0xAA, sizeof b);
    assay_mem_wipe(b + 1, 35);
    CHECK_EQ_U64(b[0], 0xAA);
    CHECK_EQ_U64(b[36], 0xAA);
    for (size_t i = 1; i < 36; i++) CHECK_EQ_U64(b[i], 0);
    assay_mem_wipe(NULL, 5);
    assay_mem_free(NULL);
    assay_mem_free_secret(NULL, 5);
}
