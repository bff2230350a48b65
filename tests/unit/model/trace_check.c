/* SPDX-License-Identifier: Apache-2.0 */
/* The relations of a trace, one function a part of the model. Source: docs/protocol.md, "Relations". */
#include "unit/model/trace_check.h"
#include <stddef.h>

typedef struct checker {
    assay_trace_check out;
    const assay_trace *t;
    const assay_model *m;
    const assay_model_config *c;
    const assay_tables *tb;
    uint32_t n; /* tokens */
} checker;

static void need(checker *k, bool held, const char *relation)
{
    if (held) {
        k->out.n_held++;
        return;
    }
    if (!k->out.first) k->out.first = relation;
    k->out.n_broken++;
}

static bool within(int64_t x, int64_t low, int64_t end)
{
    return x >= low && x < end;
}

/* Equality in the field. */
static bool same(int64_t a, int64_t b)
{
    return (a - b) % 2147483647 == 0;
}

static int64_t two(int64_t k)
{
    return (int64_t)1 << k;
}

/* Value `at` of part `part` (of `parts` equal parts) of a tensor, with its low limb. */
static int64_t cell(const checker *k, assay_tensor t, uint64_t parts, uint64_t part, uint64_t at)
{
    const uint64_t x = assay_tensor_cells(&k->t->shape, t) / parts * part + at;
    const assay_tensor low = tensor_low_limb(t);
    return low == TEN_COUNT ? k->t->t[t][x] : k->t->t[t][x] * two(ASSAY_LIMB_BITS) + k->t->t[low][x];
}

static int64_t layer_cell(const checker *k, assay_tensor t, uint32_t l, uint64_t at)
{
    return cell(k, t, k->c->n_layers, l, at);
}

static int64_t site_cell(const checker *k, assay_tensor t, uint32_t j, uint64_t at)
{
    return cell(k, t, model_sites(k->c), j, at);
}

static int64_t residual(const checker *k, uint32_t j, uint64_t at)
{
    return k->t->h[(uint64_t)j * k->n * k->c->d + at];
}

static void need_requant(checker *k, int64_t acc, int64_t y, int64_t rem, assay_site s, const char *relation)
{
    int64_t half = s.s == 0 ? 0 : two(s.s - 1);
    need(k, within(y, -two(s.b - 1), two(s.b - 1)) && within(rem, 0, two(s.s)) && same(acc + half, y * two(s.s) + rem),
         relation);
}

/* ---- residual */

static void check_residual(checker *k, const uint32_t *ids)
{
    const assay_model_config *c = k->c;
    const uint64_t width = c->d;
    for (uint64_t at = 0; at < k->n * width; at++) {
        int64_t h0 = cell(k, TEN_H0, 1, 0, at);
        need(k, h0 == k->m->embed[ids[at / width] * width + at % width], "embedding row");
        need(k, same(residual(k, 0, at), h0 * two(c->unit[0] - c->f_embed)), "residual at site 0");
    }
    uint32_t rebase = 0;
    for (uint32_t j = 1; j < model_sites(c); j++) {
        const bool coarser = c->unit[j] < c->unit[j - 1];
        const assay_layer_config *lc = &c->layer[(j - 1) / 2];
        const assay_site down = {16, c->unit[j - 1] - c->unit[j], 0};
        const int64_t shift = c->unit[j] - (j % 2 == 1 ? lc->o.f : lc->down.f);
        for (uint64_t at = 0; at < k->n * width; at++) {
            int64_t base = residual(k, j - 1, at);
            if (coarser) {
                int64_t y = cell(k, TEN_REB, k->t->shape.n_rebase, rebase, at);
                need_requant(k, base, y, cell(k, TEN_REBREM, k->t->shape.n_rebase, rebase, at), down, "rebase");
                base = y;
            }
            int64_t add = layer_cell(k, j % 2 == 1 ? TEN_Y : TEN_DOWN, (j - 1) / 2, at);
            need(k, same(residual(k, j, at), base + add * two(shift)), "residual");
            need(k, within(residual(k, j, at), -32768, 32768), "residual range");
        }
        rebase += coarser;
    }
    need(k, rebase == k->t->shape.n_rebase, "number of rebase sites");
}

