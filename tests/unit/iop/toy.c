/* SPDX-License-Identifier: Apache-2.0 */
/* The toy statement. */
#include "toy.h"
#include "base/mem.h"
#include "harness.h"
#include "poly/eq.h"
#include <string.h>

kel toy_random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = (uint32_t)(assay_test_random() % M31_P);
    return k;
}

/* Offsets of the cells. */
static size_t at_mult(const toy *t)
{
    return t->n_values;
}
static size_t at_y(const toy *t)
{
    return t->n_leaves;
}
static size_t at_x(const toy *t)
{
    return t->n_leaves + 1;
}
static size_t at_w(const toy *t)
{
    return at_x(t) + t->n_inner;
}

void toy_new(toy *t, size_t n_leaves, size_t n_inner, unsigned threads)
{
    memset(t, 0, sizeof *t);
    t->n_leaves = n_leaves;
    t->n_table = n_leaves < 4 ? (n_leaves + 1) / 2 : n_leaves < 256 ? n_leaves / 3 : 64;
    t->n_values = n_leaves - t->n_table;
    t->n_inner = n_inner;
    while ((size_t)1 << t->inner_vars < n_inner) t->inner_vars++;
    t->n_cells = n_leaves + 1 + 2 * n_inner;
    t->cells = (uint32_t *)assay_mem_alloc(t->n_cells, sizeof *t->cells);
    t->numerators = (uint32_t *)assay_mem_alloc(n_leaves, sizeof *t->numerators);
    for (size_t f = 0; f < TOY_FUNCTIONALS; f++) t->coef[f] = (kel *)assay_mem_alloc(t->n_cells, sizeof(kel));
    CHECK_OK(assay_pool_new(&t->pool, threads, NULL));
    assay_backend_cpu_init(&t->be, t->pool);
    for (size_t i = 0; i < t->n_values; i++) {
        t->cells[i] = (uint32_t)(assay_test_random() % t->n_table);
        t->cells[at_mult(t) + t->cells[i]]++;
    }
    uint32_t y = 0;
    for (size_t i = 0; i < n_inner; i++) {
        uint32_t x = (uint32_t)(assay_test_random() % M31_P), w = (uint32_t)(assay_test_random() % M31_P);
        t->cells[at_x(t) + i] = x;
        t->cells[at_w(t) + i] = w;
        y = m31_add(y, m31_mul(x, w));
    }
    t->cells[at_y(t)] = y;
}

void toy_free(toy *t)
{
    assay_mem_free(t->cells);
    assay_mem_free(t->numerators);
    for (size_t f = 0; f < TOY_FUNCTIONALS; f++) assay_mem_free(t->coef[f]);
    assay_pool_free(t->pool);
}

/* A functional leaf; its coefficients, all zero yet, in *coef. */
static assay_claim functional(toy *t, assay_iop *iop, kel **coef)
{
    size_t f = t->n_functionals++;
    *coef = t->coef[f];
    memset(*coef, 0, t->n_cells * sizeof **coef);
    return t->claim[f] = assay_iop_functional(iop);
}

/* claim + sign * functional + constant = 0 */
static void require_equal(assay_iop *iop, assay_claim claim, assay_claim functional_claim, bool minus, kel c,
                          const char *name)
{
    kel coef[2] = {k_one(), minus ? k_neg(k_one()) : k_one()};
    assay_claim of[2] = {claim, functional_claim};
    assay_iop_require(iop, assay_iop_affine(iop, c, coef, of, 2), name);
}

static void leaves(toy *t, assay_kvec *q)
{
    CHECK(assay_kvec_new(q, t->n_leaves));
    for (size_t i = 0; i < t->n_leaves; i++) {
        size_t entry = i - t->n_values;
        bool value = i < t->n_values;
        t->numerators[i] = value ? 1 : m31_neg(t->cells[at_mult(t) + entry]);
        kvec_set(q, i, k_sub_f(t->alpha, value ? t->cells[i] : (uint32_t)entry));
    }
}

