/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoint in float32, for calibration (which numbers occur where) and for evaluation. */
#include "base/mem.h"
#include "model/matmul_f32.h"
#include "model/maxima.h"
#include "model/rotate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row of the residual that stands out most from the others of its site: what its largest value is to the median
 * row's. */
typedef struct peak {
    float ratio;
    float *row, *tops; /* [D]; [n] the largest |value| of each row at one site */
} peak;

/* One window's arrays, all in one block. */
typedef struct run {
    const assay_checkpoint *ck;
    size_t n, d, q, kv, e, ff;                /* tokens, D, HE, GE, E, F */
    size_t from;                              /* the first position that is seen */
    float *first_k, *first_v;                 /* [L,GE] of position 0, or NULL */
    float *h, *x, *y;                         /* [n,D] */
    float *vq, *vo;                           /* [n,HE] queries, mixed values */
    float *vk, *vv;                           /* [n,GE] */
    float *g, *u;                             /* [n,F] */
    float *head_q, *head_k, *head_v, *head_o; /* [n,E] [n,E] [E,n] [n,E] of one head */
    float *score;                             /* [n,n] */
    float *co, *si;                           /* [n,E/2] */
    float *scratch;
    float *own;
    size_t n_own;
    peak *peak; /* NULL: not asked for */
    bool sees_logits;
} run;

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Places the arrays from base on (NULL: only counts); returns the floats used. */
static size_t lay_out(run *r, float *base)
{
    size_t n = r->n, inner = max_size(max_size(r->d, r->q), max_size(r->ff, n));
    struct {
        float **at;
        size_t count;
    } part[] = {{&r->h, n * r->d},
                {&r->x, n * r->d},
                {&r->y, n * r->d},
                {&r->vq, n * r->q},
                {&r->vo, n * r->q},
                {&r->vk, n * r->kv},
                {&r->vv, n * r->kv},
                {&r->g, n * r->ff},
                {&r->u, n * r->ff},
                {&r->head_q, n * r->e},
                {&r->head_k, n * r->e},
                {&r->head_v, n * r->e},
                {&r->head_o, n * r->e},
                {&r->score, n * n},
                {&r->co, n * r->e / 2},
                {&r->si, n * r->e / 2},
                {&r->scratch, inner * ASSAY_MATMUL_LANES}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (base) *part[i].at = base + used;
        used += part[i].count;
    }
    return used;
}

static assay_status run_init(run *r, const assay_checkpoint *ck, size_t n, assay_errinfo *err)
{
    const assay_hf_config *c = &ck->cfg;
    *r = (run){.ck = ck, .n = n, .d = c->d, .e = c->head_dim, .ff = c->ff};
    r->q = (size_t)c->n_heads * c->head_dim;
    r->kv = (size_t)c->n_kv * c->head_dim;
    r->n_own = lay_out(r, NULL);
    r->own = assay_mem_alloc_raw(r->n_own, sizeof *r->own);
    if (!r->own) return ASSAY_FAIL1(err, ASSAY_ENOMEM, "calibration", "out of memory (floats)", r->n_own);
    (void)lay_out(r, r->own);
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < r->e / 2; i++) {
            double factor = c->n_rope ? (double)c->rope_factor[i] : 1.0;
            double angle = (double)t * (1.0 / pow(c->rope_theta, (double)(2 * i) / (double)r->e) / factor);
            r->co[t * r->e / 2 + i] = (float)cos(angle);
            r->si[t * r->e / 2 + i] = (float)sin(angle);
        }
    return ASSAY_OK;
}

static void matmul(const run *r, float *y, const float *x, const float *w, size_t n_in, size_t n_out)
{
    assay_matmul_f32(y, x, w, r->n, n_in, n_out, r->scratch);
}

/* y += bias in every row; bias may be NULL. */
static void add_bias(const run *r, float *y, const float *bias, size_t n_out)
{
    for (size_t i = 0; bias && i < r->n * n_out; i++) y[i] += bias[i % n_out];
}

/* Raises top[0 .. cols-1] to the largest |x| of each column. */
static void see(float *top, const float *x, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            float a = fabsf(x[i * cols + j]);
            top[j] = a > top[j] ? a : top[j];
        }
}

