/* SPDX-License-Identifier: Apache-2.0 */
/* What matrix_commit.c, matrix_open.c and matrix_codec.c share: the kept part of a Merkle tree. */
#ifndef ASSAY_COMMIT_MATRIX_TREE_H
#define ASSAY_COMMIT_MATRIX_TREE_H

#include "commit/matrix.h"

struct assay_matrix {
    const assay_code *code;      /* borrowed */
    const uint32_t *const *rows; /* borrowed */
    size_t nrows;
    uint8_t tree;
    bool salted;
    uint8_t salt_key[32];
    unsigned low;      /* lowest kept level: blocks of 2^low leaves are hashed again for an opening */
    unsigned log_size; /* 2^log_size leaves */
    uint8_t *kept;     /* digests of levels low .. log_size, one level after the other, the root last */
};

/* Digests kept: levels of 2^n, 2^(n-1), .., 1 nodes with n = log_size - low. */
static inline size_t matrix_kept(const assay_matrix *m)
{
    return ((size_t)2 << (m->log_size - m->low)) - 1;
}
/* Node `index` of a kept level. */
static inline uint8_t *matrix_node(const assay_matrix *m, unsigned level, uint64_t index)
{
    size_t before = ((size_t)2 << (m->log_size - m->low)) - ((size_t)2 << (m->log_size - level));
    return m->kept + 32 * (before + (size_t)index);
}
static inline assay_leaf_params matrix_leaf_params(const assay_matrix *m, uint64_t first)
{
    assay_leaf_params lp = {m->tree, first, m->salted ? m->salt_key : NULL};
    return lp;
}

/* A matrix with room for its kept digests, which are not set. */
ASSAY_MUST_USE assay_status assay_matrix_make(assay_matrix **m, const assay_code *code, const uint32_t *const *rows,
                                              size_t nrows, uint8_t tree, const uint8_t *salt_key, assay_errinfo *err);
/* Hashes the kept levels above `low`. */
void assay_matrix_hash_up(assay_matrix *m, const assay_backend *be);

#endif
