/* SPDX-License-Identifier: Apache-2.0 */
/* Relations that are affine in cells: they go straight to the merge; docs/protocol.md §7.6. */
#include "cp/statement.h"

/* A requirement "terms + constant = 0": the node for its terms. The constant is subtracted from what the terms must be.
 */
static assay_claim linear(assay_cp *cp, kel constant, const char *name)
{
    return assay_define(cp, assay_iop_const(cp->iop, k_neg(constant)), name);
}

/* hi 2^16 + lo = 0 at the claimed token: with both in range, both are 0, so LM is that token's logit. Under the gap
 * policy hi 2^16 + lo = 2^shift GAP - GREM. Width: both sides lie in (-2^16, 2^30], so they are equal as integers, and
 * GAP = ceil((LM - l[y]) / 2^shift). */
static void claimed(assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    assay_claim node = linear(cp, k_zero(), "claimed");
    for (uint32_t p = 0; p < r->n_checked && !cp->fn.counting; p++) {
        uint32_t y = cp->ids[r->n_prompt + p];
        const assay_weights ax[2] = {assay_weights_at(cp, p, cp->w_p.w ? cp->w_p.w[p] : k_zero()),
                                     weights_part(NULL, y, 1)};
        assay_functional_add(&cp->fn, node, k_pow2(16), TEN_LHI, ax);
        assay_functional_add(&cp->fn, node, k_one(), TEN_LLO, ax);
    }
    if (!r->n_gap || cp->fn.counting) return;
    const assay_weights c[1] = {cp->w_p};
    assay_functional_add(&cp->fn, node, k_neg(k_pow2((unsigned)gap_shift(r->cfg))), TEN_GAP, c);
    assay_functional_add(&cp->fn, node, k_one(), TEN_GREM, c);
}

/* The two sums that the proof states. Width: n_checked (most + 2^8 - 1) < p, checked with the bounds. */
static void gap_sums(assay_cp *cp)
{
    const assay_gap_bounds *b = &cp->shape->gap;
    const assay_weights c[1] = {weights_ones(cp->shape->run.n_gap)};
    if (!cp->shape->run.n_gap) return;
    assay_claim node = linear(cp, k_from_i64(-(int64_t)b->sum), "gap sum");
    assay_functional_add(&cp->fn, node, k_one(), TEN_GAP, c);
    assay_functional_add(&cp->fn, node, k_one(), TEN_GSP, c);
    node = linear(cp, k_from_i64(-(int64_t)b->count), "gap count");
    assay_functional_add(&cp->fn, node, k_one(), TEN_GZ, c);
}

/* Width: 16 + s <= 30; |h| < 2^15 by the square table of the site before. */
static void rebase(assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *cfg = r->cfg;
    kel half = k_zero(), minus = k_neg(k_one());
    if (r->n_rebase == 0) return;
    assay_claim terms = assay_iop_functional(cp->iop);
    if (!cp->fn.counting) {
        int32_t shift[2 * ASSAY_MAX_LAYERS + 1];
        kel *before = assay_functional_weights(&cp->fn, model_sites(cfg));
        for (uint32_t j = 1; j < model_sites(cfg); j++) {
            int b = assay_rebase_index(cfg, j);
            if (b < 0) continue;
            shift[b] = cfg->unit[j - 1] - cfg->unit[j];
            if (before && cp->w_b.w) before[j - 1] = cp->w_b.w[b];
        }
        const assay_weights ax[3] = {cp->w_b, cp->w_t, cp->w_d};
        assay_requant_terms(cp, terms, TEN_REB, shift, ax, &half);
        assay_residual_terms(cp, terms, minus, weights_part(before, 0, model_sites(cfg)), cp->w_t, cp->w_d);
    }
    kel one = k_one();
    assay_iop_require(cp->iop, assay_iop_affine(cp->iop, k_neg(half), &one, &terms, 1), "rebase");
}

/* The weights on an unrotated row are transposed from weights out[] on its rotation (assay_rotation).
 * Width: |q cos - q' sin| <= 2^(b-1) 2^12 sqrt 2 < 2^28. */
static void rotate(assay_cp *cp, bool key, assay_tensor rotated, const char *name)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_tensor raw = tensor_before_rotation(r->cfg, key);
    kel half = k_zero(), one = k_one();
    assay_claim terms = assay_iop_functional(cp->iop);
    if (!cp->fn.counting) {
        int32_t shift[ASSAY_MAX_LAYERS];
        for (uint32_t l = 0; l < r->cfg->n_layers; l++) shift[l] = key ? r->cfg->layer[l].kr.s : r->cfg->layer[l].qr.s;
        assay_weights out = assay_out_weights(cp, cp->shape->grid[raw].extent[2]);
        const assay_weights ax[3] = {cp->w_l, cp->w_t, out};
        assay_requant_terms(cp, terms, rotated, shift, ax, &half);
        const assay_rotation r_t = {cp->w_t.w, out.w, cp->tables->cos, cp->tables->sin, r->cfg->head_dim};
        assay_functional_add_rotation(&cp->fn, terms, k_neg(one), raw, ax, &r_t);
    }
    assay_iop_require(cp->iop, assay_iop_affine(cp->iop, k_neg(half), &one, &terms, 1), name);
}

typedef struct summand {
    assay_tensor t;
    int64_t coef;
} summand;

/* sum of coef * t at the given axes, for tensors over the same axes. */
static void sum_terms(assay_cp *cp, assay_claim node, const summand *s, size_t n, const assay_weights *ax)
{
    for (size_t i = 0; i < n; i++) assay_functional_add(&cp->fn, node, k_from_i64(s[i].coef), s[i].t, ax);
}