/* The same over all columns; the eight lanes only let it run side by side. */
static void see_all(float *top, const float *x, size_t n)
{
    float lane[8] = {0};
    size_t whole = n / 8 * 8;
    see(lane, x, whole / 8, 8);
    for (size_t i = 0; i < 8; i++) see(top, &lane[i], 1, 1);
    see(top, x + whole, n - whole, 1);
}

/* The maxima of x[n][cols], by column or over all, at the positions that count. */
static void see_columns(const run *r, float *top, const float *x, size_t cols)
{
    see(top, x + r->from * cols, r->n - r->from, cols);
}
static void see_rows(const run *r, float *top, const float *x, size_t cols)
{
    see_all(top, x + r->from * cols, (r->n - r->from) * cols);
}

/* x = h / rms(h), seen; then times the gain. */
static void norm(const run *r, float *top, const float *gain)
{
    float eps = (float)r->ck->cfg.eps;
    for (size_t t = 0; t < r->n; t++) {
        const float *h = r->h + t * r->d;
        float sum = 0;
        for (size_t i = 0; i < r->d; i++) sum += h[i] * h[i];
        float rms = sqrtf(sum / (float)r->d + eps);
        for (size_t i = 0; i < r->d; i++) r->x[t * r->d + i] = h[i] / rms;
    }
    see_rows(r, top, r->x, r->d);
    for (size_t t = 0; t < r->n; t++)
        for (size_t i = 0; i < r->d; i++) r->x[t * r->d + i] *= gain[i];
}

/* Norms each head of x[n][heads E] and multiplies it by the gain [E]; seen before and in between. Does nothing without
 * a gain. */
static void norm_heads(const run *r, float *top_x, float *top_n, float *x, const float *gain, size_t heads)
{
    float eps = (float)r->ck->cfg.eps;
    if (!gain) return;
    see_rows(r, top_x, x, heads * r->e);
    for (size_t row = 0; row < r->n * heads; row++) {
        float *a = x + row * r->e, sum = 0;
        for (size_t i = 0; i < r->e; i++) sum += a[i] * a[i];
        float rms = sqrtf(sum / (float)r->e + eps);
        for (size_t i = 0; i < r->e; i++) a[i] = a[i] / rms;
    }
    see_rows(r, top_n, x, heads * r->e);
    for (size_t i = 0; i < r->n * heads * r->e; i++) x[i] *= gain[i % r->e];
}

/* Rotates all heads of x[n][heads E], halves paired. */
static void rotate(const run *r, float *x, size_t heads)
{
    size_t half = r->e / 2;
    for (size_t t = 0; t < r->n; t++)
        for (size_t head = 0; head < heads; head++) {
            float *a = x + (t * heads + head) * r->e, *b = a + half;
            const float *co = r->co + t * half, *si = r->si + t * half;
            for (size_t i = 0; i < half; i++) {
                float p = a[i], q = b[i];
                a[i] = p * co[i] - q * si[i];
                b[i] = q * co[i] + p * si[i];
            }
        }
}

/* Causal softmax of row i, in place; cells after i become 0. Raises the maxima of scores and distances. */
static void softmax_row(const assay_layer_maxima *y, float *s, size_t i, size_t n, float scale)
{
    float top = -INFINITY, least = INFINITY, sum = 0;
    for (size_t j = 0; j <= i; j++) {
        s[j] *= scale;
        top = s[j] > top ? s[j] : top;
        least = s[j] < least ? s[j] : least;
    }
    *y->distance = fmaxf(*y->distance, top - least);
    *y->score = fmaxf(*y->score, fmaxf(top, -least));
    for (size_t j = 0; j <= i; j++) {
        s[j] = expf(s[j] - top);
        sum += s[j];
    }
    for (size_t j = 0; j <= i; j++) s[j] /= sum;
    for (size_t j = i + 1; j < n; j++) s[j] = 0;
}

