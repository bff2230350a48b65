/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one row, from any point of its relations on. */
#include "support/cheats.h"

int32_t cheat_natural_delta(int64_t full)
{
    int32_t delta = 0;
    while (full >> delta >= 1 << 16) delta++;
    return delta;
}

void cheat_divisor(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, int64_t full, int32_t delta)
{
    const int64_t mantissa = full >> delta, z2 = mantissa << delta, half = z2 / 2;
    const int32_t value[] = {(int32_t)mantissa,
                             delta,
                             1 << delta,
                             delta >= 1,
                             (int32_t)(full - z2),
                             (int32_t)z2,
                             (int32_t)(half & 0xffff),
                             (int32_t)(half >> 16),
                             (int32_t)(z2 & 1)};
    for (int k = 0; k < 9; k++) *cheat_cell(c, v, (assay_tensor)(TEN_ZP + k), i, head) = value[k];
}

void cheat_divide(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i)
{
    const assay_model_config *m = cheat_config(c);
    const uint32_t e_n = m->head_dim, kv = head / (m->n_heads / m->n_kv);
    const int32_t *ex = cheat_row(c, v, TEN_EX, head, i);
    const int64_t z2 = *cheat_cell(c, v, TEN_Z2, i, head), low = *cheat_cell(c, v, TEN_ZDD, i, head);
    const int64_t half =
        cheat_symmetric(*cheat_cell(c, v, TEN_ZH1, i, head) * ((int64_t)1 << 16) + *cheat_cell(c, v, TEN_ZH0, i, head));
    const int64_t guard = 1 << m->o_guard, limb = 1 << ASSAY_LIMB_BITS;
    for (uint32_t e = 0; e < e_n; e++) {
        const uint32_t at = head * e_n + e;
        int64_t num1 = 0, num0 = 0;
        for (uint32_t j = 0; j <= i; j++) {
            num1 = cheat_symmetric(num1 + ex[j] * (int64_t)*cheat_cell(c, v, TEN_V1, j, kv * e_n + e));
            num0 = cheat_symmetric(num0 + ex[j] * (int64_t)*cheat_cell(c, v, TEN_V0, j, kv * e_n + e));
        }
        const int64_t sum = (num1 * limb + num0) * guard + half, rem = (sum % z2 + z2) % z2, o = (sum - rem) / z2;
        *cheat_cell(c, v, TEN_O0, i, at) = (int32_t)(o & (limb - 1));
        *cheat_cell(c, v, TEN_O1, i, at) = (int32_t)((o - (o & (limb - 1))) / limb);
        *cheat_cell(c, v, TEN_OREM, i, at) = (int32_t)(rem / low);
        *cheat_cell(c, v, TEN_ORHO, i, at) = (int32_t)(rem % low);
        cheat_carry_set(c, v, i, at,
                        guard * num1 - *cheat_cell(c, v, TEN_O1, i, at) * z2 +
                            ((int64_t)1 << (m->z_bits + m->o_guard)));
    }
}

void cheat_carry_set(const cheater *c, int32_t *const *v, uint32_t i, uint32_t at, int64_t carry)
{
    *cheat_cell(c, v, TEN_OC1, i, at) = (int32_t)(carry >> 16);
    *cheat_cell(c, v, TEN_OC0, i, at) = (int32_t)(carry & 0xffff);
}

void cheat_row_redo(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i)
{
    int64_t full = 0;
    for (uint32_t j = 0; j <= i; j++) full += cheat_row(c, v, TEN_EX, head, i)[j];
    cheat_divisor(c, v, head, i, full, cheat_natural_delta(full));
    cheat_divide(c, v, head, i);
}

void cheat_scores(const cheater *c, int32_t *const *v, uint32_t head, uint32_t kv, uint32_t i, int64_t *scores)
{
    const uint32_t e_n = cheat_config(c)->head_dim;
    for (uint32_t j = 0; j <= i; j++) {
        scores[j] = 0;
        for (uint32_t e = 0; e < e_n; e++)
            scores[j] +=
                (int64_t)*cheat_cell(c, v, TEN_QR, i, head * e_n + e) * *cheat_cell(c, v, TEN_KR, j, kv * e_n + e);
    }
}

void cheat_distance(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, uint32_t j, int64_t distance)
{
    const assay_model_config *m = cheat_config(c);
    const int32_t r = model_dist_rem_bits(m);
    cheat_row(c, v, TEN_EX, head, i)[j] =
        (int32_t)assay_exp_at(&c->st->tables, assay_row_bits(m, i), (uint32_t)(distance >> r));
    if (r) cheat_row(c, v, TEN_DREM, head, i)[j] = (int32_t)(distance & (((int64_t)1 << r) - 1));
}

void cheat_row_from_scores(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, const int64_t *scores)
{
    uint32_t first = 0;
    for (uint32_t j = 0; j <= i; j++) first = scores[j] > scores[first] ? j : first;
    for (uint32_t j = 0; j <= i; j++) {
        cheat_distance(c, v, head, i, j, scores[first] - scores[j]);
        cheat_row(c, v, TEN_ZF, head, i)[j] = j == first;
    }
    *cheat_cell(c, v, TEN_CMAX, i, head) = (int32_t)scores[first];
    cheat_row_redo(c, v, head, i);
}
