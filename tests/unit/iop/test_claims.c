/* SPDX-License-Identifier: Apache-2.0 */
/* The interactive proof end to end on the toy statement: planner, prover, verifier, and the final identity on the
 * cells. */
#include "base/mem.h"
#include "harness.h"
#include "toy.h"
#include <string.h>

static void round_trip(size_t n_leaves, size_t n_inner, unsigned threads)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_party p, v;
    toy_new(&t, n_leaves, n_inner, threads);
    toy_plan(&t, &plan, &cells);
    toy_prove(&t, &p, &plan, cells, NULL, NULL);
    CHECK(channel_ok(&p.ch));
    kel value = assay_iop_value(p.iop), weight = assay_iop_weight(p.iop, t.claim[1]);
    CHECK(k_is_zero(toy_identity(&t, p.iop, &plan, cells)));
    for (size_t i = 0;; i++) {
        const char *name = "none";
        kel r;
        if (!assay_iop_requirement_value(p.iop, i, toy_functional_value, &t, &name, &r)) {
            CHECK_EQ_U64(i, plan.n_claims);
            break;
        }
        if (!CHECK(k_is_zero(r))) CHECK_EQ_STR(name, "a requirement that holds");
    }
    toy_verify(&t, &v, &plan, &p, NULL);
    CHECK(channel_ok(&v.ch));
    CHECK_EQ_U64(assay_reader_left(&v.in), 0);
    CHECK(k_eq(p.last, v.last));
    CHECK(k_eq(value, assay_iop_value(v.iop)));
    CHECK(k_eq(weight, assay_iop_weight(v.iop, t.claim[1])) && !k_is_zero(weight));
    CHECK(k_is_zero(toy_identity(&t, v.iop, &plan, cells)));
    /* the identity is not blind to the cells */
    t.cells[0] = m31_add(t.cells[0], 1);
    CHECK(!k_is_zero(toy_identity(&t, v.iop, &plan, cells)));
    toy_party_clear(&p);
    toy_party_clear(&v);
    assay_mem_free(cells);
    toy_free(&t);
}

TEST(one_leaf)
{
    round_trip(1, 1, 1);
}
TEST(two_leaves)
{
    round_trip(2, 2, 1);
}
TEST(three_leaves)
{
    round_trip(3, 3, 1);
}
TEST(five_leaves)
{
    round_trip(5, 1, 2);
}
TEST(seventeen_leaves)
{
    round_trip(17, 5, 2);
}
TEST(sixty_four_leaves)
{
    round_trip(64, 64, 1);
}
TEST(a_thousand_leaves)
{
    round_trip(1000, 37, 2);
}
TEST(seventy_thousand_leaves)
{
    round_trip(70000, 1000, 2);
}

TEST(every_number_of_leaves_up_to_130)
{
    for (size_t n = 1; n <= 130; n++) round_trip(n, n % 9 + 1, 1);
}

/* Adds 1 to one message, counted over all. */
typedef struct liar {
    size_t at, seen;
    char label[64];
} liar;

static void lie(void *ctx, const char *label, kel *v, size_t n)
{
    liar *l = (liar *)ctx;
    (void)n;
    if (l->seen++ != l->at) return;
    v[0] = k_add_f(v[0], 1);
    (void)strncpy(l->label, label, sizeof l->label - 1);
}

TEST(a_lie_in_any_message_breaks_the_identity)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_new(&t, 21, 6, 1);
    toy_plan(&t, &plan, &cells);
    liar count = {SIZE_MAX, 0, ""};
    assay_tamper tamper = {.k = lie, .ctx = &count};
    toy_party p, v;
    toy_prove(&t, &p, &plan, cells, &tamper, NULL);
    toy_party_clear(&p);
    CHECK_EQ_U64(count.seen, plan.n_hidden + 2); /* all hidden messages and a~, b~ */
    for (size_t at = 0; at < count.seen; at++) {
        liar l = {at, 0, ""};
        tamper.ctx = &l;
        toy_prove(&t, &p, &plan, cells, &tamper, NULL);
        toy_verify(&t, &v, &plan, &p, NULL);
        CHECK(channel_ok(&v.ch));
        if (!CHECK(!k_is_zero(toy_identity(&t, v.iop, &plan, cells)))) CHECK_EQ_STR(l.label, "a lie that is seen");
        toy_party_clear(&p);
        toy_party_clear(&v);
    }
    assay_mem_free(cells);
    toy_free(&t);
}

