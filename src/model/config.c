/* SPDX-License-Identifier: Apache-2.0 */
/* The model configuration: every inequality of the width table (docs/model.md, "Width table") that public numbers
 * decide. Each group is checked whole before a later one computes with its values, so hostile numbers never overflow.
 */
#include "model/config.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdio.h>

enum {
    WINDOW = 30,      /* b + s: y 2^s + rem covers at most 2^30 < p values */
    REM_BITS = 16,    /* a remainder is one look-up */
    VALUE_BITS = 16,  /* so is a value */
    MAX_UNIT = 64,    /* |f| of any site */
    MAX_RESID_F = 15, /* finest residual unit */
    MIN_RESID_F = -32,
    SUM_BITS = 28,    /* terms of a residual sum stay below 2^28, so the sum stays far below 2^30 */
    ROTATE_BITS = 27, /* (b - 1) + cos_bits */
    GATE_BITS = 16,
    SUM_OF_EXP_BITS = 22,             /* its half is proved in 16 + 6 bits */
    MIN_V_BITS = ASSAY_LIMB_BITS + 1, /* the high limb has a sign */
    MAX_V_BITS = 14,
    MAX_HEADS_WIDTH = 1 << 16, /* n_heads * head_dim */
    DIVISION_BITS = 23         /* z + guard: both limbs' identities stay within (-p, p), docs/model.md */
};

/* The first condition that fails is kept. */
typedef struct checker {
    assay_errinfo *err;
    assay_status s;
    char subject[48];
} checker;

static void need(checker *k, bool held, const char *reason, int64_t a, int64_t b)
{
    if (k->s == ASSAY_OK && !held) k->s = ASSAY_FAIL2(k->err, ASSAY_ERANGE, k->subject, reason, a, b);
}

static void need_between(checker *k, const char *reason, int64_t x, int64_t low, int64_t high)
{
    need(k, x >= low && x <= high, reason, x, x < low ? low : high);
}

static void subject_layer(checker *k, uint32_t layer, const char *what)
{
    snprintf(k->subject, sizeof k->subject, "layer %u, %s", (unsigned)layer, what);
}

static void subject(checker *k, const char *what)
{
    snprintf(k->subject, sizeof k->subject, "%s", what);
}

int64_t assay_model_eps_term(uint64_t eps_q60, uint32_t d, int32_t unit)
{
    int32_t shift = 60 - 2 * unit;
    if (shift > 63) return 1;
    uint64_t e = eps_q60 * d;
    uint64_t q = (e >> shift) + (e >> (shift - 1) & 1);
    return q < 1 ? 1 : (int64_t)q;
}

int64_t assay_model_head_eps(const assay_model_config *c, uint32_t layer, bool key)
{
    return assay_model_eps_term(c->eps_q60, c->head_dim, key ? c->layer[layer].k.f : c->layer[layer].q.f);
}

int32_t assay_model_rsqrt_unit(uint32_t d)
{
    uint64_t top = ((uint64_t)1 << ASSAY_RSQRT_BITS) - 1;
    int32_t t = 0;
    while (((uint64_t)d << (2 * (t + 1))) <= (top * top << (ASSAY_RSQRT_BITS - 1))) t++;
    return t;
}

void assay_model_config_clear(assay_model_config *c)
{
    assay_mem_free(c->unit);
    assay_mem_free(c->eps_term);
    assay_mem_free(c->layer);
    assay_mem_free(c->rope_q32);
    *c = (assay_model_config){0};
}

assay_status assay_model_prompt_check(const assay_model_config *c, const uint32_t *ids, uint32_t n_prompt,
                                      assay_errinfo *err)
{
    if (n_prompt < 1) return ASSAY_FAIL(err, ASSAY_ERANGE, "prompt", "is empty");
    if (!c->fixed_first) return ASSAY_OK;
    if (ids[0] != (uint32_t)c->bos)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "does not begin with the model's first token (has, needs)",
                           ids[0], c->bos);
    if (n_prompt < 2) return ASSAY_FAIL(err, ASSAY_ERANGE, "prompt", "has nothing after the model's first token");
    return ASSAY_OK;
}

