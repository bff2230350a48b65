/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's fraction tree. Layer i holds its real nodes, a prefix of ceil(n / 2^(depth - i)); padding nodes (0/1)
 * are never stored.
 *
 * One arena holds layers 0 .. depth-1 in this order. When the sumcheck of layer i begins, layers 0 .. i are spent, and
 * their place takes the four arrays p0, p1, q0, q1 split from layer i+1, which stands behind them. So the peak over the
 * caller's leaves is 48 n bytes for the arena and 12 n for the eq table. */
#include "base/mem.h"
#include "iop/prove.h"

struct assay_gkr_prover {
    const assay_backend *be;
    unsigned depth;
    size_t n_real[GKR_MAX_DEPTH + 1]; /* nodes of layer i */
    assay_kvec p[GKR_MAX_DEPTH], q[GKR_MAX_DEPTH];
    const uint32_t *leaf_p; /* borrowed */
    assay_kvec leaf_q;
    uint32_t *arena;
    size_t arena_words;
    assay_kvec eq;
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
    size_t room = 0;
    for (unsigned i = 0; i < g->depth; i++) room += 2 * layer_room(g->n_real[i]);
    g->arena_words = K_WORDS * room;
    g->arena = (uint32_t *)assay_mem_alloc_raw(g->arena_words, sizeof *g->arena);
    if (!g->arena || !assay_kvec_new(&g->eq, assay_gkr_eq_room(g->n_real[g->depth - 1]))) return false;
    uint32_t *at = g->arena;
    for (unsigned i = 0; i < g->depth; i++) {
        g->p[i] = take(&at, layer_room(g->n_real[i]));
        g->q[i] = take(&at, layer_room(g->n_real[i]));
    }
    return true;
}

/* Layer i from layer i+1. A last node with one real child is that child: a/b + 0/1. */
static void build_layer(assay_gkr_prover *g, unsigned i)
{
    const assay_backend *be = g->be;
    size_t below = g->n_real[i + 1], n = below / 2;
    bool leaves = i + 1 == g->depth;
    const assay_kvec *q = leaves ? &g->leaf_q : &g->q[i + 1];
    if (n && leaves) be->frac_up_f(be, &g->p[i], &g->q[i], g->leaf_p, q, n);
    if (n && !leaves) be->frac_up(be, &g->p[i], &g->q[i], &g->p[i + 1], q, n);
    if (below % 2 == 0) return;
    kvec_set(&g->p[i], n, leaves ? k_from_f(g->leaf_p[below - 1]) : kvec_get(&g->p[i + 1], below - 1));
    kvec_set(&g->q[i], n, kvec_get(q, below - 1));
}

assay_status assay_gkr_prover_new(assay_gkr_prover **out, kel *root_q, const assay_backend *be, uint64_t n,
                                  const uint32_t *p, assay_kvec *q)
{
    *out = NULL;
    *root_q = k_zero();
    assay_status s = ASSAY_EINVAL;
    assay_gkr_prover *g = NULL;
    if (n == 0 || n > (uint64_t)1 << GKR_MAX_DEPTH || q->n < n) goto out;
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
    for (unsigned i = g->depth; i-- > 0;) build_layer(g, i);
    *root_q = kvec_get(&g->q[0], 0);
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
    assay_mem_free_secret(g->arena, g->arena_words * sizeof *g->arena);
    assay_kvec_free(&g->eq);
    assay_kvec_free(&g->leaf_q);
    assay_mem_free_secret(g, sizeof *g);
}

/* even and odd elements of the n of `in`, the last odd one being `pad` when n is odd. */
static void split(const assay_backend *be, assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n, kel pad)
{
    if (n / 2) be->k_split(be, even, odd, in, n / 2);
    if (n % 2 == 0) return;
    kvec_set(even, n / 2, kvec_get(in, n - 1));
    kvec_set(odd, n / 2, pad);
}

/* p + lambda q of the layer's claim, from the children's values of the layer above and tau = point[0]. */
static kel layer_claim(const assay_gkr_prover *g, const kel *point, kel lambda)
{
    kel p = k_add(g->ends[0], k_mul(point[0], k_sub(g->ends[1], g->ends[0])));
    kel q = k_add(g->ends[2], k_mul(point[0], k_sub(g->ends[3], g->ends[2])));
    return k_add(p, k_mul(lambda, q));
}

assay_status assay_gkr_prover_layer(assay_gkr_prover *g, assay_sumcheck_prover *sp, unsigned i, const kel *point,
                                    kel lambda)
{
    gkr_layer *l = &g->layer;
    size_t below = g->n_real[i + 1];
    uint32_t *at = g->arena;
    l->be = g->be;
    l->n_real = g->n_real[i];
    l->n_vars = i;
    l->lambda = lambda;
    l->eq = g->eq;
    assay_gkr_runs_plain(l);
    for (int j = 0; j < 4; j++) l->a[j] = take(&at, split_room(l->n_real));
    if (i + 1 == g->depth) {
        split(g->be, &l->a[2], &l->a[3], &g->leaf_q, below, k_one());
        assay_kvec_free(&g->leaf_q);
        assay_gkr_runs_leaves(l, g->leaf_p, below);
    } else {
        if (at > g->p[i + 1].c[0])
            return ASSAY_EINTERNAL; /* the split arrays would run into what they are split from */
        split(g->be, &l->a[0], &l->a[1], &g->p[i + 1], below, k_zero());
        split(g->be, &l->a[2], &l->a[3], &g->q[i + 1], below, k_one());
    }
    assay_gkr_layer_start(l, point, i ? layer_claim(g, point, lambda) : k_zero());
    *sp = (assay_sumcheck_prover){assay_gkr_layer_round, assay_gkr_layer_fold, l};
    return ASSAY_OK;
}

void assay_gkr_prover_ends(assay_gkr_prover *g, kel out[4])
{
    for (int j = 0; j < 4; j++) out[j] = g->ends[j] = kvec_get(&g->layer.a[j], 0);
}
