/* SPDX-License-Identifier: Apache-2.0 */
/* The circle FFT of one long row over the threads of the pool. The first stages, each over the whole row, are cut by
 * ranges; the blocks they leave are independent. A short row, or a call from inside another loop, stays on its thread.
 */
#include "backend/cpu/ops.h"
#include <string.h>

/* LOG_BLOCKS stages are done in parallel ranges, then 2^LOG_BLOCKS blocks in parallel; rows below 2^LOG_MIN words are
 * not worth a thread. */
enum { LOG_BLOCKS = 4, LOG_MIN = 18, GRAIN = 8192 };

typedef struct fft_args {
    void (*pass)(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n);
    void (*node)(uint32_t *row, const uint32_t *tw, size_t v, unsigned i);
    uint32_t *row;
    const uint32_t *tw;
    unsigned c, stage; /* stage i pairs words at distance 2^i */
} fft_args;

/* Pairs begin .. end-1 of a stage, counted through all its blocks; a range does not cross blocks, because a block has
 * at least GRAIN pairs and both are powers of two. */
static void stage_range(void *ctx, size_t begin, size_t end)
{
    const fft_args *g = ctx;
    size_t half = (size_t)1 << g->stage, block = begin >> g->stage;
    uint32_t *lo = g->row + block * half + begin;
    g->pass(lo, lo + half, g->tw[((size_t)1 << (g->c - 1 - g->stage)) + block], end - begin);
}

static void run_stage(const assay_backend *be, fft_args *g, unsigned stage)
{
    g->stage = stage;
    assay_pool_range(be->pool, (size_t)1 << (g->c - 1), GRAIN, stage_range, g);
}

static void block_job(void *ctx, size_t job)
{
    const fft_args *g = ctx;
    unsigned log_block = g->c - LOG_BLOCKS;
    g->node(g->row + (job << log_block), g->tw, ((size_t)1 << LOG_BLOCKS) + job, log_block);
}

static bool is_long(const assay_backend *be, unsigned c)
{
    return c >= LOG_MIN && assay_pool_threads(be->pool) > 1;
}

static void fft(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c)
{
    const assay_cpu_kernels *k = cpu_kernels(be);
    if (!is_long(be, c)) {
        k->fft_node(row, tw, 1, c);
        return;
    }
    fft_args g = {k->fft_pass, k->fft_node, row, tw, c, 0};
    for (unsigned stage = c; stage-- > c - LOG_BLOCKS;) run_stage(be, &g, stage);
    assay_pool_run(be->pool, (size_t)1 << LOG_BLOCKS, block_job, &g);
}

static void fft_transpose(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c)
{
    const assay_cpu_kernels *k = cpu_kernels(be);
    if (!is_long(be, c)) {
        k->fft_transpose_node(row, tw, 1, c);
        return;
    }
    fft_args g = {k->fft_transpose_pass, k->fft_transpose_node, row, tw, c, 0};
    assay_pool_run(be->pool, (size_t)1 << LOG_BLOCKS, block_job, &g);
    for (unsigned stage = c - LOG_BLOCKS; stage < c; stage++) run_stage(be, &g, stage);
}

/* Nodes of up to 2^LOG_WHOLE words are not looked into for what is wanted. */
enum { LOG_WHOLE = 8 };

typedef struct some_args {
    const assay_cpu_kernels *k;
    uint32_t *out;
    const uint32_t *tw;
    unsigned c, log_block;
    const uint64_t *blocks;
} some_args;

/* Node v, 2^i words of which `in` has those before its stages; blocks first .. end-1 of the list lie in it. Two stages
 * a step, then only the quarters that something is wanted of. */
static void some_node(const some_args *g, const uint32_t *in, size_t v, unsigned i, size_t first, size_t end)
{
    uint32_t *out = g->out + ((v - ((size_t)1 << (g->c - i))) << i);
    if (i < g->log_block + 2 || i <= LOG_WHOLE) {
        if (in != out) memcpy(out, in, sizeof *out << i);
        g->k->fft_node(out, g->tw, v, i);
        return;
    }
    g->k->fft_two(out, in, g->tw, v, i);
    for (size_t h = 4 * v; h < 4 * v + 4; h++) {
        size_t from = first;
        uint64_t limit = (uint64_t)(h + 1 - ((size_t)1 << (g->c + 2 - i))) << (i - 2 - g->log_block);
        while (first < end && g->blocks[first] < limit) first++;
        if (first > from)
            some_node(g, g->out + ((h - ((size_t)1 << (g->c + 2 - i))) << (i - 2)), h, i - 2, from, first);
    }
}

static void fft_blocks(const assay_backend *be, uint32_t *out, const uint32_t *in, const uint32_t *tw, unsigned c,
                       unsigned log_block, const uint64_t *blocks, size_t n)
{
    const some_args g = {cpu_kernels(be), out, tw, c, log_block, blocks};
    if (n) some_node(&g, in, 1, c, 0, n);
}

void assay_cpu_fft_init(assay_backend *be)
{
    be->fft = fft;
    be->fft_blocks = fft_blocks;
    be->fft_transpose = fft_transpose;
}
