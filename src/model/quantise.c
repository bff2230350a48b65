/* SPDX-License-Identifier: Apache-2.0 */
/* Float weights to integers: floor(w 2^f + 1/2), with norm gains and the score scale folded in. */
#include "model/plan.h"
#include "model/weights.h"
#include <math.h>

/* 1 / sqrt(E) is a factor of q, or with norms of heads of q's gain. */
static float score_scale(const assay_hf_config *c)
{
    return c->parts & ASSAY_PART_QK_NORM ? 1.0f : (float)(1 / sqrt((double)c->head_dim));
}

assay_folded assay_folded_at(const assay_checkpoint *ck, uint32_t i)
{
    const assay_hf_config *c = &ck->cfg;
    size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim, d = c->d, ff = c->ff;
    if (i == 0) return (assay_folded){ck->embed, NULL, 1, c->vocab, d};
    if (c->tied) i++;
    if (i == 1) return (assay_folded){ck->head, NULL, 1, c->vocab, d};
    if (i == 2) return (assay_folded){ck->gf, NULL, 1, 1, d};
    const uint32_t n = assay_layer_arrays(c->parts), e = c->head_dim;
    const assay_checkpoint_layer *w = &ck->layer[(i - 3) / n];
    /* The integer model's norm of a head is that of a row of D: sqrt(D / E) times what it should be. */
    const float scale = score_scale(c), norm = (float)sqrt((double)e / (double)d), both = (float)(1 / sqrt((double)d));
    const assay_folded all[ASSAY_LAYER_ARRAYS] = {
        {w->q, w->g1, scale, q, d}, {w->k, w->g1, 1, kv, d},    {w->v, w->g1, 1, kv, d},
        {w->o, NULL, 1, d, q},      {w->gate, w->g2, 1, ff, d}, {w->up, w->g2, 1, ff, d},
        {w->down, NULL, 1, d, ff},  {w->nq, NULL, both, 1, e},  {w->nk, NULL, norm, 1, e}};
    return all[(i - 3) % n];
}

assay_folded assay_folded_bias(const assay_checkpoint *ck, uint32_t i)
{
    const assay_hf_config *c = &ck->cfg;
    if (c->tied) i++;
    if (i < 3 || !(c->parts & ASSAY_PART_BIAS)) return (assay_folded){0};
    const uint32_t n = assay_layer_arrays(c->parts);
    const assay_checkpoint_layer *w = &ck->layer[(i - 3) / n];
    size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    const assay_folded all[ASSAY_LAYER_ARRAYS] = {
        {w->bq, NULL, score_scale(c), 1, q}, {w->bk, NULL, 1, 1, kv}, {w->bv, NULL, 1, 1, kv}};
    return all[(i - 3) % n];
}

static inline float folded_value(const assay_folded *a, size_t row, size_t col)
{
    float x = a->w[row * a->cols + col] * a->scale;
    return a->gain ? x * a->gain[col] : x;
}

float assay_folded_max(const assay_folded *a)
{
    float top = 0;
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < a->cols; j++) {
            float x = fabsf(folded_value(a, i, j));
            top = x > top ? x : top;
        }
    return top;
}

typedef struct job {
    assay_folded a;
    int16_t *out;
    double unit;
} job;

static void quantise_rows(void *ctx, size_t begin, size_t end)
{
    const job *j = ctx;
    for (size_t row = begin; row < end; row++)
        for (size_t col = 0; col < j->a.cols; col++)
            j->out[row * j->a.cols + col] = (int16_t)floor((double)folded_value(&j->a, row, col) * j->unit + 0.5);
}

/* Biases of weight array i, at the unit of its accumulator: that of the weights times that of the row that feeds them.
 */
static void quantise_bias(assay_model *m, const assay_checkpoint *ck, uint32_t i, int32_t f)
{
    assay_folded b = assay_folded_bias(ck, i);
    if (!b.w) return;
    uint32_t first = m->cfg.tied ? 2 : 3, n = assay_layer_arrays(m->cfg.parts), l = (i - first) / n;
    int32_t *out = *assay_bias_at(m, l * ASSAY_LAYER_BIASES + (i - first) % n).slot;
    double unit = ldexp(1, f + m->cfg.layer[l].fn1);
    for (size_t j = 0; j < b.cols; j++) out[j] = (int32_t)floor((double)folded_value(&b, 0, j) * unit + 0.5);
}

assay_status assay_quantise(assay_model *m, const assay_checkpoint *ck, const int32_t *f, assay_pool *pool,
                            assay_errinfo *err)
{
    assay_status s = assay_model_alloc(m, err);
    for (uint32_t i = 0; s == ASSAY_OK && i < assay_weight_first(&m->cfg); i++) {
        job j = {assay_folded_at(ck, i), *assay_weight_at(m, i).slot, ldexp(1, f[i])};
        assay_pool_range(pool, j.a.rows, 64, quantise_rows, &j);
        quantise_bias(m, ck, i, f[i]);
    }
    return s;
}

/* n values at unit 2^-f in b bits. */
static bool round_values(int16_t *out, const float *x, size_t n, assay_site site)
{
    const double edge = ldexp(1, site.b - 1);
    for (size_t i = 0; i < n; i++) {
        double v = floor((double)x[i] * ldexp(1, site.f) + 0.5);
        if (!(v >= -edge && v < edge)) return false;
        out[i] = (int16_t)v;
    }
    return true;
}

assay_status assay_quantise_first(assay_model *m, const float *first_k, const float *first_v, assay_errinfo *err)
{
    const assay_model_config *c = &m->cfg;
    const size_t ge = (size_t)c->n_kv * c->head_dim;
    for (uint32_t l = 0; l < c->n_layers; l++) {
        if (round_values(m->first_k + l * ge, first_k + l * ge, ge, c->layer[l].kr) &&
            round_values(m->first_v + l * ge, first_v + l * ge, ge, c->layer[l].v))
            continue;
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "first token", "its keys or values leave their range (layer)", l);
    }
    return ASSAY_OK;
}