/* Leaf i: 1 / (alpha - v_i), then -m_e / (alpha - e). */
static void lookups(toy *t, assay_iop *iop)
{
    assay_channel *ch = assay_iop_channel(iop);
    assay_claim p, q;
    kel point[32], *coef;
    assay_kvec den = {{0}, 0, NULL, 0};
    t->alpha = assay_channel_challenge(ch, "alpha");
    if (ch->role == ASSAY_PROVE) leaves(t, &den);
    assay_iop_gkr(iop, "look", t->n_leaves, t->numerators, &den, &p, &q, point);
    CHECK(den.own == NULL);
    unsigned depth = assay_gkr_depth(t->n_leaves);
    kel *e = (kel *)assay_mem_alloc(t->n_leaves, sizeof *e);
    assay_eq_prefix(e, t->n_leaves, point, depth);
    kel values = assay_eq_below(point, depth, t->n_values), real = assay_eq_below(point, depth, t->n_leaves);
    assay_claim fp = functional(t, iop, &coef);
    memcpy(coef + at_mult(t), e + t->n_values, t->n_table * sizeof *e);
    require_equal(iop, p, fp, false, k_neg(values), "look p"); /* p = values - fp */
    assay_claim fq = functional(t, iop, &coef);
    memcpy(coef, e, t->n_values * sizeof *e);
    kel c = k_sub(k_add(k_mul(t->alpha, real), k_one()), real);
    for (size_t i = 0; i < t->n_table; i++) c = k_sub(c, k_mul_f(e[t->n_values + i], (uint32_t)i));
    require_equal(iop, q, fq, false, k_neg(c), "look q"); /* q = c - fq */
    assay_mem_free(e);
}

/* y = sum_i x_i w_i by a sumcheck over i. */
static void product(toy *t, assay_iop *iop)
{
    kel *coef, point[32], ends[2] = {k_zero(), k_zero()};
    assay_dot_prover d;
    assay_sumcheck_prover sp;
    bool proving = assay_iop_channel(iop)->role == ASSAY_PROVE;
    if (proving) {
        CHECK_OK(assay_dot_prover_init(&d, assay_iop_backend(iop), 1, t->n_inner, t->inner_vars));
        for (size_t i = 0; i < t->n_inner; i++) {
            kvec_set(&d.a[0], i, k_from_f(t->cells[at_x(t) + i]));
            kvec_set(&d.b[0], i, k_from_f(t->cells[at_w(t) + i]));
        }
        sp = assay_dot_prover_side(&d);
    }
    assay_claim y = functional(t, iop, &coef);
    coef[at_y(t)] = k_one();
    assay_claim claim = assay_iop_sumcheck(iop, "dot", y, t->inner_vars, 2, proving ? &sp : NULL, point);
    if (proving) {
        ends[0] = kvec_get(&d.a[0], 0);
        ends[1] = kvec_get(&d.b[0], 0);
        assay_dot_prover_clear(&d);
    }
    assay_claim a = assay_iop_hidden(iop, "dot/x", ends[0]), b = assay_iop_hidden(iop, "dot/w", ends[1]);
    require_equal(iop, claim, assay_iop_product(iop, a, b), true, k_zero(), "dot");
    assay_claim fx = functional(t, iop, &coef);
    assay_eq_prefix(coef + at_x(t), t->n_inner, point, t->inner_vars);
    require_equal(iop, a, fx, true, k_zero(), "dot x");
    assay_claim fw = functional(t, iop, &coef);
    assay_eq_prefix(coef + at_w(t), t->n_inner, point, t->inner_vars);
    require_equal(iop, b, fw, true, k_zero(), "dot w");
}

