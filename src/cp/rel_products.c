/* SPDX-License-Identifier: Apache-2.0 */
/* Products of committed values; docs/protocol.md §7.7. eq is folded into the first factor of every product, whose
 * weights at the final point rho are eq(r, .) eq(rho, .), entry by entry; so each sumcheck has degree 2. */
#include "cp/statement.h"

typedef struct point_of {
    assay_weights w[4]; /* eq weights of rho on consecutive axes, lowest first */
} point_of;

/* eq weights of rho on axes of the given extents, the first one lowest. */
static point_of split_point(assay_cp *cp, const kel *rho, const uint32_t *extent, unsigned n)
{
    point_of p = {{{0}}};
    for (unsigned a = 0; a < n; a++) {
        p.w[a] = assay_functional_eq(&cp->fn, k_one(), rho, extent[a]);
        rho += layout_ceil_log2(extent[a]);
    }
    return p;
}

static unsigned bits_of(const uint32_t *extent, unsigned n)
{
    unsigned b = 0;
    for (unsigned a = 0; a < n; a++) b += layout_ceil_log2(extent[a]);
    return b;
}

static void define_all(assay_cp *cp, const assay_dot_names *names, unsigned n, assay_claim *a, assay_claim *b)
{
    for (unsigned k = 0; k < n; k++) {
        a[k] = assay_define(cp, a[k], names->ra[k]);
        b[k] = assay_define(cp, b[k], names->rb[k]);
    }
}

static void add3(assay_cp *cp, assay_claim node, kel coef, assay_tensor t, assay_weights w0, assay_weights w1,
                 assay_weights w2)
{
    const assay_weights ax[3] = {w0, w1, w2};
    assay_functional_add(&cp->fn, node, coef, t, ax);
}

/* X_a = NS_a + 2^15 NS_(a+1) with NS_3 = NC2. */
static void add_pair(assay_cp *cp, const assay_norm_rows *r, assay_claim node, int64_t coef, unsigned a,
                     const assay_weights *w)
{
    static const assay_tensor digit[4] = {TEN_NS0, TEN_NS1, TEN_NS2, TEN_NC2};
    assay_norm_row_terms(cp, r, node, k_from_i64(coef), digit[a], w);
    assay_norm_row_terms(cp, r, node, k_from_i64(coef * (1 << 15)), digit[a + 1], w);
}

/* Weights over a norm's axes at the coordinates rho, which begin with the last axis; first: those of a first factor. */
static void norm_point(assay_cp *cp, const assay_norm_rows *r, const kel *rho, assay_weights *first,
                       assay_weights *second)
{
    for (unsigned a = r->n_axes; a-- > 0;) {
        second[a] = assay_functional_eq(&cp->fn, k_one(), rho, r->extent[a]);
        first[a] = assay_weights_times(cp, second[a], r->row[a]);
        rho += layout_ceil_log2(r->extent[a]);
    }
}

#define NORM_NAMES(p)                                                                                                  \
    {                                                                                                                  \
        p, {p "/a0", p "/a1", p "/a2", p "/a3", p "/a4", p "/a5", p "/a6"},                                            \
            {p "/b0", p "/b1", p "/b2", p "/b3", p "/b4", p "/b5", p "/b6"},                                           \
            {p " a0", p " a1", p " a2", p " a3", p " a4", p " a5", p " a6"},                                           \
        {                                                                                                              \
            p " b0", p " b1", p " b2", p " b3", p " b4", p " b5", p " b6"                                              \
        }                                                                                                              \
    }

