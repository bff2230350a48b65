/* SPDX-License-Identifier: Apache-2.0 */
/* Merkle leaves and nodes, one at a time. */
#include "hash/merkle_hash.h"
#include "base/bytes.h"
#include "hash/sha256.h"
#include "hash/words.h"
#include <string.h>

void assay_merkle_header(uint8_t out[16], unsigned kind, uint8_t tree, uint8_t level, uint64_t index)
{
    memset(out, 0, ASSAY_MERKLE_HEADER);
    out[0] = (uint8_t)kind;
    out[1] = tree;
    out[2] = level;
    assay_store_u64(out + 8, index);
}

void assay_merkle_salt(uint8_t out[32], const uint8_t salt_key[32], uint64_t index)
{
    uint8_t m[44];
    memcpy(m, salt_key, 32);
    memcpy(m + 32, "salt", 4);
    assay_store_u64(m + 36, index);
    assay_sha256_digest(out, m, sizeof m);
}

void assay_merkle_leaf(uint8_t out[32], uint8_t tree, uint64_t index, const uint8_t *salt, const uint32_t *column,
                       size_t nrows)
{
    uint8_t header[ASSAY_MERKLE_HEADER];
    assay_sha256 s;
    assay_merkle_header(header, ASSAY_MERKLE_LEAF, tree, 0, index);
    assay_sha256_init(&s);
    assay_sha256_update(&s, header, sizeof header);
    if (salt) assay_sha256_update(&s, salt, ASSAY_MERKLE_SALT);
    assay_sha256_update_words(&s, column, nrows);
    assay_sha256_final(&s, out);
}

void assay_merkle_node(uint8_t out[32], uint8_t tree, uint8_t level, uint64_t index, const uint8_t left[32],
                       const uint8_t right[32])
{
    uint8_t m[ASSAY_MERKLE_HEADER + 64];
    assay_merkle_header(m, ASSAY_MERKLE_NODE, tree, level, index);
    memcpy(m + ASSAY_MERKLE_HEADER, left, 32);
    memcpy(m + ASSAY_MERKLE_HEADER + 32, right, 32);
    assay_sha256_digest(out, m, sizeof m);
}
