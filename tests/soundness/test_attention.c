/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against attention: scores and keys of the exp table (§7.4), row sums (§7.6), mix and division (§7.7), and
 * their look-ups (§7.2, families 6 to 8). In layer 0 heads 0 and 1 have equal scores everywhere, so that Z = 2^12 (i +
 * 1).
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"

/* ---- scores */

/* Query head `at` on the keys of the other group: the distances are those of another head. */
static void other_group(const cheater *c, int32_t *const *v)
{
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, c->what->at, c->what->at / 2 ^ 1, c->what->token, scores);
    cheat_row_from_scores(c, v, c->what->at, c->what->token, scores);
}
/* The keys looked up are those distances, not the ones that the rotated rows have. */
static void other_distances(const cheater *c, assay_witness *w)
{
    const assay_run_shape *r = &w->shape->run;
    const assay_model_config *m = cheat_config(c);
    const uint32_t i = c->what->token, head = c->what->at, l = c->what->index, n = m->head_dim;
    uint32_t *dist = w->dist + witness_causal_index(r, i, 0, l, head);
    for (uint32_t j = 0; j <= i; j++) {
        const uint32_t *q = cheat_word_at(c, w, TEN_QR, l, i, head * n),
                       *k = cheat_word_at(c, w, TEN_KR, l, j, (head / 2 ^ 1) * n);
        dist[j] = *cheat_word_at(c, w, TEN_CMAX, l, i, head);
        for (uint32_t e = 0; e < n; e++) dist[j] = m31_sub(dist[j], m31_mul(q[e], k[e]));
    }
    cheat_recount(w);
}
CHEAT(keys_of_another_group, .breaks = "score", .t = TEN_EX, .index = 1, .token = 9, .at = 3, .made = other_group,
      .counts = other_distances)
CHEAT(keys_of_another_group_first_head, .breaks = "score", .t = TEN_EX, .index = 2, .token = 9, .at = 0,
      .made = other_group, .counts = other_distances)
/* One distance smaller than it is. */
static void nearer(const cheater *c, int32_t *const *v)
{
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, 3, 1, 9, scores);
    scores[4]++;
    cheat_row_from_scores(c, v, 3, 9, scores);
}
static void nearer_distance(const cheater *c, assay_witness *w)
{
    (void)c;
    uint32_t *dist = w->dist + witness_causal_index(&w->shape->run, 9, 4, 1, 3);
    *dist = m31_sub(*dist, 1);
    cheat_recount(w);
}
CHEAT(score_off_by_one, .breaks = "score", .t = TEN_EX, .index = 1, .made = nearer, .counts = nearer_distance)

/* ---- exp table and maximum */

static void entry_off(const cheater *c, int32_t *const *v)
{
    cheat_row(c, v, TEN_EX, c->what->at, c->what->token)[2] += c->what->by;
    cheat_row_redo(c, v, c->what->at, c->what->token);
}
CHEAT(exp_entry, .breaks = "lookup", .families = "score", .t = TEN_EX, .index = 1, .token = 6, .at = 2, .by = 1,
      .made = entry_off)
CHEAT(exp_entry_of_the_maximum, .breaks = "lookup", .families = "score", .t = TEN_EX, .index = 0, .token = 19, .at = 0,
      .by = -1, .made = entry_off)
static void flag_moved(const cheater *c, int32_t *const *v)
{
    int32_t *flag = cheat_row(c, v, TEN_ZF, 2, 6);
    uint32_t j = 0;
    while (!flag[j]) j++;
    flag[j] = 0;
    flag[j ? 0 : 1] = 1;
}
CHEAT(flag_off_the_maximum, .breaks = "lookup", .families = "score | distance remainder", .t = TEN_EX, .index = 1,
      .made = flag_moved)
static void flag_twice(const cheater *c, int32_t *const *v)
{
    int32_t *flag = cheat_row(c, v, TEN_ZF, c->what->at, 6);
    flag[flag[0] ? 1 : 0] = 1;
}
CHEAT(second_flag_off_the_maximum, .breaks = "lookup | Z max", .families = "score | distance remainder", .t = TEN_EX,
      .index = 1, .at = 2, .made = flag_twice)
