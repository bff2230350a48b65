/* SPDX-License-Identifier: Apache-2.0 */
/* The statement as claims: look-ups, the product, the public output (docs/protocol.md §7 in small). A claim is a value
 * that the verifier knows only as a linear form of committed cells; what is required of claims is batched at the end.
 */
#include "base/mem.h"
#include "first_look.h"
#include "poly/eq.h"

void look_fill_values(party *s, uint32_t seed)
{
    uint32_t state = seed;
    for (size_t i = 0; i < s->y + (size_t)s->inner * s->columns; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t *cell = i < s->y ? &s->cell[i] : &s->w[i - s->y];
        *cell = m31_from_i64((int64_t)(state >> 8) % 33 - 16);
    }
    for (size_t t = 0; t < s->rows; t++)
        for (size_t j = 0; j < s->columns; j++) {
            int64_t sum = 0;
            for (size_t k = 0; k < s->inner; k++)
                sum += m31_to_i64(s->cell[t * s->inner + k]) * m31_to_i64(s->w[k * s->columns + j]);
            int64_t rem = sum & (REMAINDERS - 1), y = (sum - rem) / REMAINDERS;
            s->cell[s->y + t * s->columns + j] = m31_from_i64(y);
            s->cell[s->rem + t * s->columns + j] = m31_from_i64(rem);
        }
    for (size_t i = 0; i < s->times; i++) {
        int64_t v = m31_to_i64(s->cell[i]);
        s->cell[s->times + (size_t)(i < s->rem ? v + VALUES / 2 : VALUES + v)]++;
    }
    s->output = (int)m31_to_i64(s->cell[s->y]);
}

static unsigned bits(size_t n)
{
    unsigned k = 0;
    while ((size_t)1 << k < n) k++;
    return k;
}

static form *new_form(party *s)
{
    form *f = &s->form[s->n_forms++];
    f->node = assay_iop_functional(s->iop);
    f->coef = (kel *)look_get(s->pads, sizeof(kel));
    f->of_w = (kel *)look_get(N, sizeof(kel));
    return f;
}

/* Requires sum of coef[i] * claim[i] + c = 0. */
static void require(party *s, const char *name, kel c, size_t n, const kel *coef, const assay_claim *claim)
{
    assay_iop_require(s->iop, assay_iop_affine(s->iop, c, coef, claim, n), name);
}

static void require_equal(party *s, const char *name, assay_claim a, assay_claim b)
{
    const kel coef[2] = {k_one(), k_neg(k_one())};
    const assay_claim claims[2] = {a, b};
    require(s, name, k_zero(), 2, coef, claims);
}

/* Every x and y is in the table of values and every rem in that of remainders: the sum over looked-up cells of
 * 1 / (alpha - beta id - v) equals the sum over table rows of times / (alpha - beta id - v). */
static void look_ups(party *s)
{
    kel alpha = assay_channel_challenge(&s->ch, "alpha"), beta = assay_channel_challenge(&s->ch, "beta"), point[32];
    size_t n = s->pads; /* leaf i is cell i, or the row whose multiplicity is cell i */
    uint32_t *p = NULL;
    assay_kvec q = {{0}, 0, NULL, 0};
    kel *fixed = (kel *)look_get(n, sizeof *fixed); /* a leaf's denominator is fixed - cell, or fixed for a table row */
    for (size_t i = 0; i < n; i++) {
        bool second = (i >= s->rem && i < s->times) || i >= s->times + VALUES; /* id 1: the table of remainders */
        fixed[i] = second ? k_sub(alpha, beta) : alpha;
        if (i >= s->times)
            fixed[i] = k_sub(
                fixed[i], k_from_i64(second ? (int64_t)(i - s->times - VALUES) : (int64_t)(i - s->times) - VALUES / 2));
    }
    if (s->ch.role == ASSAY_PROVE) {
        p = (uint32_t *)look_get(n, sizeof *p);
        look_need(assay_kvec_new(&q, n) ? ASSAY_OK : ASSAY_ENOMEM, "memory");
        for (size_t i = 0; i < n; i++) {
            p[i] = i < s->times ? 1 : m31_neg(s->cell[i]);
            kvec_set(&q, i, i < s->times ? k_sub_f(fixed[i], s->cell[i]) : fixed[i]);
        }
    }
    assay_claim claim[2], of[2];
    assay_iop_gkr(s->iop, "lookup", n, p, &q, &claim[0], &claim[1], point);
    unsigned depth = assay_gkr_depth(n);
    kel constant[2] = {k_zero(), k_sub(assay_eq_below(point, depth, n), k_one())}, coef[2] = {k_one(), k_neg(k_one())};
    form *fp = new_form(s), *fq = new_form(s);
    for (size_t i = 0; i < n; i++) {
        kel e = assay_eq_index(point, depth, i);
        if (i < s->times) {
            constant[0] = k_sub(constant[0], e);
            fq->coef[i] = k_neg(e);
        } else {
            fp->coef[i] = k_neg(e);
        }
        constant[1] = k_sub(constant[1], k_mul(e, fixed[i]));
    }
    for (int i = 0; i < 2; i++) { /* claim = form - constant */
        of[0] = claim[i], of[1] = i ? fq->node : fp->node;
        require(s, i ? "lookup q" : "lookup p", constant[i], 2, coef, of);
    }
    assay_mem_free(fixed);
    assay_mem_free(p);
}

