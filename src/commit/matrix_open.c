/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a committed matrix: the rows are encoded again, and the aligned blocks of 2^low leaves that hold a position
 * are hashed again for the siblings below the kept levels. Several openings share that pass over the rows. */
#include "base/mem.h"
#include "commit/matrix_tree.h"
#include "commit/multiproof.h"
#include "hash/merkle_hash.h"
#include <stdlib.h>
#include <string.h>

struct assay_matrix_blocks {
    const assay_matrix *m;
    const assay_backend *be;
    uint64_t *block; /* ascending indices of the blocks at level low; then the same within their groups */
    uint64_t *in_group;
    size_t nblocks, njobs, nwords, nscratch;
    uint32_t *words;        /* [nblocks][nrows][2^low] */
    uint32_t *scratch;      /* 2^c words a job: one row's codeword in one group */
    const uint32_t **first; /* nrows pointers a job */
    uint8_t *digests;       /* [nblocks][2^(low+1)]: level L of a block at 2^(low+1) - 2^(low+1-L) */
};
typedef assay_matrix_blocks opening;

static uint32_t *block_words(const opening *o, size_t b)
{
    return o->words + (b * o->m->nrows << o->m->low);
}
/* Digest `index` (within the block) of a level of block b. */
static uint8_t *block_digest(const opening *o, size_t b, unsigned level, size_t index)
{
    size_t all = (size_t)2 << o->m->low;
    return o->digests + 32 * (b * all + all - (all >> level) + index);
}

/* Encodes a row and keeps the words of the blocks, group by group. */
static void encode_row(const opening *o, uint32_t *codeword, size_t row)
{
    const assay_matrix *m = o->m;
    unsigned log_blocks = m->code->c - m->low; /* of a group */
    size_t width = (size_t)1 << m->low, n;
    for (size_t b = 0; b < o->nblocks; b += n) {
        uint64_t group = o->block[b] >> log_blocks;
        for (n = 1; b + n < o->nblocks && o->block[b + n] >> log_blocks == group;) n++;
        assay_code_encode_blocks(m->code, o->be, (unsigned)group, m->low, o->in_group + b, n, codeword, m->rows[row]);
        for (size_t k = b; k < b + n; k++)
            memcpy(block_words(o, k) + row * width, codeword + (o->in_group[k] << m->low), width * sizeof *codeword);
    }
}

static void encode_job(void *ctx, size_t job)
{
    const opening *o = (const opening *)ctx;
    uint32_t *codeword = o->scratch + (job << o->m->code->c);
    for (size_t row = job; row < o->m->nrows; row += o->njobs) encode_row(o, codeword, row);
}

static void hash_job(void *ctx, size_t job)
{
    const opening *o = (const opening *)ctx;
    const assay_matrix *m = o->m;
    size_t width = (size_t)1 << m->low;
    const uint32_t **first = o->first + job * m->nrows;
    for (size_t b = job; b < o->nblocks; b += o->njobs) {
        assay_leaf_params lp = matrix_leaf_params(m, o->block[b] << m->low);
        for (size_t r = 0; r < m->nrows; r++) first[r] = block_words(o, b) + r * width;
        o->be->hash_leaves(o->be, block_digest(o, b, 0, 0), &lp, width, first, m->nrows);
        for (unsigned level = 1; level <= m->low; level++)
            o->be->hash_nodes(o->be, block_digest(o, b, level, 0), block_digest(o, b, level - 1, 0), width >> level,
                              m->tree, (uint8_t)level, o->block[b] << (m->low - level));
    }
}

static size_t find_block(const opening *o, uint64_t block)
{
    size_t lo = 0, hi = o->nblocks;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->block[mid] <= block)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Copies the opened columns out of the blocks. */
static void gather_columns(const opening *o, const uint64_t *pos, size_t npos, uint32_t *columns)
{
    const assay_matrix *m = o->m;
    size_t width = (size_t)1 << m->low;
    for (size_t i = 0; i < npos; i++) {
        const uint32_t *words = block_words(o, find_block(o, pos[i] >> m->low)) + (pos[i] & (width - 1));
        for (size_t r = 0; r < m->nrows; r++) columns[i * m->nrows + r] = words[r * width];
    }
}

typedef struct sibling_walk {
    const opening *o;
    assay_channel *ch;
} sibling_walk;

static void write_sibling(void *ctx, unsigned level, uint64_t known, size_t to, size_t from, bool both)
{
    const sibling_walk *w = (const sibling_walk *)ctx;
    const assay_matrix *m = w->o->m;
    (void)to;
    (void)from;
    if (both) return;
    uint64_t sibling = known ^ 1;
    const uint8_t *digest;
    if (level >= m->low) {
        digest = matrix_node(m, level, sibling);
    } else {
        unsigned up = m->low - level;
        digest = block_digest(w->o, find_block(w->o, sibling >> up), level, sibling & (((size_t)1 << up) - 1));
    }
    assay_channel_write(w->ch, digest, 32);
}

