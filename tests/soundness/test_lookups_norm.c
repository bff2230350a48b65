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

typedef struct change {
    assay_tensor t;
    int32_t by;
} change;

/* Adds to digits of one token and goes on from S. 1 << 16 is 2^31 / 2^15: a digit that much larger is worth one unit of
 * the digit below mod p. */
static void change_digits(const cheater *c, int32_t *const *v, const change *ch, size_t n)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    for (size_t i = 0; i < n; i++) *cheat_norm_at(&x, ch[i].t) += ch[i].by;
    cheat_norm_redo(&x);
}
#define DIGITS(id, family, ...)                                                                                        \
    static void id##_made(const cheater *c, int32_t *const *v)                                                         \
    {                                                                                                                  \
        static const change ch[] = {__VA_ARGS__};                                                                      \
        change_digits(c, v, ch, sizeof ch / sizeof *ch);                                                               \
    }                                                                                                                  \
    CHEAT(id, .breaks = "lookup", .families = family, .t = TEN_N, .index = 1, .token = 5, .made = id##_made)
enum { DIGIT = 1 << 15, AROUND = 1 << 16 };

/* The square's entry one larger: A = sum of entries grows, B shrinks by 2^15, S is the same. */
static void square_entry(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_cell(c, v, TEN_SQ, c->what->token, c->what->at);
    ++*cheat_norm_at(&x, TEN_NA0);
    --*cheat_norm_at(&x, TEN_NB1);
}
CHEAT(square, .breaks = "lookup", .families = "residual and square", .t = TEN_N, .index = 3, .token = 4, .at = 3,
      .made = square_entry)

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
/* Channel 0 at site 2 meets zero weights. */
static void n_far(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    int32_t *rem = cheat_cell(c, v, TEN_NREM, c->what->token, 0);
    CHECK(*rem > 0);
    --*rem;
    *cheat_cell(c, v, TEN_N, c->what->token, 0) += (int32_t)1 << (31 - *cheat_norm_at(&x, TEN_NSIG));
}
CHEAT(n_around_p, .breaks = "lookup", .families = "normalised row", .t = TEN_N, .index = 2, .token = 4, .made = n_far)
/* A remainder as for the next exponent: the range's width is the exponent that the table of exponents ties. */
static void loose_width(const cheater *c, int32_t *const *v)
{
    ++*cheat_cell(c, v, TEN_NSIG, c->what->token, 0);
    cheat_norm_carry(c, v);
}
CHEAT(remainder_of_another_exponent, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3,
      .token = 4, .at = 3, .by = -1, .made = loose_width)

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
        static const change ch[] = {__VA_ARGS__};                                                                      \
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

static int32_t word(uint32_t x) /* of F, as a value of a run */
{
    return (int32_t)m31_to_i64(x);
}

/* Digit flags (-1, 1) for (1, 0), and so 1 for the third: the window is X0 - X1 and the exponent 15 + r. */
static void flag_minus_one(const cheater *c, int32_t *const *v)
{
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        cheat_norm x = cheat_norm_open(c, v, t);
        const int64_t s0 = *cheat_norm_at(&x, TEN_NS0), s1 = *cheat_norm_at(&x, TEN_NS1), window = s0 + s1 * DIGIT - s1;
        if (*cheat_norm_at(&x, TEN_NS2) || window < 1 << 11 || window >= 1 << 26) continue;
        int r = 0;
        while (window >> r >= 1 << 12) r++;
        cheat_norm_window(&x, 1, r, window);
        *cheat_norm_at(&x, TEN_NF0) = 1;
        *cheat_norm_at(&x, TEN_NF1) = -1;
        return;
    }
}
CHEAT(flag_of_minus_one, .breaks = "lookup", .families = "norm digit flag 1", .t = TEN_N, .index = 6,
      .made = flag_minus_one)
/* Flags 1/2 and 0, so 1/2 for the third: half the window at 15 more bits. */
static void flag_half(const cheater *c, int32_t *const *v)
{
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        cheat_norm x = cheat_norm_open(c, v, t);
        const int64_t window = *cheat_norm_at(&x, TEN_NS0) + *cheat_norm_at(&x, TEN_NS1) * (int64_t)DIGIT;
        if (*cheat_norm_at(&x, TEN_NS2) || window % 2 || window / 2 < 1 << 11 || window / 2 >= 1 << 26) continue;
        int r = 0;
        while (window / 2 >> r >= 1 << 12) r++;
        cheat_norm_window(&x, 1, r, window / 2);
        *cheat_norm_at(&x, TEN_NF0) = 1 << 30; /* (p + 1) / 2 */
        *cheat_norm_at(&x, TEN_NF1) = 0;
        return;
    }
}
CHEAT(flag_of_one_half, .breaks = "lookup", .families = "norm digit flag 0 | norm flag 2", .t = TEN_N, .index = 6,
      .made = flag_half)
/* Flags that are no bits but sum to one: any window and any exponent for one S. F0 X0 + F1 X1 = window and, for 15 + r,
 * F1 = 1 - 2 F0. */