/* The prover works with one K cell other than the committed one. */
TEST(a_lie_in_any_pad_or_product_cell_breaks_the_identity)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_new(&t, 7, 3, 1);
    toy_plan(&t, &plan, &cells);
    uint32_t n = iop_plan_cells(&plan);
    for (uint32_t i = 0; i < n; i++) {
        toy_party p, v;
        kel right = cells[i];
        cells[i] = k_add_f(right, 5);
        toy_prove(&t, &p, &plan, cells, NULL, NULL);
        /* a product cell that is not the product is wrong wherever it stands */
        bool is_product = i >= plan.n_hidden + 2;
        if (!is_product) cells[i] = right;
        toy_verify(&t, &v, &plan, &p, NULL);
        CHECK(!k_is_zero(toy_identity(&t, v.iop, &plan, cells)));
        cells[i] = right;
        toy_party_clear(&p);
        toy_party_clear(&v);
    }
    assay_mem_free(cells);
    toy_free(&t);
}

/* Each requirement is sharp: its cheat is seen, and passes when the requirement is dropped. */
static void cheat(toy *t, const char *name, uint32_t *cell, uint32_t to, bool dropped_passes)
{
    assay_iop_plan plan;
    kel *cells;
    toy_plan(t, &plan, &cells);
    toy_party p, v;
    uint32_t right = *cell;
    *cell = to;
    for (int dropped = 0; dropped < 2; dropped++) {
        toy_prove(t, &p, &plan, cells, NULL, dropped ? name : NULL);
        toy_verify(t, &v, &plan, &p, dropped ? name : NULL);
        bool passes = k_is_zero(toy_identity(t, v.iop, &plan, cells));
        if (!CHECK(passes == (dropped && dropped_passes))) CHECK_EQ_STR(name, "sharp");
        toy_party_clear(&p);
        toy_party_clear(&v);
    }
    *cell = right;
    assay_mem_free(cells);
}

TEST(false_cells_are_seen_and_their_requirements_are_sharp)
{
    toy t;
    toy_new(&t, 40, 5, 1);
    size_t y = t.n_leaves, mult = t.n_values;
    cheat(&t, "look p", &t.cells[mult], m31_add(t.cells[mult], 1), false);
    cheat(&t, "look q", &t.cells[0], (uint32_t)t.n_table + 3, false);
    cheat(&t, "dot", &t.cells[y], m31_add(t.cells[y], 1), true);
    toy_free(&t);
}

TEST(diagnosis_names_the_broken_relation)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_party p;
    toy_new(&t, 40, 5, 1);
    toy_plan(&t, &plan, &cells);
    t.cells[t.n_leaves] = m31_add(t.cells[t.n_leaves], 1);
    toy_prove(&t, &p, &plan, cells, NULL, NULL);
    size_t broken = 0, i = 0;
    const char *name;
    kel r;
    for (; assay_iop_requirement_value(p.iop, i, toy_functional_value, &t, &name, &r); i++) {
        if (k_is_zero(r)) continue;
        broken++;
        CHECK_EQ_STR(name, "dot");
    }
    CHECK_EQ_U64(broken, 1);
    CHECK_EQ_U64(i, plan.n_claims);
    toy_party_clear(&p);
    assay_mem_free(cells);
    toy_free(&t);
}

TEST(a_short_or_unreduced_proof_is_rejected)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_party p, v;
    toy_new(&t, 9, 2, 1);
    toy_plan(&t, &plan, &cells);
    toy_prove(&t, &p, &plan, cells, NULL, NULL);
    p.out.n--;
    toy_verify(&t, &v, &plan, &p, NULL);
    CHECK(v.ch.reject != NULL);
    toy_party_clear(&v);
    p.out.n++;
    memset(p.out.p + 24, 0xff, 4);
    toy_verify(&t, &v, &plan, &p, NULL);
    CHECK(v.ch.reject != NULL);
    toy_party_clear(&v);
    toy_party_clear(&p);
    assay_mem_free(cells);
    toy_free(&t);
}

