/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 over arrays of messages of equal length: Merkle leaves and nodes, leaf salts, the expander. A message is a
 * row of words; each operation says where word t of message i lies, and the rest is common. */
#include "backend/cpu/ops.h"
#include "backend/cpu/sha256_lanes.h"
#include "base/bytes.h"
#include "base/isa.h"
#include "base/mem.h"
#include "hash/merkle_hash.h"
#include "hash/sha256.h"
#include <string.h>

enum {
    LANES = ASSAY_SHA256_LANES,
    HEADER_WORDS = ASSAY_MERKLE_HEADER / 4,
    SALT_WORDS = ASSAY_MERKLE_SALT / 4,
    LINE_WORDS = 16
};

/* Compressions a job takes at least: some 30 microseconds. */
enum { GRAIN_BLOCKS = 1024 };

/* Word t of the messages first .. first + m - 1: a pointer to m words, which may be `own` after filling it. */
typedef const uint32_t *word_fn(const void *ctx, uint32_t *own, size_t t, size_t first, size_t m);

typedef struct scratch {
    uint32_t h[8][LANES];       /* states */
    uint32_t own[2][16][LANES]; /* words that do not lie in memory anyway, of two blocks by turns */
} scratch;

static uint32_t swap(uint32_t x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

static const uint32_t *all(uint32_t *own, uint32_t value, size_t m)
{
    for (size_t i = 0; i < m; i++) own[i] = value;
    return own;
}

/* The low (half = 0) or high word of first + i. */
static const uint32_t *counter(uint32_t *own, uint64_t first, unsigned half, size_t m)
{
    for (size_t i = 0; i < m; i++) own[i] = (uint32_t)((first + i) >> (32 * half));
    return own;
}

/* Blocks of a message of nwords words, with a one bit and two words of length. */
static size_t blocks_of(size_t nwords)
{
    return (nwords + 2) / 16 + 1;
}

/* Word t >= nwords of a message of nwords words: a one bit, zeros, the length in bits. */
static uint32_t padding(size_t t, size_t nwords)
{
    if (t == nwords) return 0x80;
    if (t % 16 == 14 && t > nwords) return swap((uint32_t)((uint64_t)nwords >> 27));
    if (t % 16 == 15 && t > nwords + 1) return swap((uint32_t)nwords << 5);
    return 0;
}

/* Rows are far apart in memory, where no prefetcher of the hardware follows: the words of the next block are called for
 * while this one is compressed. */
static void call_for(const uint32_t *p, size_t m)
{
    for (size_t i = 0; i < m; i += LINE_WORDS) cpu_prefetch(p + i);
}

/* Where words t .. t + 15 lie; words of the padding too. */
static void find_words(const uint32_t *w[16], uint32_t own[16][LANES], word_fn *word, const void *ctx, size_t nwords,
                       size_t t, size_t first, size_t m)
{
    for (size_t j = 0; j < 16; j++, t++) {
        w[j] = t < nwords ? word(ctx, own[j], t, first, m) : all(own[j], padding(t, nwords), m);
        if (w[j] != own[j]) call_for(w[j], m);
    }
}

/* Leaves in s->h the digests of m <= LANES messages of nwords words. */
static void hash_group(scratch *s, word_fn *word, const void *ctx, size_t nwords, size_t first, size_t m)
{
    assay_sha256_lanes_fn *compress = assay_sha256_lanes_pick();
    size_t nblocks = blocks_of(nwords);
    const uint32_t *w[2][16];
    for (size_t j = 0; j < 8; j++) (void)all(s->h[j], assay_sha256_iv[j], LANES);
    find_words(w[0], s->own[0], word, ctx, nwords, 0, first, m);
    for (size_t b = 0; b < nblocks; b++) {
        size_t next = (b + 1) % 2;
        if (b + 1 < nblocks) find_words(w[next], s->own[next], word, ctx, nwords, 16 * (b + 1), first, m);
        compress(s->h, w[b % 2], m);
    }
}

static void put_digests(uint8_t *out, const scratch *s, size_t m)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < 8; j++) assay_store_u32(out + 32 * i + 4 * j, swap(s->h[j][i]));
}

static const uint32_t *header_word(uint32_t *own, size_t t, unsigned kind, uint8_t tree, uint8_t level, uint64_t first,
                                   size_t m)
{
    if (t >= 2) return counter(own, first, t == 3, m);
    return all(own, t == 0 ? kind | (uint32_t)tree << 8 | (uint32_t)level << 16 : 0, m);
}

/* Splits n messages of nwords words over the pool. */
static void run(const assay_backend *be, size_t n, size_t nwords, assay_range_fn *fn, void *ctx)
{
    size_t grain = GRAIN_BLOCKS / blocks_of(nwords);
    assay_pool_range(be->pool, n, grain < LANES ? LANES : grain, fn, ctx);
}

static size_t lanes_left(size_t i, size_t end)
{
    return end - i < LANES ? end - i : LANES;
}

/* ---- leaves */