static void flags_any(const cheater *c, int32_t *const *v)
{
    for (uint32_t t = 0; t < c->n_tokens; t++) {
        cheat_norm x = cheat_norm_open(c, v, t);
        if (*cheat_norm_at(&x, TEN_NS2)) continue;
        const uint32_t s0 = (uint32_t)*cheat_norm_at(&x, TEN_NS0), s1 = (uint32_t)*cheat_norm_at(&x, TEN_NS1);
        const uint32_t x0 = m31_add(s0, m31_mul(s1, DIGIT)), window = 3000u << 10;
        const uint32_t f0 = m31_mul(m31_sub(window, s1), m31_inv(m31_sub(x0, m31_add(s1, s1))));
        cheat_norm_window(&x, 1, 10, window);
        *cheat_norm_at(&x, TEN_NF0) = word(f0);
        *cheat_norm_at(&x, TEN_NF1) = word(m31_sub(1, m31_add(f0, f0)));
        return;
    }
}
CHEAT(flags_of_any_size, .breaks = "lookup", .families = "norm digit flag 0 | norm digit flag 1 | norm flag 2",
      .t = TEN_N, .index = 6, .made = flags_any)
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

static int exponent_of(const cheat_norm *x)
{
    return 15 * (*cheat_norm_at(x, TEN_NF1) ? 1 : *cheat_norm_at(x, TEN_NF0) ? 0 : 2) + *cheat_norm_at(x, TEN_NR);
}
/* Any mantissa, by a "power of two" that takes it to the window. */
static void any_power(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const uint32_t m = (uint32_t)*cheat_norm_at(&x, TEN_NM), power = (uint32_t)*cheat_norm_at(&x, TEN_NDR),
                   other = m ^ 1024;
    *cheat_norm_at(&x, TEN_NDR) = word(m31_mul(m31_mul(m, power), m31_inv(other)));
    *cheat_norm_at(&x, TEN_NM) = (int32_t)other;
    cheat_norm_scale(&x, exponent_of(&x));
}
CHEAT(power_of_two, .breaks = "lookup", .families = "norm power of two", .t = TEN_N, .index = 3, .token = 6,
      .made = any_power)
static void mantissa_too_small(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    --*cheat_norm_at(&x, TEN_NM);
    *cheat_norm_at(&x, TEN_NRHO) += *cheat_norm_at(&x, TEN_NDR);
    cheat_norm_scale(&x, exponent_of(&x));
}
CHEAT(lower_part_of_the_window, .breaks = "lookup", .families = "norm rho", .t = TEN_N, .index = 3, .token = 5,
      .made = mantissa_too_small)
/* Half the mantissa at one bit more: not in normal form, so in no row, whatever scale is claimed. */
static void not_normal(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const int e = exponent_of(&x) + 1;
    int32_t *m = cheat_norm_at(&x, TEN_NM);
    *cheat_norm_at(&x, TEN_NRHO) += (*m & 1) * *cheat_norm_at(&x, TEN_NDR);
    *cheat_norm_at(&x, TEN_NDR) *= 2;
    ++*cheat_norm_at(&x, TEN_NR);
    const int32_t half = *m / 2;
    *m = 2048; /* an entry to go on with */
    cheat_norm_scale(&x, e);
    *m = half;
}
CHEAT(mantissa_not_normal, .breaks = "lookup", .families = "reciprocal root", .t = TEN_N, .index = 3, .token = 6,
      .made = not_normal)
static void scale_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_at(&x, TEN_NRT);
    cheat_norm_rows(&x);
}
CHEAT(reciprocal_root, .breaks = "lookup", .families = "reciprocal root", .t = TEN_N, .index = 3, .token = 6,
      .made = scale_off)
/* Everything as for twice the scale: sigma one larger than the exponent says. */
static void sigma_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_at(&x, TEN_NSIG);
    *cheat_norm_at(&x, TEN_NDS) *= 2;
    *cheat_norm_at(&x, TEN_NHF) *= 2;
    cheat_norm_rows(&x);
}
CHEAT(sigma_of_another_exponent, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6,
      .made = sigma_off)
static void half_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    *cheat_norm_at(&x, TEN_NHF) = 0; /* rounding down */
    cheat_norm_rows(&x);
}
CHEAT(rounded_down, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6,
      .made = half_off)
/* The other parity: a scale off by the root of two, honest for that entry. */
static void parity_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const int32_t rows = 2048;
    int32_t *par = cheat_norm_at(&x, TEN_NPAR);
    *par ^= 1;
    *cheat_norm_at(&x, TEN_NRT) =
        c->st->tables.rsqrt[(*cheat_norm_at(&x, TEN_NOVER) * 2 + *par) * rows + *cheat_norm_at(&x, TEN_NM) - rows];
    cheat_norm_rows(&x);
}
CHEAT(parity, .breaks = "lookup", .families = "norm exponent", .t = TEN_N, .index = 3, .token = 6, .made = parity_off)
