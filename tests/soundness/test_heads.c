/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against norms of heads: docs/protocol.md §7.2, families 6; §7.5, "q gain" and "k gain"; §7.6 and §7.7. They
 * are those of test_norm.c and test_lookups_norm.c on a row of q or of k. Dimensions 0 to 15 are those of the four
 * query heads, 16 to 23 those of the two key heads.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"

#define HEADS(id, ...)                                                                                                 \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {__VA_ARGS__};                                                                       \
        cheat_check(stage_heads(), &what);                                                                             \
    }
/* One row: that of the head of a dimension, at layer 1. */
#define ROW(id, broken, place, ...)                                                                                    \
    HEADS(id, .breaks = broken, .t = TEN_XN, .index = 1, .token = 4, .at = place, __VA_ARGS__)
#define LOOKUP(id, family, place, ...) ROW(id, "lookup", place, .families = family, __VA_ARGS__)
/* Digits of it; in their tensors' names as the residual's. 1 << 16 is 2^31 / 2^15. */
#define CHANGED(id, ...)                                                                                               \
    static void id##_made(const cheater *c, int32_t *const *v)                                                         \
    {                                                                                                                  \
        static const cheat_norm_digit ch[] = {__VA_ARGS__};                                                            \
        cheat_norm_change(c, v, ch, sizeof ch / sizeof *ch);                                                           \
    }
