/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's fraction tree. Layer i has n_real nodes, a prefix of ceil(n / 2^(depth - i)); padding nodes (0/1) are
 * never stored. Nor is layer depth-1, half of all nodes: it is made again from the leaves, piece by piece, each time it
 * is read.
 *
 * One arena holds layers 0 .. depth-2 in this order. When the sumcheck of layer i begins, layers 0 .. i are spent, and
 * their place takes the arrays p0, p1, q0, q1 split from layer i+1, which stands behind them (or, at the end, q0 and q1
 * of the leaves). So the peak over the caller's leaves is 24 n bytes for the arena and 6 n for the eq table. */
#include "backend/large.h"
#include "base/mem.h"
#include "iop/prove.h"

/* CHUNK: nodes of layer depth-1 made at a time (they stay in cache; even). STRIPS: jobs that they are shared out to. */
enum { CHUNK = 2048, STRIPS = 32 };

struct assay_gkr_prover {
    const assay_backend *be;
    unsigned depth;
    size_t n_real[GKR_MAX_DEPTH + 1]; /* nodes of layer i */
    assay_kvec p[GKR_MAX_DEPTH], q[GKR_MAX_DEPTH];
    const uint32_t *leaf_p; /* borrowed */
    assay_kvec leaf_q;
    uint32_t *arena;
    size_t arena_words;
    assay_kvec scratch; /* p and q of one chunk a strip */
    size_t n_strips, strip_chunks;
    assay_kvec eq, leaf_p01[2]; /* p0 and p1 of the leaves, where they are stored */
    gkr_layer layer;
    kel ends[4];
};

/* Elements that a vector of n takes in the arena. The slack of the spent layers makes room for the split arrays, whose
 * sizes are rounded up four times where those of the layers are rounded up twice. */
static size_t layer_room(size_t n)
{
    return (n + 15) / 16 * 16 + 64;
}
static size_t split_room(size_t n)
{
    return (n + 1 + 15) / 16 * 16;
}

static assay_kvec take(uint32_t **at, size_t room)
{
    assay_kvec v = {{0}, room, NULL, 0};
    for (int j = 0; j < K_WORDS; j++) v.c[j] = *at + (size_t)j * room;
    *at += K_WORDS * room;
    return v;
}

static bool allocate(assay_gkr_prover *g)
{
    size_t bottom = g->n_real[g->depth - 1], chunks = (bottom - 1) / CHUNK + 1;
    size_t room = 0, at_the_end = 2 * split_room(bottom);
    for (unsigned i = 0; i + 1 < g->depth; i++) room += 2 * layer_room(g->n_real[i]);
    g->arena_words = K_WORDS * (room > at_the_end ? room : at_the_end);
    g->arena = (uint32_t *)assay_mem_alloc_raw(g->arena_words, sizeof *g->arena);
    g->strip_chunks = (chunks - 1) / STRIPS + 1;
    g->n_strips = (chunks - 1) / g->strip_chunks + 1;
    if (!g->arena || !assay_kvec_new_raw(&g->eq, assay_gkr_eq_room(bottom))) return false;
    if (!assay_kvec_new_raw(&g->scratch, g->n_strips * 2 * CHUNK)) return false;
    uint32_t *at = g->arena;
    for (unsigned i = 0; i + 1 < g->depth; i++) {
        g->p[i] = take(&at, layer_room(g->n_real[i]));
        g->q[i] = take(&at, layer_room(g->n_real[i]));
    }
    return true;
}

/* The nodes above n nodes p, q. A last node with one real child is that child: a/b + 0/1. */
static void combine(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p,
                    const assay_kvec *q, size_t n)
{
    if (n / 2) be->frac_up(be, p_out, q_out, p, q, n / 2);
    if (n % 2 == 0) return;
    kvec_set(p_out, n / 2, kvec_get(p, n - 1));
    kvec_set(q_out, n / 2, kvec_get(q, n - 1));
}

/* The same above leaves first .. first + n - 1. */
static void combine_leaves(const assay_gkr_prover *g, assay_kvec *p_out, assay_kvec *q_out, size_t first, size_t n)
{
    assay_kvec q = assay_kvec_at(&g->leaf_q, first, n);
    const uint32_t *p = g->leaf_p + first;
    if (n / 2) g->be->frac_up_f(g->be, p_out, q_out, p, &q, n / 2);
    if (n % 2 == 0) return;
    kvec_set(p_out, n / 2, k_from_f(p[n - 1]));
    kvec_set(q_out, n / 2, kvec_get(&q, n - 1));
}

