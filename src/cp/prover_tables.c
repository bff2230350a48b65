/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the relations' sumchecks, from the witness and the points; docs/protocol.md §7.5, §7.7. The lowest axis of
 * a table is padded to a power of two by zeros, and so on upwards: table index = i0 + N0 (i1 + N1 i2). */
#include "cp/prover.h"

#include "poly/eq.h"
#include <string.h>

static size_t pow2_of(uint32_t extent)
{
    return (size_t)1 << layout_ceil_log2(extent);
}

bool assay_prover_dot(assay_cp_prover *p, size_t n_terms, size_t n, unsigned n_vars)
{
    if (assay_dot_prover_init(&p->dot, p->be, n_terms, n, n_vars) == ASSAY_OK) return true;
    assay_channel_fail(p->ch, ASSAY_ENOMEM);
    return false;
}

/* b[l Kp + k] = sum_x eq(r_X, x) P[matrix; l, x, k], run by run of the placed boxes. */
static void matrix_side(assay_cp_prover *p, assay_cp *cp, assay_matrix_kind m, size_t stride, assay_kvec *out)
{
    const assay_grid *g = &cp->shape->weights[m];
    for (uint32_t i = 0; i < g->n_box; i++) {
        const assay_box *b = &g->box[i];
        size_t run = (size_t)1 << b->log_len[2], at = (size_t)b->base;
        for (uint32_t l = b->start[0]; l < b->start[0] + ((uint32_t)1 << b->log_len[0]); l++)
            for (uint32_t x = b->start[1]; x < b->start[1] + ((uint32_t)1 << b->log_len[1]); x++, at += run) {
                kel w = assay_eq_index(cp->pt.x, layout_ceil_log2(g->extent[1]), x);
                assay_kvec y = assay_kvec_at(out, l * stride + b->start[2], run), from = assay_kvec_at(&p->p, at, run);
                p->be->k_axpy(p->be, &y, w, &from, run);
            }
    }
}

enum { AT_ONCE = 32 /* rows summed in one pass */ };

/* out[k] += scale * sum_t w[t] rows[t][k] for n_t consecutive rows of n words. */
static void weigh_rows(assay_cp_prover *p, assay_kvec *out, const kel *w, const uint32_t *rows, uint32_t n_t,
                       uint32_t n, kel scale)
{
    for (uint32_t from = 0; from < n_t; from += AT_ONCE) {
        uint32_t m = n_t - from < AT_ONCE ? n_t - from : AT_ONCE;
        const uint32_t *row[AT_ONCE];
        kel coef[AT_ONCE];
        for (uint32_t t = 0; t < m; t++) {
            row[t] = rows + (size_t)(from + t) * n;
            coef[t] = k_mul(scale, w[from + t]);
        }
        p->be->kf_axpy_many(p->be, out, coef, row, m, n);
    }
}

static void layer_tables(assay_cp_prover *p, assay_cp *cp, assay_matrix_kind m)
{
    const assay_run_shape *r = &cp->shape->run;
    assay_matrix_dims d = assay_matrix_dims_of(r->cfg, m);
    size_t stride = pow2_of(d.in);
    const assay_tensor x = m == MAT_O ? TEN_O1 : m == MAT_DOWN ? TEN_ACT : TEN_N, low = tensor_low_limb(x);
    if (!assay_prover_dot(p, 1, stride * d.n, layout_ceil_log2(d.in) + layout_ceil_log2(d.n))) return;
    for (uint32_t l = 0; l < d.n; l++) {
        uint32_t row = m == MAT_O || m == MAT_DOWN ? l : m == MAT_GATE || m == MAT_UP ? 2 * l + 1 : 2 * l;
        assay_kvec a = assay_kvec_at(&p->dot.a[0], l * stride, d.in);
        const size_t at = (size_t)row * r->n_tokens * d.in;
        const kel high = low == TEN_COUNT ? cp->w_l.w[l] : k_mul_f(cp->w_l.w[l], 1 << ASSAY_LIMB_BITS);
        weigh_rows(p, &a, cp->w_t.w, p->w->ten[x] + at, r->n_tokens, d.in, high);
        if (low != TEN_COUNT) weigh_rows(p, &a, cp->w_t.w, p->w->ten[low] + at, r->n_tokens, d.in, cp->w_l.w[l]);
    }
    matrix_side(p, cp, m, stride, &p->dot.b[0]);
}

