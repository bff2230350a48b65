/* SPDX-License-Identifier: Apache-2.0 */
/* Lies in the hidden messages of sumchecks (docs/protocol.md §7.4 to §7.7): a round of a relation is wrong, and one
 * factor at the end is chosen so that the product agrees. Then that factor is not the value of its cells, and nothing
 * else is false.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/liar.h"

static const cheat honest = {.breaks = ""};

static void wrong_factor(stage *st, const char *name, const char *round, const char *message, const char *broken)
{
    liar l;
    if (!liar_begin(&l, st, &honest)) return;
    liar_bend(&l, round, 0, k_one());
    if (CHECK(liar_push(&l, message, 0, name, 0))) liar_check(&l, broken, "");
    liar_end(&l);
}
#define STAGE_FACTOR(stage, id, name, factor)                                                                          \
    TEST(id##_##factor)                                                                                                \
    {                                                                                                                  \
        wrong_factor(stage(), name, name "/g", name "/" #factor, name " " #factor);                                    \
    }
#define FACTOR(id, name, factor) STAGE_FACTOR(stage_main, id, name, factor)
#define FACTORS(id, name)        FACTOR(id, name, a0) FACTOR(id, name, b0)
/* Of a model with norms of heads. */
#define HEADS_FACTOR(id, name, factor) STAGE_FACTOR(stage_heads, id, name, factor)
FACTORS(score, "score")
FACTORS(q, "q")
FACTORS(k, "k")
FACTORS(v, "v")
FACTORS(output, "o")
FACTORS(gate, "gate")
FACTORS(up, "up")
FACTORS(down, "down")
FACTORS(gain, "gain")
FACTORS(head, "head")
FACTORS(square, "square")
FACTORS(mix, "mix")
FACTORS(gated, "act")
FACTORS(rows, "rows")
FACTOR(rows, "rows", a1)
FACTOR(rows, "rows", b1)
FACTOR(rows, "rows", a2)
FACTOR(rows, "rows", b2)
FACTORS(norm, "norm")
FACTOR(norm, "norm", a1)
FACTOR(norm, "norm", b1)
FACTOR(norm, "norm", a2)
FACTOR(norm, "norm", b2)
FACTOR(norm, "norm", a3)
FACTOR(norm, "norm", b3)
FACTOR(norm, "norm", a4)
FACTOR(norm, "norm", b4)
FACTOR(norm, "norm", a5)
FACTOR(norm, "norm", b5)
FACTOR(norm, "norm", b6)
HEADS_FACTOR(q_gain, "q gain", a0)
HEADS_FACTOR(q_gain, "q gain", b0)
HEADS_FACTOR(k_gain, "k gain", a0)
HEADS_FACTOR(k_gain, "k gain", b0)
HEADS_FACTOR(head_square, "head square", a0)
HEADS_FACTOR(head_square, "head square", b0)
HEADS_FACTOR(head_norm, "head norm", a0)
HEADS_FACTOR(head_norm, "head norm", b0)
HEADS_FACTOR(head_norm, "head norm", a1)
HEADS_FACTOR(head_norm, "head norm", b1)
HEADS_FACTOR(head_norm, "head norm", a2)
HEADS_FACTOR(head_norm, "head norm", b2)
HEADS_FACTOR(head_norm, "head norm", a3)
HEADS_FACTOR(head_norm, "head norm", b3)
HEADS_FACTOR(head_norm, "head norm", a4)
HEADS_FACTOR(head_norm, "head norm", b4)
HEADS_FACTOR(head_norm, "head norm", a5)
HEADS_FACTOR(head_norm, "head norm", b5)
HEADS_FACTOR(head_norm, "head norm", b6)

/* The last carry is 0 in this model, so the other side of a6 must be a lie as well. */
TEST(norm_a6)
{
    liar l;
    if (!liar_begin(&l, stage_main(), &honest)) return;
    liar_bend(&l, "norm/g", 0, k_one());
    liar_bend(&l, "norm/b6", 0, k_one());
    if (CHECK(liar_push(&l, "norm/a6", 0, "norm", 0))) liar_check(&l, "norm a6 | norm b6", "");
    liar_end(&l);
}
TEST(head_norm_a6)
{
    liar l;
    if (!liar_begin(&l, stage_heads(), &honest)) return;
    liar_bend(&l, "head norm/g", 0, k_one());
    liar_bend(&l, "head norm/b6", 0, k_one());
    if (CHECK(liar_push(&l, "head norm/a6", 0, "head norm", 0))) liar_check(&l, "head norm a6 | head norm b6", "");
    liar_end(&l);
}

