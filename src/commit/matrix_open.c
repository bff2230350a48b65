/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a committed matrix: the rows are encoded again, and the aligned blocks of 2^low leaves that hold a position
 * are hashed again for the siblings below the kept levels. */
#include "base/mem.h"
#include "commit/matrix_tree.h"
#include "commit/multiproof.h"
#include "hash/merkle_hash.h"
#include <string.h>

typedef struct opening {
    const assay_matrix *m;
    const assay_backend *be;
    const uint64_t *pos;
    size_t npos;
    uint64_t block[ASSAY_MAX_QUERIES]; /* ascending indices of the blocks at level low */
    size_t nblocks;
    size_t njobs;
    uint32_t *words;        /* [nblocks][nrows][2^low] */
    uint32_t *scratch;      /* 2^c words a job: one row's codeword in one group */
    const uint32_t **first; /* nrows pointers a job */
    uint8_t *digests;       /* [nblocks][2^(low+1)]: level L of a block at 2^(low+1) - 2^(low+1-L) */
} opening;

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
        uint64_t group = o->block[b] >> log_blocks, in_group[ASSAY_MAX_QUERIES];
        for (n = 0; b + n < o->nblocks && o->block[b + n] >> log_blocks == group; n++)
            in_group[n] = o->block[b + n] - (group << log_blocks);
        assay_code_encode_blocks(m->code, o->be, (unsigned)group, m->low, in_group, n, codeword, m->rows[row]);
        for (size_t k = 0; k < n; k++)
            memcpy(block_words(o, b + k) + row * width, codeword + (in_group[k] << m->low), width * sizeof *codeword);
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
    size_t b = 0;
    while (o->block[b] != block) b++;
    return b;
}

/* Copies the opened columns out of the blocks. */
static void gather_columns(const opening *o, uint32_t *columns)
{
    const assay_matrix *m = o->m;
    size_t width = (size_t)1 << m->low;
    for (size_t i = 0; i < o->npos; i++) {
        const uint32_t *words = block_words(o, find_block(o, o->pos[i] >> m->low)) + (o->pos[i] & (width - 1));
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
static void write_opening(const opening *o, assay_channel *ch, const uint32_t *columns, uint8_t *bytes)
{
    const assay_matrix *m = o->m;
    for (size_t i = 0; i < o->npos; i++) {
        for (size_t r = 0; r < m->nrows; r++) assay_store_u32(bytes + 4 * r, columns[i * m->nrows + r]);
        if (ch->tamper && ch->tamper->bytes) ch->tamper->bytes(ch->tamper->ctx, "column", bytes, 4 * m->nrows);
        assay_channel_write(ch, bytes, 4 * m->nrows);
        if (!m->salted) continue;
        uint8_t salt[ASSAY_MERKLE_SALT];
        assay_merkle_salt(salt, m->salt_key, o->pos[i]);
        assay_channel_write(ch, salt, sizeof salt);
    }
    sibling_walk w = {o, ch};
    assay_multiproof_walk(o->pos, o->npos, m->log_size, write_sibling, &w);
}

static bool blocks_match(const opening *o)
{
    for (size_t b = 0; b < o->nblocks; b++)
        if (memcmp(block_digest(o, b, o->m->low, 0), matrix_node(o->m, o->m->low, o->block[b]), 32) != 0) return false;
    return true;
}

assay_status assay_matrix_open(const assay_matrix *m, const assay_backend *be, assay_channel *ch, const uint64_t *pos,
                               size_t npos, uint32_t *columns, assay_errinfo *err)
{
    opening o = {m, be, pos, npos, {0}, 0, assay_pool_threads(be->pool), NULL, NULL, NULL, NULL};
    if (!assay_multiproof_valid(pos, npos, m->log_size))
        return ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "positions of an opening are out of order");
    for (size_t i = 0; i < npos; i++)
        if (i == 0 || pos[i] >> m->low != o.block[o.nblocks - 1]) o.block[o.nblocks++] = pos[i] >> m->low;
    assay_status s = ASSAY_OK;
    size_t nwords = 0, nscratch = o.njobs << m->code->c;
    if (assay_mul_size(o.nblocks << m->low, m->nrows, &nwords))
        o.words = (uint32_t *)assay_mem_alloc_raw(nwords, sizeof *o.words);
    o.scratch = (uint32_t *)assay_mem_alloc_raw(nscratch, sizeof *o.scratch);
    o.first = (const uint32_t **)assay_mem_alloc(m->nrows, o.njobs * sizeof *o.first);
    o.digests = (uint8_t *)assay_mem_alloc_raw(o.nblocks << m->low, 64);
    uint8_t *bytes = (uint8_t *)assay_mem_alloc_raw(m->nrows, 4);
    if (!o.words || !o.scratch || !o.first || !o.digests || !bytes) {
        s = ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "out of memory for an opening (words)", nwords);
        goto out;
    }
    assay_pool_run(be->pool, o.njobs, encode_job, &o);
    assay_pool_run(be->pool, o.njobs, hash_job, &o);
    if (!blocks_match(&o)) {
        s = ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "the rows are not those that were committed");
        goto out;
    }
    gather_columns(&o, columns);
    write_opening(&o, ch, columns, bytes);
    s = ch->status;
out:
    assay_mem_free_secret(o.words, nwords * sizeof *o.words);
    assay_mem_free_secret(o.scratch, nscratch * sizeof *o.scratch);
    assay_mem_free((void *)o.first);
    assay_mem_free(o.digests);
    assay_mem_free(bytes);
    return s;
}
