/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves, nodes, salts and expander blocks against hashlib; system randomness. */
#include "hash/merkle_hash.h"
#include "hash/random.h"
#include "hash/sha256.h"
#include "vectors/vector_file.h"

static void make_key(uint8_t key[32], uint8_t reversed[32])
{
    for (int i = 0; i < 32; i++) {
        key[i] = (uint8_t)i;
        reversed[31 - i] = (uint8_t)i;
    }
}

TEST(leaves)
{
    uint8_t key[32], salt[32], got[32];
    vector_file v;
    make_key(key, salt);
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "leaf")) {
        uint64_t index = vector_u64(&v), salted = vector_u64(&v);
        uint32_t column[64];
        size_t nrows = vector_u64(&v);
        REQUIRE(nrows <= 64);
        for (size_t j = 0; j < nrows; j++)
            column[j] = m31_add(m31_reduce64(index), m31_reduce64((uint64_t)j * 1000003));
        assay_merkle_leaf(got, 9, index, salted ? salt : NULL, column, nrows);
        vector_check_digest(&v, got);
    }
    vector_close(&v, 40);
}

TEST(nodes)
{
    uint8_t left[32], right[32];
    vector_file v;
    assay_sha256_digest(left, "left", 4);
    assay_sha256_digest(right, "right", 5);
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "node")) {
        uint8_t got[32], over[32];
        uint64_t index = vector_u64(&v);
        assay_merkle_node(got, 200, 31, index, left, right);
        memcpy(over, left, 32);
        assay_merkle_node(over, 200, 31, index, over, right);
        CHECK_EQ_MEM(got, over, 32);
        vector_check_digest(&v, got);
    }
    vector_close(&v, 4);
}

TEST(salts_and_expander)
{
    uint8_t key[32], reversed[32], got[32];
    vector_file v;
    make_key(key, reversed);
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "salt")) {
        assay_merkle_salt(got, key, vector_u64(&v));
        vector_check_digest(&v, got);
    }
    vector_close(&v, 4);
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "drbg")) {
        uint64_t i = vector_u64(&v);
        assay_drbg_block(got, key, i ^ 5, i);
        vector_check_digest(&v, got);
    }
    vector_close(&v, 4);
}

TEST(system_randomness)
{
    uint8_t a[5000], b[5000] = {0};
    memset(a, 0, sizeof a);
    REQUIRE_OK(assay_random_bytes(a, sizeof a, NULL));
    REQUIRE_OK(assay_random_bytes(b, sizeof b, NULL));
    CHECK(memcmp(a, b, sizeof a) != 0);
    unsigned zeros = 0;
    for (size_t i = 0; i < sizeof a; i++) zeros += a[i] == 0;
    CHECK(zeros > 0 && zeros < 100); /* 20 expected */
    CHECK_OK(assay_random_bytes(a, 0, NULL));
}