/* Width: n 2^sigma + rem = h R + half with |h| <= 2^15, R < 2^12, sigma <= 15; M 2^r < 2^27; flags are bits. */
static void norm_products(assay_cp *cp, assay_norm_kind kind)
{
    static const assay_dot_names both[2] = {NORM_NAMES("norm"), NORM_NAMES("head norm")};
    static const char *const theta_label[2] = {"norm/theta", "head norm/theta"};
    const assay_dot_names *names = &both[kind];
    const assay_norm_rows r = assay_norm_rows_of(cp, kind);
    kel theta = assay_channel_challenge(assay_iop_channel(cp->iop), theta_label[kind]), one = k_one(), rho[64];
    kel theta2 = k_mul(theta, theta);
    assay_claim a[ASSAY_DOT_TERMS], b[ASSAY_DOT_TERMS],
        part[2] = {assay_iop_functional(cp->iop), assay_iop_functional(cp->iop)};
    /* Start: sum eq [sum_c eq (NHF - NREM)] + theta (X2 - NRHO). */
    kel cells = cp->fn.counting ? k_zero() : assay_weights_sum(r.cell);
    assay_norm_row_terms(cp, &r, part[0], cells, TEN_NHF, r.row);
    assay_norm_cell_terms(cp, &r, part[0], k_neg(one), TEN_NREM, r.row, r.cell);
    add_pair(cp, &r, part[1], 1, 2, r.row);
    assay_norm_row_terms(cp, &r, part[1], k_neg(one), TEN_NRHO, r.row);
    const kel coef[2] = {one, theta};
    assay_claim start = assay_iop_affine(cp->iop, k_zero(), coef, part, 2);
    assay_dot_run(cp, names, DOT_NORM, kind, theta, start, bits_of(r.extent, r.n_axes), 7, a, b, rho);
    define_all(cp, names, 7, a, b);
    if (cp->fn.counting) return;

    assay_weights w1[3], w2[3];
    norm_point(cp, &r, rho, w1, w2);
    assay_norm_cell_terms(cp, &r, a[0], one, TEN_N, w1, r.cell);
    assay_norm_row_terms(cp, &r, b[0], one, TEN_NDS, w2);
    assay_norm_input_terms(cp, &r, a[1], k_neg(one), w1, r.cell);
    assay_norm_row_terms(cp, &r, b[1], one, TEN_NRT, w2);
    static const assay_tensor first[7] = {TEN_N, TEN_N, TEN_NM, TEN_NF0, TEN_NF1, TEN_NF0, TEN_NF1};
    const kel scale[7] = {one, one, theta, k_neg(theta), k_neg(theta), theta2, theta2};
    for (unsigned k = 2; k < 7; k++) assay_norm_row_terms(cp, &r, a[k], scale[k], first[k], w1);
    assay_norm_row_terms(cp, &r, b[2], one, TEN_NDR, w2);
    add_pair(cp, &r, b[3], 1, 0, w2);
    add_pair(cp, &r, b[3], -1, 2, w2);
    add_pair(cp, &r, b[4], 1, 1, w2);
    add_pair(cp, &r, b[4], -1, 2, w2);
    assay_norm_row_terms(cp, &r, b[5], one, TEN_NS2, w2);
    assay_norm_row_terms(cp, &r, b[5], one, TEN_NC2, w2);
    assay_norm_row_terms(cp, &r, b[6], one, TEN_NC2, w2);
}

/* sum_c h^2 = 2^15 A + B. Width: rows are shorter than 2^15, so A, B < 2^30 and the two digits of each are the integer
 * ones. */
static void squares(assay_cp *cp, assay_norm_kind kind)
{
    static const assay_dot_names both[2] = {
        {"square", {"square/a0"}, {"square/b0"}, {"square a0"}, {"square b0"}},
        {"head square", {"head square/a0"}, {"head square/b0"}, {"head square a0"}, {"head square b0"}}};
    const assay_dot_names *names = &both[kind];
    const assay_norm_rows r = assay_norm_rows_of(cp, kind);
    const unsigned bits = layout_ceil_log2(r.width);
    kel one = k_one(), rho[96];
    assay_claim a, b, start = assay_iop_functional(cp->iop);
    assay_norm_row_terms(cp, &r, start, k_pow2(30), TEN_NA1, r.row);
    assay_norm_row_terms(cp, &r, start, k_pow2(15), TEN_NA0, r.row);
    assay_norm_row_terms(cp, &r, start, k_pow2(15), TEN_NB1, r.row);
    assay_norm_row_terms(cp, &r, start, one, TEN_NB0, r.row);
    assay_dot_run(cp, names, DOT_SQUARE, kind, k_zero(), start, bits + bits_of(r.extent, r.n_axes), 1, &a, &b, rho);
    define_all(cp, names, 1, &a, &b);
    if (cp->fn.counting) return;
    assay_weights w1[3], w2[3], cell = assay_functional_eq(&cp->fn, one, rho, r.width);
    norm_point(cp, &r, rho + bits, w1, w2);
    assay_norm_input_terms(cp, &r, a, one, w1, cell);
    assay_norm_input_terms(cp, &r, b, one, w2, cell);
}