/* Even and odd elements of the n of `in`, the last odd one being `pad` when n is odd. */
static void split(const assay_backend *be, assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n, kel pad)
{
    if (n / 2) be->k_split(be, even, odd, in, n / 2);
    if (n % 2 == 0) return;
    kvec_set(even, n / 2, kvec_get(in, n - 1));
    kvec_set(odd, n / 2, pad);
}

/* Takes nodes from .. from + n - 1 of layer depth-1; `from` is even, n too except at the end. */
typedef void chunk_fn(assay_gkr_prover *g, const assay_kvec *p, const assay_kvec *q, size_t from, size_t n);

static void chunk_up(assay_gkr_prover *g, const assay_kvec *p, const assay_kvec *q, size_t from, size_t n)
{
    assay_kvec p_out = assay_kvec_at(&g->p[g->depth - 2], from / 2, (n + 1) / 2);
    assay_kvec q_out = assay_kvec_at(&g->q[g->depth - 2], from / 2, (n + 1) / 2);
    combine(g->be, &p_out, &q_out, p, q, n);
}

static void chunk_split(assay_gkr_prover *g, const assay_kvec *p, const assay_kvec *q, size_t from, size_t n)
{
    assay_kvec out[4];
    for (int j = 0; j < 4; j++) out[j] = assay_kvec_at(&g->layer.a[j], from / 2, (n + 1) / 2);
    split(g->be, &out[0], &out[1], p, n, k_zero());
    split(g->be, &out[2], &out[3], q, n, k_one());
}

typedef struct strip_job {
    assay_gkr_prover *g;
    chunk_fn *fn;
} strip_job;

static void run_strip(void *ctx, size_t strip)
{
    const strip_job *job = (const strip_job *)ctx;
    assay_gkr_prover *g = job->g;
    size_t bottom = g->n_real[g->depth - 1], leaves = g->n_real[g->depth];
    assay_kvec p = assay_kvec_at(&g->scratch, strip * 2 * CHUNK, CHUNK);
    assay_kvec q = assay_kvec_at(&g->scratch, (strip * 2 + 1) * CHUNK, CHUNK);
    for (size_t chunk = strip * g->strip_chunks; chunk < (strip + 1) * g->strip_chunks; chunk++) {
        size_t from = chunk * CHUNK;
        if (from >= bottom) return;
        size_t n = bottom - from < CHUNK ? bottom - from : CHUNK;
        combine_leaves(g, &p, &q, 2 * from, leaves - 2 * from < 2 * n ? leaves - 2 * from : 2 * n);
        job->fn(g, &p, &q, from, n);
    }
}

/* Makes layer depth-1 again and hands it out. */
static void read_bottom(assay_gkr_prover *g, chunk_fn *fn)
{
    strip_job job = {g, fn};
    assay_pool_run(g->be->pool, g->n_strips, run_strip, &job);
}

/* All stored layers; gives the root's denominator. */
static kel build(assay_gkr_prover *g)
{
    unsigned top = g->depth - 1; /* of the layers made: not stored itself */
    if (top == 0) {
        assay_kvec p = assay_kvec_at(&g->scratch, 0, 1), q = assay_kvec_at(&g->scratch, CHUNK, 1);
        combine_leaves(g, &p, &q, 0, g->n_real[1]);
        return kvec_get(&q, 0);
    }
    read_bottom(g, chunk_up);
    for (unsigned i = top - 1; i-- > 0;)
        combine(g->be, &g->p[i], &g->q[i], &g->p[i + 1], &g->q[i + 1], g->n_real[i + 1]);
    return kvec_get(&g->q[0], 0);
}

assay_status assay_gkr_prover_new(assay_gkr_prover **out, kel *root_q, const assay_backend *be, uint64_t n,
                                  const uint32_t *p, assay_kvec *q)
{
    *out = NULL;
    *root_q = k_zero();
    assay_status s = ASSAY_EINVAL;
    assay_gkr_prover *g = NULL;
    if (n == 0 || n > (uint64_t)1 << GKR_MAX_DEPTH || !p || q->n < n) goto out;
    s = ASSAY_ENOMEM;
    g = (assay_gkr_prover *)assay_mem_alloc(1, sizeof *g);
    if (!g) goto out;
    g->be = be;
    g->depth = assay_gkr_depth(n);
    g->leaf_p = p;
    g->n_real[g->depth] = (size_t)n;
    for (unsigned i = g->depth; i-- > 0;) g->n_real[i] = (g->n_real[i + 1] + 1) / 2;
    g->leaf_q = *q;
    *q = (assay_kvec){{0}, 0, NULL, 0};
    if (!allocate(g)) goto out;
    *root_q = build(g);
    *out = g;
    return ASSAY_OK;
out:
    assay_gkr_prover_free(g);
    assay_kvec_free(q);
    return s;
}

