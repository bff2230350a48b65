/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats under the gap policy: docs/protocol.md §7.8. A token too far below the largest logit, tokens that are too far
 * below it together, uses and counts understated, a maximum that is none; and what the policy allows, accepted.
 *
 * The reply used has four tokens with gaps of 2062, 1276, 1282 and 1261 steps of 2^-10 nat, 5881 together.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/bytes.h"
#include "base/mem.h"
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

enum { SHIFT = 8, AWAY = 30, FIRST_GAP = 2062, ALL_GAPS = 5881 };

static uint32_t other(const cheater *c, uint32_t y)
{
    return (y + c->what->at) % cheat_config(c)->vocab;
}
#define REPLY .claim = other, .at = AWAY, .everywhere = true
#define GAP_CHEAT(id, gap_max, budget, ...)                                                                            \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {REPLY, __VA_ARGS__};                                                                \
        cheat_check(stage_gap(gap_max, budget), &what);                                                                \
    }
#define LOOKUP(name) .breaks = "lookup", .families = name

/* ---- what is allowed */

static const cheat near_reply = {REPLY, .breaks = ""};
TEST(a_reply_within_the_policy)
{
    cheat_accept(stage_gap(2200, 6000), &near_reply);
}
/* 2.014 nats are 2062.3 steps, 5.744 nats 5881.9. */
TEST(a_reply_at_the_limits)
{
    cheat_accept(stage_gap(2014, 5744), &near_reply);
}
TEST(the_choice_itself)
{
    static const cheat honest = {.breaks = ""}, tie = {.breaks = "", .claim = other, .at = 1};
    cheat_accept(stage_gap(0, 0), &honest);
    cheat_accept(stage_gap(0, 0), &tie); /* a larger index of the maximum has no gap */
}

/* ---- the bounds */

GAP_CHEAT(gap_above_gap_max, 1500, 6000, LOOKUP("gap below its bound"))
GAP_CHEAT(gap_one_step_above, 2013, 6000, LOOKUP("gap below its bound"))
GAP_CHEAT(gaps_above_the_budget, 2200, 5000, LOOKUP("gap spare"))
GAP_CHEAT(gaps_one_step_above, 2200, 5743, LOOKUP("gap spare"))

static void no_spare(const cheater *c, assay_witness *w)
{
    (void)c;
    w->ten[TEN_GSP][0] = 0;
}
GAP_CHEAT(sum_understated, 2200, 5000, .breaks = "gap sum", .witness = no_spare)

static void one_fewer(const cheater *c, assay_gap_bounds *gap)
{
    (void)c;
    gap->count--;
}
GAP_CHEAT(count_understated, 2200, 6000, .breaks = "gap count", .bounds = one_fewer)

static void flag_down(const cheater *c, assay_witness *w)
{
    (void)c;
    w->ten[TEN_GZ][2] = 0;
}
GAP_CHEAT(gap_without_its_flag, 2200, 6000, LOOKUP("gap"), .bounds = one_fewer, .witness = flag_down)

/* Flags of 3/4 have a width of 12 bits, enough for each of these gaps: four make three. */
static void part_flags(const cheater *c, assay_witness *w)
{
    (void)c;
    for (uint32_t p = 0; p < 4; p++) w->ten[TEN_GZ][p] = m31_mul(3, m31_inv(4));
}
GAP_CHEAT(flags_that_are_no_bits, 2200, 6000, LOOKUP("gap flag"), .bounds = one_fewer, .witness = part_flags)

/* ---- the gap itself */

/* Position 0 as if its gap were `steps`, remainder `rem`; what is stated follows. */
static void restate(assay_witness *w, uint32_t steps, uint32_t rem)
{
    w->ten[TEN_GSP][0] = m31_add(w->ten[TEN_GSP][0], m31_sub(w->ten[TEN_GAP][0], steps));
    w->ten[TEN_GAP][0] = steps;
    w->ten[TEN_GREM][0] = rem;
    w->ten[TEN_GZ][0] = steps > 0;
}
static void no_gap(const cheater *c, assay_witness *w)
{
    (void)c;
    restate(w, 0, 0);
    w->ten[TEN_GSP][0] = 0;
}
static void without_the_first(const cheater *c, assay_gap_bounds *gap)
{
    one_fewer(c, gap);
    gap->most = 1300;
    gap->sum = ALL_GAPS - FIRST_GAP;
}
GAP_CHEAT(gap_not_that_of_the_token, 2200, 6000, .breaks = "claimed", .bounds = without_the_first, .witness = no_gap)

