/* SPDX-License-Identifier: Apache-2.0 */
/* Committing to a matrix: group after group, all rows are encoded and their columns hashed; only the digests from level
 * `low` up stay. */
#include "base/mem.h"
#include "commit/matrix_tree.h"
#include <string.h>

enum {
    LOW = 4,      /* 16 leaves hashed again for an opened position, 1/16 of the digests kept */
    CHUNK = 512,  /* leaves a hashing step: its digests stay in the first-level cache */
    ROW_PAD = 16, /* words: rows 2^c words apart would fall into the same cache sets */
    JOBS_A_THREAD = 4
};

assay_status assay_matrix_make(assay_matrix **out, const assay_code *code, const uint32_t *const *rows, size_t nrows,
                               uint8_t tree, const uint8_t *salt_key, assay_errinfo *err)
{
    *out = NULL;
    if (nrows == 0) return ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "a matrix without rows");
    assay_matrix *m = (assay_matrix *)assay_mem_alloc(1, sizeof *m);
    if (!m) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for a matrix");
    m->code = code;
    m->rows = rows;
    m->nrows = nrows;
    m->tree = tree;
    m->salted = salt_key != NULL;
    if (salt_key) memcpy(m->salt_key, salt_key, sizeof m->salt_key);
    m->low = code->c < LOW ? code->c : LOW;
    m->log_size = code->c + code->log_rate;
    m->kept = (uint8_t *)assay_mem_alloc_raw(matrix_kept(m), 32);
    if (!m->kept) {
        assay_matrix_free(m);
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "out of memory for the digests of a tree (levels)", code->c);
    }
    *out = m;
    return ASSAY_OK;
}

void assay_matrix_free(assay_matrix *m)
{
    if (!m) return;
    if (m->kept) assay_mem_free_secret(m->kept, 32 * matrix_kept(m));
    assay_mem_free_secret(m, sizeof *m);
}

void assay_matrix_hash_up(assay_matrix *m, const assay_backend *be)
{
    for (unsigned level = m->low + 1; level <= m->log_size; level++)
        be->hash_nodes(be, matrix_node(m, level, 0), matrix_node(m, level - 1, 0), (size_t)1 << (m->log_size - level),
                       m->tree, (uint8_t)level, 0);
}

typedef struct commit_group {
    assay_matrix *m;
    const assay_backend *be;
    unsigned group;
    size_t stride;          /* words from one row's codeword to the next */
    uint32_t *words;        /* nrows codewords of the group */
    const uint32_t **first; /* nrows pointers a hashing job */
    size_t njobs, chunk;    /* hashing jobs, leaves a step */
} commit_group;

static void encode_row(void *ctx, size_t row)
{
    const commit_group *g = (const commit_group *)ctx;
    assay_code_encode_group(g->m->code, g->be, g->group, g->words + row * g->stride, g->m->rows[row]);
}

/* Leaves [at, at + chunk) of the group, up to their nodes at level `low`. */
static void hash_chunk(const commit_group *g, const uint32_t **first, size_t at)
{
    uint8_t a[CHUNK * 32], b[CHUNK * 16];
    const assay_matrix *m = g->m;
    uint64_t leaf = ((uint64_t)g->group << m->code->c) + at;
    assay_leaf_params lp = matrix_leaf_params(m, leaf);
    uint8_t *in = a, *out = b;
    for (size_t r = 0; r < m->nrows; r++) first[r] = g->words + r * g->stride + at;
    g->be->hash_leaves(g->be, in, &lp, g->chunk, first, m->nrows);
    for (unsigned level = 1; level <= m->low; level++) {
        uint8_t *to = level == m->low ? matrix_node(m, level, leaf >> level) : out;
        g->be->hash_nodes(g->be, to, in, g->chunk >> level, m->tree, (uint8_t)level, leaf >> level);
        out = in;
        in = to;
    }
}

static void hash_job(void *ctx, size_t job)
{
    const commit_group *g = (const commit_group *)ctx;
    size_t n = (size_t)1 << g->m->code->c;
    for (size_t at = job * g->chunk; at < n; at += g->njobs * g->chunk) hash_chunk(g, g->first + job * g->m->nrows, at);
}

assay_status assay_matrix_commit(assay_matrix **out, const assay_code *code, const assay_backend *be,
                                 const uint32_t *const *rows, size_t nrows, uint8_t tree, const uint8_t *salt_key,
                                 uint8_t root[32], assay_errinfo *err)
{
    assay_matrix *m = NULL;
    size_t n = (size_t)1 << code->c, nbytes = 0;
    commit_group g = {NULL, be, 0, n + ROW_PAD, NULL, NULL, 0, n < CHUNK ? n : CHUNK};
    *out = NULL;
    assay_status s = assay_matrix_make(&m, code, rows, nrows, tree, salt_key, err);
    if (s != ASSAY_OK) return s;
    g.m = m;
    g.njobs = JOBS_A_THREAD * (size_t)assay_pool_threads(be->pool);
    if (g.njobs > n / g.chunk) g.njobs = n / g.chunk;
    if (assay_mul_size(g.stride * sizeof *g.words, nrows, &nbytes))
        g.words = (uint32_t *)assay_mem_alloc_raw(nbytes, 1);
    g.first = (const uint32_t **)assay_mem_alloc(nrows, g.njobs * sizeof *g.first);
    if (!g.words || !g.first) {
        s = ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "out of memory for the codewords of a group (bytes)", nbytes);
        goto out;
    }
    for (g.group = 0; g.group < 1u << code->log_rate; g.group++) {
        assay_pool_run(be->pool, nrows, encode_row, &g);
        assay_pool_run(be->pool, g.njobs, hash_job, &g);
    }
    assay_matrix_hash_up(m, be);
    memcpy(root, matrix_node(m, m->log_size, 0), 32);
    *out = m;
    m = NULL;
out:
    assay_mem_free_secret(g.words, nbytes);
    assay_mem_free((void *)g.first);
    assay_matrix_free(m);
    return s;
}