/* bytes: room for one column. */
static void write_opening(const opening *o, assay_channel *ch, const uint64_t *pos, size_t npos,
                          const uint32_t *columns, uint8_t *bytes)
{
    const assay_matrix *m = o->m;
    for (size_t i = 0; i < npos; i++) {
        for (size_t r = 0; r < m->nrows; r++) assay_store_u32(bytes + 4 * r, columns[i * m->nrows + r]);
        if (ch->tamper && ch->tamper->bytes) ch->tamper->bytes(ch->tamper->ctx, "column", bytes, 4 * m->nrows);
        assay_channel_write(ch, bytes, 4 * m->nrows);
        if (!m->salted) continue;
        uint8_t salt[ASSAY_MERKLE_SALT];
        assay_merkle_salt(salt, m->salt_key, pos[i]);
        assay_channel_write(ch, salt, sizeof salt);
    }
    sibling_walk w = {o, ch};
    assay_multiproof_walk(pos, npos, m->log_size, write_sibling, &w);
}

static bool blocks_match(const opening *o)
{
    for (size_t b = 0; b < o->nblocks; b++)
        if (memcmp(block_digest(o, b, o->m->low, 0), matrix_node(o->m, o->m->low, o->block[b]), 32) != 0) return false;
    return true;
}

static int by_index(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The blocks of all positions, each once. */
static void list_blocks(opening *o, const assay_positions *of, size_t n_of)
{
    uint64_t mask = ((uint64_t)1 << (o->m->code->c - o->m->low)) - 1;
    size_t n = 0;
    for (size_t k = 0; k < n_of; k++)
        for (size_t i = 0; i < of[k].n; i++) o->block[n++] = of[k].pos[i] >> o->m->low;
    qsort(o->block, n, sizeof *o->block, by_index);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || o->block[i] != o->block[o->nblocks - 1]) o->block[o->nblocks++] = o->block[i];
    for (size_t b = 0; b < o->nblocks; b++) o->in_group[b] = o->block[b] & mask;
}

assay_status assay_matrix_encode(assay_matrix_blocks **out, const assay_matrix *m, const assay_backend *be,
                                 const assay_positions *of, size_t n_of, assay_errinfo *err)
{
    size_t n = 0;
    *out = NULL;
    for (size_t k = 0; k < n_of; k++) {
        n += of[k].n;
        if (!assay_multiproof_valid(of[k].pos, of[k].n, m->log_size))
            return ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "positions of an opening are out of order");
    }
    opening *o = (opening *)assay_mem_alloc(1, sizeof *o);
    assay_status s = o ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for an opening");
    if (s != ASSAY_OK) return s;
    o->m = m;
    o->be = be;
    o->njobs = assay_pool_threads(be->pool);
    o->block = (uint64_t *)assay_mem_alloc(n, 2 * sizeof *o->block);
    if (o->block) {
        o->in_group = o->block + n;
        list_blocks(o, of, n_of);
        o->nscratch = o->njobs << m->code->c;
        if (assay_mul_size(o->nblocks << m->low, m->nrows, &o->nwords))
            o->words = (uint32_t *)assay_mem_alloc_raw(o->nwords, sizeof *o->words);
        o->scratch = (uint32_t *)assay_mem_alloc_raw(o->nscratch, sizeof *o->scratch);
        o->first = (const uint32_t **)assay_mem_alloc(m->nrows, o->njobs * sizeof *o->first);
        o->digests = (uint8_t *)assay_mem_alloc_raw(o->nblocks << m->low, 64);
    }
    if (!o->words || !o->scratch || !o->first || !o->digests) {
        s = ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "out of memory for an opening (words)", o->nwords);
        goto out;
    }
    assay_pool_run(be->pool, o->njobs, encode_job, o);
    assay_pool_run(be->pool, o->njobs, hash_job, o);
    assay_mem_free_secret(o->scratch, o->nscratch * sizeof *o->scratch);
    o->scratch = NULL;
    if (!blocks_match(o)) {
        s = ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "the rows are not those that were committed");
        goto out;
    }
    *out = o;
    o = NULL;
out:
    assay_matrix_blocks_free(o);
    return s;
}

void assay_matrix_blocks_free(assay_matrix_blocks *o)
{
    if (!o) return;
    assay_mem_free_secret(o->words, o->nwords * sizeof *o->words);
    assay_mem_free_secret(o->scratch, o->nscratch * sizeof *o->scratch);
    assay_mem_free((void *)o->first);
    assay_mem_free(o->digests);
    assay_mem_free(o->block);
    assay_mem_free(o);
}

assay_status assay_matrix_open_encoded(const assay_matrix_blocks *o, assay_channel *ch, const uint64_t *pos,
                                       size_t npos, uint32_t *columns, assay_errinfo *err)
{
    uint8_t *bytes = (uint8_t *)assay_mem_alloc_raw(o->m->nrows, 4);
    if (!bytes) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for an opening");
    gather_columns(o, pos, npos, columns);
    write_opening(o, ch, pos, npos, columns, bytes);
    assay_mem_free(bytes);
    return ch->status;
}

assay_status assay_matrix_open(const assay_matrix *m, const assay_backend *be, assay_channel *ch, const uint64_t *pos,
                               size_t npos, uint32_t *columns, assay_errinfo *err)
{
    const assay_positions of = {pos, npos};
    assay_matrix_blocks *o = NULL;
    assay_status s = assay_matrix_encode(&o, m, be, &of, 1, err);
    if (s == ASSAY_OK) s = assay_matrix_open_encoded(o, ch, pos, npos, columns, err);
    assay_matrix_blocks_free(o);
    return s;
}