/* ---- norm */

/* One row of a norm: x[n], digits at `row` of part `part` (of `parts`). */
typedef struct norm_row {
    assay_norm_kind kind;
    uint32_t parts, part, n;
    uint64_t row;
    int64_t eps;
    int32_t fn;
    int64_t (*x)(const checker *k, const struct norm_row *r, uint32_t at);
} norm_row;

static int64_t norm_cell(const checker *k, const norm_row *r, assay_tensor t, uint64_t at)
{
    return cell(k, tensor_of_norm(r->kind, t), r->parts, r->part, at);
}
#define AT(t) norm_cell(k, r, t, r->row)

static void check_norm_digits(checker *k, const norm_row *r, int64_t a, int64_t b)
{
    const int64_t base = 32768, e0 = r->eps % base, e1 = r->eps / base % base, e2 = r->eps / (base * base);
    need(k, a == AT(TEN_NA1) * base + AT(TEN_NA0) && within(AT(TEN_NA0), 0, base), "norm a");
    need(k, b == AT(TEN_NB1) * base + AT(TEN_NB0) && within(AT(TEN_NB0), 0, base), "norm b");
    need(k, AT(TEN_NS0) == AT(TEN_NB0) + e0 - base * AT(TEN_NC0), "norm digit 0");
    need(k, AT(TEN_NS1) == AT(TEN_NA0) + AT(TEN_NB1) + e1 + AT(TEN_NC0) - base * AT(TEN_NC1), "norm digit 1");
    need(k, AT(TEN_NS2) == AT(TEN_NA1) + e2 + AT(TEN_NC1) - base * AT(TEN_NC2), "norm digit 2");
    for (int d = 0; d < 3; d++) need(k, within(AT((assay_tensor)(TEN_NS0 + d)), 0, base), "norm digit range");
    need(k, within(AT(TEN_NC2), 0, base), "norm digit 3 range");
}

static void check_norm_exponent(checker *k, const norm_row *r)
{
    const int64_t f0 = AT(TEN_NF0), f1 = AT(TEN_NF1), shift = AT(TEN_NR), m = AT(TEN_NM);
    need(k, (f0 == 0 || f0 == 1) && (f1 == 0 || f1 == 1) && f0 + f1 <= 1, "norm flags");
    const int a = f0 ? 0 : f1 ? 1 : 2;
    const int64_t digit[5] = {AT(TEN_NS0), AT(TEN_NS1), AT(TEN_NS2), AT(TEN_NC2), 0};
    for (int d = a + 2; d < 5; d++) need(k, digit[d] == 0, "norm digits above the window");
    need(k, within(shift, 0, 15) && AT(TEN_NDR) == two(shift), "norm r");
    need(k, within(m, 2048, 4096), "norm mantissa range");
    need(k, within(AT(TEN_NRHO), 0, AT(TEN_NDR)), "norm rho range");
    need(k, m * AT(TEN_NDR) + AT(TEN_NRHO) == digit[a + 1] * 32768 + digit[a], "norm mantissa");
    const int64_t g = 15 * a + shift + 2 * (k->c->rs_t - r->fn), par = AT(TEN_NPAR), sig = AT(TEN_NSIG),
                  over = AT(TEN_NOVER);
    need(k, (par == 0 || par == 1) && g == 2 * (sig + over) + par, "norm sigma");
    need(k, within(sig, 0, 16) && within(over, 0, 9) && (over == 0 || sig == 15), "norm sigma range");
    need(k, AT(TEN_NDS) == two(sig) && AT(TEN_NHF) == two(sig) / 2, "norm powers of sigma");
    if (within(over, 0, 9) && within(m, 2048, 4096) && (par == 0 || par == 1))
        need(k, AT(TEN_NRT) == k->tb->rsqrt[(over * 2 + par) * 2048 + m - 2048], "norm root");
}