static void gain_tables(assay_cp_prover *p, assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    uint32_t d = r->cfg->d;
    if (!assay_prover_dot(p, 1, d, layout_ceil_log2(d))) return;
    const uint32_t *n = p->w->ten[TEN_N] + ((size_t)(model_sites(r->cfg) - 1) * r->n_tokens + r->n_prompt - 1) * d;
    weigh_rows(p, &p->dot.a[0], cp->w_p.w, n, r->n_checked, d, k_one());
    for (uint32_t c = 0; c < d; c++) kvec_set(&p->dot.a[0], c, k_mul(kvec_get(&p->dot.a[0], c), cp->w_d.w[c]));
    matrix_side(p, cp, MAT_GAIN, 0, &p->dot.b[0]);
}

/* a[e + 2^.. l] = eq(r_L, l) eq(r_e, e) sum_(t, h) eq(r_T, t) eq(r_A, .) XN over the heads of q, or of k. */
static void head_gain_tables(assay_cp_prover *p, assay_cp *cp, assay_matrix_kind m)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *c = r->cfg;
    const uint32_t n = c->head_dim, all = c->n_heads + c->n_kv, from = m == MAT_NK ? c->n_heads : 0,
                   end = m == MAT_NK ? all : c->n_heads;
    const size_t stride = pow2_of(n);
    if (!assay_prover_dot(p, 1, stride * c->n_layers, layout_ceil_log2(n) + layout_ceil_log2(c->n_layers))) return;
    for (uint32_t l = 0; l < c->n_layers; l++) {
        assay_kvec a = assay_kvec_at(&p->dot.a[0], l * stride, n);
        for (uint32_t t = 0; t < r->n_tokens; t++)
            weigh_rows(p, &a, cp->w_a.w + from, p->w->ten[TEN_XN] + (((size_t)l * r->n_tokens + t) * all + from) * n,
                       end - from, n, k_mul(cp->w_l.w[l], cp->w_t.w[t]));
        for (uint32_t e = 0; e < n; e++) kvec_set(&a, e, k_mul(kvec_get(&a, e), cp->w_e.w[e]));
    }
    matrix_side(p, cp, m, stride, &p->dot.b[0]);
}

static void head_tables(assay_cp_prover *p, assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    if (!assay_prover_dot(p, 1, r->cfg->d, layout_ceil_log2(r->cfg->d))) return;
    weigh_rows(p, &p->dot.a[0], cp->w_p.w, p->w->ten[TEN_NG], r->n_checked, r->cfg->d, k_one());
    matrix_side(p, cp, MAT_HEAD, 0, &p->dot.b[0]);
}

/* Weights as planes, for inner products with rows of words. */
static bool planes(assay_cp_prover *p, assay_kvec *v, const kel *w, size_t n)
{
    if (!assay_kvec_new(v, n)) {
        assay_channel_fail(p->ch, ASSAY_ENOMEM);
        return false;
    }
    for (size_t i = 0; i < n; i++) kvec_set(v, i, w[i]);
    return true;
}

/* One row of a norm: its index in tensors over rows, its entry in a table over them (the last axis lowest, padded), the
 * weight of its axes but the first, the values that are normed. */
typedef struct norm_row {
    size_t at, entry;
    kel weight;
    const uint32_t *x;
} norm_row;

/* Rows with the same index on the first axis. */
static size_t rows_of_part(const assay_norm_rows *r)
{
    return r->kind == NORM_HEADS ? (size_t)r->extent[1] * r->extent[2] : r->extent[1];
}