static void check_shape(checker *k, const assay_model_config *c)
{
    subject(k, "shape");
    need(k, c->family == 1, "unknown model family", c->family, 1);
    need_between(k, "number of layers", c->n_layers, 1, ASSAY_MAX_LAYERS);
    need_between(k, "width: sums of d squares must stay below 2^30", c->d, 1, (1 << 15) - 1);
    need_between(k, "query heads", c->n_heads, 1, 1024);
    need_between(k, "key/value heads", c->n_kv, 1, c->n_heads);
    need(k, c->n_kv == 0 || c->n_heads % c->n_kv == 0, "query heads are no multiple of key/value heads", c->n_heads,
         c->n_kv);
    need_between(k, "head dimension", c->head_dim, 2, 1024);
    need(k, c->head_dim % 2 == 0, "head dimension is odd", c->head_dim, 2);
    if (k->s != ASSAY_OK) return;
    need_between(k, "width of all query heads together", (int64_t)c->n_heads * c->head_dim, 2, MAX_HEADS_WIDTH);
    need_between(k, "hidden width", c->ff, 1, 1 << 18);
    need_between(k, "vocabulary", c->vocab, 2, 1 << 22);
    need_between(k, "tied", c->tied, 0, 1);
    need(k, (c->parts & ~(uint32_t)ASSAY_PARTS) == 0, "parts of the model that this version does not know", c->parts,
         ASSAY_PARTS);
    need(k, c->rope_theta_q16 >= 1 << 16 && c->rope_theta_q16 <= (uint64_t)1 << 56, "rope theta", 0, 0);
    need(k, c->eps_q60 >= 1 && c->eps_q60 <= (uint64_t)1 << 48, "rms_norm_eps outside (0, 2^-12]", 0, 0);
    need(k, c->bos >= -1 && (c->bos < 0 || (uint32_t)c->bos < c->vocab), "token put before a prompt", c->bos, c->vocab);
    need_between(k, "fixed first token", c->fixed_first, 0, 1);
    need(k, c->fixed_first != 1 || c->bos >= 0, "the first token is fixed, but none is put before a prompt", c->bos, 0);
    need_between(k, "stop tokens", c->n_stop, 0, ASSAY_MAX_STOP_IDS);
    for (uint32_t i = 0; k->s == ASSAY_OK && i < c->n_stop; i++) {
        need(k, c->stop[i] < c->vocab, "stop token outside the vocabulary", c->stop[i], c->vocab);
        need(k, i == 0 || c->stop[i - 1] < c->stop[i], "stop tokens are not increasing", c->stop[i], i);
    }
}

static void check_rope(checker *k, const assay_model_config *c)
{
    const uint64_t one = (uint64_t)1 << 32, most = (uint64_t)1 << 48;
    subject(k, "RoPE scaling");
    need(k, c->n_rope == 0 || c->n_rope == c->head_dim / 2, "factors, one a rotated pair", c->n_rope, c->head_dim / 2);
    need(k, c->n_rope == 0 || c->rope_q32, "factors are missing", c->n_rope, 0);
    for (uint32_t i = 0; k->s == ASSAY_OK && i < c->n_rope; i++)
        need(k, c->rope_q32[i] >= one && c->rope_q32[i] <= most, "factor outside 1 to 2^16, pair", i, c->n_rope);
}

static void check_widths(checker *k, const assay_model_config *c)
{
    subject(k, "widths");
    need_between(k, "bits of a normalised row", c->n_bits, ASSAY_N_BITS, ASSAY_N_BITS);
    need_between(k, "bits of the residual", c->resid_bits, ASSAY_RESID_BITS, ASSAY_RESID_BITS);
    need_between(k, "bits of the mantissa of a sum of squares", c->rsqrt_in, ASSAY_RSQRT_BITS, ASSAY_RSQRT_BITS);
    need_between(k, "bits of a reciprocal square root", c->rsqrt_out, ASSAY_RSQRT_BITS, ASSAY_RSQRT_BITS);
    need_between(k, "bits of a distance", c->dist_bits, ASSAY_MIN_DIST_BITS, ASSAY_MAX_DIST_BITS);
    if (k->s != ASSAY_OK) return;
    need_between(k, "score unit", c->score_f, 1 + model_dist_rem_bits(c), 16 + model_dist_rem_bits(c));
    need_between(k, "bits of cos and sin", c->cos_bits, 2, 12);
    need_between(k, "bits of an exp entry", c->e_bits, ASSAY_MIN_ROW_BITS, VALUE_BITS);
    need_between(k, "bits of a sum of exp entries", c->z_bits, ASSAY_MIN_ROW_BITS + 1, SUM_OF_EXP_BITS);
    need_between(k, "guard bits of the quotient", c->o_guard, 0, 4);
    if (k->s != ASSAY_OK) return;
    int32_t t = assay_model_rsqrt_unit(c->d);
    need(k, c->rs_t == t, "unit of the reciprocal square root", c->rs_t, t);
    need_between(k, "positions: bits of an exp entry in the last row", c->max_positions, 1,
                 model_positions_limit(c->z_bits));
}