/* The mixed sums of both limbs, m = sum_(l,h,j) (sum_i eq EX) (sum_e eq (V0 + theta V1)): a hidden message, used by the
 * division, which weighs its identities by the same theta. */
static assay_claim mix(assay_cp *cp, kel theta)
{
    static const assay_dot_names names = {"mix", {"mix/a0"}, {"mix/b0"}, {"mix a0"}, {"mix b0"}};
    const assay_run_shape *r = &cp->shape->run;
    const uint32_t extent[3] = {r->n_tokens, r->cfg->n_heads, r->cfg->n_layers};
    kel one = k_one(), rho[64];
    assay_claim a, b,
        m = assay_iop_hidden(cp->iop, "mix/m", cp->hooks ? cp->hooks->mix_sum(cp->hooks->ctx, cp, theta) : k_zero());
    assay_dot_run(cp, &names, DOT_MIX, 0, theta, m, bits_of(extent, 3), 1, &a, &b, rho);
    define_all(cp, &names, 1, &a, &b);
    if (cp->fn.counting) return m;
    point_of p = split_point(cp, rho, extent, 3);
    const assay_weights ex[4] = {cp->w_t, p.w[0], assay_weights_times(cp, p.w[2], cp->w_l),
                                 assay_weights_times(cp, p.w[1], cp->w_h)};
    assay_functional_add(&cp->fn, a, one, TEN_EX, ex);
    assay_weights ge = assay_weights_joined(cp, assay_weights_grouped(cp, p.w[1]), cp->w_e);
    add3(cp, b, one, TEN_V0, p.w[2], p.w[0], ge);
    add3(cp, b, theta, TEN_V1, p.w[2], p.w[0], ge);
    return m;
}

/* With half = floor(Z2/2), num0, num1 the sums of e V0, e V1 and C = 2^16 OC1 + OC0 - 2^(z_bits + guard):
 *     A   O0 Z2 + rem' 2^delta + rho - half - 2^guard num0 - 2^7 C = 0
 *     B   O1 Z2 + C - 2^guard num1 = 0
 *     D   Z' 2^delta = Z2
 * weighed by 1, theta, theta^2: 2^7 B + A says o Z2 + rem = 2^guard num + half for o = 2^7 O1 + O0, num = 2^7 num1 +
 * num0. Width, with z = z_bits, g = guard: in A the terms but C lie in (-2^(z+7+g), 2^(z+7)] and 2^7 C in
 * [-2^(z+7+g), 2^(z+7+g)), so for z + g <= 23 their difference is below p; B is below 2 2^(z+g+b_v-8) + 2^(z+g) < p for
 * b_v <= 14. So both hold over the integers. 0 <= rem' < Z' by two ranges, so the quotient is unique; its limbs
 * and C follow. */
