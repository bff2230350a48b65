/* SPDX-License-Identifier: Apache-2.0 */
/* Pads, product cells, the product list, fraction trees: docs/protocol.md §8.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "support/liar.h"
#include <stdio.h>
#include <string.h>

static const cheat honest = {.breaks = ""};

/* ---- product cells */

static void dummy_product(const cheater *c, const assay_frame *f, kel *cells)
{
    (void)c;
    kel *last = &cells[iop_plan_cells(&f->plan) - 1];
    *last = k_add(*last, k_one());
}
static void first_product(const cheater *c, const assay_frame *f, kel *cells)
{
    kel *x = &cells[f->plan.n_hidden + 2 + c->what->at];
    *x = k_add(*x, k_one());
}
static void last_product(const cheater *c, const assay_frame *f, kel *cells)
{
    (void)c;
    kel *x = &cells[f->plan.n_hidden + 2 + f->plan.n_products - 1];
    *x = k_add(*x, k_one());
}
CHEAT(product_cell_of_the_dummy, .breaks = "prod", .cells = dummy_product)
CHEAT(product_cell_of_the_first_layer, .breaks = "lookup | prod", .cells = first_product)
CHEAT(product_cell_of_the_last_product, .breaks = "act | prod", .cells = last_product)

/* A wrong product cell, with the end of the list's sumcheck chosen to agree. */
static void product_list(const char *message, const char *broken)
{
    static const cheat base = {.breaks = "", .cells = dummy_product};
    liar l;
    if (!liar_begin(&l, stage_main(), &base)) return;
    if (CHECK(liar_push(&l, message, 0, "prod", 0))) liar_check(&l, broken, "");
    liar_end(&l);
}
TEST(product_list_a)
{
    product_list("prod/a", "prod a");
}
TEST(product_list_b)
{
    product_list("prod/b", "prod b");
}

/* ---- pads */

static kel shift; /* from one pad to another */
static uint32_t pad_of, pad_used;
static void read_pads(liar *l, const assay_frame *f, kel *cells)
{
    (void)l;
    CHECK(pad_of < f->plan.n_hidden && pad_used < f->plan.n_hidden);
    shift = k_sub(cells[pad_used], cells[pad_of]);
}
/* The message that pad `of` is committed for goes out under pad `used`. */
static void under_another_pad(uint32_t of, uint32_t used, const char *label, uint32_t nth, const char *broken)
{
    liar l;
    if (!liar_begin(&l, stage_main(), &honest)) return;
    l.cells = read_pads;
    pad_of = of;
    pad_used = used;
    if (liar_claims(&l)) {
        liar_bend(&l, label, nth, shift);
        liar_check(&l, broken, "");
    }
    liar_end(&l);
}
/* Messages 0 .. 4 are the root and the four values of the first layer, which has no rounds. */
TEST(pad_used_twice)
{
    under_another_pad(2, 1, "lookup/p1", 0, "lookup");
}
TEST(pad_of_the_root_used_twice)
{
    under_another_pad(0, 4, "lookup/root", 0, "lookup");
}
TEST(pad_not_committed)
{
    under_another_pad(3, 200, "lookup/q0", 0, "lookup");
}

/* Equal pads that are committed as such hide less, but prove the same. */
static void equal_pads(const cheater *c, const assay_frame *f, kel *cells)
{
    (void)c;
    const uint32_t n = f->plan.n_hidden;
    for (uint32_t i = 1; i < n + 2; i++) cells[i] = cells[0];
    for (uint32_t i = 0; i <= f->plan.n_products; i++) cells[n + 2 + i] = k_sqr(cells[0]);
}
TEST(equal_pads_are_no_lie)
{
    static const cheat what = {.breaks = "", .cells = equal_pads};
    cheat_accept(stage_main(), &what);
}

/* ---- the fraction tree: a false root, and in every layer the value that makes its check pass */

static void push_down(stage *st, const char *message, const char *broken, const cheat *base)
{
    liar l;
    uint32_t layer = 0;
    if (!liar_begin(&l, st, base)) return;
    while (liar_push(&l, message, layer, "lookup", layer)) layer++;
    CHECK(l.n >= 15);
    liar_check(&l, broken, base->families);
    liar_end(&l);
}
static const cheat out_of_range = {.breaks = "",
                                   .families = "down remainder",
                                   .t = TEN_DOWN,
                                   .index = 2,
                                   .token = 5,
                                   .at = 3,
                                   .by = -1,
                                   .made = cheat_carry};
TEST(lie_pushed_to_the_numerators)
{
    push_down(stage_main(), "lookup/p0", "lookup p", &out_of_range);
}
/* With scores in the instance what the denominators leave is what the scores must be. */
TEST(lie_pushed_to_the_denominators)
{
    push_down(stage_main(), "lookup/q0", "score", &out_of_range);
}
TEST(lie_pushed_to_the_denominators_without_scores)
{
    push_down(stage_split(), "lookup/q0", "lookup q", &out_of_range);
}

/* ---- a lie in every message */

enum { LABELS = 256 };
typedef struct labels {
    char name[LABELS][40];
    uint32_t times[LABELS];
    size_t n;
    size_t target; /* LABELS: none */
    uint32_t nth, seen;
} labels;
static void note(void *ctx, const char *label, kel *v, size_t n)
{
    labels *l = ctx;
    size_t i = 0;
    while (i < l->n && strcmp(l->name[i], label) != 0) i++;
    if (i == l->n && l->target == LABELS && CHECK(l->n < LABELS)) {
        snprintf(l->name[i], sizeof l->name[i], "%s", label);
        l->n++;
    }
    if (l->target == LABELS) l->times[i]++;
    if (i == l->target && l->seen++ == l->nth) v[n - 1] = k_add(v[n - 1], k_one());
}
static void note_bytes(void *ctx, const char *label, uint8_t *p, size_t n)
{
    kel unused = k_zero();
    labels *l = ctx;
    const uint32_t before = l->seen;
    note(ctx, label, &unused, 1);
    if (l->seen == before + 1 && before == l->nth && l->target < LABELS && strcmp(l->name[l->target], label) == 0)
        p[n / 2] ^= 1;
}
TEST(lie_in_every_message)
{
    cheater c;
    assay_request rq;
    assay_writer proof;
    static labels l;
    l = (labels){.target = LABELS};
    const assay_tamper tamper = {.k = note, .bytes = note_bytes, .ctx = &l};
    REQUIRE(stage_main()->ready);
    cheat_begin(&c, stage_main(), &honest);
    REQUIRE(cheat_request(&c, &rq));
    assay_cheat hooks = cheat_hooks(&c);
    hooks.messages = &tamper;
    hooks.claims = NULL;
    if (cheat_prove(&c, &rq, &hooks, &proof)) CHECK(cheat_accepted(c.st, &rq, &proof, NULL, NULL));
    assay_writer_clear(&proof);
    size_t lies = 0;
    for (size_t i = 0; i < l.n; i++)
        for (int last = 0; last < 2; last++) {
            l.target = i;
            l.nth = last ? l.times[i] - 1 : 0;
            l.seen = 0;
            if (last && l.times[i] == 1) continue;
            if (cheat_prove(&c, &rq, &hooks, &proof) && !CHECK(!cheat_accepted(c.st, &rq, &proof, NULL, NULL)))
                printf("  accepted: a lie in %s\n", l.name[i]);
            assay_writer_clear(&proof);
            lies++;
        }
    printf("%zu labels, %zu lies\n", l.n, lies);
    CHECK(l.n > 75);
    assay_request_clear(&rq);
    cheat_end(&c);
}