static void check_norm_row(checker *k, const norm_row *r)
{
    int64_t a = 0, b = 0;
    const int64_t root = AT(TEN_NRT), ds = AT(TEN_NDS), half = AT(TEN_NHF);
    for (uint32_t x = 0; x < r->n; x++) {
        const uint64_t at = r->row * r->n + x;
        const int64_t h = r->x(k, r, x), sq = norm_cell(k, r, TEN_SQ, at), n = norm_cell(k, r, TEN_N, at);
        need(k, sq == h * h / 32768, "square");
        a += sq;
        b += h * h - 32768 * sq;
        const int64_t rem = norm_cell(k, r, TEN_NREM, at);
        need(k, n * ds + rem == h * root + half && within(rem, 0, ds) && within(n, -16384, 16384), "normalised row");
    }
    check_norm_digits(k, r, a, b);
    check_norm_exponent(k, r);
}
#undef AT

static int64_t residual_of(const checker *k, const norm_row *r, uint32_t at)
{
    return residual(k, r->part, r->row * r->n + at);
}

static int64_t head_of(const checker *k, const norm_row *r, uint32_t at)
{
    const uint64_t all = k->c->n_heads + k->c->n_kv, i = r->row / all, head = r->row % all;
    if (head < k->c->n_heads) return layer_cell(k, TEN_Q, r->part, (i * k->c->n_heads + head) * r->n + at);
    return layer_cell(k, TEN_K, r->part, (i * k->c->n_kv + head - k->c->n_heads) * r->n + at);
}

static void check_norm(checker *k, uint32_t j, int32_t fn)
{
    norm_row r = {NORM_RESIDUAL, model_sites(k->c), j, k->c->d, 0, k->c->eps_term[j], fn, residual_of};
    for (; r.row < k->n; r.row++) check_norm_row(k, &r);
}

/* eps E at the unit of a square, rounded, at least 1. */
static int64_t head_eps(const checker *k, int32_t unit)
{
    const uint64_t e = k->c->eps_q60 * k->c->head_dim, shift = (uint64_t)(60 - 2 * unit);
    const int64_t rounded = shift > 63 ? 0 : (int64_t)((e + ((uint64_t)1 << (shift - 1))) >> shift);
    return rounded < 1 ? 1 : rounded;
}

static void check_heads(checker *k, uint32_t l)
{
    const assay_layer_config *lc = &k->c->layer[l];
    const assay_layer_weights *w = &k->m->layer[l];
    const uint32_t n_h = k->c->n_heads, n_g = k->c->n_kv, all = n_h + n_g, e_n = k->c->head_dim;
    norm_row r = {NORM_HEADS, k->c->n_layers, l, e_n, 0, 0, lc->fnh, head_of};
    for (; r.row < (uint64_t)k->n * all; r.row++) {
        const bool key = r.row % all >= n_h;
        r.eps = head_eps(k, key ? lc->k.f : lc->q.f);
        check_norm_row(k, &r);
    }
    for (uint64_t at = 0; at < (uint64_t)k->n * all * e_n; at++) {
        const uint64_t i = at / ((uint64_t)all * e_n), head = at / e_n % all, e = at % e_n;
        const bool key = head >= n_h;
        const assay_tensor y = key ? TEN_KG : TEN_QG;
        const uint64_t out = (key ? i * n_g + head - n_h : i * n_h + head) * e_n + e;
        need_requant(k, layer_cell(k, TEN_XN, l, at) * (key ? w->nk : w->nq)[e], layer_cell(k, y, l, out),
                     layer_cell(k, (assay_tensor)(y + 1), l, out), key ? lc->kg : lc->qg, assay_tensor_name(y));
    }
}