static void check_site(checker *k, assay_site t)
{
    need_between(k, "bits of the value", t.b, 2, VALUE_BITS);
    need_between(k, "shift", t.s, 0, REM_BITS);
    need_between(k, "binary point", t.f, -MAX_UNIT, MAX_UNIT);
    if (k->s == ASSAY_OK) need(k, t.b + t.s <= WINDOW, "value and shift exceed the window of 30 bits", t.b, t.s);
}

/* The accumulator's unit is that of the product of its factors. */
static void check_unit(checker *k, assay_site t, int32_t f_acc)
{
    need(k, t.f + t.s == f_acc, "binary points do not add up", t.f + t.s, f_acc);
}

/* A contribution of b bits at unit f enters the residual as y 2^(unit - f). */
static void check_adds(checker *k, int32_t b, int32_t f, int32_t unit)
{
    need(k, f <= unit, "finer than the residual it is added to", f, unit);
    need(k, b - 1 + unit - f <= SUM_BITS, "a residual sum could pass 2^28", b, unit - f);
}

static void check_residual(checker *k, const assay_model_config *c)
{
    for (uint32_t j = 0; k->s == ASSAY_OK && j < model_sites(c); j++) {
        snprintf(k->subject, sizeof k->subject, "residual at norm %u", (unsigned)j);
        need_between(k, "unit", c->unit[j], MIN_RESID_F, MAX_RESID_F);
        if (k->s != ASSAY_OK) return;
        if (j > 0) {
            need(k, c->unit[j] <= c->unit[j - 1], "unit gets finer again", c->unit[j - 1], c->unit[j]);
            need(k, c->resid_bits + c->unit[j - 1] - c->unit[j] <= WINDOW, "rebase by more than the window",
                 c->unit[j - 1], c->unit[j]);
        }
        int64_t eps = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
        need(k, c->eps_term[j] == eps, "eps term is not eps d at this unit", c->eps_term[j], eps);
    }
}

static void check_rotation(checker *k, const assay_model_config *c, assay_site before, assay_site after)
{
    check_unit(k, after, before.f + c->cos_bits);
    need(k, before.b - 1 + c->cos_bits <= ROTATE_BITS, "a rotation could pass 2^28", before.b, c->cos_bits);
}

/* Heads are squared like the residual: 16 bits, at a unit whose eps term has three digits. In models without these
 * norms their numbers are not in the configuration's bytes. */
static void check_head_norms(checker *k, const assay_model_config *c, uint32_t l)
{
    const assay_layer_config *y = &c->layer[l];
    if (!model_has_head_norms(c)) return;
    subject_layer(k, l, "q times gain");
    check_site(k, y->qg);
    subject_layer(k, l, "k times gain");
    check_site(k, y->kg);
    subject_layer(k, l, "norms of heads");
    need_between(k, "unit of a normalised head", y->fnh, 0, c->rs_t);
    need_between(k, "unit of q", y->q.f, MIN_RESID_F, MAX_RESID_F);
    need_between(k, "unit of k", y->k.f, MIN_RESID_F, MAX_RESID_F);
}

static void check_attention(checker *k, const assay_model_config *c, uint32_t l)
{
    const assay_layer_config *y = &c->layer[l];
    subject_layer(k, l, "rotated q");
    check_rotation(k, c, model_before_rotation(c, l, false), y->qr);
    subject_layer(k, l, "rotated k");
    check_rotation(k, c, model_before_rotation(c, l, true), y->kr);
    subject_layer(k, l, "scores");
    need(k, y->qr.f + y->kr.f == c->score_f, "units of rotated q and k do not add up to the score unit",
         y->qr.f + y->kr.f, c->score_f);
    subject_layer(k, l, "v");
    need_between(k, "bits of a value in two limbs", y->v.b, MIN_V_BITS, MAX_V_BITS);
    need(k, c->z_bits + c->o_guard <= DIVISION_BITS, "the quotient of the mix is not unique", c->z_bits, c->o_guard);
    need(k, y->v.b + c->o_guard <= VALUE_BITS, "a mixed value has more than 16 bits", y->v.b, c->o_guard);
    subject_layer(k, l, "o");
    check_adds(k, y->o.b, y->o.f, c->unit[2 * l + 1]);
}