typedef struct leaves {
    uint8_t *out;
    const assay_leaf_params *lp;
    const uint32_t *const *rows;
    size_t nrows;
    uint32_t (*salt)[LANES]; /* of the group at hand */
} leaves;

static const uint32_t *salt_word(const void *ctx, uint32_t *own, size_t t, size_t first, size_t m)
{
    const assay_leaf_params *lp = ctx;
    if (t < 8) return all(own, assay_load_u32(lp->salt_key + 4 * t), m);
    if (t == 8) return all(own, assay_load_u32((const uint8_t *)"salt"), m);
    return counter(own, lp->first + first, t == 10, m);
}

static const uint32_t *leaf_word(const void *ctx, uint32_t *own, size_t t, size_t first, size_t m)
{
    const leaves *g = ctx;
    size_t before_rows = g->salt ? HEADER_WORDS + SALT_WORDS : HEADER_WORDS;
    if (t < HEADER_WORDS) return header_word(own, t, ASSAY_MERKLE_LEAF, g->lp->tree, 0, g->lp->first + first, m);
    if (t < before_rows) return g->salt[t - HEADER_WORDS];
    return g->rows[t - before_rows] + first;
}

static size_t leaf_words(const leaves *g)
{
    size_t salt = g->lp->salt_key ? SALT_WORDS : 0;
    return HEADER_WORDS + salt + g->nrows;
}

static void leaves_range(void *ctx, size_t begin, size_t end)
{
    leaves g = *(const leaves *)ctx;
    scratch s;
    uint32_t salt[SALT_WORDS][LANES] = {{0}};
    for (size_t i = begin; i < end; i += LANES) {
        size_t m = lanes_left(i, end);
        if (g.lp->salt_key) {
            hash_group(&s, salt_word, g.lp, 11, i, m);
            for (size_t j = 0; j < SALT_WORDS; j++)
                for (size_t k = 0; k < m; k++) salt[j][k] = swap(s.h[j][k]);
            g.salt = salt;
        }
        hash_group(&s, leaf_word, &g, leaf_words(&g), i, m);
        put_digests(g.out + 32 * i, &s, m);
    }
    assay_mem_wipe(salt, sizeof salt);
    assay_mem_wipe(&s, sizeof s);
}

static void hash_leaves(const assay_backend *be, uint8_t *out, const assay_leaf_params *lp, size_t n,
                        const uint32_t *const *rows, size_t nrows)
{
    leaves g = {out, lp, rows, nrows, NULL};
    run(be, n, leaf_words(&g), leaves_range, &g);
}

/* ---- nodes */

typedef struct nodes {
    uint8_t *out;
    const uint8_t *in;
    uint8_t tree, level;
    uint64_t first;
} nodes;

static const uint32_t *node_word(const void *ctx, uint32_t *own, size_t t, size_t first, size_t m)
{
    const nodes *g = ctx;
    if (t < HEADER_WORDS) return header_word(own, t, ASSAY_MERKLE_NODE, g->tree, g->level, g->first + first, m);
    for (size_t i = 0; i < m; i++) own[i] = assay_load_u32(g->in + 64 * (first + i) + 4 * (t - HEADER_WORDS));
    return own;
}

static void nodes_range(void *ctx, size_t begin, size_t end)
{
    const nodes *g = ctx;
    scratch s;
    for (size_t i = begin; i < end; i += LANES) {
        size_t m = lanes_left(i, end);
        hash_group(&s, node_word, g, HEADER_WORDS + 16, i, m);
        put_digests(g->out + 32 * i, &s, m);
    }
}

static void hash_nodes(const assay_backend *be, uint8_t *out, const uint8_t *in, size_t n, uint8_t tree, uint8_t level,
                       uint64_t first)
{
    nodes g = {out, in, tree, level, first};
    run(be, n, HEADER_WORDS + 16, nodes_range, &g);
}

/* ---- the expander */

typedef struct expander {
    uint8_t *out;
    const uint8_t *key;
    uint64_t label, first;
} expander;

static const uint32_t *stream_word(const void *ctx, uint32_t *own, size_t t, size_t first, size_t m)
{
    const expander *g = ctx;
    if (t < 8) return all(own, assay_load_u32(g->key + 4 * t), m);
    if (t < 10) return all(own, (uint32_t)(g->label >> (32 * (t - 8))), m);
    return counter(own, g->first + first, t == 11, m);
}

static void stream_range(void *ctx, size_t begin, size_t end)
{
    const expander *g = ctx;
    scratch s;
    for (size_t i = begin; i < end; i += LANES) {
        size_t m = lanes_left(i, end);
        hash_group(&s, stream_word, g, 12, i, m);
        put_digests(g->out + 32 * i, &s, m);
    }
    assay_mem_wipe(&s, sizeof s);
}

static void stream(const assay_backend *be, uint8_t *out, const uint8_t key[32], uint64_t label, uint64_t first,
                   size_t n)
{
    expander g = {out, key, label, first};
    run(be, n, 12, stream_range, &g);
}

void assay_cpu_hash_init(assay_backend *be)
{
    be->hash_leaves = hash_leaves;
    be->hash_nodes = hash_nodes;
    be->stream = stream;
}