/* Row `row` of part i. */
static norm_row row_of(const assay_cp_prover *p, const assay_norm_rows *r, uint32_t i, size_t row)
{
    const uint32_t n_t = r->extent[1], n_a = r->kind == NORM_HEADS ? r->extent[2] : 1;
    const uint32_t t = (uint32_t)(row / n_a), a = (uint32_t)(row % n_a);
    norm_row x = {((size_t)i * n_t + t) * n_a + a, a + pow2_of(n_a) * (t + pow2_of(n_t) * i), r->row[1].w[t], NULL};
    if (r->kind == NORM_HEADS) {
        x.weight = k_mul(x.weight, r->row[2].w[a]);
        x.x = witness_head(p->w, i, t, a);
    } else {
        x.x = p->w->h + x.at * r->width;
    }
    x.weight = k_mul(x.weight, r->row[0].w[i]);
    return x;
}

static unsigned bits_of_rows(const assay_norm_rows *r)
{
    unsigned bits = 0;
    for (unsigned a = 0; a < r->n_axes; a++) bits += layout_ceil_log2(r->extent[a]);
    return bits;
}

static size_t part_entries(const assay_norm_rows *r)
{
    return pow2_of(r->extent[1]) * (r->kind == NORM_HEADS ? pow2_of(r->extent[2]) : 1);
}

static void norm_row_tables(assay_cp_prover *p, const assay_norm_rows *r, const norm_row *row, const assay_kvec *wd,
                            kel theta)
{
    uint32_t *const *ten = p->w->ten + (tensor_of_norm(r->kind, TEN_SQ) - TEN_SQ);
    const size_t x = row->at;
    kel eq = row->weight, eq1 = k_mul(eq, theta), eq2 = k_mul(eq1, theta);
    uint32_t digit[4] = {ten[TEN_NS0][x], ten[TEN_NS1][x], ten[TEN_NS2][x], ten[TEN_NC2][x]}, pair[3];
    for (int a = 0; a < 3; a++) pair[a] = m31_add(digit[a], m31_mul(1 << 15, digit[a + 1]));
    const kel a[7] = {k_mul(eq, p->be->kf_dot(p->be, wd, ten[TEN_N] + x * r->width, r->width)),
                      k_neg(k_mul(eq, p->be->kf_dot(p->be, wd, row->x, r->width))),
                      k_mul_f(eq1, ten[TEN_NM][x]),
                      k_neg(k_mul_f(eq1, ten[TEN_NF0][x])),
                      k_neg(k_mul_f(eq1, ten[TEN_NF1][x])),
                      k_mul_f(eq2, ten[TEN_NF0][x]),
                      k_mul_f(eq2, ten[TEN_NF1][x])};
    const uint32_t b[7] = {ten[TEN_NDS][x],
                           ten[TEN_NRT][x],
                           ten[TEN_NDR][x],
                           m31_sub(pair[0], pair[2]),
                           m31_sub(pair[1], pair[2]),
                           m31_add(digit[2], digit[3]),
                           digit[3]};
    for (int k = 0; k < 7; k++) {
        kvec_set(&p->dot.a[k], row->entry, a[k]);
        kvec_set(&p->dot.b[k], row->entry, k_from_f(b[k]));
    }
}

static void norm_tables(assay_cp_prover *p, assay_cp *cp, assay_norm_kind kind, kel theta)
{
    const assay_norm_rows r = assay_norm_rows_of(cp, kind);
    assay_kvec wd;
    if (!planes(p, &wd, r.cell.w, r.width)) return;
    bool ok = assay_prover_dot(p, 7, part_entries(&r) * r.extent[0], bits_of_rows(&r));
    for (uint32_t i = 0; i < r.extent[0] && ok; i++)
        for (size_t j = 0; j < rows_of_part(&r); j++) {
            const norm_row row = row_of(p, &r, i, j);
            norm_row_tables(p, &r, &row, &wd, theta);
        }
    assay_kvec_free(&wd);
}

/* Layers or sites of a relation's tables, each a job. */
typedef struct part {
    assay_cp_prover *p;
    assay_cp *cp;
    size_t n0, n1;
    const kel *w; /* weights of outputs, or of dimensions */
    assay_norm_rows rows;
} part;