/* The text of the statement, for all three roles. */
static void run(toy *t, assay_iop *iop)
{
    t->n_functionals = 0;
    lookups(t, iop);
    product(t, iop);
    assay_iop_product_list(iop);
    assay_iop_batch(iop);
}

void toy_plan(toy *t, assay_iop_plan *plan, kel **k_cells)
{
    assay_channel ch;
    assay_iop *iop;
    assay_channel_init(&ch, ASSAY_PLAN, NULL, NULL);
    *k_cells = NULL;
    REQUIRE_OK(assay_iop_new(&iop, &ch, NULL, NULL, NULL, NULL, NULL));
    run(t, iop);
    CHECK(channel_ok(&ch));
    assay_iop_plan_get(iop, plan);
    size_t n_words = K_WORDS * ((size_t)plan->n_hidden + 2);
    uint32_t *words = (uint32_t *)assay_mem_alloc(n_words, sizeof *words);
    for (size_t i = 0; i < n_words; i++) words[i] = (uint32_t)(assay_test_random() % M31_P);
    *k_cells = (kel *)assay_mem_alloc(iop_plan_cells(plan), sizeof **k_cells);
    assay_iop_fill_cells(*k_cells, plan, assay_iop_products(iop), words);
    assay_mem_free(words);
    assay_iop_free(iop);
}

void toy_prove(toy *t, toy_party *p, const assay_iop_plan *plan, const kel *k_cells, const assay_tamper *tamper,
               const char *drop)
{
    memset(p, 0, sizeof *p);
    assay_writer_init(&p->out, (size_t)1 << 24);
    assay_channel_init(&p->ch, ASSAY_PROVE, &p->out, NULL);
    p->ch.tamper = tamper;
    REQUIRE_OK(assay_iop_new(&p->iop, &p->ch, &assay_iop_prover_ops, &t->be, plan, k_cells, NULL));
    assay_iop_drop(p->iop, drop);
    run(t, p->iop);
    p->last = assay_channel_challenge(&p->ch, "last");
}

void toy_verify(toy *t, toy_party *v, const assay_iop_plan *plan, const toy_party *p, const char *drop)
{
    memset(v, 0, sizeof *v);
    v->in = assay_reader_of(p->out.p, p->out.n);
    assay_channel_init(&v->ch, ASSAY_VERIFY, NULL, &v->in);
    REQUIRE_OK(assay_iop_new(&v->iop, &v->ch, NULL, NULL, plan, NULL, NULL));
    assay_iop_drop(v->iop, drop);
    run(t, v->iop);
    v->last = assay_channel_challenge(&v->ch, "last");
}

void toy_party_clear(toy_party *p)
{
    assay_iop_free(p->iop);
    assay_writer_clear(&p->out);
    memset(p, 0, sizeof *p);
}

kel toy_identity(const toy *t, const assay_iop *iop, const assay_iop_plan *plan, const kel *k_cells)
{
    kel sum = k_neg(assay_iop_value(iop));
    for (size_t f = 0; f < t->n_functionals; f++) {
        kel v = k_zero();
        for (size_t i = 0; i < t->n_cells; i++) v = k_add(v, k_mul_f(t->coef[f][i], t->cells[i]));
        sum = k_add(sum, k_mul(v, assay_iop_weight(iop, t->claim[f])));
    }
    const kel *weights = assay_iop_cell_weights(iop);
    if (!CHECK(weights != NULL)) return k_one();
    for (uint32_t i = 0; i < iop_plan_cells(plan); i++) sum = k_add(sum, k_mul(weights[i], k_cells[i]));
    return sum;
}

kel toy_functional_value(void *ctx, assay_claim claim)
{
    const toy *t = (const toy *)ctx;
    kel v = k_zero();
    for (size_t f = 0; f < t->n_functionals; f++)
        for (size_t i = 0; t->claim[f] == claim && i < t->n_cells; i++)
            v = k_add(v, k_mul_f(t->coef[f][i], t->cells[i]));
    return v;
}
