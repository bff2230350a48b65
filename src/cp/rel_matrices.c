/* SPDX-License-Identifier: Apache-2.0 */
/* Products with committed matrices; docs/protocol.md §7.5. Every one is checked at the one output point whose low
 * coordinates are r_J, so that P, the fold of all weight rows, serves them all.
 *
 * Width: b + s <= 30 makes (y, rem) a unique function of the accumulator in F, bias and all; it is the integer one
 * while |acc| < 2^30.58. */
#include "cp/statement.h"

#define NAMES(n)                                                                                                       \
    {                                                                                                                  \
        n, {n "/a0"}, {n "/b0"}, {n " a0"},                                                                            \
        {                                                                                                              \
            n " b0"                                                                                                    \
        }                                                                                                              \
    }

/* A matrix product whose output is requantised: the sites by layer, output and remainder, input. */
typedef struct product {
    assay_matrix_kind kind, bias; /* bias: MAT_COUNT for none; it has no copies in models without */
    assay_dot_names names;
    assay_tensor y, x;
    uint8_t site;       /* 0: x is over layers; 1, 2: x is over norm sites, 2l or 2l + 1 */
    size_t site_offset; /* of the assay_site in assay_layer_config */
} product;

#define SITE(m) offsetof(assay_layer_config, m)
static const product products[] = {
    {MAT_Q, MAT_BQ, NAMES("q"), TEN_Q, TEN_N, 1, SITE(q)},
    {MAT_K, MAT_BK, NAMES("k"), TEN_K, TEN_N, 1, SITE(k)},
    {MAT_V, MAT_BV, NAMES("v"), TEN_V1, TEN_N, 1, SITE(v)},
    {MAT_O, MAT_COUNT, NAMES("o"), TEN_Y, TEN_O1, 0, SITE(o)},
    {MAT_GATE, MAT_COUNT, NAMES("gate"), TEN_GATE, TEN_N, 2, SITE(gate)},
    {MAT_UP, MAT_COUNT, NAMES("up"), TEN_UP, TEN_N, 2, SITE(up)},
    {MAT_DOWN, MAT_COUNT, NAMES("down"), TEN_DOWN, TEN_ACT, 0, SITE(down)},
};

/* A value over ax: its tensor, or the two that hold its limbs. */
static void add_value(assay_cp *cp, assay_claim node, assay_tensor t, const assay_weights *ax)
{
    const assay_tensor low = tensor_low_limb(t);
    assay_functional_add(&cp->fn, node, low == TEN_COUNT ? k_one() : k_pow2(ASSAY_LIMB_BITS), t, ax);
    if (low != TEN_COUNT) assay_functional_add(&cp->fn, node, k_one(), low, ax);
}

void assay_requant_terms(assay_cp *cp, assay_claim node, assay_tensor y, const int32_t *shift, const assay_weights *ax,
                         kel *half_sum)
{
    uint32_t n0 = ax[0].len;
    int64_t pow[ASSAY_MAX_LAYERS * 2 + 1], half[ASSAY_MAX_LAYERS * 2 + 1];
    for (uint32_t i = 0; i < n0; i++) {
        pow[i] = (int64_t)1 << shift[i];
        half[i] = pow[i] >> 1;
    }
    const assay_grid *g = &cp->shape->grid[y];
    assay_weights scaled[ASSAY_GRID_AXES] = {assay_weights_scaled(cp, ax[0], pow)};
    for (unsigned a = 1; a < g->n_axes; a++) scaled[a] = ax[a];
    add_value(cp, node, y, scaled);
    assay_functional_add(&cp->fn, node, k_one(), (uint32_t)y + 1, ax);
    *half_sum = assay_weights_sum(assay_weights_scaled(cp, ax[0], half));
    for (unsigned a = 1; a < g->n_axes; a++) *half_sum = k_mul(*half_sum, assay_weights_sum(ax[a]));
}

/* coef times the committed matrix at coordinates (layer, high output, input). */
static void matrix_terms(assay_cp *cp, assay_claim node, kel coef, assay_matrix_kind m, assay_weights wl,
                         assay_weights wk)
{
    assay_weights wx = assay_functional_eq(&cp->fn, k_one(), cp->pt.x, cp->shape->weights[m].extent[1]);
    const assay_weights ax[3] = {wl, wx, wk};
    assay_functional_add(&cp->fn, node, coef, ASSAY_GRID_OF_MATRIX(m), ax);
}