CHEAT(two_flags_in_a_tie, .breaks = "Z max", .t = TEN_EX, .index = 0, .at = 0, .made = flag_twice)
/* Which of the cells of a tie carries the flag is the prover's choice, and changes no value. */
static void flag_within_a_tie(const cheater *c, int32_t *const *v)
{
    int32_t *flag = cheat_row(c, v, TEN_ZF, 0, 6);
    flag[0] = 0;
    flag[4] = 1;
}
TEST(flag_on_another_cell_of_a_tie)
{
    static const cheat what = {.breaks = "", .t = TEN_EX, .index = 0, .made = flag_within_a_tie};
    cheat_accept(stage_main(), &what);
}
static void no_flag(const cheater *c, int32_t *const *v)
{
    int32_t *flag = cheat_row(c, v, TEN_ZF, 2, 6);
    for (uint32_t j = 0; j <= 6; j++) flag[j] = 0;
}
CHEAT(no_flag_at_all, .breaks = "Z max", .t = TEN_EX, .index = 1, .made = no_flag)
/* All distances larger: the largest weight is smaller than 2^b, a tuple of the table; but nothing is at distance 0. */
static void shifted(const cheater *c, int32_t *const *v)
{
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, 2, 1, 6, scores);
    int32_t *top = cheat_cell(c, v, TEN_CMAX, 6, 2);
    *top += c->what->by;
    for (uint32_t j = 0; j <= 6; j++) cheat_distance(c, v, 2, 6, j, *top - scores[j]);
    no_flag(c, v);
    cheat_row_redo(c, v, 2, 6);
}
CHEAT(maximum_too_large, .breaks = "Z max", .t = TEN_EX, .index = 1, .by = 200, .made = shifted)
/* The second largest score as the maximum: the largest one's distance is negative. */
static void second_largest(const cheater *c, int32_t *const *v)
{
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, 2, 1, 6, scores);
    uint32_t first = 0;
    for (uint32_t j = 0; j <= 6; j++) first = scores[j] > scores[first] ? j : first;
    const int64_t largest = scores[first];
    scores[first] = INT32_MIN;
    uint32_t second = 0;
    for (uint32_t j = 0; j <= 6; j++) second = scores[j] > scores[second] ? j : second;
    scores[first] = largest < scores[second] + 1 ? largest : scores[second];
    cheat_row_from_scores(c, v, 2, 6, scores);
}
CHEAT(maximum_too_small, .breaks = "lookup", .families = "score", .t = TEN_EX, .index = 1, .made = second_largest)

/* ---- remainders of distances */

/* A weight of the next row of the table, its remainder longer by a step of the table. */
static void longer_remainder(const cheater *c, int32_t *const *v)
{
    const int32_t step = 1 << model_dist_rem_bits(cheat_config(c));
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, 2, 1, 6, scores);
    const int64_t top = *cheat_cell(c, v, TEN_CMAX, 6, 2);
    uint32_t j = 0;
    while (j < 6 && (top - scores[j] < step || cheat_row(c, v, TEN_EX, 2, 6)[j] == 0)) j++;
    cheat_distance(c, v, 2, 6, j, top - scores[j] - step);
    cheat_row(c, v, TEN_DREM, 2, 6)[j] += step;
    cheat_row_redo(c, v, 2, 6);
}
CHEAT(remainder_too_long, .breaks = "lookup", .families = "distance remainder", .t = TEN_EX, .index = 1,
      .made = longer_remainder)
/* A maximum that is too large by less than a step: the flagged cell would need a remainder. */
static void raised(const cheater *c, int32_t *const *v)
{
    int64_t scores[STAGE_TOKENS];
    cheat_scores(c, v, 2, 1, 6, scores);
    const int64_t top = *cheat_cell(c, v, TEN_CMAX, 6, 2) += c->what->by;
    for (uint32_t j = 0; j <= 6; j++) cheat_distance(c, v, 2, 6, j, top - scores[j]);
    cheat_row_redo(c, v, 2, 6);
}
CHEAT(maximum_raised_within_a_step, .breaks = "lookup", .families = "distance remainder", .t = TEN_EX, .index = 1,
      .by = 3, .made = raised)
/* Keys are multiples of a step. */
static void remainder_off(const cheater *c, int32_t *const *v)
{
    const int32_t *flag = cheat_row(c, v, TEN_ZF, 2, 6);
    int32_t *rem = cheat_row(c, v, TEN_DREM, 2, 6);
    uint32_t j = 0;
    while (flag[j] || rem[j] == 0) j++;
    rem[j]--;
}
CHEAT(key_between_rows, .breaks = "lookup", .families = "score", .t = TEN_EX, .index = 1, .made = remainder_off)

/* ---- Z */