void assay_gkr_prover_free(assay_gkr_prover *g)
{
    if (!g) return;
    if (g->be) assay_large_free_secret(g->be, g->arena, g->arena_words * sizeof *g->arena);
    assay_kvec_free(&g->scratch);
    if (g->be) assay_large_kvec_free(g->be, &g->eq);
    for (int side = 0; side < 2; side++) assay_kvec_free(&g->leaf_p01[side]);
    assay_kvec_free(&g->leaf_q);
    assay_mem_free_secret(g, sizeof *g);
}

/* p + lambda q of the layer's claim, from the children's values of the layer above and tau = point[0]. */
static kel layer_claim(const assay_gkr_prover *g, const kel *point, kel lambda)
{
    kel p = k_add(g->ends[0], k_mul(point[0], k_sub(g->ends[1], g->ends[0])));
    kel q = k_add(g->ends[2], k_mul(point[0], k_sub(g->ends[3], g->ends[2])));
    return k_add(p, k_mul(lambda, q));
}

/* The arrays of the last layer: the leaves' q take the arena; of their p only what is not 1 is stored. */
static assay_status split_leaves(assay_gkr_prover *g)
{
    gkr_layer *l = &g->layer;
    uint32_t *at = g->arena;
    size_t n = g->n_real[g->depth];
    for (int j = 2; j < 4; j++) l->a[j] = take(&at, split_room(l->n_real));
    split(g->be, &l->a[2], &l->a[3], &g->leaf_q, n, k_one());
    assay_large_kvec_free(g->be, &g->leaf_q);
    size_t room = assay_gkr_runs_find(l, g->leaf_p, n);
    for (int side = 0; side < 2; side++) {
        if (!assay_kvec_new(&g->leaf_p01[side], room)) return ASSAY_ENOMEM;
        l->a[side] = assay_kvec_at(&g->leaf_p01[side], 0, room);
    }
    assay_gkr_runs_fill(l, g->leaf_p, n);
    return ASSAY_OK;
}

static assay_status split_nodes(assay_gkr_prover *g, unsigned i)
{
    gkr_layer *l = &g->layer;
    uint32_t *at = g->arena;
    size_t below = g->n_real[i + 1];
    for (int j = 0; j < 4; j++) l->a[j] = take(&at, split_room(l->n_real));
    if (i + 2 == g->depth) {
        if (at > g->arena + g->arena_words) return ASSAY_EINTERNAL;
        read_bottom(g, chunk_split);
        return ASSAY_OK;
    }
    if (at > g->p[i + 1].c[0]) return ASSAY_EINTERNAL; /* they would run into what they are split from */
    split(g->be, &l->a[0], &l->a[1], &g->p[i + 1], below, k_zero());
    split(g->be, &l->a[2], &l->a[3], &g->q[i + 1], below, k_one());
    return ASSAY_OK;
}

assay_status assay_gkr_prover_layer(assay_gkr_prover *g, assay_sumcheck_prover *sp, unsigned i, const kel *point,
                                    kel lambda)
{
    gkr_layer *l = &g->layer;
    l->be = g->be;
    l->n_real = g->n_real[i];
    l->n_vars = i;
    l->lambda = lambda;
    l->eq = g->eq;
    assay_gkr_runs_plain(l);
    assay_status s = i + 1 == g->depth ? split_leaves(g) : split_nodes(g, i);
    if (s != ASSAY_OK) return s;
    assay_gkr_layer_start(l, point, i ? layer_claim(g, point, lambda) : k_zero());
    *sp = (assay_sumcheck_prover){assay_gkr_layer_round, assay_gkr_layer_fold, l};
    return ASSAY_OK;
}

void assay_gkr_prover_ends(assay_gkr_prover *g, kel out[4])
{
    for (int j = 0; j < 4; j++) out[j] = g->ends[j] = kvec_get(&g->layer.a[j], 0);
}
