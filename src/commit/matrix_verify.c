/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier of a matrix opening: reads columns and siblings, recomputes the root. */
#include "commit/matrix.h"
#include "commit/multiproof.h"
#include "hash/merkle_hash.h"
#include <string.h>

typedef struct root_walk {
    assay_channel *ch;
    uint8_t tree;
    uint8_t digest[ASSAY_MAX_QUERIES][32];
} root_walk;

static void climb(void *ctx, unsigned level, uint64_t known, size_t to, size_t from, bool both)
{
    root_walk *w = (root_walk *)ctx;
    const uint8_t *sibling = both ? w->digest[from + 1] : assay_channel_read(w->ch, 32);
    if (!sibling) return;
    const uint8_t *left = known & 1 ? sibling : w->digest[from], *right = known & 1 ? w->digest[from] : sibling;
    assay_merkle_node(w->digest[to], w->tree, (uint8_t)(level + 1), known >> 1, left, right);
}

/* Reads one column and its salt and hashes the leaf. */
static void read_leaf(root_walk *w, size_t slot, uint64_t pos, bool salted, uint32_t *column, size_t nrows)
{
    const uint8_t *words = assay_channel_read(w->ch, 4 * nrows);
    bool canonical = true;
    for (size_t r = 0; words && r < nrows; r++) {
        column[r] = assay_load_u32(words + 4 * r);
        canonical = canonical && column[r] < M31_P;
    }
    assay_channel_check(w->ch, canonical, "a word of an opened column is not reduced");
    const uint8_t *salt = salted ? assay_channel_read(w->ch, ASSAY_MERKLE_SALT) : NULL;
    if (w->ch->reject) return;
    assay_merkle_leaf(w->digest[slot], w->tree, pos, salt, column, nrows);
}

void assay_matrix_check(assay_channel *ch, const uint8_t root[32], uint8_t tree, unsigned log_size, bool salted,
                        const uint64_t *pos, size_t npos, uint32_t *columns, size_t nrows)
{
    memset(columns, 0, npos * nrows * sizeof *columns);
    if (ch->role != ASSAY_VERIFY) return;
    bool valid = assay_multiproof_valid(pos, npos, log_size);
    assay_channel_check(ch, valid, "positions of an opening are out of order");
    if (!valid) return;
    root_walk w;
    w.ch = ch;
    w.tree = tree;
    memset(w.digest, 0, sizeof w.digest);
    for (size_t i = 0; i < npos; i++) read_leaf(&w, i, pos[i], salted, columns + i * nrows, nrows);
    assay_multiproof_walk(pos, npos, log_size, climb, &w);
    assay_channel_check(ch, memcmp(w.digest[0], root, 32) == 0, "an opened column does not belong to its root");
    if (ch->reject) memset(columns, 0, npos * nrows * sizeof *columns);
}