static void sum_off(const cheater *c, int32_t *const *v)
{
    int64_t full = c->what->by;
    for (uint32_t j = 0; j <= c->what->token; j++) full += cheat_row(c, v, TEN_EX, c->what->at, c->what->token)[j];
    cheat_divisor(c, v, c->what->at, c->what->token, full, cheat_natural_delta(full));
    cheat_divide(c, v, c->what->at, c->what->token);
}
CHEAT(sum_of_weights, .breaks = "Z sum", .t = TEN_EX, .index = 1, .token = 6, .at = 2, .by = 1, .made = sum_off)
CHEAT(sum_of_weights_low_bits, .breaks = "Z sum", .t = TEN_EX, .index = 0, .token = 18, .at = 1, .by = 1,
      .made = sum_off)
static void half_off(const cheater *c, int32_t *const *v)
{
    *cheat_cell(c, v, c->what->t, c->what->token, c->what->at) += c->what->by;
    cheat_divide(c, v, c->what->at, c->what->token);
}
CHEAT(half_of_the_sum, .breaks = "Z half", .t = TEN_ZH0, .index = 1, .token = 6, .at = 2, .by = 1, .made = half_off)
CHEAT(half_of_the_sum_high, .breaks = "Z half", .t = TEN_ZH1, .index = 1, .token = 6, .at = 2, .by = 1,
      .made = half_off)

/* Other numbers of cleared bits: Z' is not 16 bits long. Row 18 of heads 0 and 1 has delta 1, row 9 has 0 and Z' above
 * 2^15. */
static void delta_off(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    int64_t full = 0;
    for (uint32_t j = 0; j <= w->token; j++) full += cheat_row(c, v, TEN_EX, w->at, w->token)[j];
    cheat_divisor(c, v, w->at, w->token, full, cheat_natural_delta(full) + w->by);
    cheat_divide(c, v, w->at, w->token);
}
#define MANTISSA .breaks = "lookup", .families = "Z mantissa", .t = TEN_EX, .index = 0, .made = delta_off
CHEAT(divisor_cut_once_too_often, MANTISSA, .token = 18, .at = 0, .by = 1)
CHEAT(divisor_cut_without_need, MANTISSA, .token = 9, .at = 0, .by = 1)
/* Z' of 17 bits: remainders may pass 16 bits, so that the row is one whose remainders are small (half of Z at most). */
CHEAT(divisor_not_cut, .breaks = "lookup", .families = "Z mantissa", .t = TEN_EX, .index = 0, .token = 16, .at = 0,
      .by = -1, .made = delta_off)
static void delta_unflagged(const cheater *c, int32_t *const *v)
{
    delta_off(c, v);
    *cheat_cell(c, v, TEN_ZFZ, c->what->token, c->what->at) = 0; /* a full range for Z' */
}
CHEAT(divisor_cut_and_not_said, .breaks = "lookup", .families = "Z exponent", .t = TEN_EX, .index = 0, .token = 18,
      .at = 0, .by = 1, .made = delta_unflagged)
static void low_bits(const cheater *c, int32_t *const *v)
{
    const uint32_t i = c->what->token, head = c->what->at;
    const int64_t z2 = *cheat_cell(c, v, TEN_Z2, i, head), low = *cheat_cell(c, v, TEN_ZDD, i, head);
    const int32_t delta = *cheat_cell(c, v, TEN_ZDEL, i, head), left = *cheat_cell(c, v, TEN_ZLOW, i, head);
    cheat_divisor(c, v, head, i, z2 - low, delta);
    *cheat_cell(c, v, TEN_ZLOW, i, head) = left + (int32_t)low;
    cheat_divide(c, v, head, i);
}
CHEAT(divisor_without_its_low_bits, .breaks = "lookup", .families = "divisor low bits", .t = TEN_EX, .index = 0,
      .token = 18, .at = 1, .made = low_bits)
static void parts_of_half(const cheater *c, int32_t *const *v)
{
    const uint32_t i = c->what->token, head = c->what->at;
    int32_t *zh0 = cheat_cell(c, v, TEN_ZH0, i, head), *zh1 = cheat_cell(c, v, TEN_ZH1, i, head),
            *zb = cheat_cell(c, v, TEN_ZB, i, head);
    if (c->what->by == 0) *zh0 -= 1 << 16, ++*zh1;
    if (c->what->by == 1) *zh1 += 1 << 15, --*zh0; /* 2^17 2^15 = 2 mod p */
    if (c->what->by == 2) *zb += 2, --*zh0;
    cheat_divide(c, v, head, i);
}
#define HALF(id, family, way)                                                                                          \
    CHEAT(id, .breaks = "lookup", .families = family, .t = TEN_EX, .index = 1, .token = 6, .at = 2, .by = way,         \
          .made = parts_of_half)
