/* SPDX-License-Identifier: Apache-2.0 */
/* Padded messages on the real statement: each is its value plus its own pad, values outside the product list depend on
 * no pad, the two clear values of that list are moved by the dummies, and without the dummies they leak.
 *
 * ctest: uses support
 * ctest: uses unit/model
 * ctest: timeout 900 */
#include "base/mem.h"
#include "harness.h"
#include "poly/eq.h"
#include "proof.h"
#include <stdio.h>
#include <string.h>

enum { MAX_LIST_VARS = 16 };

/* One run up to the batch, with pads in the test's hands. */
typedef struct run {
    record rec; /* first: the hooks' context */
    /* what to do */
    const kel *delta; /* added to pads and dummies; NULL: nothing */
    bool no_dummy;
    uint32_t lend, borrow; /* mutant: message `borrow` is padded by pad `lend` (both 0: none) */
    /* what happened */
    assay_iop_plan plan;
    uint32_t (*products)[2];
    kel *cells, *sent;     /* sent[i]: hidden message i */
    kel ends[2];           /* prod/a, prod/b */
    size_t n_sent, n_list; /* hidden messages; of them those of the product list, which are the last ones */
    kel tau[MAX_LIST_VARS], rho[MAX_LIST_VARS];
    unsigned n_rho;
} run;

static void set_cells(void *ctx, const assay_frame *f, kel *cells)
{
    run *r = (run *)ctx;
    uint32_t n = f->plan.n_hidden, n_products = f->plan.n_products;
    r->plan = f->plan;
    for (uint32_t i = 0; r->delta && i < n + 2; i++) cells[i] = k_add(cells[i], r->delta[i]);
    if (r->no_dummy) cells[n] = cells[n + 1] = k_zero();
    for (uint32_t l = 0; l < n_products; l++)
        cells[n + 2 + l] = k_mul(cells[f->products[l][0]], cells[f->products[l][1]]);
    cells[n + 2 + n_products] = k_mul(cells[n], cells[n + 1]);
    r->cells = (kel *)assay_mem_alloc(iop_plan_cells(&f->plan), sizeof(kel));
    r->products = (uint32_t(*)[2])assay_mem_alloc(n_products, sizeof *r->products);
    r->sent = (kel *)assay_mem_alloc(n, sizeof(kel));
    REQUIRE(r->cells && r->products && r->sent);
    memcpy(r->cells, cells, iop_plan_cells(&f->plan) * sizeof(kel));
    memcpy(r->products, f->products, n_products * sizeof *r->products);
}

static void on_message(void *ctx, const char *label, kel *v, size_t n)
{
    run *r = (run *)ctx;
    REQUIRE(n == 1 && r->n_sent <= r->plan.n_hidden);
    if (strcmp(label, "prod/a") == 0) {
        r->ends[0] = *v;
        return;
    }
    if (strcmp(label, "prod/b") == 0) {
        r->ends[1] = *v;
        return;
    }
    REQUIRE(r->n_sent < r->plan.n_hidden);
    if (r->lend != r->borrow && r->n_sent == r->borrow) *v = k_add(k_sub(*v, r->cells[r->borrow]), r->cells[r->lend]);
    r->n_list += strncmp(label, "prod/", 5) == 0;
    r->sent[r->n_sent++] = *v;
}

/* Fixes the challenge and notes those of the product list. */
static void on_challenge(void *ctx, const char *label, assay_transcript *tr)
{
    run *r = (run *)ctx;
    fixed_challenge(&r->rec.fixed, label, tr);
    assay_transcript copy = *tr;
    if (strcmp(label, "prod/tau") == 0) assay_transcript_challenge_k(&copy, label, r->tau, MAX_LIST_VARS);
    if (strcmp(label, "prod/sc/r") == 0 && CHECK(r->n_rho < MAX_LIST_VARS))
        assay_transcript_challenge_k(&copy, label, &r->rho[r->n_rho++], 1);
}