TEST(a_plan_that_does_not_fit_is_an_internal_error)
{
    toy t;
    assay_iop_plan plan, other;
    kel *cells;
    toy_party p;
    toy_new(&t, 9, 2, 1);
    toy_plan(&t, &plan, &cells);
    for (int i = 0; i < 3; i++) {
        other = plan;
        uint32_t *field = i == 0 ? &other.n_hidden : i == 1 ? &other.n_products : &other.n_claims;
        *field -= 1;
        toy_prove(&t, &p, &other, cells, NULL, NULL);
        CHECK_EQ_U64(p.ch.status, ASSAY_EINTERNAL);
        CHECK(assay_iop_cell_weights(p.iop) == NULL);
        toy_party_clear(&p);
    }
    assay_mem_free(cells);
    toy_free(&t);
}

/* After a failure a tree is not built, its leaves are freed, and the text goes on. */
TEST(a_failed_channel_builds_no_tree)
{
    toy t;
    assay_iop_plan plan;
    kel *cells, point[32];
    assay_channel ch;
    assay_writer out;
    assay_iop *iop;
    assay_claim pc, qc;
    assay_kvec q;
    toy_new(&t, 100, 5, 1);
    toy_plan(&t, &plan, &cells);
    assay_writer_init(&out, (size_t)1 << 20);
    assay_channel_init(&ch, ASSAY_PROVE, &out, NULL);
    REQUIRE_OK(assay_iop_new(&iop, &ch, &assay_iop_prover_ops, &t.be, &plan, cells, NULL));
    CHECK(assay_kvec_new(&q, 100));
    assay_channel_fail(&ch, ASSAY_EIO);
    assay_iop_gkr(iop, "look", 100, NULL, &q, &pc, &qc, point);
    CHECK(q.own == NULL && pc == 0 && qc == 0);
    CHECK_EQ_U64(ch.status, ASSAY_EIO);
    assay_iop_free(iop);
    assay_writer_clear(&out);
    assay_mem_free(cells);
    toy_free(&t);
}

/* Every allocation failing in turn: a status, never a crash. */
TEST(out_of_memory)
{
    toy t;
    assay_iop_plan plan;
    kel *cells;
    toy_new(&t, 100, 5, 1);
    toy_plan(&t, &plan, &cells);
    bool failed = true;
    uint64_t k = 1;
    for (; failed && k < 200; k++) {
        assay_channel ch;
        assay_writer out;
        assay_iop *iop;
        assay_writer_init(&out, (size_t)1 << 20);
        assay_channel_init(&ch, ASSAY_PROVE, &out, NULL);
        assay_kvec q, held;
        CHECK(assay_kvec_new(&q, 100));
        for (size_t i = 0; i < 100; i++) kvec_set(&q, i, toy_random_k());
        held = q;
        (void)held;
        assay_mem_fail_after(k);
        assay_status s = assay_iop_new(&iop, &ch, &assay_iop_prover_ops, &t.be, &plan, cells, NULL);
        if (s == ASSAY_OK) {
            assay_claim pc, qc;
            kel point[32];
            assay_iop_gkr(iop, "look", 100, t.numerators, &q, &pc, &qc, point);
            assay_iop_product_list(iop);
            assay_iop_batch(iop);
        }
        assay_mem_fail_after(0);
        failed = s != ASSAY_OK || ch.status == ASSAY_ENOMEM;
        if (!failed) CHECK_EQ_U64(ch.status, ASSAY_EINTERNAL); /* the plan is that of the whole toy */
        assay_iop_free(iop);
        assay_kvec_free(&q);
        assay_writer_clear(&out);
    }
    CHECK(k > 5 && !failed);
    assay_mem_free(cells);
    toy_free(&t);
}