HALF(half_low, "divisor half, low", 0)
HALF(half_high_around_p, "divisor half, high", 1)
HALF(half_parity, "divisor parity", 2)

/* ---- mix and division */

/* The numerators of another group's values. */
static void other_values(const cheater *c, int32_t *const *v)
{
    const uint32_t head = c->what->at, i = c->what->token, n = cheat_config(c)->head_dim, group = head / 2 * n;
    static const assay_tensor limbs[] = {TEN_V1, TEN_V0};
    int32_t own[2][STAGE_TOKENS * 4];
    for (int x = 0; x < 2; x++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t e = 0; e < n; e++) {
                int32_t *cell = cheat_cell(c, v, limbs[x], j, group + e);
                own[x][j * 4 + e] = *cell;
                *cell = *cheat_cell(c, v, limbs[x], j, (group ^ n) + e);
            }
    cheat_divide(c, v, head, i);
    for (int x = 0; x < 2; x++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t e = 0; e < n; e++) *cheat_cell(c, v, limbs[x], j, group + e) = own[x][j * 4 + e];
}
CHEAT(values_of_another_group, .breaks = "rows", .t = TEN_EX, .index = 1, .token = 9, .at = 3, .made = other_values)
CHEAT(quotient, .breaks = "rows", .t = TEN_O1, .index = 1, .token = 9, .at = 13, .by = 1, .made = cheat_add)
CHEAT(quotient_low, .breaks = "rows", .t = TEN_O0, .index = 1, .token = 8, .at = 13, .by = 1, .made = cheat_add)
CHEAT(quotient_last_row, .breaks = "rows", .t = TEN_O1, .index = 2, .token = 22, .at = 0, .by = -1, .made = cheat_add)
/* Z2 is no longer Z' 2^delta: the second half of the relation. */
CHEAT(mantissa_of_z, .breaks = "rows", .t = TEN_ZP, .index = 1, .token = 9, .at = 3, .by = 1, .made = cheat_add)

/* (o -+ 1) Z: the remainder leaves [0, Z). Row 3 of a head with four equal weights: Z = 2^14, so that 16 bits hold 2 Z.
 */
static void quotient_and_remainder(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, TEN_O0, w->token, w->at) += w->by;
    *cheat_cell(c, v, TEN_OREM, w->token, w->at) -= w->by * *cheat_cell(c, v, TEN_ZP, w->token, w->at / 4);
}
CHEAT(remainder_not_below_z, .breaks = "lookup", .families = "division remainder below Z", .t = TEN_O1, .index = 0,
      .token = 3, .at = 5, .by = -1, .made = quotient_and_remainder)
CHEAT(remainder_negative, .breaks = "lookup", .families = "mixed value remainder", .t = TEN_O1, .index = 0, .token = 3,
      .at = 5, .by = 1, .made = quotient_and_remainder)
static void low_remainder(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    int32_t *rem = cheat_cell(c, v, TEN_OREM, w->token, w->at);
    CHECK(*rem > 0);
    --*rem;
    *cheat_cell(c, v, TEN_ORHO, w->token, w->at) += *cheat_cell(c, v, TEN_ZDD, w->token, w->at / 4);
}
CHEAT(low_remainder_uncut, .breaks = "lookup", .families = "mixed value low remainder", .t = TEN_O1, .index = 1,
      .token = 5, .at = 9, .made = low_remainder)
CHEAT(low_remainder_cut, .breaks = "lookup", .families = "mixed value low remainder", .t = TEN_O1, .index = 0,
      .token = 18, .at = 5, .made = low_remainder)
/* Row 0: Z = 2^12, so 2^19 Z = 1 mod p. Dimension 0 of head 0 meets zero weights. */
static void quotient_far(const cheater *c, int32_t *const *v)
{
    int32_t *rem = cheat_cell(c, v, TEN_OREM, 0, 0);
    CHECK(*rem > 0);
    --*rem;
    *cheat_cell(c, v, TEN_O0, 0, 0) += 1 << 19;
}
CHEAT(quotient_low_around_p, .breaks = "lookup", .families = "mixed value, low limb", .t = TEN_O0, .index = 0,
      .made = quotient_far)