/* ---- products */

/* y, rem against x W^T: tensor x has n_in cells a token, at x_at. */
static void check_product(checker *k, assay_tensor x, uint64_t parts, uint64_t part, assay_tensor y, uint32_t l,
                          const int16_t *w, const int32_t *bias, uint32_t n_in, uint32_t n_out, assay_site s)
{
    for (uint32_t i = 0; i < k->n; i++) {
        for (uint32_t r = 0; r < n_out; r++) {
            int64_t acc = bias ? bias[r] : 0;
            for (uint32_t a = 0; a < n_in; a++)
                acc += cell(k, x, parts, part, (uint64_t)i * n_in + a) * w[(uint64_t)r * n_in + a];
            const uint64_t at = (uint64_t)i * n_out + r;
            need_requant(k, acc, layer_cell(k, y, l, at), layer_cell(k, (assay_tensor)(y + 1), l, at), s,
                         assay_tensor_name(y));
        }
    }
}

static void check_rotation(checker *k, assay_tensor x, assay_tensor y, uint32_t l, uint32_t n_heads, assay_site s)
{
    const uint32_t e_n = k->c->head_dim, half = e_n / 2;
    for (uint64_t at = 0; at < (uint64_t)k->n * n_heads * e_n; at++) {
        const uint64_t i = at / ((uint64_t)n_heads * e_n), e = at % e_n, pair = e % half;
        const int64_t co = k->tb->cos[i * half + pair], si = k->tb->sin[i * half + pair];
        const int64_t other = layer_cell(k, x, l, e < half ? at + half : at - half);
        const int64_t acc = layer_cell(k, x, l, at) * co + (e < half ? -other : other) * si;
        need_requant(k, acc, layer_cell(k, y, l, at), layer_cell(k, (assay_tensor)(y + 1), l, at), s,
                     assay_tensor_name(y));
    }
}

/* ---- attention */

static int64_t score(const checker *k, uint32_t l, uint32_t h, uint32_t i, uint32_t j)
{
    const uint32_t e_n = k->c->head_dim, g = h / (k->c->n_heads / k->c->n_kv);
    int64_t s = 0;
    for (uint32_t e = 0; e < e_n; e++)
        s += layer_cell(k, TEN_QR, l, ((uint64_t)i * k->c->n_heads + h) * e_n + e) *
             layer_cell(k, TEN_KR, l, ((uint64_t)j * k->c->n_kv + g) * e_n + e);
    return s;
}

/* Exp entries, flags and row maximum of one row; returns the sum of the entries. */
static int64_t check_cells(checker *k, uint32_t l, uint32_t h, uint32_t i, uint64_t at0)
{
    const int64_t top = layer_cell(k, TEN_CMAX, l, (uint64_t)h * k->n + i);
    const int32_t rem_bits = k->c->dist_bits > 16 ? k->c->dist_bits - 16 : 0;
    int64_t bits = k->c->e_bits, sum = 0, flags = 0;
    while (bits > 0 && ((int64_t)i + 1) << bits > two(k->c->z_bits)) bits--;
    for (uint32_t j = 0; j <= i; j++) {
        const int64_t dist = top - score(k, l, h, i, j), flag = layer_cell(k, TEN_ZF, l, at0 + j);
        const int64_t e = layer_cell(k, TEN_EX, l, at0 + j);
        const bool inside = within(dist, 0, two(k->c->dist_bits));
        need(k, inside && within(score(k, l, h, i, j), 1 - two(29), two(29)), "distance");
        need(k, inside && e == assay_exp_at(k->tb, (int32_t)bits, (uint32_t)(dist >> rem_bits)), "exp entry");
        if (rem_bits)
            need(k, layer_cell(k, TEN_DREM, l, at0 + j) == (dist & (two(rem_bits) - 1)), "distance remainder");
        need(k, flag == 0 || (flag == 1 && dist == 0), "maximum flag");
        need(k, (dist == 0 && flags == 0) == (flag == 1), "the first maximum has the flag");
        flags += flag;
        sum += e;
    }
    need(k, flags == 1, "one maximum a row");
    return sum;
}