static void layer_product(assay_cp *cp, const product *p)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_matrix_dims d = assay_matrix_dims_of(r->cfg, p->kind);
    unsigned k_bits = layout_ceil_log2(d.in), l_bits = layout_ceil_log2(d.n);
    int32_t shift[ASSAY_MAX_LAYERS];
    kel half = k_zero(), one = k_one(), rho[64];
    assay_claim a, b, y = assay_iop_functional(cp->iop);
    for (uint32_t l = 0; l < d.n; l++)
        shift[l] = ((const assay_site *)(const void *)((const char *)&r->cfg->layer[l] + p->site_offset))->s;
    if (!cp->fn.counting) {
        const assay_weights ax[3] = {cp->w_l, cp->w_t, assay_out_weights(cp, d.out)};
        assay_requant_terms(cp, y, p->y, shift, ax, &half);
        /* The bias is added at every token: sum_t eq(r_T, t) times its value at the output point. */
        if (p->bias != MAT_COUNT && cp->shape->weights[p->bias].extent[0])
            matrix_terms(cp, y, k_neg(assay_weights_sum(cp->w_t)), p->bias, cp->w_l, weights_ones(1));
    }
    assay_claim start = assay_iop_affine(cp->iop, k_neg(half), &one, &y, 1);
    assay_dot_run(cp, &p->names, DOT_MATRIX, (uint32_t)p->kind, k_zero(), start, k_bits + l_bits, 1, &a, &b, rho);
    assay_claim node_a = assay_define(cp, a, p->names.ra[0]), node_b = assay_define(cp, b, p->names.rb[0]);
    if (cp->fn.counting) return;

    assay_weights wk = assay_functional_eq(&cp->fn, one, rho, d.in),
                  wl = assay_functional_eq(&cp->fn, one, rho + k_bits, d.n);
    assay_weights first = assay_weights_times(cp, wl, cp->w_l);
    if (p->site) {
        uint32_t sites = model_sites(r->cfg);
        kel *w = assay_functional_weights(&cp->fn, sites);
        for (uint32_t l = 0; w && first.w && l < d.n; l++) w[2 * l + p->site - 1] = first.w[l];
        first = weights_part(w, 0, sites);
    }
    const assay_weights ax[3] = {first, cp->w_t, wk};
    add_value(cp, node_a, p->x, ax);
    matrix_terms(cp, node_b, one, p->kind, wl, wk);
}

/* Final gain: an element-wise product, seen as a matrix with one output, row 0 of the weights. */
static void gain_product(assay_cp *cp)
{
    static const assay_dot_names names = NAMES("gain");
    const assay_run_shape *r = &cp->shape->run;
    kel half = k_zero(), one = k_one(), rho[64];
    assay_claim a, b, y = assay_iop_functional(cp->iop);
    if (!cp->fn.counting) {
        assay_weights row0 = assay_out_weights(cp, 1);
        assay_weights wp = assay_functional_eq(&cp->fn, row0.w ? row0.w[0] : one, cp->pt.p, r->n_checked);
        int64_t pow = (int64_t)1 << r->cfg->ng.s;
        const assay_weights ax[2] = {wp, cp->w_d};
        assay_functional_add(&cp->fn, y, k_from_i64(pow), TEN_NG, ax);
        assay_functional_add(&cp->fn, y, one, TEN_NGREM, ax);
        half = k_mul(k_from_i64(pow >> 1), k_mul(assay_weights_sum(wp), assay_weights_sum(cp->w_d)));
    }
    assay_claim start = assay_iop_affine(cp->iop, k_neg(half), &one, &y, 1);
    assay_dot_run(cp, &names, DOT_GAIN, 0, k_zero(), start, layout_ceil_log2(r->cfg->d), 1, &a, &b, rho);
    assay_claim node_a = assay_define(cp, a, names.ra[0]), node_b = assay_define(cp, b, names.rb[0]);
    if (cp->fn.counting) return;
    assay_weights wc = assay_functional_eq(&cp->fn, one, rho, r->cfg->d);
    assay_weights wt = cp->w_p;
    wt.start = r->n_prompt - 1;
    const assay_weights ax[3] = {assay_weights_at(cp, model_sites(r->cfg) - 1, one), wt,
                                 assay_weights_times(cp, wc, cp->w_d)};
    assay_functional_add(&cp->fn, node_a, one, TEN_N, ax);
    matrix_terms(cp, node_b, one, MAT_GAIN, weights_ones(1), wc);
}

