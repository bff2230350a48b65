/* SPDX-License-Identifier: Apache-2.0 */
/* General parts of cheats: where values stand, requantisation in the field, small changes. */
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

const assay_model_config *cheat_config(const cheater *c)
{
    return &c->st->fx.model.cfg;
}

int64_t cheat_symmetric(int64_t x)
{
    const int64_t p = M31_P;
    int64_t r = x % p;
    return r > p / 2 ? r - p : r < -(p / 2) ? r + p : r;
}

void cheat_requant(int64_t acc, assay_site s, int32_t *y, int32_t *rem)
{
    int64_t sum = cheat_symmetric(acc + ((int64_t)1 << s.s >> 1));
    *y = (int32_t)(sum >> s.s);
    *rem = (int32_t)(sum & (((int64_t)1 << s.s) - 1));
}

assay_site cheat_site(const cheater *c, assay_tensor y, uint32_t index)
{
    const assay_model_config *m = cheat_config(c);
    const assay_layer_config *l = &m->layer[index < m->n_layers ? index : 0];
    switch ((int)y) {
    case TEN_Q:
        return l->q;
    case TEN_K:
        return l->k;
    case TEN_V1: /* the high limb */
        return (assay_site){l->v.b - ASSAY_LIMB_BITS, l->v.s + ASSAY_LIMB_BITS, l->v.f - ASSAY_LIMB_BITS};
    case TEN_QG:
        return l->qg;
    case TEN_KG:
        return l->kg;
    case TEN_QR:
        return l->qr;
    case TEN_KR:
        return l->kr;
    case TEN_Y:
        return l->o;
    case TEN_GATE:
        return l->gate;
    case TEN_UP:
        return l->up;
    case TEN_ACT:
        return l->act;
    case TEN_DOWN:
        return l->down;
    case TEN_NG:
        return m->ng;
    default:
        break;
    }
    /* REB */
    for (uint32_t j = 1; j < model_sites(m); j++)
        if (assay_rebase_index(m, j) == (int)index)
            return (assay_site){m->resid_bits, m->unit[j - 1] - m->unit[j], m->unit[j]};
    return (assay_site){0, 0, 0};
}

uint32_t cheat_width(const cheater *c, assay_tensor t)
{
    const assay_axis *axis = assay_tensor_axes(t);
    assay_run_shape r;
    uint32_t n = 1;
    bool token = false;
    assay_run_shape_init(&r, cheat_config(c), c->st->n_prompt, c->n_tokens, false);
    for (int a = 0; a < 4 && axis[a] != AX_NONE; a++) {
        if (token) n *= assay_axis_extent(&r, axis[a]);
        token = token || axis[a] == AX_T || axis[a] == AX_P;
    }
    return n;
}

int32_t *cheat_cell(const cheater *c, int32_t *const *v, assay_tensor t, uint32_t token, uint32_t at)
{
    if (t >= TEN_CMAX && t <= TEN_ZB) return v[t] + (size_t)at * c->n_tokens + token;
    return v[t] + (size_t)token * cheat_width(c, t) + at;
}

int32_t *cheat_row(const cheater *c, int32_t *const *v, assay_tensor t, uint32_t head, uint32_t i)
{
    size_t cells = (size_t)c->n_tokens * (c->n_tokens + 1u) / 2;
    return v[t] + head * cells + (size_t)i * (i + 1u) / 2;
}

void cheat_add(const cheater *c, int32_t *const *v)
{
    *cheat_cell(c, v, c->what->t, c->what->token, c->what->at) += c->what->by;
}

void cheat_carry(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, w->t, w->token, w->at) += w->by;
    *cheat_cell(c, v, (assay_tensor)(w->t + 1), w->token, w->at) -= w->by * (1 << cheat_site(c, w->t, w->index).s);
}

void cheat_wrap(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    const int32_t s = cheat_site(c, w->t, w->index).s, less = 1 << w->by;
    for (uint32_t i = w->token; i < c->n_tokens; i++) {
        int32_t *rem = cheat_cell(c, v, (assay_tensor)(w->t + 1), i, w->at);
        if (*rem < less) continue;
        *rem -= less;
        *cheat_cell(c, v, w->t, i, w->at) += (int32_t)1 << (31 - s + w->by);
        return;
    }
    CHECK(!"a remainder that can be lowered");
}

uint32_t *cheat_word_at(const cheater *c, assay_witness *w, assay_tensor t, uint32_t index, uint32_t token, uint32_t at)
{
    const assay_axis first = assay_tensor_axes(t)[0];
    size_t n = first == AX_T || first == AX_P
                   ? 0
                   : assay_tensor_cells(&w->shape->run, t) / assay_axis_extent(&w->shape->run, first);
    if (t >= TEN_CMAX && t <= TEN_ZB) return w->ten[t] + n * index + (size_t)at * c->n_tokens + token;
    return w->ten[t] + n * index + (size_t)token * cheat_width(c, t) + at;
}

void cheat_word(const cheater *c, assay_witness *w)
{
    uint32_t *x = cheat_word_at(c, w, c->what->t, c->what->index, c->what->token, c->what->at);
    *x = m31_add(*x, m31_from_i64(c->what->by));
}

void cheat_recount(assay_witness *w)
{
    const assay_cp_shape *s = w->shape;
    assay_errinfo err;
    for (uint32_t g = TEN_COUNT; g < s->n_grids; g++)
        if (w->mult[g]) memset(w->mult[g], 0, s->grid[g].extent[0] * sizeof(uint32_t));
    CHECK_OK(assay_witness_count(w, &err));
}