static void check_mlp(checker *k, const assay_model_config *c, uint32_t l)
{
    const assay_layer_config *y = &c->layer[l];
    subject_layer(k, l, "gate");
    need_between(k, "bits of the key of a SiLU table", y->gate.b, 2, GATE_BITS);
    subject_layer(k, l, "SiLU");
    need_between(k, "binary point", y->fsg, -MAX_UNIT, MAX_UNIT);
    if (k->s != ASSAY_OK) return;
    need(k, y->fsg - y->gate.f <= VALUE_BITS - y->gate.b, "an entry could have more than 16 bits", y->fsg, y->gate.f);
    subject_layer(k, l, "gate * up");
    check_unit(k, y->act, y->fsg + y->up.f);
    subject_layer(k, l, "down");
    check_adds(k, y->down.b, y->down.f, c->unit[2 * l + 2]);
}

static void check_layer(checker *k, const assay_model_config *c, uint32_t l)
{
    static const char *const name[] = {"q", "k", "v", "rotated q", "rotated k", "o", "gate", "up", "gate * up", "down"};
    const assay_layer_config *y = &c->layer[l];
    const assay_site site[] = {y->q, y->k, y->v, y->qr, y->kr, y->o, y->gate, y->up, y->act, y->down};
    for (size_t i = 0; i < sizeof site / sizeof *site; i++) {
        subject_layer(k, l, name[i]);
        check_site(k, site[i]);
    }
    subject_layer(k, l, "norm");
    need_between(k, "unit of the first normalised row", y->fn1, 0, c->rs_t);
    need_between(k, "unit of the second normalised row", y->fn2, 0, c->rs_t);
    check_head_norms(k, c, l);
    if (k->s != ASSAY_OK) return;
    check_attention(k, c, l);
    check_mlp(k, c, l);
}

static void check_ends(checker *k, const assay_model_config *c)
{
    subject(k, "embedding");
    need_between(k, "binary point", c->f_embed, -MAX_UNIT, MAX_UNIT);
    if (k->s != ASSAY_OK) return;
    check_adds(k, VALUE_BITS, c->f_embed, c->unit[0]);
    subject(k, "final norm");
    need_between(k, "unit of the normalised row", c->fn_final, 0, c->rs_t);
    need_between(k, "binary point of the gain", c->f_gf, -MAX_UNIT, MAX_UNIT);
    check_site(k, c->ng);
    if (k->s != ASSAY_OK) return;
    subject(k, "final gain");
    check_unit(k, c->ng, c->fn_final + c->f_gf);
    subject(k, "logits");
    need_between(k, "binary point of the head", c->f_head, -MAX_UNIT, MAX_UNIT);
    need(k, !c->tied || c->f_head == c->f_embed, "tied, but the head has another unit than the embedding", c->f_head,
         c->f_embed);
    need_between(k, "binary point of a logit", c->logit_f, 0, 40);
    if (k->s == ASSAY_OK)
        need(k, c->logit_f == c->ng.f + c->f_head, "binary points do not add up", c->logit_f, c->ng.f + c->f_head);
}

assay_status assay_model_config_check(const assay_model_config *c, uint32_t n_tokens, assay_errinfo *err)
{
    checker k = {err, ASSAY_OK, ""};
    if (!c->unit || !c->eps_term || !c->layer) return ASSAY_FAIL(err, ASSAY_EINVAL, "model configuration", "is empty");
    check_shape(&k, c);
    if (k.s == ASSAY_OK) check_rope(&k, c);
    if (k.s == ASSAY_OK) check_widths(&k, c);
    if (k.s == ASSAY_OK) check_residual(&k, c);
    for (uint32_t l = 0; k.s == ASSAY_OK && l < c->n_layers; l++) check_layer(&k, c, l);
    if (k.s == ASSAY_OK) check_ends(&k, c);
    subject(&k, "request");
    if (k.s == ASSAY_OK) need_between(&k, "tokens", n_tokens, 1, c->max_positions);
    return k.s;
}