static void division(assay_cp *cp, assay_claim m, kel theta)
{
    static const assay_dot_names names = {"rows",
                                          {"rows/a0", "rows/a1", "rows/a2"},
                                          {"rows/b0", "rows/b1", "rows/b2"},
                                          {"rows a0", "rows a1", "rows a2"},
                                          {"rows b0", "rows b1", "rows b2"}};
    const assay_run_shape *r = &cp->shape->run;
    const uint32_t extent[3] = {r->n_tokens, r->cfg->n_heads, r->cfg->n_layers};
    kel one = k_one(), theta2 = k_mul(theta, theta), rho[64];
    assay_claim a[3], b[3], part[3] = {m, assay_iop_functional(cp->iop), assay_iop_functional(cp->iop)};
    kel e_sum = k_zero(), offset = k_zero(), carry = k_sub(k_pow2(ASSAY_LIMB_BITS), theta);
    if (!cp->fn.counting) {
        e_sum = assay_weights_sum(cp->w_e);
        kel rows = k_mul(k_mul(assay_weights_sum(cp->w_l), assay_weights_sum(cp->w_h)), assay_weights_sum(cp->w_t));
        offset = k_mul(k_mul(carry, k_pow2((unsigned)(r->cfg->z_bits + r->cfg->o_guard))), k_mul(rows, e_sum));
    }
    assay_weights joined = assay_weights_joined(cp, cp->w_h, cp->w_e);
    add3(cp, part[1], one, TEN_ORHO, cp->w_l, cp->w_t, joined);
    add3(cp, part[1], k_neg(k_mul(k_pow2(16), carry)), TEN_OC1, cp->w_l, cp->w_t, joined);
    add3(cp, part[1], k_neg(carry), TEN_OC0, cp->w_l, cp->w_t, joined);
    add3(cp, part[1], k_neg(k_mul(k_pow2(16), e_sum)), TEN_ZH1, cp->w_l, cp->w_h, cp->w_t);
    add3(cp, part[1], k_neg(e_sum), TEN_ZH0, cp->w_l, cp->w_h, cp->w_t);
    add3(cp, part[2], one, TEN_Z2, cp->w_l, cp->w_h, cp->w_t);
    const kel coef[3] = {k_pow2((unsigned)r->cfg->o_guard), k_neg(one), theta2};
    assay_claim start = assay_iop_affine(cp->iop, k_neg(offset), coef, part, 3);
    assay_dot_run(cp, &names, DOT_ROWS, 0, theta, start, bits_of(extent, 3), 3, a, b, rho);
    define_all(cp, &names, 3, a, b);
    if (cp->fn.counting) return;

    point_of p = split_point(cp, rho, extent, 3);
    assay_weights t2 = p.w[0], h2 = p.w[1], l2 = p.w[2];
    assay_weights t1 = assay_weights_times(cp, t2, cp->w_t), h1 = assay_weights_times(cp, h2, cp->w_h),
                  l1 = assay_weights_times(cp, l2, cp->w_l), he = assay_weights_joined(cp, h1, cp->w_e);
    add3(cp, a[0], one, TEN_O0, l1, t1, he);
    add3(cp, a[0], theta, TEN_O1, l1, t1, he);
    add3(cp, b[0], one, TEN_Z2, l2, h2, t2);
    add3(cp, a[1], one, TEN_OREM, l1, t1, he);
    add3(cp, b[1], one, TEN_ZDD, l2, h2, t2);
    add3(cp, a[2], theta2, TEN_ZP, l1, h1, t1);
    add3(cp, b[2], one, TEN_ZDD, l2, h2, t2);
}

/* Width: |SiLU| |up| <= 2^30 < 2^30.58. */
static void activation(assay_cp *cp)
{
    static const assay_dot_names names = {"act", {"act/a0"}, {"act/b0"}, {"act a0"}, {"act b0"}};
    const assay_run_shape *r = &cp->shape->run;
    const uint32_t extent[3] = {r->cfg->ff, r->n_tokens, r->cfg->n_layers};
    kel half = k_zero(), one = k_one(), rho[96];
    assay_claim a, b, y = assay_iop_functional(cp->iop);
    assay_weights out = weights_ones(r->cfg->ff);
    if (!cp->fn.counting) {
        int32_t shift[ASSAY_MAX_LAYERS];
        for (uint32_t l = 0; l < r->cfg->n_layers; l++) shift[l] = r->cfg->layer[l].act.s;
        out = assay_out_weights(cp, r->cfg->ff);
        const assay_weights ax[3] = {cp->w_l, cp->w_t, out};
        assay_requant_terms(cp, y, TEN_ACT, shift, ax, &half);
    }
    assay_claim start = assay_iop_affine(cp->iop, k_neg(half), &one, &y, 1);
    assay_dot_run(cp, &names, DOT_ACT, 0, k_zero(), start, bits_of(extent, 3), 1, &a, &b, rho);
    define_all(cp, &names, 1, &a, &b);
    if (cp->fn.counting) return;
    point_of p = split_point(cp, rho, extent, 3);
    add3(cp, a, one, TEN_SG, assay_weights_times(cp, p.w[2], cp->w_l), assay_weights_times(cp, p.w[1], cp->w_t),
         assay_weights_times(cp, p.w[0], out));
    add3(cp, b, one, TEN_UP, p.w[2], p.w[1], p.w[0]);
}

void assay_rel_products(assay_cp *cp)
{
    norm_products(cp, NORM_RESIDUAL);
    squares(cp, NORM_RESIDUAL);
    if (model_has_head_norms(cp->shape->run.cfg)) {
        norm_products(cp, NORM_HEADS);
        squares(cp, NORM_HEADS);
    }
    kel theta = assay_channel_challenge(assay_iop_channel(cp->iop), "mix/theta");
    cp->pt.theta = theta;
    division(cp, mix(cp, theta), theta);
    activation(cp);
}
