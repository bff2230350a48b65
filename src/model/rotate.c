/* SPDX-License-Identifier: Apache-2.0 */
/* RMSNorm does not see an orthogonal change of basis, so h may be replaced by Q h. Q = P B: B mixes all channels
 * (random signs and Walsh-Hadamard blocks, first of neighbours, then of strided ones), which makes every token's row
 * even; the reflection P takes the image of the massive row, which is nearly one direction, to the diagonal, so that it
 * is spread over all channels as evenly as can be: its largest value falls by about sqrt(D). */
#include "model/rotate.h"
#include "base/mem.h"
#include "model/config.h"
#include <math.h>
#include <string.h>

typedef struct basis {
    size_t d, block; /* block: the largest power of two that divides d */
    double *normal;  /* [d] of the reflection, length 1 or 0 */
} basis;

/* Sign of channel i before mixing step `step`: a bit of splitmix64. */
static float sign_of(size_t i, size_t step)
{
    uint64_t z = (uint64_t)(2 * i + step + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) & 1 ? -1.0f : 1.0f;
}

/* Orthonormal Walsh-Hadamard transform of n = 2^k values, `step` apart. */
static void hadamard(float *x, size_t n, size_t step)
{
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i++) {
            if (i & half) continue;
            float a = x[i * step], b = x[(i + half) * step];
            x[i * step] = a + b;
            x[(i + half) * step] = a - b;
        }
    float f = 1 / sqrtf((float)n);
    for (size_t i = 0; i < n; i++) x[i * step] *= f;
}

/* x = B x; the values of x are `step` apart. */
static void mix(const basis *q, float *x, size_t step)
{
    size_t blocks = q->d / q->block;
    for (size_t i = 0; i < q->d; i++) x[i * step] *= sign_of(i, 0);
    for (size_t b = 0; b < blocks; b++) hadamard(x + b * q->block * step, q->block, step);
    for (size_t i = 0; i < q->d; i++) x[i * step] *= sign_of(i, 1);
    for (size_t b = 0; b < blocks; b++) hadamard(x + b * step, q->block, blocks * step);
}

/* x = Q x */
static void turn(const basis *q, float *x, size_t step)
{
    double dot = 0;
    mix(q, x, step);
    for (size_t i = 0; i < q->d; i++) dot += q->normal[i] * (double)x[i * step];
    for (size_t i = 0; i < q->d; i++) x[i * step] = (float)((double)x[i * step] - 2 * dot * q->normal[i]);
}

static assay_status basis_init(basis *q, size_t d, const float *row, assay_errinfo *err)
{
    float *image = assay_mem_alloc(d, sizeof *image);
    *q = (basis){d, d & (~d + 1), assay_mem_alloc(d, sizeof *q->normal)};
    assay_status s = image && q->normal ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "rotation", "out of memory");
    if (s == ASSAY_OK) {
        double length = 0, rest = 0;
        memcpy(image, row, d * sizeof *image);
        mix(q, image, 1);
        for (size_t i = 0; i < d; i++) length += (double)image[i] * (double)image[i];
        for (size_t i = 0; i < d; i++) {
            q->normal[i] = (double)image[i] / sqrt(length) - 1 / sqrt((double)d);
            rest += q->normal[i] * q->normal[i];
        }
        for (size_t i = 0; i < d; i++) q->normal[i] = rest > 1e-12 ? q->normal[i] / sqrt(rest) : 0;
    }
    assay_mem_free_secret(image, d * sizeof *image);
    if (s != ASSAY_OK) assay_mem_free_secret(q->normal, d * sizeof *q->normal);
    return s;
}

typedef struct job {
    const basis *q;
    float *w;          /* [n][d] rows, or [d][n] columns */
    const float *gain; /* of the channels, or NULL */
    size_t n;
} job;

/* w[i] = Q (gain w[i]) */
static void turn_rows(void *ctx, size_t begin, size_t end)
{
    const job *j = ctx;
    size_t d = j->q->d;
    for (size_t row = begin; row < end; row++) {
        float *x = j->w + row * d;
        for (size_t i = 0; j->gain && i < d; i++) x[i] *= j->gain[i];
        turn(j->q, x, 1);
    }
}