/* ---- the limbs' carry: 2^7 C = O0 Z2 + rem - half - 2^guard num0, C = 2^guard num1 - O1 Z2 */

static int64_t carry_of(const cheater *c, int32_t *const *v, uint32_t i, uint32_t at)
{
    return *cheat_cell(c, v, TEN_OC1, i, at) * (int64_t)65536 + *cheat_cell(c, v, TEN_OC0, i, at);
}
/* O1 2^19 larger, so C one and the remainder 2^7 smaller. */
static void high_quotient_far(const cheater *c, int32_t *const *v)
{
    int32_t *rem = cheat_cell(c, v, TEN_OREM, 0, 0);
    CHECK(*rem >= 128);
    *rem -= 128;
    cheat_carry_set(c, v, 0, 0, carry_of(c, v, 0, 0) - 1);
    *cheat_cell(c, v, TEN_O1, 0, 0) += 1 << 19;
}
CHEAT(quotient_around_p, .breaks = "lookup", .families = "mixed value", .t = TEN_O1, .index = 0,
      .made = high_quotient_far)
/* The same quotient, its low limb not below 2^7: the carry takes the difference. */
static void low_limb_uncut(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, TEN_O0, w->token, w->at) += 128 * w->by;
    *cheat_cell(c, v, TEN_O1, w->token, w->at) -= w->by;
    cheat_carry_set(c, v, w->token, w->at,
                    carry_of(c, v, w->token, w->at) + w->by * (int64_t)*cheat_cell(c, v, TEN_Z2, w->token, w->at / 4));
}
CHEAT(mixed_low_limb_too_large, .breaks = "lookup", .families = "mixed value, low limb", .t = TEN_O1, .index = 1,
      .token = 9, .at = 13, .by = 1, .made = low_limb_uncut)
CHEAT(mixed_low_limb_negative, .breaks = "lookup", .families = "mixed value, low limb", .t = TEN_O1, .index = 1,
      .token = 9, .at = 13, .by = -1, .made = low_limb_uncut)
/* The same values, so the division has other sums for the same quotient. */
static void value_limb_uncut(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, TEN_V0, w->token, w->at) += 128 * w->by;
    *cheat_cell(c, v, TEN_V1, w->token, w->at) -= w->by;
}
CHEAT(v_low_limb_too_large, .breaks = "lookup", .families = "v, low limb", .t = TEN_V0, .index = 1, .token = 2, .at = 3,
      .by = 1, .made = value_limb_uncut)
CHEAT(v_low_limb_negative, .breaks = "lookup", .families = "v, low limb", .t = TEN_V0, .index = 1, .token = 2, .at = 3,
      .by = -1, .made = value_limb_uncut)
/* One identity alone: the low limbs' fails, or holds by the remainder while the high limbs' fails. */
CHEAT(carry_off_by_one, .breaks = "rows", .t = TEN_OC0, .index = 1, .token = 9, .at = 13, .by = 1, .made = cheat_add)
static void low_identity_holds(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    int32_t *rem = cheat_cell(c, v, TEN_OREM, w->token, w->at);
    const int32_t by = *rem >= 128 ? -1 : 1;
    CHECK(*cheat_cell(c, v, TEN_ZDEL, w->token, w->at / 4) == 0);
    *rem += 128 * by;
    cheat_carry_set(c, v, w->token, w->at, carry_of(c, v, w->token, w->at) + by);
}
CHEAT(high_limbs_of_another_sum, .breaks = "rows", .t = TEN_O1, .index = 0, .token = 3, .at = 5,
      .made = low_identity_holds)
/* Digits of the carry: a low one of 17 bits; a high one that is 2^15 larger, which is 2^31 = 1 more. */
static void carry_digits(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    int32_t *high = cheat_cell(c, v, TEN_OC1, w->token, w->at), *low = cheat_cell(c, v, TEN_OC0, w->token, w->at);
    CHECK(*high > 0 && *low > 0);
    *high += w->by;
    *low += w->by < 0 ? 1 << 16 : -1;
}
CHEAT(carry_low_uncut, .breaks = "lookup", .families = "mixed value carry, low", .t = TEN_OC0, .index = 1, .token = 9,
      .at = 13, .by = -1, .made = carry_digits)
CHEAT(carry_high_around_p, .breaks = "lookup", .families = "mixed value carry, high", .t = TEN_OC1, .index = 1,
      .token = 9, .at = 13, .by = 1 << 15, .made = carry_digits)
