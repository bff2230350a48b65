/* SPDX-License-Identifier: Apache-2.0 */
/* Commitment to a matrix over F: each row is encoded, leaf j of a Merkle tree holds column j of the codewords
 * (docs/protocol.md, "Merkle trees" and "Openings"). */
#ifndef ASSAY_COMMIT_MATRIX_H
#define ASSAY_COMMIT_MATRIX_H

#include "commit/channel.h"
#include "commit/code.h"

enum { ASSAY_TREE_WEIGHTS = 0, ASSAY_TREE_WITNESS = 1, ASSAY_TREE_TAIL = 2 /* + level */ };

/* What stays in memory: the rows (borrowed, until the last opening) and the tree's digests from level `low` up;
 * codewords and lower levels are made again for an opening. */
typedef struct assay_matrix assay_matrix;

/* salt_key: 32 bytes (hiding trees) or NULL. Memory: one group of codewords (4 nrows 2^c bytes) while it runs. */
ASSAY_MUST_USE assay_status assay_matrix_commit(assay_matrix **m, const assay_code *code, const assay_backend *be,
                                                const uint32_t *const *rows, size_t nrows, uint8_t tree,
                                                const uint8_t *salt_key, uint8_t root[32], assay_errinfo *err);
/* The kept digests as bytes, and a matrix made from them without hashing anything (root is recomputed from the lowest
 * kept level: ASSAY_EFORMAT when it differs). */
ASSAY_MUST_USE assay_status assay_matrix_save(const assay_matrix *m, assay_writer *w, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_matrix_load(assay_matrix **m, const assay_code *code, const uint32_t *const *rows,
                                              size_t nrows, uint8_t tree, const uint8_t *salt_key,
                                              const uint8_t root[32], assay_reader *r, assay_errinfo *err);
void assay_matrix_free(assay_matrix *m); /* wipes */

/* Positions of one opening: ascending, distinct. */
typedef struct assay_positions {
    const uint64_t *pos;
    size_t n;
} assay_positions;

/* What several openings of one matrix need, made by one pass over its rows: words and digests of the blocks that hold
 * their positions, 64 nrows bytes a position. Secret. */
typedef struct assay_matrix_blocks assay_matrix_blocks;
ASSAY_MUST_USE assay_status assay_matrix_encode(assay_matrix_blocks **out, const assay_matrix *m,
                                                const assay_backend *be, const assay_positions *of, size_t n_of,
                                                assay_errinfo *err);
void assay_matrix_blocks_free(assay_matrix_blocks *o); /* wipes; NULL is fine */
/* As assay_matrix_open below, for positions that were among those given to assay_matrix_encode. */
ASSAY_MUST_USE assay_status assay_matrix_open_encoded(const assay_matrix_blocks *o, assay_channel *ch,
                                                      const uint64_t *pos, size_t npos, uint32_t *columns,
                                                      assay_errinfo *err);

/* Writes to ch->out: for each position in order its column (nrows words) and salt if any, then the siblings of the
 * pruned multi-proof. columns: npos * nrows words for the caller. Positions ascending, distinct. Openings are not
 * absorbed: the root binds them. ch->tamper->k is not called; tests alter columns through `tamper->bytes` with label
 * "column". */
ASSAY_MUST_USE assay_status assay_matrix_open(const assay_matrix *m, const assay_backend *be, assay_channel *ch,
                                              const uint64_t *pos, size_t npos, uint32_t *columns, assay_errinfo *err);

/* ---- verifier (matrix_verify.c): reads what assay_matrix_open wrote, checks it against root; columns filled (zeros
 * after a failure). */
void assay_matrix_check(assay_channel *ch, const uint8_t root[32], uint8_t tree, unsigned log_size, bool salted,
                        const uint64_t *pos, size_t npos, uint32_t *columns, size_t nrows);

#endif
