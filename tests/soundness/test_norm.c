/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against the norm: digits and carries of the sum of squares (§7.6), and the products "norm" and "square"
 * (§7.7).
 *
 * ctest: labels soundness
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"

/* A cheat that changes digits at site 3, token 4. */
#define DIGITS(id, broken, ...)                                                                                        \
    static void id##_made(const cheater *c, int32_t *const *v)                                                         \
    {                                                                                                                  \
        static const cheat_norm_digit ch[] = {__VA_ARGS__};                                                            \
        cheat_norm_change(c, v, ch, sizeof ch / sizeof *ch);                                                           \
    }                                                                                                                  \
    CHEAT(id, .breaks = broken, .t = TEN_N, .index = 3, .token = 4, .made = id##_made)

DIGITS(sum_of_high_squares, "norm A", {TEN_NA0, 1}, {TEN_NB1, -1})
DIGITS(sum_of_squares, "square", {TEN_NB0, 1}, {TEN_NS0, 1})
DIGITS(digit_0, "norm s0", {TEN_NS0, 1})
DIGITS(digit_1, "norm s1", {TEN_NS1, 1})
DIGITS(digit_2, "norm s2", {TEN_NS2, 1})
DIGITS(carry_0_made_up, "norm s0", {TEN_NC0, 1}, {TEN_NS1, 1})
DIGITS(carry_1_made_up, "norm s1", {TEN_NC1, 1}, {TEN_NS2, 1})
DIGITS(carry_2_made_up, "norm s2", {TEN_NC2, 1})

/* S without its eps term. */
static void no_eps(const cheater *c, int32_t *const *v)
{
    const int32_t eps = (int32_t)cheat_config(c)->eps_term[c->what->index];
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        if (v[TEN_NS0][t] < eps || eps >= 1 << 15) continue;
        cheat_norm x = cheat_norm_open(c, v, t);
        *cheat_norm_at(&x, TEN_NS0) -= eps;
        cheat_norm_redo(&x);
        return;
    }
}
CHEAT(eps_left_out, .breaks = "norm s0", .t = TEN_N, .index = 3, .made = no_eps)

/* ---- "norm": n, the window, the flags */

CHEAT(n_off_by_one, .breaks = "norm", .t = TEN_N, .index = 3, .token = 4, .at = 6, .by = 1, .made = cheat_add)
CHEAT(n_remainder, .breaks = "norm", .t = TEN_NREM, .index = 3, .token = 4, .at = 6, .by = 1, .made = cheat_add)
CHEAT(n_with_another_scale, .breaks = "norm", .t = TEN_N, .index = 3, .token = 4, .made = cheat_norm_other_scale)
CHEAT(final_n_off_by_one, .breaks = "norm", .t = TEN_N, .index = 6, .token = 21, .at = 6, .by = -1, .made = cheat_add)
CHEAT(mantissa_below_the_window, .breaks = "norm", .t = TEN_N, .index = 3, .token = 5, .made = cheat_norm_window_off)
CHEAT(another_mantissa, .breaks = "norm", .t = TEN_N, .index = 3, .token = 4, .made = cheat_norm_other_mantissa)

/* The lowest digits are taken for the number: S with its highest digit cut off. */
static void low_window(const cheater *c, int32_t *const *v)
{
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        cheat_norm x = cheat_norm_open(c, v, t);
        const int64_t window = *cheat_norm_at(&x, TEN_NS0) + *cheat_norm_at(&x, TEN_NS1) * ((int64_t)1 << 15);
        if (*cheat_norm_at(&x, TEN_NS2) == 0 || window < 1 << 11 || window >= 1 << 26) continue;
        int r = 0;
        while (window >> r >= 1 << 12) r++;
        cheat_norm_window(&x, 0, r, window);
        return;
    }
    CHECK(!"a token whose second digit is small");
}
CHEAT(flag_of_a_lower_digit, .breaks = "norm", .t = TEN_N, .index = 0, .made = low_window)