#define DIGITS(id, broken, place, ...)                                                                                 \
    CHANGED(id, __VA_ARGS__)                                                                                           \
    ROW(id, broken, place, .made = id##_made)
#define DIGIT_RANGE(id, family, place, ...)                                                                            \
    CHANGED(id, __VA_ARGS__)                                                                                           \
    LOOKUP(id, family, place, .made = id##_made)
enum { DIGIT = 1 << 15, AROUND = 1 << 16, QUERY = 6, KEY = 21 };

/* ---- relations of the norm */

DIGITS(sum_of_high_squares, "head norm A", QUERY, {TEN_NA0, 1}, {TEN_NB1, -1})
DIGITS(sum_of_squares, "head square", KEY, {TEN_NB0, 1}, {TEN_NS0, 1})
DIGITS(digit_0, "head norm s0", QUERY, {TEN_NS0, 1})
DIGITS(digit_1, "head norm s1", KEY, {TEN_NS1, 1})
DIGITS(digit_2, "head norm s2", QUERY, {TEN_NS2, 1})
DIGITS(carry_0_made_up, "head norm s0", KEY, {TEN_NC0, 1}, {TEN_NS1, 1})
DIGITS(carry_1_made_up, "head norm s1", QUERY, {TEN_NC1, 1}, {TEN_NS2, 1})
DIGITS(carry_2_made_up, "head norm s2", KEY, {TEN_NC2, 1})

/* S with the eps term of the other kind of head, for q and k have units of their own. */
static void other_eps(const cheater *c, int32_t *const *v)
{
    const bool key = c->what->at >= 16;
    const cheat_norm_digit ch = {TEN_NS0, (int32_t)(assay_model_head_eps(cheat_config(c), c->what->index, !key) -
                                                    assay_model_head_eps(cheat_config(c), c->what->index, key))};
    CHECK(ch.by != 0);
    cheat_norm_change(c, v, &ch, 1);
}
HEADS(eps_of_a_key, .breaks = "head norm s0", .t = TEN_XN, .index = 2, .token = 4, .at = QUERY, .made = other_eps)
HEADS(eps_of_a_query, .breaks = "head norm s0", .t = TEN_XN, .index = 2, .token = 4, .at = KEY, .made = other_eps)

ROW(n_off_by_one, "head norm", QUERY, .by = 1, .made = cheat_add)
ROW(n_of_a_key_off_by_one, "head norm", KEY, .by = -1, .made = cheat_add)
HEADS(last_n_off_by_one, .breaks = "head norm", .t = TEN_XN, .index = 2, .token = 22, .at = 23, .by = 1,
      .made = cheat_add)
HEADS(n_remainder, .breaks = "head norm", .t = TEN_XNREM, .index = 1, .token = 4, .at = KEY, .by = 1, .made = cheat_add)
ROW(n_with_another_scale, "head norm", QUERY, .made = cheat_norm_other_scale)
ROW(mantissa_below_the_window, "head norm", QUERY, .made = cheat_norm_window_off)
ROW(another_mantissa, "head norm", QUERY, .made = cheat_norm_other_mantissa)

/* The scale of the next head: norms are head by head. */
static void scale_of_the_next_head(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token), y = cheat_norm_row(c, v, x.row + 1);
    const int32_t own = *cheat_norm_at(&x, TEN_NRT);
    CHECK(own != *cheat_norm_at(&y, TEN_NRT));
    *cheat_norm_at(&x, TEN_NRT) = *cheat_norm_at(&y, TEN_NRT);
    cheat_norm_rows(&x);
    *cheat_norm_at(&x, TEN_NRT) = own;
}
ROW(n_with_the_scale_of_another_head, "head norm", QUERY, .made = scale_of_the_next_head)

/* ---- its look-ups */

LOOKUP(square, "head and square", QUERY, .made = cheat_norm_square_entry)
LOOKUP(square_of_a_key, "head and square", KEY, .made = cheat_norm_square_entry)
LOOKUP(n_too_small, "normalised head remainder", KEY, .by = -1, .made = cheat_norm_carry)
LOOKUP(n_too_large, "normalised head remainder", QUERY, .by = 1, .made = cheat_norm_carry)
/* Gain 0 of q is 0 in layer 1. */
LOOKUP(n_around_p, "normalised head", 4, .made = cheat_norm_far)
LOOKUP(remainder_of_another_exponent, "head norm exponent", QUERY, .by = -1, .made = cheat_norm_loose_width)

/* In a row that is long enough for two digits of the sum of high parts. */
static void a0_too_large(const cheater *c, int32_t *const *v)
{
    for (uint32_t row = 0; row < cheat_norm_rows_of(c); row++) {
        cheat_norm x = cheat_norm_row(c, v, row);
        if (*cheat_norm_at(&x, TEN_NA1) == 0) continue;
        *cheat_norm_at(&x, TEN_NA0) += DIGIT;
        --*cheat_norm_at(&x, TEN_NA1);
        ++*cheat_norm_at(&x, TEN_NC1);
        return;
    }
    CHECK(!"a row with a sum of squares above 2^30");
}
LOOKUP(a0, "head norm a0", 0, .made = a0_too_large)
DIGIT_RANGE(a1_around_p, "head norm a1", KEY, {TEN_NA1, AROUND}, {TEN_NA0, -1}, {TEN_NS1, -1}, {TEN_NC2, 2})
DIGIT_RANGE(b0, "head norm b0", QUERY, {TEN_NB0, DIGIT}, {TEN_NB1, -1}, {TEN_NC0, 1})
DIGIT_RANGE(b1_around_p, "head norm b1", QUERY, {TEN_NB1, AROUND}, {TEN_NB0, -1}, {TEN_NS0, -1}, {TEN_NC1, 2},
            {TEN_NS2, 2})
DIGIT_RANGE(s0, "head norm digit 0", KEY, {TEN_NS0, -DIGIT}, {TEN_NC0, 1}, {TEN_NS1, 1})
DIGIT_RANGE(s1, "head norm digit 1", QUERY, {TEN_NS1, -DIGIT}, {TEN_NC1, 1}, {TEN_NS2, 1})
DIGIT_RANGE(c0_around_p, "head norm carry 0", KEY, {TEN_NC0, AROUND}, {TEN_NS0, -1}, {TEN_NC1, 2}, {TEN_NS2, 2})
DIGIT_RANGE(c1_around_p, "head norm carry 1", QUERY, {TEN_NC1, AROUND}, {TEN_NS1, -1}, {TEN_NC2, 2})

/* A head's S is below 2^41: with its highest digits flagged there is no mantissa, whatever NS2 and NC2 are claimed. */
static void high_digits(const cheater *c, int32_t *const *v)
{
    const cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const bool carry = c->what->by > 1;
    const int32_t high = *cheat_norm_at(&x, TEN_NS2); /* with NC2 at 0 */
    *cheat_norm_at(&x, TEN_NC2) += carry ? AROUND : 1;
    *cheat_norm_at(&x, TEN_NS2) -= carry ? 1 : DIGIT;
    *cheat_norm_at(&x, TEN_NM) = 2048; /* an entry to go on with */
    *cheat_norm_at(&x, TEN_NF0) = *cheat_norm_at(&x, TEN_NF1) = *cheat_norm_at(&x, TEN_NR) = 0;
    *cheat_norm_at(&x, TEN_NDR) = 1;
    *cheat_norm_at(&x, TEN_NRHO) = 0;
    cheat_norm_scale(&x, 30);
    *cheat_norm_at(&x, TEN_NM) = high;
}
LOOKUP(s2, "head norm digit 2 | head reciprocal root", QUERY, .by = 1, .made = high_digits)
LOOKUP(c2_around_p, "head norm digit 2 | head norm carry 2 | head reciprocal root", KEY, .by = 2, .made = high_digits)

LOOKUP(flag_of_minus_one, "head norm digit flag 1", 0, .made = cheat_norm_flag_minus_one)
LOOKUP(flag_of_one_half, "head norm digit flag 0 | head norm flag 2", 0, .made = cheat_norm_flag_half)
LOOKUP(flags_of_any_size, "head norm digit flag 0 | head norm digit flag 1 | head norm flag 2", 0,
       .made = cheat_norm_flags_any)
LOOKUP(power_of_two, "head norm power of two", QUERY, .made = cheat_norm_any_power)
LOOKUP(lower_part_of_the_window, "head norm rho", KEY, .made = cheat_norm_low_mantissa)
LOOKUP(mantissa_not_normal, "head reciprocal root", QUERY, .made = cheat_norm_not_normal)
LOOKUP(reciprocal_root, "head reciprocal root", KEY, .made = cheat_norm_scale_off)
LOOKUP(sigma_of_another_exponent, "head norm exponent", QUERY, .made = cheat_norm_sigma_off)
LOOKUP(rounded_down, "head norm exponent", KEY, .made = cheat_norm_half_off)
LOOKUP(parity, "head norm exponent", QUERY, .made = cheat_norm_parity_off)

/* ---- gains */

#define GAIN(id, name, tensor, family)                                                                                 \
    HEADS(id##_off_by_one, .breaks = name, .t = tensor, .index = 1, .token = 2, .at = 3, .by = 1, .made = cheat_add)   \
    HEADS(id##_remainder, .breaks = name, .t = (assay_tensor)(tensor + 1), .index = 2, .token = 22, .at = 7,           \
          .made = step_remainder)                                                                                      \
    HEADS(id##_too_small, .breaks = "lookup", .families = family " remainder", .t = tensor, .index = 1, .token = 2,    \
          .at = 3, .by = -1, .made = cheat_carry)                                                                      \
    HEADS(id##_too_large, .breaks = "lookup", .families = family " remainder", .t = tensor, .index = 1, .token = 3,    \
          .at = 3, .by = 1, .made = cheat_carry)
/* One up or down, within the range. */
static void step_remainder(const cheater *c, int32_t *const *v)
{
    int32_t *rem = cheat_cell(c, v, c->what->t, c->what->token, c->what->at);
    *rem += *rem ? -1 : 1;
}
GAIN(query, "q gain", TEN_QG, "q times gain")
GAIN(key, "k gain", TEN_KG, "k times gain")
/* Rotation at position 0 multiplies by 2^12, which turns 2^(31 - s + k) into 2^(12 - s + k), a small number. */
HEADS(query_around_p, .breaks = "lookup", .families = "q times gain", .t = TEN_QG, .index = 1, .token = 0, .at = 5,
      .by = 1, .made = cheat_wrap)
HEADS(key_around_p, .breaks = "lookup", .families = "k times gain", .t = TEN_KG, .index = 1, .token = 0, .at = 5,
      .made = cheat_wrap)
/* "q times gain remainder" and "k times gain remainder" are the families above. */

static void one_gain(const cheater *c, assay_model *m)
{
    int16_t *g = c->what->by ? m->layer[c->what->index].nk : m->layer[c->what->index].nq;
    g[c->what->at]++;
}
HEADS(one_gain_of_q, .breaks = "q gain", .index = 2, .at = 3, .weights = one_gain)
HEADS(one_gain_of_k, .breaks = "k gain", .index = 0, .at = 1, .by = 1, .weights = one_gain)
static void gains_swapped(const cheater *c, assay_model *m)
{
    (void)c;
    int16_t *g = m->layer[2].nq;
    m->layer[2].nq = m->layer[2].nk;
    m->layer[2].nk = g;
}
HEADS(gains_of_q_and_k_swapped, .breaks = "q gain | k gain", .weights = gains_swapped)
static void gains_of_layers_swapped(const cheater *c, assay_model *m)
{
    (void)c;
    int16_t *g = m->layer[0].nk;
    m->layer[0].nk = m->layer[1].nk;
    m->layer[1].nk = g;
}
HEADS(gains_of_another_layer, .breaks = "k gain", .weights = gains_of_layers_swapped)

/* ---- around it: what is normed is the product, what is rotated is the row times its gain */

HEADS(query_before_its_norm, .breaks = "q", .t = TEN_Q, .index = 1, .token = 4, .at = 6, .by = 1, .made = cheat_add)
HEADS(key_before_its_norm, .breaks = "k", .t = TEN_K, .index = 1, .token = 4, .at = 6, .by = 1, .made = cheat_add)
HEADS(rotated_query, .breaks = "rotate q", .t = TEN_QR, .index = 1, .token = 4, .at = 6, .by = 1, .made = cheat_add)
HEADS(rotated_key, .breaks = "rotate k", .t = TEN_KR, .index = 1, .token = 4, .at = 6, .by = 1, .made = cheat_add)

/* ---- with a fixed first token: its row is free, that of the second is not */

TEST(row_of_the_first_token_is_free)
{
    static const cheat what = {.breaks = "", .t = TEN_XN, .index = 1, .token = 0, .at = 3, .by = 1, .made = cheat_add};
    cheat_accept(stage_first_heads(), &what);
}
TEST(row_of_the_second_token_is_not)
{
    static const cheat what = {
        .breaks = "head norm", .t = TEN_XN, .index = 1, .token = 1, .at = 3, .by = 1, .made = cheat_add};
    cheat_check(stage_first_heads(), &what);
}
