/* SPDX-License-Identifier: Apache-2.0 */
/* The largest accumulators of runs. */
#include "model/peaks.h"

const char *assay_peak_name(assay_peak_kind k)
{
    static const char *const names[PEAK_COUNT] = {"q", "k",    "v",  "q gain",    "k gain", "q rotated",  "k rotated",
                                                  "o", "gate", "up", "gate * up", "down",   "final gain", "logits"};
    return names[k];
}

static void raise(assay_peaks *p, assay_peak_kind kind, uint32_t layer, const int32_t *y, const int32_t *low, size_t n,
                  int32_t shift)
{
    int64_t top = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t a = low ? (int64_t)y[i] * (1 << ASSAY_LIMB_BITS) + low[i] : y[i];
        a = a < 0 ? -a : a;
        top = a > top ? a : top;
    }
    top *= (int64_t)1 << shift;
    if (top > p->top[kind]) {
        p->top[kind] = top;
        p->layer[kind] = layer;
    }
}

void assay_peaks_see(assay_peaks *p, const assay_model_config *c, assay_tensor t, uint32_t layer, const int32_t *y,
                     const int32_t *low, size_t rows)
{
    const size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    if (t == TEN_NG) {
        raise(p, PEAK_NG, c->n_layers, y, NULL, rows * c->d, c->ng.s);
        return;
    }
    if (layer >= c->n_layers) return;
    const assay_layer_config *s = &c->layer[layer];
    const struct {
        assay_tensor t;
        assay_peak_kind kind;
        size_t width;
        int32_t shift;
    } kinds[] = {{TEN_Q, PEAK_Q, q, s->q.s},
                 {TEN_K, PEAK_K, kv, s->k.s},
                 {TEN_V1, PEAK_V, kv, s->v.s},
                 {TEN_QG, PEAK_QG, q, s->qg.s},
                 {TEN_KG, PEAK_KG, kv, s->kg.s},
                 {TEN_QR, PEAK_QR, q, s->qr.s},
                 {TEN_KR, PEAK_KR, kv, s->kr.s},
                 {TEN_Y, PEAK_O, c->d, s->o.s},
                 {TEN_GATE, PEAK_GATE, c->ff, s->gate.s},
                 {TEN_UP, PEAK_UP, c->ff, s->up.s},
                 {TEN_ACT, PEAK_ACT, c->ff, s->act.s},
                 {TEN_DOWN, PEAK_DOWN, c->d, s->down.s}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].t == t) raise(p, kinds[i].kind, layer, y, low, rows * kinds[i].width, kinds[i].shift);
}

void assay_peaks_see_logits(assay_peaks *p, const assay_model_config *c, const int32_t *logits, size_t n)
{
    raise(p, PEAK_LOGITS, c->n_layers, logits, NULL, n, 0);
}