static void check_divisor(checker *k, uint32_t l, uint64_t at, int64_t full)
{
#define AT(t) layer_cell(k, t, l, at)
    need(k, within(full, 1, two(k->c->z_bits) + 1), "sum of exp entries");
    need(k, full == AT(TEN_Z2) + AT(TEN_ZLOW) && within(AT(TEN_ZLOW), 0, AT(TEN_ZDD)), "divisor");
    need(k, AT(TEN_Z2) == AT(TEN_ZP) * AT(TEN_ZDD), "divisor mantissa");
    need(k, within(AT(TEN_ZDEL), 0, 16) && AT(TEN_ZDD) == two(AT(TEN_ZDEL)), "divisor delta");
    need(k, AT(TEN_ZFZ) == (AT(TEN_ZDEL) >= 1), "divisor delta flag");
    need(k, within(AT(TEN_ZP), AT(TEN_ZFZ) ? 32768 : 1, 65536), "divisor mantissa range");
    need(k, AT(TEN_Z2) == 2 * (AT(TEN_ZH1) * 65536 + AT(TEN_ZH0)) + AT(TEN_ZB), "divisor half");
    need(k, within(AT(TEN_ZH0), 0, 65536) && within(AT(TEN_ZH1), 0, 65536) && within(AT(TEN_ZB), 0, 2),
         "divisor half range");
#undef AT
}

static void check_mix(checker *k, uint32_t l, uint32_t h, uint32_t i, uint64_t at0)
{
    const assay_model_config *c = k->c;
    const uint32_t e_n = c->head_dim, g = h / (c->n_heads / c->n_kv);
    const uint64_t row = (uint64_t)h * k->n + i;
    const int64_t z2 = layer_cell(k, TEN_Z2, l, row), zp = layer_cell(k, TEN_ZP, l, row),
                  dd = layer_cell(k, TEN_ZDD, l, row);
    const int64_t half = layer_cell(k, TEN_ZH1, l, row) * 65536 + layer_cell(k, TEN_ZH0, l, row);
    const int64_t lim = two(c->layer[l].v.b + c->o_guard - 1);
    for (uint32_t e = 0; e < e_n; e++) {
        const uint64_t at = ((uint64_t)i * c->n_heads + h) * e_n + e;
        const int64_t o = layer_cell(k, TEN_O1, l, at), o0 = layer_cell(k, TEN_O0, l, at), o1 = (o - o0) / 128,
                      rem = layer_cell(k, TEN_OREM, l, at), rho = layer_cell(k, TEN_ORHO, l, at);
        const int64_t carry = layer_cell(k, TEN_OC1, l, at) * 65536 + layer_cell(k, TEN_OC0, l, at);
        int64_t num = 0, num0 = 0;
        for (uint32_t j = 0; j <= i; j++) {
            const uint64_t v_at = ((uint64_t)j * c->n_kv + g) * e_n + e;
            const int64_t v0 = layer_cell(k, TEN_V0, l, v_at);
            need(k, within(v0, 0, 128), "low limb of a value");
            num += layer_cell(k, TEN_EX, l, at0 + j) * layer_cell(k, TEN_V1, l, v_at);
            num0 += layer_cell(k, TEN_EX, l, at0 + j) * v0;
        }
        const int64_t c_true = carry - two(c->z_bits + c->o_guard), num1 = (num - num0) / 128;
        need(k, within(o0, 0, 128) && within(layer_cell(k, TEN_OC0, l, at), 0, 65536), "low limb and digit");
        need(k, within(carry, 0, two(c->z_bits + c->o_guard + 1)), "carry");
        need(k, o0 * z2 + rem * dd + rho - half - num0 * two(c->o_guard) == 128 * c_true, "low limbs");
        need(k, o1 * z2 + c_true == num1 * two(c->o_guard), "high limbs");
        need(k, o * z2 + rem * dd + rho == num * two(c->o_guard) + half, "mixed value");
        need(k, within(rem, 0, zp) && within(rho, 0, dd), "mixed value remainder");
        need(k, within(o, -lim, lim), "mixed value range");
    }
}

