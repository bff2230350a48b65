/* SPDX-License-Identifier: Apache-2.0 */
/* Random small models. Shifts come from the Cauchy-Schwarz bound of each product, so that values use their ranges and
 * rarely leave them. */
#include "unit/model/small_model.h"
#include "base/mem.h"
#include "harness.h"
#include "model/weights.h"
#include <string.h>

enum { WEIGHT_BITS = 7, EMBED_BITS = 9, BIAS_BITS = 20, SCORE_F = 9, COS_BITS = 12, UNIT_TOP = 8 };

static uint64_t next(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number of so many bits, sign included. */
static int32_t within(uint64_t *seed, uint32_t bits)
{
    return (int32_t)((int64_t)(next(seed) % ((2u << (bits - 1)) - 1)) - (1 << (bits - 1)) + 1);
}

static int32_t log2_up(uint64_t x)
{
    int32_t n = 0;
    while (((uint64_t)1 << n) < x) n++;
    return n;
}

/* A site of b bits for sums of n products of x_bits by weights, at unit f. */
static assay_site site(int32_t b, int32_t x_bits, uint32_t n, int32_t f)
{
    int32_t s = x_bits - 1 + WEIGHT_BITS - 1 + (log2_up(n) + 1) / 2 - (b - 1);
    s = s < 0 ? 0 : s > 16 ? 16 : s;
    return (assay_site){b, b + s > 30 ? 30 - b : s, f};
}

static void fill_layer(assay_layer_config *y, const assay_model_config *c, uint32_t l)
{
    const uint32_t he = c->n_heads * c->head_dim;
    y->fn1 = y->fn2 = c->fn_final;
    y->qr = (assay_site){9, 13, 4};
    y->kr = (assay_site){9, 13, SCORE_F - 4};
    y->q = site(10, c->n_bits, c->d, y->qr.f + y->qr.s - COS_BITS);
    y->k = site(10, c->n_bits, c->d, y->kr.f + y->kr.s - COS_BITS);
    if (model_has_head_norms(c)) {
        y->qg = (assay_site){10, 13, y->q.f}, y->kg = (assay_site){10, 13, y->k.f};
        y->fnh = c->fn_final - (int32_t)(l % 2);
        y->q = site(15, c->n_bits, c->d, 8), y->k = site(14, c->n_bits, c->d, 9 - (int32_t)(l % 2));
    }
    y->v = site(10, c->n_bits, c->d, 7);
    y->o = site(12, y->v.b + c->o_guard, he, c->unit[2 * l + 1] - (int32_t)(l % 2));
    y->gate = site(10 + (int32_t)(l % 3), c->n_bits, c->d, 7);
    y->fsg = y->gate.f + 16 - y->gate.b;
    y->up = site(12, c->n_bits, c->d, 6);
    y->act = (assay_site){14, 7, y->fsg + y->up.f - 7};
    y->down = site(12, y->act.b, c->ff, c->unit[2 * l + 2] - 1);
}

static bool fill_config(assay_model_config *c, assay_small_shape h)
{
    *c = (assay_model_config){.family = 1, .n_layers = h.n_layers, .d = h.d, .n_heads = h.n_heads, .n_kv = h.n_kv};
    c->head_dim = h.head_dim, c->ff = h.ff, c->vocab = h.vocab, c->tied = h.options & SMALL_TIED,
    c->max_positions = 512;
    c->parts = (h.options & SMALL_BIAS ? ASSAY_PART_BIAS : 0) | (h.options & SMALL_NORMS ? ASSAY_PART_QK_NORM : 0);
    c->rope_theta_q16 = (uint64_t)10000 << 16, c->eps_q60 = (uint64_t)11529215046068; /* 1e-5 */
    c->bos = -1, c->n_stop = 1, c->stop[0] = h.vocab - 1;
    c->n_bits = 15, c->score_f = SCORE_F, c->dist_bits = 16, c->cos_bits = COS_BITS, c->e_bits = 12, c->z_bits = 19,
    c->o_guard = 1;
    if (h.options & SMALL_REMAINDER) c->dist_bits = 20;
    c->rsqrt_in = c->rsqrt_out = 12, c->resid_bits = 16;
    while (((uint64_t)h.d << (2 * (c->rs_t + 1))) <= (uint64_t)4095 * 4095 * 2048) c->rs_t++;
    c->fn_final = 13 - (log2_up(h.d) + 1) / 2;
    c->f_embed = UNIT_TOP - 2, c->f_head = c->f_embed, c->f_gf = 9;
    c->ng = (assay_site){16, 8, c->fn_final + c->f_gf - 8};
    c->logit_f = c->ng.f + c->f_head;
    c->unit = assay_mem_alloc(model_sites(c), sizeof *c->unit);
    c->eps_term = assay_mem_alloc(model_sites(c), sizeof *c->eps_term);
    c->layer = assay_mem_alloc(c->n_layers, sizeof *c->layer);
    if (!c->unit || !c->eps_term || !c->layer) return false;
    for (uint32_t j = 0; j < model_sites(c); j++) {
        c->unit[j] = UNIT_TOP - (int32_t)((j + 1) / 3); /* coarsens at sites 2, 5, 8, ... */
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
    }
    for (uint32_t l = 0; l < c->n_layers; l++) fill_layer(&c->layer[l], c, l);
    return true;
}

static void fill(const assay_weight_array *w, uint32_t bits, uint64_t *seed)
{
    for (size_t k = 0; k < (size_t)w->rows * w->cols; k++) (*w->slot)[k] = (int16_t)within(seed, bits);
}

bool assay_small_model(assay_model *m, assay_small_shape shape, uint64_t seed)
{
    assay_errinfo err = {0};
    char text[400];
    *m = (assay_model){0};
    if (!CHECK(fill_config(&m->cfg, shape))) return false;
    if (!CHECK_OK(assay_model_config_check(&m->cfg, m->cfg.max_positions, &err)))
        return CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text), "");
    if (!CHECK_OK(assay_model_alloc(m, &err))) return false;
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array w = assay_weight_at(m, i);
        fill(&w, w.rows == 1 || w.rows == shape.vocab ? EMBED_BITS : WEIGHT_BITS, &seed);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array b = assay_bias_at(m, i);
        for (uint32_t k = 0; k < b.n; k++) (*b.slot)[k] = within(&seed, BIAS_BITS);
    }
    return true;
}

