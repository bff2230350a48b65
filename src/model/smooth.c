/* SPDX-License-Identifier: Apache-2.0 */
/* Power-of-two smoothing (docs/model.md, "Smoothing"): k = round(log2(activation outlier / weight outlier) / 2), where
 * a channel's outlier is its maximum over the median of all channels. Powers of two are exact, so the function stays.
 */
#include "base/mem.h"
#include "model/maxima.h"
#include "model/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EXPONENT = 8 };
static const double FLOOR = 1e-9;

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Median of the positive values of x, 0 when there is none; work has room for n. */
static double median(const float *x, size_t n, float *work)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0) work[m++] = x[i];
    if (m == 0) return 0;
    qsort(work, m, sizeof *work, by_value);
    return m % 2 ? (double)work[m / 2] : ((double)work[m / 2 - 1] + (double)work[m / 2]) / 2;
}

static double outlier(float x, double mid)
{
    return mid > 0 ? fmax((double)x, FLOOR) / mid : 1;
}

/* k[i] for the two sides a and b of n channels. */
static void balance(int *k, const float *a, const float *b, size_t n, float *work)
{
    double mid_a = median(a, n, work), mid_b = median(b, n, work);
    for (size_t i = 0; i < n; i++) {
        double x = rint(0.5 * log2(outlier(a[i], mid_a) / outlier(b[i], mid_b)));
        k[i] = (int)fmax(-MAX_EXPONENT, fmin(MAX_EXPONENT, x));
    }
}

static void scale(float *x, size_t n, int k)
{
    float f = ldexpf(1.0f, k);
    for (size_t i = 0; i < n; i++) x[i] *= f;
}

/* Row i of w [][d] and its bias, if there are biases. */
static void scale_row(float *w, float *bias, size_t d, size_t i, int k)
{
    scale(w + i * d, d, k);
    if (bias) scale(&bias[i], 1, k);
}

/* top[j] = max over rows of |w[i][j]|. */
static void column_maxima(float *top, const float *w, size_t rows, size_t cols)
{
    memset(top, 0, cols * sizeof *top);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) top[j] = fmaxf(top[j], fabsf(w[i * cols + j]));
}

static void scale_column(float *w, size_t rows, size_t cols, size_t j, int k)
{
    float f = ldexpf(1.0f, k);
    for (size_t i = 0; i < rows; i++) w[i * cols + j] *= f;
}

/* Where k would raise channels (k < 0), keeps it from raising any above the largest that is left. */
static void keep_below_top(int *k, const float *top, size_t n)
{
    double most = FLOOR;
    for (size_t i = 0; i < n; i++) most = fmax(most, ldexp((double)top[i], k[i] > 0 ? -k[i] : 0));
    for (size_t i = 0; i < n; i++) {
        double least = ceil(log2(fmax((double)top[i], FLOOR) / most));
        if (k[i] < 0 && least > k[i]) k[i] = least < 0 ? (int)least : 0;
    }
}

/* Room for one layer: exponents, and three arrays of floats, each as wide as the widest tensor. */
typedef struct room {
    int *k;
    float *a, *b, *work;
} room;

static void smooth_mlp(assay_checkpoint *ck, assay_layer_maxima *y, size_t l, room *r)
{
    assay_checkpoint_layer *w = &ck->layer[l];
    size_t d = ck->cfg.d, ff = ck->cfg.ff;
    column_maxima(r->b, w->down, d, ff);
    balance(r->k, y->a, r->b, ff, r->work);
    if (assay_plan_is_fine(&ck->cfg)) {
        keep_below_top(r->k, y->u, ff);
        keep_below_top(r->k, y->a, ff);
    }
    for (size_t i = 0; i < ff; i++) {
        if (r->k[i] == 0) continue;
        scale(w->up + i * d, d, -r->k[i]);
        scale_column(w->down, d, ff, i, r->k[i]);
        scale(&y->u[i], 1, -r->k[i]);
        scale(&y->a[i], 1, -r->k[i]);
    }
}