static void make(proof_maker *m, run *r, const kel *delta, uint8_t coin)
{
    uint8_t coins[32];
    assay_writer proof;
    memset(coins, coin, sizeof coins);
    record_init(&r->rec, 77);
    r->delta = delta;
    const assay_tamper t = {.k = on_message, .ctx = r, .challenge = on_challenge};
    const assay_cheat hooks = {.ctx = r, .cells = set_cells, .messages = &t, .coins = coins};
    proof_make(m, &m->rq, &hooks, true, &proof);
    CHECK_EQ_U64(r->n_sent, r->plan.n_hidden);
    assay_writer_clear(&proof);
}

static void run_clear(run *r)
{
    assay_mem_free(r->cells);
    assay_mem_free(r->products);
    assay_mem_free(r->sent);
    record_clear(&r->rec);
    memset(r, 0, sizeof *r);
}

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = (uint32_t)(assay_test_random() % M31_P);
    return k;
}

/* Messages before the product list that did not move exactly as their own pads did. */
static size_t not_by_own_pad(const run *a, const run *b)
{
    size_t bad = 0;
    for (size_t i = 0; i < a->n_sent - a->n_list; i++)
        bad += !k_eq(k_sub(b->sent[i], a->sent[i]), k_sub(b->cells[i], a->cells[i]));
    return bad;
}

static const assay_small_shape tiny = {1, 8, 1, 1, 8, 8, 5, false}, two_layers = {2, 16, 4, 2, 4, 24, 37, false};

/* All pads at once: with other pads and the same challenges every message moves by the change of its own pad, so no
 * message has another's pad in it and no value depends on a pad. */
static void all_pads(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new)
{
    proof_maker m;
    run a = {0}, b = {0}, c = {0};
    REQUIRE(proof_maker_new(&m, shape, n_prompt, n_new, 9));
    make(&m, &a, NULL, 1);
    kel *delta = (kel *)assay_mem_alloc(a.plan.n_hidden + 2, sizeof *delta);
    for (uint32_t i = 0; i < a.plan.n_hidden + 2; i++) delta[i] = random_k();
    make(&m, &b, delta, 1);
    CHECK_EQ_U64(not_by_own_pad(&a, &b), 0);
    printf("%u hidden messages, of them %zu of the product list; %u products\n", a.plan.n_hidden, a.n_list,
           a.plan.n_products);
    CHECK(a.n_list == 2 * a.n_rho && a.n_sent > 10 * a.n_list);
    /* the test sees a message that wears another's pad */
    c.lend = 3;
    c.borrow = 17;
    make(&m, &c, delta, 1);
    CHECK_EQ_U64(not_by_own_pad(&a, &c), 1);
    run_clear(&c);
    /* other slots, M and R, the same pads: nothing before the merge moves */
    make(&m, &c, NULL, 2);
    for (uint32_t i = 0; i < a.plan.n_hidden + 2; i++) delta[i] = k_sub(a.cells[i], c.cells[i]);
    run_clear(&c);
    make(&m, &c, delta, 2);
    CHECK_EQ_MEM(a.sent, c.sent, a.n_sent * sizeof *a.sent);
    CHECK(k_eq(a.ends[0], c.ends[0]) && k_eq(a.ends[1], c.ends[1]));
    run_clear(&a);
    run_clear(&b);
    run_clear(&c);
    assay_mem_free(delta);
    proof_maker_clear(&m);
}

TEST(each_message_is_moved_by_its_own_pad)
{
    all_pads(tiny, 1, 0);
    all_pads(two_layers, 5, 4);
}

/* One pad after the other: that message moves and no other before the product list; a pad of the list moves its message
 * only; a dummy moves its own end of the list and not the other one. */