static void attend(const run *r, const assay_layer_maxima *y)
{
    const assay_hf_config *c = &r->ck->cfg;
    size_t n = r->n, e = r->e, group = c->n_heads / c->n_kv;
    float scale = (float)(1.0 / sqrt((double)e));
    for (size_t head = 0; head < c->n_heads; head++) {
        size_t kv = head / group;
        for (size_t t = 0; t < n; t++) {
            memcpy(r->head_q + t * e, r->vq + t * r->q + head * e, e * sizeof(float));
            memcpy(r->head_k + t * e, r->vk + t * r->kv + kv * e, e * sizeof(float));
            for (size_t i = 0; i < e; i++) r->head_v[i * n + t] = r->vv[t * r->kv + kv * e + i];
        }
        matmul(r, r->score, r->head_q, r->head_k, e, n);
        for (size_t t = 0; t < n; t++) softmax_row(y, r->score + t * n, t, n, scale);
        matmul(r, r->head_o, r->score, r->head_v, n, e);
        for (size_t t = 0; t < n; t++) memcpy(r->vo + t * r->q + head * e, r->head_o + t * e, e * sizeof(float));
    }
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void see_peak(peak *p, const run *r)
{
    const size_t n = r->n - r->from;
    size_t at = 0;
    for (size_t t = 0; t < n; t++) {
        p->tops[t] = 0;
        see_all(&p->tops[t], r->h + (r->from + t) * r->d, r->d);
        if (p->tops[t] > p->tops[at]) at = t;
    }
    float top = p->tops[at];
    qsort(p->tops, n, sizeof(float), by_value);
    float middle = p->tops[n / 2];
    if (!(middle > 0) || !(top / middle > p->ratio)) return;
    p->ratio = top / middle;
    memcpy(p->row, r->h + (r->from + at) * r->d, r->d * sizeof(float));
}

/* h += y, seen before and after. */
static void add_to_residual(const run *r, float *top_y, float *top_h)
{
    see_rows(r, top_y, r->y, r->d);
    for (size_t i = 0; i < r->n * r->d; i++) r->h[i] += r->y[i];
    see_rows(r, top_h, r->h, r->d);
    if (r->peak) see_peak(r->peak, r);
}

static void layer(const run *r, assay_maxima *m, size_t l)
{
    const assay_checkpoint_layer *w = &r->ck->layer[l];
    const assay_layer_maxima *s = &m->layer[l];
    size_t n = r->n;
    norm(r, s->n1, w->g1);
    matmul(r, r->vq, r->x, w->q, r->d, r->q);
    matmul(r, r->vk, r->x, w->k, r->d, r->kv);
    matmul(r, r->vv, r->x, w->v, r->d, r->kv);
    add_bias(r, r->vq, w->bq, r->q);
    add_bias(r, r->vk, w->bk, r->kv);
    add_bias(r, r->vv, w->bv, r->kv);
    norm_heads(r, s->xq, s->nx, r->vq, w->nq, r->ck->cfg.n_heads);
    norm_heads(r, s->xk, s->nx, r->vk, w->nk, r->ck->cfg.n_kv);
    see_columns(r, s->q, r->vq, r->q);
    see_columns(r, s->k, r->vk, r->kv);
    see(s->v, r->vv, n, r->kv);
    rotate(r, r->vq, r->ck->cfg.n_heads);
    rotate(r, r->vk, r->ck->cfg.n_kv);
    see_columns(r, s->qr, r->vq, r->q);
    see(s->kr, r->vk, n, r->kv); /* these and the values of position 0 are used, whether computed or committed */
    if (r->first_k) memcpy(r->first_k + l * r->kv, r->vk, r->kv * sizeof(float));
    if (r->first_v) memcpy(r->first_v + l * r->kv, r->vv, r->kv * sizeof(float));
    attend(r, s);
    matmul(r, r->y, r->vo, w->o, r->q, r->d);
    add_to_residual(r, s->ho, m->h + 2 * l + 1);
    norm(r, s->n2, w->g2);
    matmul(r, r->g, r->x, w->gate, r->d, r->ff);
    matmul(r, r->u, r->x, w->up, r->d, r->ff);
    see_rows(r, s->g, r->g, r->ff);
    see_columns(r, s->u, r->u, r->ff);
    for (size_t i = 0; i < n * r->ff; i++) r->g[i] = r->g[i] / (1 + expf(-r->g[i]));
    see_rows(r, s->sg, r->g, r->ff);
    for (size_t i = 0; i < n * r->ff; i++) r->g[i] *= r->u[i];
    see_columns(r, s->a, r->g, r->ff);
    matmul(r, r->y, r->g, w->down, r->ff, r->d);
    add_to_residual(r, s->hd, m->h + 2 * l + 2);
}

/* Logits at each LANES-th position from the first that counts. */
static assay_status see_logits(const run *r, float *top, assay_errinfo *err)
{
    enum { LANES = ASSAY_MATMUL_LANES };
    const size_t vocab = r->ck->cfg.vocab;
    float *y = assay_mem_alloc(vocab, LANES * sizeof *y), *x = assay_mem_alloc(r->d, LANES * sizeof *x);
    assay_status s = y && x ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "calibration", "out of memory");
    for (size_t t = r->from; s == ASSAY_OK && t < r->n; t += LANES * LANES) {
        size_t lanes = 0;
        for (; lanes < LANES && t + lanes * LANES < r->n; lanes++)
            memcpy(x + lanes * r->d, r->x + (t + lanes * LANES) * r->d, r->d * sizeof *x);
        assay_matmul_f32(y, x, r->ck->head, lanes, r->d, vocab, r->scratch);
        see_all(top, y, lanes * vocab);
    }
    assay_mem_free_secret(y, LANES * vocab * sizeof *y);
    assay_mem_free_secret(x, LANES * r->d * sizeof *x);
    return s;
}