/* a = scale x, b = y on n consecutive entries. */
static void pair_row(assay_cp_prover *p, size_t at, kel scale, const uint32_t *x, const uint32_t *y, uint32_t n)
{
    assay_kvec a = assay_kvec_at(&p->dot.a[0], at, n);
    p->be->kf_axpy(p->be, &a, scale, x, n);
    memcpy(p->dot.b[0].c[0] + at, y, n * sizeof *y);
}

static void square_part(void *ctx, size_t i)
{
    const part *x = ctx;
    for (size_t j = 0; j < rows_of_part(&x->rows); j++) {
        const norm_row row = row_of(x->p, &x->rows, (uint32_t)i, j);
        pair_row(x->p, x->n0 * row.entry, row.weight, row.x, row.x, x->rows.width);
    }
}

static void square_tables(assay_cp_prover *p, assay_cp *cp, assay_norm_kind kind)
{
    const assay_norm_rows r = assay_norm_rows_of(cp, kind);
    part x = {p, cp, pow2_of(r.width), 0, NULL, r};
    if (!assay_prover_dot(p, 1, x.n0 * part_entries(&r) * r.extent[0], layout_ceil_log2(r.width) + bits_of_rows(&r)))
        return;
    assay_pool_run(p->be->pool, r.extent[0], square_part, &x);
}

static void act_layer(void *ctx, size_t l)
{
    const part *x = ctx;
    const assay_run_shape *r = &x->cp->shape->run;
    const uint32_t f = r->cfg->ff, *sg = x->p->w->ten[TEN_SG], *up = x->p->w->ten[TEN_UP];
    for (uint32_t t = 0; t < r->n_tokens; t++) {
        size_t from = (l * r->n_tokens + t) * f, at = x->n0 * (t + x->n1 * l);
        kel eq = k_mul(x->cp->w_l.w[l], x->cp->w_t.w[t]);
        for (uint32_t i = 0; i < f; i++) kvec_set(&x->p->dot.a[0], at + i, k_mul(eq, k_mul_f(x->w[i], sg[from + i])));
        memcpy(x->p->dot.b[0].c[0] + at, up + from, f * sizeof(uint32_t));
    }
}

static void act_tables(assay_cp_prover *p, assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    uint32_t n_l = r->cfg->n_layers, n_t = r->n_tokens, f = r->cfg->ff;
    assay_weights out = assay_out_weights(cp, f);
    part x = {.p = p, .cp = cp, .n0 = pow2_of(f), .n1 = pow2_of(n_t), .w = out.w};
    if (!out.w) return;
    if (!assay_prover_dot(p, 1, x.n0 * x.n1 * n_l, layout_ceil_log2(f) + layout_ceil_log2(n_t) + layout_ceil_log2(n_l)))
        return;
    assay_pool_run(p->be->pool, n_l, act_layer, &x);
}

/* sum_e eq (low + theta high) over the n cells of one head. */
static kel limbs_dot(const assay_cp_prover *p, const assay_kvec *we, const uint32_t *low, const uint32_t *high,
                     kel theta, size_t n)
{
    return k_add(p->be->kf_dot(p->be, we, low, n), k_mul(theta, p->be->kf_dot(p->be, we, high, n)));
}

