/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against relations that are affine in cells: docs/protocol.md §7.6, and the embedding.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

static const cheat honest = {.breaks = ""};
TEST(nothing_changed)
{
    cheat_accept(stage_main(), &honest);
}

/* ---- embedding */

static void other_token(const cheater *c, int32_t *const *v)
{
    const uint32_t d = cheat_config(c)->d, id = (c->st->prompt[c->what->token] + 1) % cheat_config(c)->vocab;
    for (uint32_t k = 0; k < d; k++) *cheat_cell(c, v, TEN_H0, c->what->token, k) = c->model->embed[(size_t)id * d + k];
}
CHEAT(embedding_of_another_token, .breaks = "embed", .t = TEN_H0, .token = 3, .made = other_token)
CHEAT(embedding_of_no_token, .breaks = "embed", .t = TEN_H0, .token = 3, .at = 5, .by = 1, .made = cheat_add)
CHEAT(embedding_of_the_last_token, .breaks = "embed", .t = TEN_H0, .token = 22, .at = 15, .by = 1, .made = cheat_add)

/* ---- claimed: the maximum is shifted, so that all differences are in range, also that of a token that is not it */

static uint32_t not_the_choice(const cheater *c, uint32_t y)
{
    return (y + 2 + c->what->at) % cheat_config(c)->vocab;
}
static void lift_maximum(const cheater *c, assay_witness *w)
{
    const uint32_t n = cheat_config(c)->vocab, p = w->shape->run.n_checked - 1;
    int64_t least = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t *hi = w->ten[TEN_LHI] + p * n + i, *lo = w->ten[TEN_LLO] + p * n + i;
            int64_t d = cheat_symmetric((int64_t)*hi * (1 << 16) + m31_to_i64(*lo));
            if (pass == 0)
                least = d < least ? d : least;
            else
                *hi = (uint32_t)((d - least) >> 16), *lo = (uint32_t)((d - least) & 0xffff);
        }
    w->ten[TEN_LM][p] = m31_add(w->ten[TEN_LM][p], m31_from_i64(-least));
}
CHEAT(claimed_token_below_the_maximum, .breaks = "claimed", .claim = not_the_choice, .witness = lift_maximum)
CHEAT(claimed_token_far_below_the_maximum, .breaks = "claimed", .claim = not_the_choice, .at = 6,
      .witness = lift_maximum)

/* ---- rebase and rotation */

CHEAT(rebase_off_by_one, .breaks = "rebase", .t = TEN_REB, .index = 0, .token = 4, .at = 7, .by = 1, .made = cheat_add)
CHEAT(second_rebase_off_by_one, .breaks = "rebase", .t = TEN_REB, .index = 1, .token = 4, .at = 7, .by = -1,
      .made = cheat_add)
CHEAT(rebase_remainder, .breaks = "rebase", .t = TEN_REBREM, .index = 0, .token = 5, .at = 7, .by = -1,
      .made = cheat_add)

/* Pair k of a head at a token, rotated by the angle of position `by`; -1: not at all, -2: backwards. */
static void rotate_by(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    const assay_tensor raw = w->t == TEN_QR ? TEN_Q : TEN_K;
    const uint32_t e_n = cheat_config(c)->head_dim, half = e_n / 2;
    const int32_t turn = w->by == -2 ? -1 : 1;
    for (uint32_t k = 0; k < half; k++) {
        const uint32_t at = w->at * e_n + k;
        const size_t angle = (size_t)(w->by < 0 ? (int32_t)w->token : w->by) * half + k;
        int64_t x = *cheat_cell(c, v, raw, w->token, at), y = *cheat_cell(c, v, raw, w->token, at + half);
        int64_t co = w->by == -1 ? 1 << 12 : c->st->tables.cos[angle],
                si = w->by == -1 ? 0 : turn * c->st->tables.sin[angle];
        const assay_site s = cheat_site(c, w->t, w->index);
        const assay_tensor rem = (assay_tensor)(w->t + 1);
        cheat_requant(x * co - y * si, s, cheat_cell(c, v, w->t, w->token, at), cheat_cell(c, v, rem, w->token, at));
        cheat_requant(y * co + x * si, s, cheat_cell(c, v, w->t, w->token, at + half),
                      cheat_cell(c, v, rem, w->token, at + half));
    }
}
CHEAT(q_at_the_next_position, .breaks = "rotate q", .t = TEN_QR, .index = 1, .token = 4, .at = 3, .by = 5,
      .made = rotate_by)
CHEAT(q_not_rotated, .breaks = "rotate q", .t = TEN_QR, .index = 1, .token = 4, .at = 3, .by = -1, .made = rotate_by)
CHEAT(q_rotated_backwards, .breaks = "rotate q", .t = TEN_QR, .index = 2, .token = 4, .at = 0, .by = -2,
      .made = rotate_by)
CHEAT(q_rotation_off_by_one, .breaks = "rotate q", .t = TEN_QR, .index = 1, .token = 4, .at = 6, .by = 1,
      .made = cheat_add)
CHEAT(k_at_the_next_position, .breaks = "rotate k", .t = TEN_KR, .index = 1, .token = 4, .at = 1, .by = 5,
      .made = rotate_by)
CHEAT(k_not_rotated, .breaks = "rotate k", .t = TEN_KR, .index = 1, .token = 4, .at = 1, .by = -1, .made = rotate_by)
CHEAT(k_rotated_backwards, .breaks = "rotate k", .t = TEN_KR, .index = 2, .token = 4, .at = 0, .by = -2,
      .made = rotate_by)
CHEAT(k_rotation_off_by_one, .breaks = "rotate k", .t = TEN_KR, .index = 1, .token = 4, .at = 6, .by = 1,
      .made = cheat_add)
