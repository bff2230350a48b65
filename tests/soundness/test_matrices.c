/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against products with committed matrices (docs/protocol.md §7.5) and the other products of committed values
 * (§7.7): a value that is not the product, weights that are not the committed ones.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "model/weights.h"
#include "support/cheats.h"
#include <string.h>

/* ---- a value off by one, and a remainder */
#define OFF(id, name, tensor, layer, column)                                                                           \
    CHEAT(id##_off_by_one, .breaks = name, .t = tensor, .index = layer, .token = 2, .at = column, .by = 1,             \
          .made = cheat_add)                                                                                           \
    CHEAT(id##_remainder, .breaks = name, .t = (assay_tensor)(tensor + 1), .index = layer, .token = 3, .at = column,   \
          .made = step_remainder)
/* One up or down, within the range. */
static void step_remainder(const cheater *c, int32_t *const *v)
{
    const assay_tensor y = (assay_tensor)(c->what->t - 1);
    int32_t *rem = cheat_cell(c, v, c->what->t, c->what->token, c->what->at);
    CHECK(cheat_site(c, y, c->what->index).s > 0);
    *rem += *rem ? -1 : 1;
}
OFF(q, "q", TEN_Q, 1, 3)
OFF(k, "k", TEN_K, 1, 3)
OFF(v, "v", TEN_V1, 1, 3)
OFF(output, "o", TEN_Y, 1, 3)
OFF(gate, "gate", TEN_GATE, 1, 3)
OFF(up, "up", TEN_UP, 1, 3)
OFF(down, "down", TEN_DOWN, 1, 3)
OFF(gain, "gain", TEN_NG, 0, 3)
OFF(gated, "act", TEN_ACT, 1, 3)
CHEAT(last_output_of_the_last_layer, .breaks = "down", .t = TEN_DOWN, .index = 2, .token = 22, .at = 15, .by = 1,
      .made = cheat_add)
CHEAT(last_query, .breaks = "q", .t = TEN_Q, .index = 2, .token = 22, .at = 15, .by = -1, .made = cheat_add)

/* A logit of a token that was not claimed, and the claimed one's with all differences to it. */
static void logit_off(const cheater *c, assay_witness *w)
{
    uint32_t *lo = w->ten[TEN_LLO] + c->what->at;
    *lo += *lo ? (uint32_t)-1 : 1u;
}
CHEAT(logit_difference, .breaks = "head", .at = 30, .witness = logit_off)
CHEAT(claimed_logit, .breaks = "head", .t = TEN_LM, .at = 0, .by = 1, .witness = cheat_word)

/* ---- one weight changed by one in the run; the reply is that run's */
static int16_t *matrix(const cheater *c, assay_model *m)
{
    assay_layer_weights *l = &m->layer[c->what->index];
    switch (c->what->by) {
    case MAT_Q:
        return l->q;
    case MAT_K:
        return l->k;
    case MAT_V:
        return l->v;
    case MAT_O:
        return l->o;
    case MAT_GATE:
        return l->gate;
    case MAT_UP:
        return l->up;
    case MAT_DOWN:
        return l->down;
    case MAT_GAIN:
        return m->gf;
    case MAT_HEAD:
        return m->head;
    default:
        return m->embed;
    }
}
static void one_weight(const cheater *c, assay_model *m)
{
    matrix(c, m)[c->what->at]++;
}
#define WEIGHT(id, name, which, layer, place)                                                                          \
    CHEAT(id, .breaks = name, .by = which, .index = layer, .at = place, .weights = one_weight)
WEIGHT(one_weight_of_q, "q", MAT_Q, 1, 100)
WEIGHT(one_weight_of_k, "k", MAT_K, 2, 37)
WEIGHT(one_weight_of_v, "v", MAT_V, 0, 0)
WEIGHT(one_weight_of_o, "o", MAT_O, 2, 255)
WEIGHT(one_weight_of_gate, "gate", MAT_GATE, 1, 99)
WEIGHT(one_weight_of_up, "up", MAT_UP, 1, 100)
WEIGHT(one_weight_of_down, "down", MAT_DOWN, 0, 7)
WEIGHT(one_weight_of_the_gain, "gain", MAT_GAIN, 0, 15)
WEIGHT(one_weight_of_the_head, "head", MAT_HEAD, 0, 16 * 21 + 5)
WEIGHT(one_weight_of_the_embedding, "embed", MAT_EMBED, 0, STAGE_TOKEN * 16 + 11)

/* ---- one bias changed by one, all left out, those of another layer */
static void one_bias(const cheater *c, assay_model *m)
{
    (*assay_bias_at(m, c->what->index).slot)[c->what->at]++;
}
CHEAT(one_bias_of_q, .breaks = "q", .index = 3, .at = 15, .weights = one_bias)
CHEAT(one_bias_of_k, .breaks = "k", .index = 7, .at = 2, .weights = one_bias)
CHEAT(one_bias_of_v, .breaks = "v", .index = 2, .at = 0, .weights = one_bias)
static void no_biases(const cheater *c, assay_model *m)
{
    (void)c;
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++)
        memset(*assay_bias_at(m, i).slot, 0, assay_bias_at(m, i).n * sizeof(int32_t));
}
CHEAT(biases_left_out, .breaks = "q | k | v", .weights = no_biases)
static void biases_swapped(const cheater *c, assay_model *m)
{
    (void)c;
    for (uint32_t k = 0; k < 4; k++) { /* outputs 4 and 8: the same coordinates r_J, other r_X */
        int32_t *b = m->layer[1].bq, x = b[4 + k];
        b[4 + k] = b[8 + k];
        b[8 + k] = x;
    }
}
CHEAT(biases_of_other_outputs, .breaks = "q", .weights = biases_swapped)
static void biases_of_layers_swapped(const cheater *c, assay_model *m)
{
    (void)c;
    int32_t *b = m->layer[1].bv;
    m->layer[1].bv = m->layer[2].bv;
    m->layer[2].bv = b;
}
CHEAT(biases_of_another_layer, .breaks = "v", .weights = biases_of_layers_swapped)

/* ---- other weights altogether */
static void swapped_layers(const cheater *c, assay_model *m)
{
    (void)c;
    assay_layer_weights first = m->layer[0];
    m->layer[0] = m->layer[1];
    m->layer[1] = first;
}
CHEAT(layers_swapped, .breaks = "q | k | v | o | gate | up | down", .weights = swapped_layers)
static void swapped_matrices(const cheater *c, assay_model *m)
{
    (void)c;
    assay_layer_weights *l = &m->layer[1];
    int16_t *up = l->up;
    l->up = l->gate;
    l->gate = up;
}
CHEAT(gate_and_up_swapped, .breaks = "gate | up", .weights = swapped_matrices)
static void rows_swapped(const cheater *c, assay_model *m)
{
    (void)c;
    int16_t *w = m->layer[1].q;
    for (uint32_t k = 0; k < 16; k++) { /* rows 4 and 8: the same coordinates r_J, other r_X */
        int16_t x = w[4 * 16 + k];
        w[4 * 16 + k] = w[8 * 16 + k];
        w[8 * 16 + k] = x;
    }
}
CHEAT(outputs_swapped, .breaks = "q", .weights = rows_swapped)
