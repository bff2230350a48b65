/* SPDX-License-Identifier: Apache-2.0 */
/* One leaf and one node of a Merkle tree (docs/protocol.md, "Merkle trees"): what a verifier recomputes. The array
 * forms that provers use are operations of the backend and give the same digests. */
#ifndef ASSAY_HASH_MERKLE_HASH_H
#define ASSAY_HASH_MERKLE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define ASSAY_MERKLE_HEADER 16
#define ASSAY_MERKLE_SALT   32
enum { ASSAY_MERKLE_LEAF = 0, ASSAY_MERKLE_NODE = 1 };

/* u8 kind, u8 tree, u8 level, five zero bytes, le64 index: no two hashed nodes of any trees of a proof share a prefix.
 */
void assay_merkle_header(uint8_t out[16], unsigned kind, uint8_t tree, uint8_t level, uint64_t index);

/* Leaf salt = SHA-256(salt_key || "salt" || le64 index). */
void assay_merkle_salt(uint8_t out[32], const uint8_t salt_key[32], uint64_t index);

/* SHA-256(header(leaf, tree, 0, index) || salt || column); salt is 32 bytes or NULL (no salt); column: nrows words,
 * hashed little-endian. */
void assay_merkle_leaf(uint8_t out[32], uint8_t tree, uint64_t index, const uint8_t *salt, const uint32_t *column,
                       size_t nrows);

/* SHA-256(header(node, tree, level, index) || left || right); level counts from 1 above the leaves. out may be left or
 * right. */
void assay_merkle_node(uint8_t out[32], uint8_t tree, uint8_t level, uint64_t index, const uint8_t left[32],
                       const uint8_t right[32]);

#endif