/* A value channel faces the columns of o of every query head of its group. */
static void smooth_values(assay_checkpoint *ck, assay_layer_maxima *y, size_t l, room *r)
{
    assay_checkpoint_layer *w = &ck->layer[l];
    const assay_hf_config *c = &ck->cfg;
    size_t d = c->d, e = c->head_dim, q = c->n_heads * e, kv = c->n_kv * e, group = c->n_heads / c->n_kv;
    column_maxima(r->a, w->o, d, q);
    memset(r->b, 0, kv * sizeof *r->b);
    for (size_t i = 0; i < q; i++) {
        size_t j = i / e / group * e + i % e;
        r->b[j] = fmaxf(r->b[j], r->a[i]);
    }
    balance(r->k, y->v, r->b, kv, r->work);
    for (size_t i = 0; i < kv; i++) {
        scale_row(w->v, w->bv, d, i, -r->k[i]);
        scale(&y->v[i], 1, -r->k[i]);
    }
    for (size_t i = 0; i < q; i++) scale_column(w->o, d, q, i, r->k[i / e / group * e + i % e]);
}

/* The two halves of a rotated pair share one exponent, over all query heads of a group; over all heads where they have
 * norms, for then the gains, which heads share, are scaled. */
static void smooth_scores(assay_checkpoint *ck, assay_layer_maxima *y, size_t l, room *r)
{
    assay_checkpoint_layer *w = &ck->layer[l];
    const assay_hf_config *c = &ck->cfg;
    size_t d = c->d, e = c->head_dim, half = e / 2, group = c->n_heads / c->n_kv;
    size_t sets = w->nq ? 1 : c->n_kv, keys = c->n_kv / sets * e, queries = keys * group;
    memset(r->a, 0, sets * half * sizeof *r->a);
    memset(r->b, 0, sets * half * sizeof *r->b);
    for (size_t i = 0; i < c->n_kv * e; i++) {
        size_t pair = i / keys * half + i % half;
        r->a[pair] = fmaxf(r->a[pair], y->kr[i]);
    }
    for (size_t i = 0; i < c->n_heads * e; i++) {
        size_t pair = i / queries * half + i % half;
        r->b[pair] = fmaxf(r->b[pair], y->qr[i]);
    }
    balance(r->k, r->a, r->b, sets * half, r->work);
    for (size_t i = 0; i < c->n_kv * e; i++) {
        int k = r->k[i / keys * half + i % half];
        if (!w->nk) scale_row(w->k, w->bk, d, i, -k);
        scale(&y->k[i], 1, -k);
        scale(&y->kr[i], 1, -k);
    }
    for (size_t i = 0; i < c->n_heads * e; i++) {
        int k = r->k[i / queries * half + i % half];
        if (!w->nq) scale_row(w->q, w->bq, d, i, k);
        scale(&y->q[i], 1, k);
        scale(&y->qr[i], 1, k);
    }
    for (size_t i = 0; w->nq && i < e; i++) {
        scale(&w->nq[i], 1, r->k[i % half]);
        scale(&w->nk[i], 1, -r->k[i % half]);
    }
}

assay_status assay_smooth(assay_checkpoint *ck, assay_maxima *m, assay_errinfo *err)
{
    const assay_hf_config *c = &ck->cfg;
    size_t q = (size_t)c->n_heads * c->head_dim, n = q > c->ff ? q : c->ff;
    assay_status s = ASSAY_OK;
    room r = {assay_mem_alloc(n, sizeof *r.k), NULL, NULL, NULL};
    float *own = assay_mem_alloc(3 * n, sizeof *own);
    if (!r.k || !own) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "smoothing", "out of memory");
        goto out;
    }
    r.a = own;
    r.b = own + n;
    r.work = own + 2 * n;
    for (size_t l = 0; l < c->n_layers; l++) {
        smooth_mlp(ck, &m->layer[l], l, &r);
        smooth_values(ck, &m->layer[l], l, &r);
        smooth_scores(ck, &m->layer[l], l, &r);
    }
out:
    assay_mem_free(r.k);
    assay_mem_free_secret(own, 3 * n * sizeof *own);
    return s;
}