/* Normalised heads times their gain, which all heads of q, or of k, share: an element-wise product like the final gain.
 * Width: |n g| < 2^14 2^15. */
typedef struct head_gain {
    assay_matrix_kind kind;
    assay_dot_names names;
    assay_tensor y;
    bool key;
} head_gain;
static const head_gain head_gains[2] = {{MAT_NQ, NAMES("q gain"), TEN_QG, false},
                                        {MAT_NK, NAMES("k gain"), TEN_KG, true}};

static void head_gain_product(assay_cp *cp, const head_gain *g)
{
    const assay_model_config *c = cp->shape->run.cfg;
    const uint32_t from = g->key ? c->n_heads : 0, heads = g->key ? c->n_kv : c->n_heads;
    const unsigned e_bits = layout_ceil_log2(c->head_dim), l_bits = layout_ceil_log2(c->n_layers);
    kel half = k_zero(), one = k_one(), rho[64];
    assay_claim a, b, y = assay_iop_functional(cp->iop);
    if (!cp->fn.counting) {
        int32_t shift[ASSAY_MAX_LAYERS];
        for (uint32_t l = 0; l < c->n_layers; l++) shift[l] = model_before_rotation(c, l, g->key).s;
        const kel row0 = assay_weights_sum(assay_out_weights(cp, 1));
        assay_weights wl = assay_functional_eq(&cp->fn, row0, cp->pt.l, c->n_layers);
        const assay_weights ax[3] = {wl, cp->w_t,
                                     assay_weights_joined(cp, assay_weights_clip(cp->w_a, from, heads), cp->w_e)};
        assay_requant_terms(cp, y, g->y, shift, ax, &half);
    }
    assay_claim start = assay_iop_affine(cp->iop, k_neg(half), &one, &y, 1);
    assay_dot_run(cp, &g->names, DOT_HEAD_GAIN, (uint32_t)g->kind, k_zero(), start, e_bits + l_bits, 1, &a, &b, rho);
    assay_claim node_a = assay_define(cp, a, g->names.ra[0]), node_b = assay_define(cp, b, g->names.rb[0]);
    if (cp->fn.counting) return;
    assay_weights we = assay_functional_eq(&cp->fn, one, rho, c->head_dim),
                  wl = assay_functional_eq(&cp->fn, one, rho + e_bits, c->n_layers);
    assay_weights only = assay_weights_clip(cp->w_a, from, heads);
    only.start = from;
    const assay_weights ax[3] = {assay_weights_times(cp, wl, cp->w_l), cp->w_t,
                                 assay_weights_joined(cp, only, assay_weights_times(cp, we, cp->w_e))};
    assay_functional_add(&cp->fn, node_a, one, TEN_XN, ax);
    matrix_terms(cp, node_b, one, g->kind, wl, we);
}