static void check_attention(checker *k, uint32_t l)
{
    for (uint32_t h = 0; h < k->c->n_heads; h++) {
        for (uint32_t i = 0; i < k->n; i++) {
            const uint64_t at0 = (uint64_t)h * ((uint64_t)k->n * (k->n + 1) / 2) + (uint64_t)i * (i + 1) / 2;
            int64_t full = check_cells(k, l, h, i, at0);
            check_divisor(k, l, (uint64_t)h * k->n + i, full);
            check_mix(k, l, h, i, at0);
        }
    }
}

static void check_layer(checker *k, uint32_t l)
{
    const assay_model_config *c = k->c;
    const assay_layer_config *lc = &c->layer[l];
    const assay_layer_weights *w = &k->m->layer[l];
    const uint32_t he = c->n_heads * c->head_dim, ge = c->n_kv * c->head_dim, sites = model_sites(c), n_l = c->n_layers;
    check_norm(k, 2 * l, lc->fn1);
    check_norm(k, 2 * l + 1, lc->fn2);
    check_product(k, TEN_N, sites, 2 * l, TEN_Q, l, w->q, w->bq, c->d, he, lc->q);
    check_product(k, TEN_N, sites, 2 * l, TEN_K, l, w->k, w->bk, c->d, ge, lc->k);
    check_product(k, TEN_N, sites, 2 * l, TEN_V1, l, w->v, w->bv, c->d, ge, lc->v);
    const bool normed = c->parts & ASSAY_PART_QK_NORM;
    if (normed) check_heads(k, l);
    check_rotation(k, normed ? TEN_QG : TEN_Q, TEN_QR, l, c->n_heads, lc->qr);
    check_rotation(k, normed ? TEN_KG : TEN_K, TEN_KR, l, c->n_kv, lc->kr);
    check_attention(k, l);
    check_product(k, TEN_O1, n_l, l, TEN_Y, l, w->o, NULL, he, c->d, lc->o);
    check_product(k, TEN_N, sites, 2 * l + 1, TEN_GATE, l, w->gate, NULL, c->d, c->ff, lc->gate);
    check_product(k, TEN_N, sites, 2 * l + 1, TEN_UP, l, w->up, NULL, c->d, c->ff, lc->up);
    for (uint64_t at = 0; at < (uint64_t)k->n * c->ff; at++) {
        const int64_t gate = layer_cell(k, TEN_GATE, l, at), sg = layer_cell(k, TEN_SG, l, at);
        const int64_t half = two(lc->gate.b - 1);
        need(k, within(gate, -half, half) && sg == k->tb->silu[l][gate + half], "SiLU");
        need_requant(k, sg * layer_cell(k, TEN_UP, l, at), layer_cell(k, TEN_ACT, l, at),
                     layer_cell(k, TEN_ACTREM, l, at), lc->act, "gate * up");
    }
    check_product(k, TEN_ACT, n_l, l, TEN_DOWN, l, w->down, NULL, c->ff, c->d, lc->down);
}

/* ---- the end */