/* sum over rows of their weight times their eps term, by its 15-bit digits. */
static void eps_sums(assay_cp *cp, const assay_norm_rows *r, kel out[3])
{
    const assay_model_config *cfg = cp->shape->run.cfg;
    const kel wt = assay_weights_sum(r->row[1]);
    kel kinds[2] = {wt, k_zero()}; /* heads: weights of those of q, and of those of k, which have a term of their own */
    if (r->kind == NORM_HEADS) {
        kinds[0] = k_mul(wt, assay_weights_sum(assay_weights_clip(r->row[2], 0, cfg->n_heads)));
        kinds[1] = k_mul(wt, assay_weights_sum(assay_weights_clip(r->row[2], cfg->n_heads, cfg->n_kv)));
    }
    for (int k = 0; k < 3; k++) out[k] = k_zero();
    for (uint32_t i = 0; r->row[0].w && i < r->extent[0]; i++)
        for (int key = 0; key <= (r->kind == NORM_HEADS); key++) {
            const int64_t e = r->kind == NORM_HEADS ? assay_model_head_eps(cfg, i, key) : cfg->eps_term[i];
            const int64_t digit[3] = {e & 0x7fff, e >> 15 & 0x7fff, e >> 30};
            const kel w = k_mul(kinds[key], r->row[0].w[i]);
            for (int k = 0; k < 3; k++) out[k] = k_add(out[k], k_mul(w, k_from_i64(digit[k])));
        }
}

static void norm_sum(assay_cp *cp, const assay_norm_rows *r, assay_claim node, const summand *s, size_t n)
{
    for (size_t i = 0; i < n; i++) assay_norm_row_terms(cp, r, node, k_from_i64(s[i].coef), s[i].t, r->row);
}

/* Digits of S = sum h^2 + eps. Width: a digit's sum is below 2^17, carries below 2^2; rows are shorter than 2^15, so
 * sum SQ < 2^30. */
static void norm_digits(assay_cp *cp, assay_norm_kind kind)
{
    static const char *const names[2][4] = {{"norm A", "norm s0", "norm s1", "norm s2"},
                                            {"head norm A", "head norm s0", "head norm s1", "head norm s2"}};
    static const summand a[] = {{TEN_NA1, -(1 << 15)}, {TEN_NA0, -1}};
    static const summand s0[] = {{TEN_NB0, 1}, {TEN_NC0, -(1 << 15)}, {TEN_NS0, -1}};
    static const summand s1[] = {{TEN_NA0, 1}, {TEN_NB1, 1}, {TEN_NC0, 1}, {TEN_NC1, -(1 << 15)}, {TEN_NS1, -1}};
    static const summand s2[] = {{TEN_NA1, 1}, {TEN_NC1, 1}, {TEN_NC2, -(1 << 15)}, {TEN_NS2, -1}};
    const assay_norm_rows r = assay_norm_rows_of(cp, kind);
    kel eps[3] = {k_zero(), k_zero(), k_zero()};
    if (!cp->fn.counting) eps_sums(cp, &r, eps);
    assay_claim node = linear(cp, k_zero(), names[kind][0]);
    assay_norm_cell_terms(cp, &r, node, k_one(), TEN_SQ, r.row, weights_ones(r.width));
    norm_sum(cp, &r, node, a, sizeof a / sizeof *a);
    norm_sum(cp, &r, linear(cp, eps[0], names[kind][1]), s0, sizeof s0 / sizeof *s0);
    norm_sum(cp, &r, linear(cp, eps[1], names[kind][2]), s1, sizeof s1 / sizeof *s1);
    norm_sum(cp, &r, linear(cp, eps[2], names[kind][3]), s2, sizeof s2 / sizeof *s2);
}

/* Row sums of attention. Width: Z_i <= 2^z_bits by the row-public bits of the weights. */
static void attention_rows(assay_cp *cp)
{
    static const summand z[] = {{TEN_Z2, 1}, {TEN_ZLOW, 1}};
    static const summand h[] = {{TEN_ZH1, 1 << 17}, {TEN_ZH0, 2}, {TEN_ZB, 1}, {TEN_Z2, -1}};
    const assay_run_shape *r = &cp->shape->run;
    const assay_weights row[3] = {cp->w_l, cp->w_h, cp->w_t},
                        cell[4] = {cp->w_t, weights_ones(r->n_tokens), cp->w_l, cp->w_h};
    kel all = k_zero();
    if (!cp->fn.counting)
        all = k_mul(assay_weights_sum(cp->w_t), k_mul(assay_weights_sum(cp->w_l), assay_weights_sum(cp->w_h)));
    assay_claim node = linear(cp, k_zero(), "Z sum");
    sum_terms(cp, node, z, sizeof z / sizeof *z, row);
    assay_functional_add(&cp->fn, node, k_neg(k_one()), TEN_EX, cell);
    node = linear(cp, k_neg(all), "Z max");
    assay_functional_add(&cp->fn, node, k_one(), TEN_ZF, cell);
    node = linear(cp, k_zero(), "Z half");
    sum_terms(cp, node, h, sizeof h / sizeof *h, row);
}

void assay_rel_linear(assay_cp *cp)
{
    claimed(cp);
    gap_sums(cp);
    rebase(cp);
    rotate(cp, false, TEN_QR, "rotate q");
    rotate(cp, true, TEN_KR, "rotate k");
    norm_digits(cp, NORM_RESIDUAL);
    if (model_has_head_norms(cp->shape->run.cfg)) norm_digits(cp, NORM_HEADS);
    attention_rows(cp);
}
