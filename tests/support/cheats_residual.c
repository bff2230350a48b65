/* SPDX-License-Identifier: Apache-2.0 */
/* A residual that has left its range has no norm: what follows is completed in the field, by pushing the differences
 * into the remainders and digits that each relation uses last. */
#include "base/mem.h"
#include "support/cheats.h"

static uint32_t pow2_word(int32_t e)
{
    return m31_from_i64((int64_t)1 << e);
}

/* Site s of token t, channel k, from the site before (protocol.md §7.1); REBREM takes what REB does not. */
static uint32_t residual_at(const cheater *c, assay_witness *w, uint32_t s, uint32_t t, uint32_t k, uint32_t before)
{
    const assay_model_config *m = cheat_config(c);
    if (s == 0) return m31_mul(pow2_word(m->unit[0] - m->f_embed), *cheat_word_at(c, w, TEN_H0, 0, t, k));
    const int b = assay_rebase_index(m, s);
    if (b >= 0) {
        const int32_t shift = m->unit[s - 1] - m->unit[s];
        uint32_t reb = *cheat_word_at(c, w, TEN_REB, (uint32_t)b, t, k);
        *cheat_word_at(c, w, TEN_REBREM, (uint32_t)b, t, k) =
            m31_sub(m31_add(before, pow2_word(shift - 1)), m31_mul(pow2_word(shift), reb));
        before = reb;
    }
    const assay_tensor y = s & 1 ? TEN_Y : TEN_DOWN;
    const uint32_t layer = s & 1 ? (s - 1) / 2 : s / 2 - 1;
    const int32_t f = s & 1 ? m->layer[layer].o.f : m->layer[layer].down.f;
    return m31_add(before, m31_mul(pow2_word(m->unit[s] - f), *cheat_word_at(c, w, y, layer, t, k)));
}

/* sum h^2 grows by `more`: B, the lowest digit of S, and with a window on it RHO take it. */
static void push_square(const cheater *c, assay_witness *w, uint32_t s, uint32_t t, uint32_t more)
{
    static const assay_tensor takes[] = {TEN_NB0, TEN_NS0, TEN_NRHO};
    for (size_t i = 0; i < 3; i++) {
        uint32_t *x = cheat_word_at(c, w, takes[i], s, t, 0);
        *x = m31_add(*x, i < 2 ? more : m31_mul(more, *cheat_word_at(c, w, TEN_NF0, s, t, 0)));
    }
}

void cheat_residual_repair(const cheater *c, assay_witness *w)
{
    const assay_model_config *m = cheat_config(c);
    const uint32_t n_t = c->n_tokens, d = m->d;
    for (uint32_t t = 0; t < n_t; t++)
        for (uint32_t k = 0; k < d; k++) {
            uint32_t before = 0;
            for (uint32_t s = 0; s < model_sites(m); s++) {
                uint32_t *old = w->h + ((size_t)s * n_t + t) * d + k, h = residual_at(c, w, s, t, k, before);
                if (*old != h) {
                    uint32_t *rem = cheat_word_at(c, w, TEN_NREM, s, t, k);
                    *rem = m31_add(*rem, m31_mul(m31_sub(h, *old), *cheat_word_at(c, w, TEN_NRT, s, t, 0)));
                    push_square(c, w, s, t, m31_sub(m31_mul(h, h), m31_mul(*old, *old)));
                }
                *old = before = h;
            }
        }
}
