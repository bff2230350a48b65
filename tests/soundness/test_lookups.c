/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against look-ups of requantised values, SiLU and the greedy check: docs/protocol.md §7.2, families 5, 9 and
 * 10. Every family has a cheat in which it alone holds a tuple that is in no row. For y 2^s + rem there are two: the
 * quotient off by one, which only the remainder's range sees; and another solution mod p, which only the quotient's
 * range sees.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

#define REQUIRE_LOOKUP .breaks = "lookup"
/* The quotient one too small, the remainder 2^s too large; and the other way round. */
#define QUOTIENT(id, name, tensor, layer, column)                                                                      \
    CHEAT(id##_too_small, REQUIRE_LOOKUP, .families = name, .t = tensor, .index = layer, .token = 2, .at = column,     \
          .by = -1, .made = cheat_carry)                                                                               \
    CHEAT(id##_too_large, REQUIRE_LOOKUP, .families = name, .t = tensor, .index = layer, .token = 3, .at = column,     \
          .by = 1, .made = cheat_carry)
QUOTIENT(rebase, "rebased residual remainder", TEN_REB, 0, 3)
QUOTIENT(q, "q remainder", TEN_Q, 1, 3)
QUOTIENT(k, "k remainder", TEN_K, 1, 3)
QUOTIENT(v, "v remainder", TEN_V1, 1, 3)
QUOTIENT(rotated_q, "rotated q remainder", TEN_QR, 1, 3)
QUOTIENT(rotated_k, "rotated k remainder", TEN_KR, 1, 3)
QUOTIENT(output, "output projection remainder", TEN_Y, 2, 3)
QUOTIENT(gate, "gate remainder", TEN_GATE, 1, 3)
QUOTIENT(up, "up remainder", TEN_UP, 1, 3)
QUOTIENT(gated, "gate * up remainder", TEN_ACT, 1, 3)
QUOTIENT(down, "down remainder", TEN_DOWN, 2, 3)
QUOTIENT(final, "final row remainder", TEN_NG, 0, 3)

/* ---- congruent mod p. Where the value meets zero weights nothing else changes; a rotation at position 0 multiplies by
 * 2^12, which turns 2^(31 - s + k) into 2^(12 - s + k), a small number. */
CHEAT(q_around_p, REQUIRE_LOOKUP, .families = "q", .t = TEN_Q, .index = 1, .token = 0, .at = 5, .by = 1,
      .made = cheat_wrap)
CHEAT(k_around_p, REQUIRE_LOOKUP, .families = "k", .t = TEN_K, .index = 1, .token = 0, .at = 5, .by = 1,
      .made = cheat_wrap)
CHEAT(rotated_q_around_p, REQUIRE_LOOKUP, .families = "rotated q", .t = TEN_QR, .index = 0, .token = 6, .at = 9,
      .made = cheat_wrap)
CHEAT(gated_around_p, REQUIRE_LOOKUP, .families = "gate * up", .t = TEN_ACT, .index = 1, .token = 2, .at = 1,
      .made = cheat_wrap)
CHEAT(up_around_p, REQUIRE_LOOKUP, .families = "up", .t = TEN_UP, .index = 1, .token = 2, .at = 0, .made = cheat_wrap)
CHEAT(final_around_p, REQUIRE_LOOKUP, .families = "final row", .t = TEN_NG, .index = 0, .token = 2, .at = 1,
      .made = cheat_wrap)

/* Keys and values reach attention as 16-bit numbers in the model's cache, so these are put in after it. */
static void rotated_key(const cheater *c, int32_t *const *v)
{
    cheat_wrap(c, v); /* queries of heads 0 and 1 are zero in layer 0 */
}
static void value(const cheater *c, int32_t *const *v)
{
    cheat_wrap(c, v);
    for (uint32_t head = 0; head < 2; head++) /* all their weights are 2^12 */
        for (uint32_t i = 0; i < c->n_tokens; i++) cheat_divide(c, v, head, i);
}
static void after_attention(const cheater *c, int32_t *const *v)
{
    if (c->what->t == TEN_KR)
        rotated_key(c, v);
    else
        value(c, v);
}
CHEAT(rotated_k_around_p, REQUIRE_LOOKUP, .families = "rotated k", .t = TEN_KR, .late = TEN_O1, .index = 0, .token = 6,
      .at = 2, .made = after_attention)
CHEAT(v_around_p, REQUIRE_LOOKUP, .families = "v", .t = TEN_V1, .late = TEN_O1, .index = 0, .token = 6, .at = 2,
      .by = 8, .made = after_attention)

/* The gate's own effect is its SiLU, which stays: the tuple is in no row. */
static void gate_far(const cheater *c, assay_witness *w)
{
    const uint32_t s = (uint32_t)cheat_site(c, TEN_GATE, 1).s;
    uint32_t *y = cheat_word_at(c, w, TEN_GATE, 1, 4, 3), *rem = cheat_word_at(c, w, TEN_GATEREM, 1, 4, 3);
    CHECK(*rem > 0);
    *y = m31_add(*y, 1u << (31 - s));
    --*rem;
}
CHEAT(gate_around_p, REQUIRE_LOOKUP, .families = "SiLU", .witness = gate_far)

