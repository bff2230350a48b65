/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against look-ups of the norm: docs/protocol.md §7.2, families 1 to 4. In each one family alone (where the
 * relations leave that possible) holds a tuple that is in no row; digits, exponent, scale and rows after the change
 * are those that follow from it.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"

/* 1 << 16 is 2^31 / 2^15: a digit that much larger is worth one unit of the digit below mod p. */
#define DIGITS(id, family, ...)                                                                                        \
    static void id##_made(const cheater *c, int32_t *const *v)                                                         \
    {                                                                                                                  \
        static const cheat_norm_digit ch[] = {__VA_ARGS__};                                                            \
        cheat_norm_change(c, v, ch, sizeof ch / sizeof *ch);                                                           \
    }                                                                                                                  \
    CHEAT(id, .breaks = "lookup", .families = family, .t = TEN_N, .index = 1, .token = 5, .made = id##_made)
enum { DIGIT = 1 << 15, AROUND = 1 << 16 };

CHEAT(square, .breaks = "lookup", .families = "residual and square", .t = TEN_N, .index = 3, .token = 4, .at = 3,
      .made = cheat_norm_square_entry)

/* A residual beyond 16 bits: the integer model has no result, the run in the field goes on. */
static const cheat far_residual = {.breaks = "lookup", .families = "residual and square"};
TEST(residual_beyond_16_bits)
{
    stage st = *stage_main();
    st.prompt[5] = STAGE_TOKEN_FAR;
    cheat_check(&st, &far_residual);
}

/* ---- n */

CHEAT(n_too_small, .breaks = "lookup", .families = "normalised row remainder", .t = TEN_N, .index = 3, .token = 4,
      .at = 3, .made = cheat_norm_carry, .by = -1)
CHEAT(n_too_large, .breaks = "lookup", .families = "normalised row remainder", .t = TEN_N, .index = 4, .token = 4,
      .at = 3, .made = cheat_norm_carry, .by = 1)
CHEAT(n_around_p, .breaks = "lookup", .families = "normalised row", .t = TEN_N, .index = 2, .token = 4,
      .made = cheat_norm_far)
CHEAT(remainder_of_another_exponent, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3,
      .token = 4, .at = 3, .by = -1, .made = cheat_norm_loose_width)

/* ---- digits and carries */

DIGITS(a0, "norm a0", {TEN_NA0, DIGIT}, {TEN_NA1, -1}, {TEN_NC1, 1})
DIGITS(a1_around_p, "norm a1", {TEN_NA1, AROUND}, {TEN_NA0, -1}, {TEN_NS1, -1}, {TEN_NC2, 2})
DIGITS(b0, "norm b0", {TEN_NB0, DIGIT}, {TEN_NB1, -1}, {TEN_NC0, 1})
DIGITS(b1_around_p, "norm b1", {TEN_NB1, AROUND}, {TEN_NB0, -1}, {TEN_NS0, -1}, {TEN_NC1, 2}, {TEN_NS2, 2})
DIGITS(s0, "norm digit 0", {TEN_NS0, -DIGIT}, {TEN_NC0, 1}, {TEN_NS1, 1})
DIGITS(s1, "norm digit 1", {TEN_NS1, -DIGIT}, {TEN_NC1, 1}, {TEN_NS2, 1})
DIGITS(c0_around_p, "norm carry 0", {TEN_NC0, AROUND}, {TEN_NS0, -1}, {TEN_NC1, 2}, {TEN_NS2, 2})
DIGITS(c1_around_p, "norm carry 1", {TEN_NC1, AROUND}, {TEN_NS1, -1}, {TEN_NC2, 2})

/* The two highest need a sum of squares above 2^41. */
#define WIDE_DIGITS(id, family, ...)                                                                                   \
    static void id##_made(const cheater *c, int32_t *const *v)                                                         \
    {                                                                                                                  \
        static const cheat_norm_digit ch[] = {__VA_ARGS__};                                                            \
        for (size_t i = 0; i < sizeof ch / sizeof *ch; i++) v[ch[i].t][c->what->token] += ch[i].by;                    \
    }                                                                                                                  \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {.breaks = "lookup", .families = family, .t = TEN_N, .index = 1, .made = id##_made}; \
        cheat_check(stage_wide(), &what);                                                                              \
    }
WIDE_DIGITS(s2, "norm digit 2", {TEN_NS2, -DIGIT}, {TEN_NC2, 1})
WIDE_DIGITS(c2_around_p, "norm carry 2", {TEN_NC2, AROUND}, {TEN_NS2, -1})

/* ---- flags */

CHEAT(flag_of_minus_one, .breaks = "lookup", .families = "norm digit flag 1", .t = TEN_N, .index = 6,
      .made = cheat_norm_flag_minus_one)
CHEAT(flag_of_one_half, .breaks = "lookup", .families = "norm digit flag 0 | norm flag 2", .t = TEN_N, .index = 6,
      .made = cheat_norm_flag_half)
CHEAT(flags_of_any_size, .breaks = "lookup", .families = "norm digit flag 0 | norm digit flag 1 | norm flag 2",
      .t = TEN_N, .index = 6, .made = cheat_norm_flags_any)
/* Two digits flagged, -1 for the third: the sum of windows, and an exponent 15 too small, so that n leaves its range.
 */
static void two_flags(const cheater *c, int32_t *const *v)
{
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        cheat_norm x = cheat_norm_open(c, v, t);
        const int64_t s0 = *cheat_norm_at(&x, TEN_NS0), s1 = *cheat_norm_at(&x, TEN_NS1), window = s0 + s1 * DIGIT + s1;
        if (*cheat_norm_at(&x, TEN_NS2) || window >= 1 << 26 || window < 1 << 25) continue;
        cheat_norm_window(&x, -1, 14, window);
        *cheat_norm_at(&x, TEN_NF0) = *cheat_norm_at(&x, TEN_NF1) = 1;
        return;
    }
}
CHEAT(two_digits_flagged, .breaks = "lookup", .families = "normalised row | norm flag 2", .t = TEN_N, .index = 6,
      .made = two_flags)

/* ---- exponent, mantissa, scale */

CHEAT(power_of_two, .breaks = "lookup", .families = "norm power of two", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_any_power)
CHEAT(lower_part_of_the_window, .breaks = "lookup", .families = "norm rho", .t = TEN_N, .index = 3, .token = 5,
      .made = cheat_norm_low_mantissa)
CHEAT(mantissa_not_normal, .breaks = "lookup", .families = "reciprocal root", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_not_normal)
CHEAT(reciprocal_root, .breaks = "lookup", .families = "reciprocal root", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_scale_off)
CHEAT(sigma_of_another_exponent, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_sigma_off)
CHEAT(rounded_down, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_half_off)
CHEAT(parity, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6,
      .made = cheat_norm_parity_off)