/* x W = 2^6 y + rem at a random point of rows and columns, as a sumcheck over the inner index. */
static void product(party *s)
{
    kel r[16], *at_row = r, *at_column = r + 8, point[8], ends[2] = {k_zero(), k_zero()};
    unsigned vars = bits(s->inner);
    assay_dot_prover d;
    assay_sumcheck_prover side;
    bool proving = s->ch.role == ASSAY_PROVE;
    assay_channel_challenges(&s->ch, "point", r, 16);
    form *left = new_form(s);
    for (size_t t = 0; t < s->rows; t++)
        for (size_t j = 0; j < s->columns; j++) {
            kel e = k_mul(assay_eq_index(at_row, 8, t), assay_eq_index(at_column, 8, j));
            left->coef[s->y + t * s->columns + j] = k_mul_f(e, 1 << SHIFT);
            left->coef[s->rem + t * s->columns + j] = e;
        }
    if (proving) {
        look_need(assay_dot_prover_init(&d, &s->be, 1, s->inner, vars), "sumcheck");
        for (size_t k = 0; k < s->inner; k++) {
            kel a = k_zero(), b = k_zero();
            for (size_t t = 0; t < s->rows; t++)
                a = k_add(a, k_mul_f(assay_eq_index(at_row, 8, t), s->cell[t * s->inner + k]));
            for (size_t j = 0; j < s->columns; j++)
                b = k_add(b, k_mul_f(assay_eq_index(at_column, 8, j), s->w[k * s->columns + j]));
            kvec_set(&d.a[0], k, a);
            kvec_set(&d.b[0], k, b);
        }
        side = assay_dot_prover_side(&d);
    }
    assay_claim claim = assay_iop_sumcheck(s->iop, "product", left->node, vars, 2, proving ? &side : NULL, point);
    if (proving) {
        ends[0] = kvec_get(&d.a[0], 0), ends[1] = kvec_get(&d.b[0], 0);
        assay_dot_prover_clear(&d);
    }
    assay_claim a = assay_iop_hidden(s->iop, "product/a", ends[0]), b = assay_iop_hidden(s->iop, "product/b", ends[1]);
    require_equal(s, "product", claim, assay_iop_product(s->iop, a, b));
    form *fa = new_form(s), *fb = new_form(s);
    for (size_t k = 0; k < s->inner; k++) {
        kel e = assay_eq_index(point, vars, k);
        for (size_t t = 0; t < s->rows; t++) fa->coef[t * s->inner + k] = k_mul(e, assay_eq_index(at_row, 8, t));
        for (size_t j = 0; j < s->columns; j++)
            fb->of_w[k * s->columns + j] = k_mul(e, assay_eq_index(at_column, 8, j));
    }
    require_equal(s, "product a", a, fa->node);
    require_equal(s, "product b", b, fb->node);
}

/* The statement: one text for the planner, who counts messages, the prover and the verifier. */
void look_state(party *s)
{
    look_ups(s);
    product(s);
    form *out = new_form(s);
    out->coef[s->y] = k_one();
    const kel one = k_one();
    require(s, "output", k_from_i64(-(int64_t)s->output), 1, &one, &out->node);
    assay_iop_product_list(s->iop);
}

/* phi: the weight of each cell (and each entry of W) in the one claim that all requirements were batched into. */
void look_weigh(const party *s, kel *phi, kel *phi_w)
{
    const kel *pads = assay_iop_cell_weights(s->iop);
    for (size_t f = 0; f < s->n_forms; f++) {
        kel weight = assay_iop_weight(s->iop, s->form[f].node);
        for (size_t i = 0; i < s->pads; i++) phi[i] = k_add(phi[i], k_mul(weight, s->form[f].coef[i]));
        for (size_t i = 0; i < N; i++) phi_w[i] = k_add(phi_w[i], k_mul(weight, s->form[f].of_w[i]));
    }
    for (size_t e = 0; pads && e < iop_plan_cells(&s->plan); e++) /* pad e is six cells */
        for (int j = 0; j < K_WORDS; j++) {
            kel basis = k_zero();
            basis.v[j] = 1;
            phi[s->pads + K_WORDS * e + (size_t)j] = k_mul(pads[e], basis);
        }
}

/* phi's extension at the point where the merge ended. */
kel look_weigh_at(const party *s, const kel *phi, const kel *phi_w)
{
    const kel *row = s->merge.point + C;
    kel sum = k_zero(), *e = (kel *)look_get(N, sizeof *e);
    assay_eq_table(e, s->merge.point, C);
    for (size_t i = 0; i < N; i++)
        sum = k_add(sum, k_mul(assay_eq_index(row, s->shape.row_bits, 0), k_mul(phi_w[i], e[i])));
    for (size_t i = 0; i < s->n_cells; i++)
        sum = k_add(sum, k_mul(assay_eq_index(row, s->shape.row_bits, 2 + i / ROOM), k_mul(phi[i], e[i % ROOM])));
    assay_mem_free(e);
    return sum;
}