/* What enters the residual has no norm any more: completed through remainders. */
static void residual_far(const cheater *c, assay_witness *w)
{
    const cheat *what = c->what;
    const uint32_t s = (uint32_t)cheat_site(c, what->t, what->index).s;
    for (uint32_t t = what->token; t < c->n_tokens; t++) {
        uint32_t *rem = cheat_word_at(c, w, (assay_tensor)(what->t + 1), what->index, t, what->at);
        if (*rem == 0) continue;
        --*rem;
        uint32_t *y = cheat_word_at(c, w, what->t, what->index, t, what->at);
        *y = m31_add(*y, 1u << (31 - s));
        cheat_residual_repair(c, w);
        return;
    }
    CHECK(!"a remainder that can be lowered");
}
#define NORM_LEFT "residual and square | normalised row remainder | norm b0 | norm digit 0"
CHEAT(rebase_around_p, REQUIRE_LOOKUP, .families = NORM_LEFT " | rebased residual", .t = TEN_REB, .index = 1,
      .token = 4, .at = 3, .witness = residual_far)
CHEAT(output_around_p, REQUIRE_LOOKUP, .families = NORM_LEFT " | output projection", .t = TEN_Y, .index = 2, .token = 4,
      .at = 2, .witness = residual_far)
CHEAT(down_around_p, REQUIRE_LOOKUP, .families = NORM_LEFT " | down", .t = TEN_DOWN, .index = 2, .token = 4, .at = 2,
      .witness = residual_far)

/* A commitment whose configuration gives these outputs fewer bits than they take. */
static void narrow(assay_layer_config *layers, const cheat *what)
{
    stage st = *stage_main();
    st.fx.pub.cfg.layer = st.fx.model.cfg.layer = layers;
    if (CHECK_OK(assay_public_identify(&st.fx.pub, &st.fx.err))) cheat_check(&st, what);
}
#define NARROW(id, family, site)                                                                                       \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {.breaks = "lookup", .families = family};                                            \
        assay_layer_config layers[3];                                                                                  \
        REQUIRE(stage_main()->ready);                                                                                  \
        memcpy(layers, stage_main()->fx.model.cfg.layer, sizeof layers);                                               \
        layers[1].site.b = 6;                                                                                          \
        narrow(layers, &what);                                                                                         \
    }
NARROW(output_beyond_its_bits, "output projection", o)
NARROW(down_beyond_its_bits, "down", down)
NARROW(gated_beyond_its_bits, "gate * up", act)

/* ---- SiLU */

static void silu_off(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    int32_t *sg = cheat_cell(c, v, TEN_SG, w->token, w->at);
    *sg += w->by;
    cheat_requant((int64_t)*sg * *cheat_cell(c, v, TEN_UP, w->token, w->at), cheat_site(c, TEN_ACT, w->index),
                  cheat_cell(c, v, TEN_ACT, w->token, w->at), cheat_cell(c, v, TEN_ACTREM, w->token, w->at));
}
CHEAT(silu_off_by_one, REQUIRE_LOOKUP, .families = "SiLU", .t = TEN_SG, .index = 1, .token = 5, .at = 4, .by = 1,
      .made = silu_off)
CHEAT(silu_minus_one, REQUIRE_LOOKUP, .families = "SiLU", .t = TEN_SG, .index = 0, .token = 22, .at = 23, .by = -1,
      .made = silu_off)

/* ---- greedy: with a token that is not the choice some difference is negative, p - d in the field */

static uint32_t other(const cheater *c, uint32_t y)
{
    return (y + c->what->at) % cheat_config(c)->vocab;
}
CHEAT(not_the_maximum, REQUIRE_LOOKUP, .families = "logit difference, high", .claim = other, .at = 2)
/* The choice is even and ties with the next token. */
CHEAT(larger_index_of_a_tie, REQUIRE_LOOKUP, .families = "logit difference, high", .claim = other, .at = 1)
/* The negative difference kept in the low part. */
static void low_part(const cheater *c, assay_witness *w)
{
    const size_t n = (size_t)w->shape->run.n_checked * cheat_config(c)->vocab;
    for (size_t i = 0; i < n; i++) {
        uint32_t *hi = w->ten[TEN_LHI] + i, *lo = w->ten[TEN_LLO] + i;
        if (*hi < 1u << 14) continue;
        *lo = m31_add(m31_mul(*hi, 1u << 16), *lo);
        *hi = 0;
    }
}
CHEAT(not_the_maximum_low, REQUIRE_LOOKUP, .families = "logit difference, low", .claim = other, .at = 2,
      .witness = low_part)