static void check_choice(checker *k, uint32_t p, uint32_t y)
{
    const assay_model_config *c = k->c;
    const uint64_t d = c->d;
    const bool gap = k->t->shape.n_gap > 0;
    int64_t claimed = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < c->vocab; v++) {
            if (pass == 0 && v != y) continue;
            int64_t logit = 0;
            for (uint64_t x = 0; x < d; x++) logit += cell(k, TEN_NG, 1, 0, p * d + x) * k->m->head[v * d + x];
            if (pass == 0) claimed = gap ? cell(k, TEN_LM, 1, 0, p) : logit;
            const int64_t hi = cell(k, TEN_LHI, 1, 0, (uint64_t)p * c->vocab + v),
                          lo = cell(k, TEN_LLO, 1, 0, (uint64_t)p * c->vocab + v);
            need(k, within(hi, 0, 16384) && within(lo, 0, 65536), "logit difference range");
            need(k, same(claimed - logit - (!gap && v < y), hi * 65536 + lo), "logit difference");
        }
    }
    need(k, same(claimed, cell(k, TEN_LM, 1, 0, p)), "claimed logit");
    need(k, within(cell(k, TEN_LM, 1, 0, p), -two(30), two(30)), "claimed logit range");
}

/* The gap policy: §7.8. */
static void check_gaps(checker *k, const uint32_t *ids, uint32_t y)
{
    const assay_model_config *c = k->c;
    const assay_gap_bounds *g = &k->t->gap;
    const int32_t shift = c->logit_f > 10 ? c->logit_f - 10 : 0, bits = 30 - shift < 16 ? 30 - shift : 16;
    const uint32_t n = k->t->shape.n_gap, first = k->t->shape.n_prompt;
    int64_t sum = 0, count = 0;
    for (uint32_t p = 0; p < n; p++) {
        const uint64_t at = (uint64_t)p * c->vocab + (p + 1 < n ? ids[first + p] : y);
        const int64_t d = cell(k, TEN_LHI, 1, 0, at) * 65536 + cell(k, TEN_LLO, 1, 0, at),
                      steps = cell(k, TEN_GAP, 1, 0, p), rem = cell(k, TEN_GREM, 1, 0, p),
                      flag = cell(k, TEN_GZ, 1, 0, p), spare = cell(k, TEN_GSP, 1, 0, p);
        need(k, same(d + rem, steps * two(shift)) && within(rem, 0, two(shift)), "gap");
        need(k, within(flag, 0, 2) && within(steps, 0, flag ? two(bits) : 1), "gap flag");
        need(k, within(g->most - steps, 0, two(bits)), "gap below its bound");
        need(k, within(spare, 0, 256), "gap spare");
        sum += steps + spare;
        count += flag;
    }
    need(k, same(sum, g->sum), "gap sum");
    need(k, same(count, g->count), "gap count");
}

static void check_end(checker *k, const uint32_t *ids, uint32_t y)
{
    const assay_model_config *c = k->c;
    const uint32_t first = k->t->shape.n_prompt - 1;
    check_norm(k, 2 * c->n_layers, c->fn_final);
    for (uint32_t p = 0; p < k->t->shape.n_checked; p++) {
        for (uint32_t x = 0; x < c->d; x++) {
            const uint64_t at = (uint64_t)p * c->d + x;
            const int64_t acc = site_cell(k, TEN_N, 2 * c->n_layers, (uint64_t)(first + p) * c->d + x) * k->m->gf[x];
            need_requant(k, acc, cell(k, TEN_NG, 1, 0, at), cell(k, TEN_NGREM, 1, 0, at), c->ng, "final gain");
        }
        check_choice(k, p, first + p + 1 < k->n ? ids[first + p + 1] : y);
    }
    if (k->t->shape.n_gap) check_gaps(k, ids, y);
}

assay_trace_check assay_trace_check_run(const assay_trace *t, const assay_model *m, const assay_tables *tb,
                                        const uint32_t *ids, uint32_t y)
{
    checker k = {{0, 0, NULL}, t, m, &m->cfg, tb, t->shape.n_tokens};
    check_residual(&k, ids);
    for (uint32_t l = 0; l < m->cfg.n_layers; l++) check_layer(&k, l);
    check_end(&k, ids, y);
    return k.out;
}
