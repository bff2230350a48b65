/* SPDX-License-Identifier: Apache-2.0 */
/* Array hashing and the expander equal the one-at-a-time functions that verifiers use. */
#include "backend/drbg.h"
#include "base/mem.h"
#include "hash/merkle_hash.h"
#include "hash/random.h"
#include "setups.h"
#include <string.h>

enum { MAX = 1100, MAX_ROWS = 40 };

static const uint8_t key[32] = "a key of thirty-two bytes, nonul";

static void leaves(const assay_backend *be, size_t n, size_t nrows, bool salted)
{
    const uint32_t *rows[MAX_ROWS];
    assay_leaf_params lp = {201, 0x1fffffff0u, salted ? key : NULL};
    uint8_t *got = assay_mem_alloc(MAX, 32), *want = assay_mem_alloc(MAX, 32);
    for (size_t r = 0; r < nrows; r++) rows[r] = new_words(n);
    REQUIRE(got && want);
    be->hash_leaves(be, got, &lp, n, rows, nrows);
    for (size_t i = 0; i < n; i++) {
        uint32_t column[MAX_ROWS];
        uint8_t salt[32];
        assay_merkle_salt(salt, key, lp.first + i);
        for (size_t r = 0; r < nrows; r++) column[r] = rows[r][i];
        assay_merkle_leaf(want + 32 * i, lp.tree, lp.first + i, salted ? salt : NULL, column, nrows);
    }
    check_bytes(be, "hash_leaves", got, want, 32 * n);
    for (size_t r = 0; r < nrows; r++) {
        uint32_t *p = (uint32_t *)(uintptr_t)rows[r];
        assay_mem_free(p);
    }
    assay_mem_free(got);
    assay_mem_free(want);
}

static void compare_leaves(const assay_backend *ref, const assay_backend *be)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 1000};
    (void)ref;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t nrows = i % 3 == 0 ? 1 : i % 3 == 1 ? 16 : 29;
        leaves(be, sizes[i], nrows, i & 1);
        leaves(be, sizes[i], nrows, !(i & 1));
    }
    for (size_t nrows = 0; nrows <= MAX_ROWS; nrows++) leaves(be, 5, nrows, nrows % 2);
    for (size_t nrows = 0; nrows <= MAX_ROWS; nrows++) leaves(be, 18, nrows, !(nrows % 2));
}

TEST(leaves_equal_single_leaves)
{
    for_each_setup(compare_leaves);
}

static void compare_nodes(const assay_backend *ref, const assay_backend *be)
{
    uint8_t *in = assay_mem_alloc(2 * MAX, 32), *got = assay_mem_alloc(MAX, 32), *want = assay_mem_alloc(MAX, 32);
    (void)ref;
    REQUIRE(in && got && want);
    for (size_t i = 0; i < 64 * (size_t)MAX; i++) in[i] = (uint8_t)assay_test_random();
    for (size_t s = 1; s < setup_n_sizes && setup_sizes[s] <= MAX; s++) {
        size_t n = setup_sizes[s];
        be->hash_nodes(be, got, in, n, 7, 19, 0xfffffffffu);
        for (size_t i = 0; i < n; i++)
            assay_merkle_node(want + 32 * i, 7, 19, 0xfffffffffu + i, in + 64 * i, in + 64 * i + 32);
        check_bytes(be, "hash_nodes", got, want, 32 * n);
        be->stream(be, got, key, 0x123456789abcdef0u, 0xfffffff0u, n);
        for (size_t i = 0; i < n; i++) assay_drbg_block(want + 32 * i, key, 0x123456789abcdef0u, 0xfffffff0u + i);
        check_bytes(be, "stream", got, want, 32 * n);
    }
    assay_mem_free(in);
    assay_mem_free(got);
    assay_mem_free(want);
}

TEST(nodes_and_stream_equal_single_ones)
{
    for_each_setup(compare_nodes);
}

static void compare_drbg(const assay_backend *ref, const assay_backend *be)
{
    (void)ref;
    for (size_t s = 0; s < setup_n_sizes; s++) {
        size_t n = setup_sizes[s];
        uint32_t *got = new_words(n + 1), *want = new_words(n + 1);
        got[n] = want[n] = 77;
        assay_drbg_fill_f(be, got, n, key, 3);
        assay_drbg_fill_f(NULL, want, n, key, 3);
        check_words(be, "drbg_fill_f", got, want, n + 1);
        assay_mem_free(got);
        assay_mem_free(want);
    }
}

TEST(expander_does_not_depend_on_the_backend)
{
    for_each_setup(compare_drbg);
}

/* A stand-in stream with known words: words that are p once masked must vanish, and order must stay. */
static void planted_stream(const assay_backend *be, uint8_t *out, const uint8_t k[32], uint64_t label, uint64_t first,
                           size_t n)
{
    (void)be;
    (void)k;
    (void)label;
    for (size_t i = 0; i < 8 * n; i++) {
        uint64_t at = 8 * first + i;
        uint32_t w = at % 3 == 1 ? (at % 2 ? 0xffffffffu : 0x7fffffffu) : (uint32_t)at | 0x80000000u;
        for (int b = 0; b < 4; b++) out[4 * i + (size_t)b] = (uint8_t)(w >> (8 * b));
    }
}

TEST(expander_drops_words_equal_to_p)
{
    assay_backend be = {.stream = planted_stream};
    for (size_t n = 0; n <= 100; n++) {
        uint32_t got[101];
        got[n] = 12345;
        assay_drbg_fill_f(&be, got, n, key, 0);
        uint32_t next = 0;
        for (size_t i = 0; i < n; i++, next++) {
            if (next % 3 == 1) next++;
            CHECK_EQ_U64(got[i], next);
        }
        CHECK_EQ_U64(got[n], 12345);
    }
}