bool assay_small_fix_first(assay_model *m, uint64_t seed)
{
    assay_model with = {.cfg = m->cfg};
    assay_errinfo err = {0};
    with.cfg.fixed_first = 1, with.cfg.bos = 1;
    if (!CHECK_OK(assay_model_config_check(&with.cfg, 1, &err)) || !CHECK_OK(assay_model_alloc(&with, &err)))
        return false;
    for (uint32_t i = 0; i < assay_weight_first(&m->cfg); i++) {
        assay_weight_array to = assay_weight_at(&with, i), from = assay_weight_at(m, i);
        memcpy(*to.slot, *from.slot, (size_t)to.rows * to.cols * sizeof **to.slot);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array to = assay_bias_at(&with, i), from = assay_bias_at(m, i);
        memcpy(*to.slot, *from.slot, to.n * sizeof **to.slot);
    }
    for (uint32_t i = assay_weight_first(&m->cfg); i < assay_weight_count(&with.cfg); i++) {
        assay_weight_array w = assay_weight_at(&with, i);
        fill(&w, WEIGHT_BITS, &seed);
    }
    assay_weights_clear(m);
    *m = with;
    return true;
}

void assay_small_ids(uint32_t *ids, uint32_t n, uint32_t vocab, uint64_t seed)
{
    for (uint32_t i = 0; i < n; i++) ids[i] = (uint32_t)(next(&seed) % vocab);
}
