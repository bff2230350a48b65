/* SPDX-License-Identifier: Apache-2.0 */
#include "support/liar.h"
#include "harness.h"
#include <string.h>

static const uint8_t coins[32] = {7};

static void bend_message(void *ctx, const char *label, kel *v, size_t n)
{
    liar *l = ctx;
    for (size_t i = 0; i < l->n; i++) {
        bend *b = &l->bend[i];
        if (strcmp(b->label, label) == 0 && b->seen++ == b->nth && n) v[0] = k_add(v[0], b->delta);
    }
}

static void measure(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    liar *l = ctx;
    if (l->claims) l->claims(l, cp, w, p);
    l->found = l->requirement && cp_requirement_value(cp, w, p, l->requirement, l->nth, &l->value);
}

static int stop_after_claims(void *ctx, const char *step, double done)
{
    (void)ctx;
    (void)done;
    return strcmp(step, "merging") == 0;
}

static void cells(void *ctx, const assay_frame *f, kel *k)
{
    liar *l = ctx;
    if (l->c.what->cells) l->c.what->cells(&l->c, f, k);
    if (l->cells) l->cells(l, f, k);
}

/* The hooks' context is the liar, which begins with its cheater. */
static assay_cheat hooks_of(liar *l)
{
    assay_cheat h = cheat_hooks(&l->c);
    h.ctx = l;
    h.coins = coins;
    h.cells = cells;
    l->tamper = (assay_tamper){.k = bend_message, .ctx = l};
    h.messages = &l->tamper;
    for (size_t i = 0; i < l->n; i++) l->bend[i].seen = 0;
    return h;
}

bool liar_claims(liar *l)
{
    cp_fixture *f = &l->c.st->fx;
    const assay_prover_key key = {&f->pub, l->c.model, &f->rows, f->tree, f->seed};
    const assay_progress stop = {stop_after_claims, NULL};
    assay_cheat h = hooks_of(l);
    assay_writer proof;
    h.claims = measure;
    assay_writer_init(&proof, ASSAY_MAX_PROOF_FILE);
    assay_status s = assay_cp_prove(&proof, &key, &l->rq, f->policy, &f->be, &stop, &h, &f->err);
    assay_writer_clear(&proof);
    return CHECK_STATUS(s, ASSAY_ECANCELED);
}

bool liar_begin(liar *l, stage *st, const cheat *base)
{
    *l = (liar){.n = 0};
    if (!CHECK(st->ready)) return false;
    cheat_begin(&l->c, st, base);
    return cheat_request(&l->c, &l->rq);
}

void liar_end(liar *l)
{
    assay_request_clear(&l->rq);
    cheat_end(&l->c);
}

void liar_bend(liar *l, const char *label, uint32_t nth, kel delta)
{
    if (CHECK(l->n < LIAR_BENDS)) l->bend[l->n++] = (bend){label, nth, 0, delta};
}

bool liar_push(liar *l, const char *label, uint32_t nth, const char *requirement, uint32_t nth_requirement)
{
    l->requirement = requirement;
    l->nth = nth_requirement;
    if (!liar_claims(l) || !l->found) return false;
    const kel before = l->value;
    if (k_is_zero(before)) return true;
    liar_bend(l, label, nth, k_one());
    if (!liar_claims(l)) return false;
    const kel slope = k_sub(l->value, before);
    if (!CHECK(!k_is_zero(slope))) return false;
    l->bend[l->n - 1].delta = k_neg(k_mul(before, k_inv(slope)));
    return true;
}

void liar_check(liar *l, const char *breaks, const char *families)
{
    assay_writer proof;
    assay_cheat h = hooks_of(l);
    if (cheat_prove(&l->c, &l->rq, &h, &proof)) {
        CHECK_EQ_STR(l->c.broken, breaks);
        CHECK_EQ_STR(l->c.families, families);
        CHECK(!cheat_accepted(l->c.st, &l->rq, &proof, NULL, NULL));
    }
    assay_writer_clear(&proof);
    if (!breaks[0] || strchr(breaks, '|')) return;
    h = hooks_of(l);
    h.drop = breaks;
    h.claims = NULL;
    if (cheat_prove(&l->c, &l->rq, &h, &proof)) CHECK(cheat_accepted(l->c.st, &l->rq, &proof, breaks, NULL));
    assay_writer_clear(&proof);
}