static void rounded_down(const cheater *c, assay_witness *w)
{
    const uint32_t rem = w->ten[TEN_GREM][0];
    (void)c;
    restate(w, w->ten[TEN_GAP][0] - 1, m31_sub(rem, 1 << SHIFT));
}
GAP_CHEAT(gap_rounded_down, 2013, 6000, LOOKUP("gap remainder"), .witness = rounded_down)

/* The maximum of position 0 lowered by a nat, and the gap with it: the logits above it are negative differences. */
static void lower(assay_witness *w, uint32_t vocab, bool in_low_part, bool only_lm)
{
    const uint32_t nat = 1024 << SHIFT;
    w->ten[TEN_LM][0] = m31_sub(w->ten[TEN_LM][0], nat);
    if (only_lm) return;
    for (uint32_t v = 0; v < vocab; v++) {
        uint32_t *hi = w->ten[TEN_LHI] + v, *lo = w->ten[TEN_LLO] + v;
        const uint32_t d = m31_sub(m31_add(m31_mul(*hi, 1 << 16), *lo), nat);
        const bool low = in_low_part && d >> 30;
        *hi = low ? 0 : d >> 16;
        *lo = low ? d : d & 0xffff;
    }
    restate(w, w->ten[TEN_GAP][0] - 1024, w->ten[TEN_GREM][0]);
}
static void no_maximum(const cheater *c, assay_witness *w)
{
    lower(w, cheat_config(c)->vocab, false, false);
}
static void no_maximum_low(const cheater *c, assay_witness *w)
{
    lower(w, cheat_config(c)->vocab, true, false);
}
static void another_maximum(const cheater *c, assay_witness *w)
{
    lower(w, cheat_config(c)->vocab, false, true);
}
static void room(const cheater *c, assay_gap_bounds *gap)
{
    (void)c;
    gap->most = 1300;
    gap->sum = ALL_GAPS - 1024;
}
static void fitting(const cheater *c, assay_witness *w, void (*change)(const cheater *c, assay_witness *w))
{
    w->ten[TEN_GSP][0] = m31_neg(1024); /* restate adds what the gap loses */
    change(c, w);
}
static void lowered(const cheater *c, assay_witness *w)
{
    fitting(c, w, no_maximum);
}
static void lowered_low(const cheater *c, assay_witness *w)
{
    fitting(c, w, no_maximum_low);
}
GAP_CHEAT(maximum_too_low, 1500, 5000, LOOKUP("logit difference, high"), .bounds = room, .witness = lowered)
GAP_CHEAT(maximum_too_low_in_the_low_part, 1500, 5000, LOOKUP("logit difference, low"), .bounds = room,
          .witness = lowered_low)
GAP_CHEAT(maximum_of_other_logits, 2200, 6000, .breaks = "head", .witness = another_maximum)

/* A larger value than the maximum only overstates gaps: a liberty, and no help. */
static void higher(const cheater *c, assay_witness *w)
{
    const uint32_t n = cheat_config(c)->vocab, step = 1 << SHIFT;
    w->ten[TEN_LM][1] = m31_add(w->ten[TEN_LM][1], step);
    for (uint32_t v = n; v < 2 * n; v++) {
        const uint32_t d = (w->ten[TEN_LHI][v] << 16) + w->ten[TEN_LLO][v] + step;
        w->ten[TEN_LHI][v] = d >> 16;
        w->ten[TEN_LLO][v] = d & 0xffff;
    }
    w->ten[TEN_GAP][1]++;
    w->ten[TEN_GSP][0]--;
}
TEST(a_maximum_too_high)
{
    static const cheat what = {REPLY, .breaks = "", .witness = higher};
    cheat_accept(stage_gap(2200, 6000), &what);
}

/* ---- what is stated: one proof under each policy, relabelled */

enum { POLICY = 12, MOST = 16, SUM = 20, COUNT = 24, EXACT_HEADER = 16, GAP_HEADER = 32 };

typedef struct proven {
    assay_request rq;
    assay_writer proof;
} proven;

static bool prove(proven *p, stage *st, const cheat *what)
{
    cheater c;
    memset(p, 0, sizeof *p);
    if (!CHECK(st->ready)) return false;
    cheat_begin(&c, st, what);
    bool ok = cheat_request(&c, &p->rq);
    if (ok) {
        const assay_cheat h = cheat_hooks(&c);
        ok = cheat_prove(&c, &p->rq, &h, &p->proof);
    }
    cheat_end(&c);
    return ok;
}
static void done(proven *p)
{
    assay_writer_clear(&p->proof);
    assay_request_clear(&p->rq);
}