static assay_status forward(assay_maxima *m, run *r, const uint32_t *ids, assay_errinfo *err)
{
    const assay_checkpoint *ck = r->ck;
    for (size_t t = 0; t < r->n; t++) memcpy(r->h + t * r->d, ck->embed + ids[t] * r->d, r->d * sizeof(float));
    see_rows(r, m->h, r->h, r->d);
    for (size_t l = 0; l < ck->cfg.n_layers; l++) layer(r, m, l);
    /* Whatever overflowed earlier has reached the residual. */
    for (size_t i = 0; i < r->n * r->d; i++)
        if (!isfinite(r->h[i]))
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "calibration", "the float model leaves float32 (token of window)",
                               i / r->d);
    norm(r, m->nf, ck->gf);
    see_rows(r, m->ng, r->x, r->d);
    return r->sees_logits ? see_logits(r, m->logit, err) : ASSAY_OK;
}

assay_status assay_float_forward(assay_maxima *m, const assay_checkpoint *ck, const uint32_t *ids, size_t n,
                                 float *rows, assay_errinfo *err)
{
    run r;
    assay_status s = run_init(&r, ck, n, err);
    if (s != ASSAY_OK) return s;
    r.from = ck->cfg.fixed_first ? 1 : 0;
    r.sees_logits = !rows; /* else the caller has them */
    s = forward(m, &r, ids, err);
    if (rows && s == ASSAY_OK) memcpy(rows, r.x, n * r.d * sizeof *rows);
    assay_mem_free_secret(r.own, r.n_own * sizeof *r.own);
    return s;
}

assay_status assay_float_first(assay_maxima *m, const assay_checkpoint *ck, uint32_t id, float *first_k, float *first_v,
                               assay_errinfo *err)
{
    run r;
    assay_status s = run_init(&r, ck, 1, err);
    if (s != ASSAY_OK) return s;
    r.first_k = first_k, r.first_v = first_v;
    s = forward(m, &r, &id, err);
    assay_mem_free_secret(r.own, r.n_own * sizeof *r.own);
    return s;
}

assay_status assay_float_peak(float *row, float *ratio, const assay_checkpoint *ck, const uint32_t *ids, size_t n,
                              assay_errinfo *err)
{
    run r;
    assay_maxima m = {0};
    peak p = {1, row, assay_mem_alloc(n, sizeof *p.tops)};
    assay_status s = p.tops ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "calibration", "out of memory");
    if (s == ASSAY_OK) s = assay_maxima_new(&m, &ck->cfg, err);
    if (s == ASSAY_OK) s = run_init(&r, ck, n, err);
    if (s == ASSAY_OK) {
        r.from = ck->cfg.fixed_first ? 1 : 0;
        r.peak = &p;
        s = forward(&m, &r, ids, err);
        assay_mem_free_secret(r.own, r.n_own * sizeof *r.own);
    }
    *ratio = p.ratio;
    assay_maxima_clear(&m);
    assay_mem_free_secret(p.tops, n * sizeof *p.tops);
    return s;
}