/* Logits l[p][v] = LM[p] - [v < y_p] - 2^16 LHI - LLO; without [v < y_p] under the gap policy. */
static void head_product(assay_cp *cp)
{
    static const assay_dot_names names = NAMES("head");
    const assay_run_shape *r = &cp->shape->run;
    kel before = k_zero(), one = k_one(), rho[64];
    assay_claim a, b, y = assay_iop_functional(cp->iop);
    if (!cp->fn.counting) {
        assay_weights out = assay_out_weights(cp, r->cfg->vocab);
        kel *prefix = assay_functional_weights(&cp->fn, (size_t)r->cfg->vocab + 1);
        for (uint32_t v = 0; prefix && out.w && v < r->cfg->vocab; v++) prefix[v + 1] = k_add(prefix[v], out.w[v]);
        for (uint32_t p = 0; prefix && cp->w_p.w && !r->n_gap && p < r->n_checked; p++)
            before = k_add(before, k_mul(cp->w_p.w[p], prefix[cp->ids[r->n_prompt + p]]));
        const assay_weights lm[1] = {cp->w_p}, ax[2] = {cp->w_p, out};
        assay_functional_add(&cp->fn, y, assay_weights_sum(out), TEN_LM, lm);
        assay_functional_add(&cp->fn, y, k_neg(k_pow2(16)), TEN_LHI, ax);
        assay_functional_add(&cp->fn, y, k_neg(one), TEN_LLO, ax);
    }
    assay_claim start = assay_iop_affine(cp->iop, k_neg(before), &one, &y, 1);
    assay_dot_run(cp, &names, DOT_HEAD, 0, k_zero(), start, layout_ceil_log2(r->cfg->d), 1, &a, &b, rho);
    assay_claim node_a = assay_define(cp, a, names.ra[0]), node_b = assay_define(cp, b, names.rb[0]);
    if (cp->fn.counting) return;
    assay_weights wc = assay_functional_eq(&cp->fn, one, rho, r->cfg->d);
    const assay_weights ax[2] = {cp->w_p, wc};
    assay_functional_add(&cp->fn, node_a, one, TEN_NG, ax);
    matrix_terms(cp, node_b, one, MAT_HEAD, weights_ones(1), wc);
}

/* Embedding rows of public tokens: linear, for the one-hot side is public. */
static void embedding(assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    assay_claim zero = assay_iop_const(cp->iop, k_zero()), node = assay_define(cp, zero, "embed");
    if (cp->fn.counting) return;
    kel one = k_one();
    const assay_weights ax[2] = {cp->w_t, assay_out_weights(cp, r->cfg->d)};
    assay_functional_add(&cp->fn, node, one, TEN_H0, ax);
    kel *w = assay_functional_weights(&cp->fn, r->cfg->vocab);
    for (uint32_t t = 0; w && t < r->n_tokens; t++) w[cp->ids[t]] = k_add(w[cp->ids[t]], cp->w_t.w[t]);
    assay_weights wx = assay_functional_eq(&cp->fn, k_neg(one), cp->pt.x, cp->shape->weights[MAT_EMBED].extent[1]);
    const assay_weights p[3] = {weights_ones(1), wx, weights_part(w, 0, r->cfg->vocab)};
    assay_functional_add(&cp->fn, node, one, ASSAY_GRID_OF_MATRIX(MAT_EMBED), p);
}

/* A fixed first token's rotated keys and values are committed: linear, as the embedding. Nothing else holds at position
 * 0, for w_t leaves it out. Width: both sides are single values below 2^15. */
static void first_token(assay_cp *cp, assay_tensor t, assay_matrix_kind m, const char *name)
{
    const assay_run_shape *r = &cp->shape->run;
    assay_claim zero = assay_iop_const(cp->iop, k_zero()), node = assay_define(cp, zero, name);
    if (cp->fn.counting) return;
    kel one = k_one();
    const assay_weights ax[3] = {cp->w_l, assay_weights_at(cp, 0, one),
                                 assay_out_weights(cp, r->cfg->n_kv * r->cfg->head_dim)};
    add_value(cp, node, t, ax);
    assay_weights wx = assay_functional_eq(&cp->fn, k_neg(one), cp->pt.x, cp->shape->weights[m].extent[1]);
    const assay_weights p[3] = {cp->w_l, wx, weights_ones(1)};
    assay_functional_add(&cp->fn, node, one, ASSAY_GRID_OF_MATRIX(m), p);
}

void assay_rel_matrices(assay_cp *cp)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) layer_product(cp, &products[i]);
    for (size_t i = 0; i < 2 && model_has_head_norms(cp->shape->run.cfg); i++) head_gain_product(cp, &head_gains[i]);
    gain_product(cp);
    head_product(cp);
    embedding(cp);
    if (!cp->shape->run.cfg->fixed_first) return;
    first_token(cp, TEN_KR, MAT_FIRST_K, "first k");
    first_token(cp, TEN_V1, MAT_FIRST_V, "first v");
}