/* ---- the hidden numerator between mix and division */

static kel difference; /* what m must grow by, so that the division holds */
static uint32_t at3(const assay_witness *w, assay_tensor t, uint32_t l, uint32_t x, uint32_t n_y, uint32_t n_x,
                    uint32_t y)
{
    return w->ten[t][((size_t)l * n_x + x) * n_y + y];
}
static void measure_mix(liar *l, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    const assay_model_config *m = cheat_config(&l->c);
    const uint32_t n_t = l->c.n_tokens, n_h = m->n_heads, n_e = m->head_dim, he = n_h * n_e, ge = m->n_kv * n_e;
    (void)p;
    difference = k_zero();
    for (uint32_t la = 0; la < m->n_layers; la++)
        for (uint32_t h = 0; h < n_h; h++)
            for (uint32_t i = 0; i < n_t; i++)
                for (uint32_t e = 0; e < n_e; e++) {
                    const uint32_t z2 = at3(w, TEN_Z2, la, h, n_t, n_h, i), low = at3(w, TEN_ZDD, la, h, n_t, n_h, i);
                    const uint32_t half = m31_add(m31_mul(1 << 16, at3(w, TEN_ZH1, la, h, n_t, n_h, i)),
                                                  at3(w, TEN_ZH0, la, h, n_t, n_h, i));
                    const uint32_t he_at = h * n_e + e, ge_at = h / (n_h / m->n_kv) * n_e + e;
                    const uint32_t carry = m31_sub(m31_add(m31_mul(1 << 16, at3(w, TEN_OC1, la, i, he, n_t, he_at)),
                                                           at3(w, TEN_OC0, la, i, he, n_t, he_at)),
                                                   1u << (m->z_bits + m->o_guard));
                    uint32_t x = m31_mul(at3(w, TEN_O0, la, i, he, n_t, he_at), z2), num0 = 0, num1 = 0;
                    uint32_t y = m31_add(m31_mul(at3(w, TEN_O1, la, i, he, n_t, he_at), z2), carry);
                    x = m31_add(x, m31_mul(at3(w, TEN_OREM, la, i, he, n_t, he_at), low));
                    x = m31_sub(m31_add(x, at3(w, TEN_ORHO, la, i, he, n_t, he_at)), half);
                    x = m31_sub(x, m31_mul(128, carry));
                    for (uint32_t j = 0; j <= i; j++) {
                        const uint32_t ex = w->ten[TEN_EX][witness_causal_index(&w->shape->run, i, j, la, h)];
                        num1 = m31_add(num1, m31_mul(ex, at3(w, TEN_V1, la, j, ge, n_t, ge_at)));
                        num0 = m31_add(num0, m31_mul(ex, at3(w, TEN_V0, la, j, ge, n_t, ge_at)));
                    }
                    x = m31_sub(m31_mul(x, m31_inv(1u << m->o_guard)), num0);
                    y = m31_sub(m31_mul(y, m31_inv(1u << m->o_guard)), num1);
                    kel weight = k_mul(k_mul(cp->w_l.w[la], cp->w_h.w[h]), k_mul(cp->w_t.w[i], cp->w_e.w[e]));
                    const kel both = k_add(k_from_f(x), k_mul_f(cp->pt.theta, y));
                    difference = k_add(difference, k_mul(weight, both));
                }
}
static void other_values(const cheater *c, int32_t *const *v)
{
    int32_t *x = cheat_cell(c, v, TEN_V0, 2, 6), own = *x;
    *x += 3;
    cheat_divide(c, v, 3, 9);
    *x = own;
}
TEST(mix_numerator)
{
    static const cheat base = {.breaks = "", .t = TEN_EX, .index = 1, .made = other_values};
    liar l;
    if (!liar_begin(&l, stage_main(), &base)) return;
    l.claims = measure_mix;
    if (liar_claims(&l) && CHECK(!k_is_zero(difference))) {
        liar_bend(&l, "mix/m", 0, difference);
        liar_check(&l, "mix", "");
    }
    liar_end(&l);
}