static void expect(const stage *st, const assay_policy *policy, const assay_request *rq, const uint8_t *p, size_t n,
                   assay_verdict want)
{
    assay_cp_result r;
    assay_errinfo err;
    assay_status s = assay_cp_verify(&r, &st->fx.pub, rq, policy, p, n, 128, NULL, 0, &err);
    CHECK(s == ASSAY_OK || (want == ASSAY_REJECT && (s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED)));
    CHECK(r.verdict == want);
    CHECK((r.reason[0] == 0) == (want == ASSAY_ACCEPT));
}

TEST(statement_relabelled)
{
    static const assay_policy wide = {ASSAY_POLICY_GAP, 60000000, 900000000};
    proven p;
    stage *st = stage_gap(2200, 6000);
    if (prove(&p, st, &near_reply)) {
        expect(st, st->fx.policy, &p.rq, p.proof.p, p.proof.n, ASSAY_ACCEPT);
        expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_ACCEPT);
        for (size_t at = POLICY; at < GAP_HEADER - 4; at += 4) /* any other bound, smaller or larger */
            for (int by = -1; by <= 1; by += 2) {
                const uint32_t own = assay_load_u32(p.proof.p + at);
                assay_store_u32(p.proof.p + at, own + (uint32_t)by);
                expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_REJECT);
                assay_store_u32(p.proof.p + at, own);
            }
        assay_store_u32(p.proof.p + MOST, 1u << 16); /* what cannot be stated */
        expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_REJECT);
        assay_store_u32(p.proof.p + MOST, 2048);
        assay_store_u32(p.proof.p + SUM, M31_P);
        expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_REJECT);
        assay_store_u32(p.proof.p + SUM, 6144);
        assay_store_u32(p.proof.p + COUNT, 5);
        expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_REJECT);
    }
    done(&p);
}

TEST(policy_not_implied)
{
    static const assay_policy exact = {ASSAY_POLICY_EXACT, 0, 0}, small_gap = {ASSAY_POLICY_GAP, 1000000, 6000000},
                              small_budget = {ASSAY_POLICY_GAP, 2000000, 5000000}, none = {ASSAY_POLICY_GAP, 0, 0},
                              unknown = {(assay_policy_kind)2, 9000000, 9000000};
    proven p;
    stage *st = stage_gap(2200, 6000);
    if (prove(&p, st, &near_reply)) {
        const assay_policy *const all[] = {NULL, &exact, &small_gap, &small_budget, &none, &unknown};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            expect(st, all[i], &p.rq, p.proof.p, p.proof.n, ASSAY_REJECT);
    }
    done(&p);
}

/* The body of a proof under the header of the other policy. */
static void under_header(const stage *st, const assay_policy *policy, const proven *p, size_t header,
                         const assay_gap_bounds *gap)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_MAX_PROOF_FILE);
    assay_proof_header_encode(&w, gap, p->proof.n - header);
    assay_write_bytes(&w, p->proof.p + header, p->proof.n - header);
    if (CHECK(!w.bad)) expect(st, policy, &p->rq, w.p, w.n, ASSAY_REJECT);
    assay_writer_clear(&w);
}

TEST(proof_of_another_policy)
{
    static const cheat honest = {.breaks = ""};
    static const assay_policy wide = {ASSAY_POLICY_GAP, 60000000, 900000000};
    static const assay_gap_bounds exact = {0}, nothing = {ASSAY_POLICY_GAP, 0, 0, 0},
                                  much = {ASSAY_POLICY_GAP, 2048, 6144, 4};
    proven p;
    if (prove(&p, stage_main(), &honest)) {
        expect(stage_main(), NULL, &p.rq, p.proof.p, p.proof.n, ASSAY_ACCEPT);
        expect(stage_main(), &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_ACCEPT); /* a choice has no gap */
        under_header(stage_main(), &wide, &p, EXACT_HEADER, &nothing);
        under_header(stage_main(), &wide, &p, EXACT_HEADER, &much);
    }
    done(&p);
    stage *st = stage_gap(2200, 6000);
    if (prove(&p, st, &honest)) {
        expect(st, &wide, &p.rq, p.proof.p, p.proof.n, ASSAY_ACCEPT);
        under_header(st, NULL, &p, GAP_HEADER, &exact);
        under_header(st, &wide, &p, GAP_HEADER, &exact);
        under_header(st, &wide, &p, GAP_HEADER, &much);
    }
    done(&p);
}