static void mix_tables(assay_cp_prover *p, assay_cp *cp, kel theta)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *c = r->cfg;
    uint32_t n_t = r->n_tokens, n = c->head_dim, group = c->n_heads / c->n_kv;
    size_t n0 = pow2_of(n_t), n1 = pow2_of(c->n_heads);
    assay_kvec we;
    if (!planes(p, &we, cp->w_e.w, n)) return;
    bool ok = assay_prover_dot(p, 1, n0 * n1 * c->n_layers,
                               layout_ceil_log2(n_t) + layout_ceil_log2(c->n_heads) + layout_ceil_log2(c->n_layers));
    for (uint32_t l = 0; l < c->n_layers && ok; l++)
        for (uint32_t h = 0; h < c->n_heads; h++) {
            size_t at = n0 * (h + n1 * l);
            assay_kvec a = assay_kvec_at(&p->dot.a[0], at, n_t);
            kel scale = k_mul(cp->w_l.w[l], cp->w_h.w[h]);
            for (uint32_t i = 0; i < n_t; i++)
                p->be->kf_axpy(p->be, &a, k_mul(scale, cp->w_t.w[i]),
                               p->w->ten[TEN_EX] + witness_causal_index(r, i, 0, l, h), i + 1);
            for (uint32_t j = 0; j < n_t; j++) {
                const size_t v = (((size_t)l * n_t + j) * c->n_kv + h / group) * n;
                kvec_set(&p->dot.b[0], at + j,
                         limbs_dot(p, &we, p->w->ten[TEN_V0] + v, p->w->ten[TEN_V1] + v, theta, n));
            }
        }
    assay_kvec_free(&we);
}

static void row_tables(assay_cp_prover *p, assay_cp *cp, kel theta)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *c = r->cfg;
    uint32_t n_t = r->n_tokens, n = c->head_dim;
    size_t n0 = pow2_of(n_t), n1 = pow2_of(c->n_heads);
    uint32_t *const *ten = p->w->ten;
    const kel theta2 = k_mul(theta, theta);
    assay_kvec we;
    if (!planes(p, &we, cp->w_e.w, n)) return;
    bool ok = assay_prover_dot(p, 3, n0 * n1 * c->n_layers,
                               layout_ceil_log2(n_t) + layout_ceil_log2(c->n_heads) + layout_ceil_log2(c->n_layers));
    for (uint32_t l = 0; l < c->n_layers && ok; l++)
        for (uint32_t h = 0; h < c->n_heads; h++)
            for (uint32_t t = 0; t < n_t; t++) {
                size_t at = t + n0 * (h + n1 * l), row = ((size_t)l * c->n_heads + h) * n_t + t,
                       head = (((size_t)l * n_t + t) * c->n_heads + h) * n;
                kel eq = k_mul(k_mul(cp->w_l.w[l], cp->w_h.w[h]), cp->w_t.w[t]);
                kel o = limbs_dot(p, &we, ten[TEN_O0] + head, ten[TEN_O1] + head, theta, n);
                kvec_set(&p->dot.a[0], at, k_mul(eq, o));
                kvec_set(&p->dot.a[1], at, k_mul(eq, p->be->kf_dot(p->be, &we, ten[TEN_OREM] + head, n)));
                kvec_set(&p->dot.a[2], at, k_mul_f(k_mul(eq, theta2), ten[TEN_ZP][row]));
                kvec_set(&p->dot.b[0], at, k_from_f(ten[TEN_Z2][row]));
                kvec_set(&p->dot.b[1], at, k_from_f(ten[TEN_ZDD][row]));
                kvec_set(&p->dot.b[2], at, k_from_f(ten[TEN_ZDD][row]));
            }
    assay_kvec_free(&we);
}

void assay_prover_tables(assay_cp_prover *p, assay_cp *cp, assay_dot_id id, uint32_t arg, kel theta)
{
    switch (id) {
    case DOT_SCORE:
        assay_prover_score_tables(p, cp, arg);
        break;
    case DOT_MATRIX:
        layer_tables(p, cp, (assay_matrix_kind)arg);
        break;
    case DOT_GAIN:
        gain_tables(p, cp);
        break;
    case DOT_HEAD_GAIN:
        head_gain_tables(p, cp, (assay_matrix_kind)arg);
        break;
    case DOT_HEAD:
        head_tables(p, cp);
        break;
    case DOT_NORM:
        norm_tables(p, cp, (assay_norm_kind)arg, theta);
        break;
    case DOT_SQUARE:
        square_tables(p, cp, (assay_norm_kind)arg);
        break;
    case DOT_MIX:
        mix_tables(p, cp, theta);
        break;
    case DOT_ROWS:
        row_tables(p, cp, theta);
        break;
    case DOT_ACT:
        act_tables(p, cp);
        break;
    }
}