static void turn_columns(void *ctx, size_t begin, size_t end)
{
    const job *j = ctx;
    for (size_t column = begin; column < end; column++) turn(j->q, j->w + column, j->n);
}

/* A matrix [n][d] that reads the stream behind a norm with this gain. */
static void reads(assay_pool *pool, const basis *q, float *w, size_t n, const float *gain)
{
    job j = {q, w, gain, n};
    assay_pool_range(pool, n, 64, turn_rows, &j);
}

/* A matrix [d][n] that writes the stream. */
static void writes(assay_pool *pool, const basis *q, float *w, size_t n)
{
    job j = {q, w, NULL, n};
    assay_pool_range(pool, n, 16, turn_columns, &j);
}

static void ones(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = 1;
}

static void turn_layer(assay_pool *pool, const basis *q, const assay_hf_config *c, assay_checkpoint_layer *w)
{
    size_t query = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    reads(pool, q, w->q, query, w->g1);
    reads(pool, q, w->k, kv, w->g1);
    reads(pool, q, w->v, kv, w->g1);
    reads(pool, q, w->gate, c->ff, w->g2);
    reads(pool, q, w->up, c->ff, w->g2);
    writes(pool, q, w->o, query);
    writes(pool, q, w->down, c->ff);
    ones(w->g1, c->d);
    ones(w->g2, c->d);
}

assay_status assay_rotate(assay_checkpoint *ck, const float *row, assay_pool *pool, assay_errinfo *err)
{
    const assay_hf_config *c = &ck->cfg;
    size_t n = (size_t)c->vocab * c->d;
    basis q;
    float *head = c->tied ? assay_mem_alloc_raw(n, sizeof *head) : ck->head;
    if (!head) return ASSAY_FAIL(err, ASSAY_ENOMEM, "rotation", "out of memory");
    assay_status s = basis_init(&q, c->d, row, err);
    if (s != ASSAY_OK) {
        if (head != ck->head) assay_mem_free(head);
        return s;
    }
    if (c->tied) memcpy(head, ck->embed, n * sizeof *head);
    ck->head = head;
    ck->cfg.tied = false;
    reads(pool, &q, ck->head, c->vocab, ck->gf);
    reads(pool, &q, ck->embed, c->vocab, NULL);
    ones(ck->gf, c->d);
    for (uint32_t l = 0; l < c->n_layers; l++) turn_layer(pool, &q, c, &ck->layer[l]);
    assay_mem_free_secret(q.normal, q.d * sizeof *q.normal);
    return ASSAY_OK;
}

static void scale(float *x, size_t n, float f)
{
    for (size_t i = 0; i < n; i++) x[i] *= f;
}

void assay_rescale(assay_checkpoint *ck, assay_maxima *m, double head)
{
    const assay_hf_config *c = &ck->cfg;
    size_t query = (size_t)c->n_heads * c->head_dim, sites = 2 * (size_t)c->n_layers + 1;
    float top = 0;
    for (size_t j = 0; j < sites; j++) top = fmaxf(top, m->h[j]);
    if (!(top > 0)) return;
    double room = log2((ldexp(1, ASSAY_RESID_BITS - 1) - 1) / (double)top) - head;
    /* A sixteenth is enough, and eps, which is public, says no more of the maximum. */
    float f = (float)(floor(16 * exp2(room - floor(room))) / 16);
    scale(ck->embed, (size_t)c->vocab * c->d, f);
    scale(m->h, sites, f);
    for (uint32_t l = 0; l < c->n_layers; l++) {
        scale(ck->layer[l].o, c->d * query, f);
        scale(ck->layer[l].down, (size_t)c->d * c->ff, f);
        scale(m->layer[l].ho, 1, f);
        scale(m->layer[l].hd, 1, f);
    }
    ck->cfg.eps *= (double)f * (double)f;
}