static void one_by_one(proof_maker *m, const run *a, uint32_t i, kel *delta)
{
    uint32_t n = a->plan.n_hidden, n_before = n - (uint32_t)a->n_list;
    run b = {0};
    delta[i] = k_one();
    make(m, &b, delta, 1);
    delta[i] = k_zero();
    bool end_a = !k_eq(a->ends[0], b.ends[0]), end_b = !k_eq(a->ends[1], b.ends[1]);
    size_t moved = 0, moved_list = 0;
    for (uint32_t k = 0; k < n; k++) {
        bool same = k_eq(a->sent[k], b.sent[k]);
        if (k == i)
            CHECK(k_eq(k_sub(b.sent[k], a->sent[k]), k_one()));
        else if (k < n_before)
            moved += !same;
        else
            moved_list += !same;
    }
    CHECK_EQ_U64(moved, 0);
    if (i >= n_before && i < n) CHECK(moved_list == 0 && !end_a && !end_b);
    if (i >= n) CHECK(moved_list > 0 && end_a == (i == n) && end_b == (i == n + 1));
    run_clear(&b);
}

static void sample_pads(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint32_t step)
{
    proof_maker m;
    run a = {0};
    REQUIRE(proof_maker_new(&m, shape, n_prompt, n_new, 9));
    make(&m, &a, NULL, 1);
    kel *delta = (kel *)assay_mem_alloc(a.plan.n_hidden + 2, sizeof *delta);
    uint32_t n = a.plan.n_hidden, special = n - (uint32_t)a.n_list;
    for (uint32_t i = 0; i < n + 2; i++)
        if (i % step == 0 || i >= special) one_by_one(&m, &a, i, delta);
    run_clear(&a);
    assay_mem_free(delta);
    proof_maker_clear(&m);
}

/* Samples: each_message_is_moved_by_its_own_pad is about all of them. */
TEST(one_pad_one_message)
{
    sample_pads(tiny, 1, 0, 23);
}
TEST(one_pad_one_message_larger)
{
    sample_pads(two_layers, 5, 4, 211);
}

/* The coefficients of a side of the list at the last point. */
static void list_weights(const run *r, int side, kel *e)
{
    size_t n = (size_t)r->plan.n_products + 1;
    kel *at = (kel *)assay_mem_alloc(n, sizeof *at);
    assay_eq_prefix(e, n, r->rho, r->n_rho);
    assay_eq_prefix(at, n, r->tau, r->n_rho);
    for (size_t l = 0; side == 0 && l < n; l++) e[l] = k_mul(e[l], at[l]);
    assay_mem_free(at);
}

/* Combination of messages with the coefficients that pads have in an end of the list, less that end: without a dummy
 * all pads cancel, and what is left is a function of hidden values. */
static kel leak_of(const run *r, int side)
{
    kel *e = (kel *)assay_mem_alloc((size_t)r->plan.n_products + 1, sizeof *e), sum = k_neg(r->ends[side]);
    list_weights(r, side, e);
    for (uint32_t l = 0; l < r->plan.n_products; l++) sum = k_add(sum, k_mul(e[l], r->sent[r->products[l][side]]));
    assay_mem_free(e);
    return sum;
}

/* With fixed challenges and other coins, the combination changes by the dummy's change and is fixed without it. */
TEST(the_ends_of_the_list_leak_without_dummies)
{
    proof_maker m;
    REQUIRE(proof_maker_new(&m, tiny, 1, 0, 9));
    for (int dummy = 0; dummy < 2; dummy++) {
        run a = {.no_dummy = !dummy}, b = {.no_dummy = !dummy};
        make(&m, &a, NULL, 1);
        make(&m, &b, NULL, 2);
        CHECK(!k_eq(a.ends[0], b.ends[0]) && !k_eq(a.ends[1], b.ends[1]));
        for (int side = 0; side < 2; side++) {
            kel x = leak_of(&a, side), y = leak_of(&b, side);
            kel *e = (kel *)assay_mem_alloc((size_t)a.plan.n_products + 1, sizeof *e);
            list_weights(&a, side, e);
            uint32_t at = a.plan.n_hidden + (uint32_t)side;
            kel moved = k_mul(e[a.plan.n_products], k_sub(a.cells[at], b.cells[at]));
            CHECK(k_eq(k_sub(y, x), moved));
            CHECK(k_eq(x, y) == !dummy);
            assay_mem_free(e);
        }
        run_clear(&a);
        run_clear(&b);
    }
    proof_maker_clear(&m);
}
