/* SPDX-License-Identifier: Apache-2.0 */
/* The fast operations of the integer model: 16-bit matrix products by vector kernels, threads over rows and tokens.
 *
 * A product is first summed mod 2^32. It is the true sum when |x| |w| < 2^31 (Cauchy-Schwarz, with the Euclidean norms
 * of the row of x and of the row of w rounded up); other cells are summed again in int64. */
#include "base/mem.h"
#include "model/forward.h"
#include "model/forward_kernels.h"

enum { CHUNK_CELLS = 16384, CHUNK_MAX = 64, QUERY_CHUNK = 16 };

typedef struct assay_forward_fast {
    const assay_forward_kernels *k;
    uint32_t *w_norm; /* of every row of every matrix, in the order of assay_matrix.first; the head's rows come last */
    uint32_t *x_norm; /* of every row of the block; UINT32_MAX: does not fit in 16 bits */
    int16_t *x16;     /* the block's input, [rows][x_width] */
    int32_t *num;     /* [n_rows][2 E] sums of a row of attention, by limb */
    uint32_t *key;    /* [L][G] the largest norm of a key so far */
    size_t n_norms, head_first, rows, x_width, n_num;
} assay_forward_fast;

/* Smallest r with r^2 >= x, at most UINT32_MAX. */
static uint32_t root_up(uint64_t x)
{
    uint64_t r = 0;
    for (int k = 31; k >= 0; k--) {
        uint64_t up = r | (uint64_t)1 << k;
        if ((up - 1) * (up - 1) < x) r = up;
    }
    return (uint32_t)r;
}

static uint32_t norm_of(const int16_t *w, size_t n)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < n; k++) sum += (uint64_t)((int32_t)w[k] * w[k]);
    return root_up(sum);
}

/* ---- matrix products */

typedef struct product_job {
    assay_forward *f;
    const assay_matrix *w;
    const int32_t *x;
    const uint32_t *w_norm;
    uint32_t n, chunk; /* rows of x; matrix rows of one job */
    bool logits;
    assay_tensor y;
    assay_site s;
    int32_t *out;
    uint32_t first_position;
} product_job;

static void narrow_rows(void *ctx, size_t job)
{
    const product_job *p = ctx;
    assay_forward_fast *q = p->f->fast;
    const uint32_t n_in = p->w->n_in;
    const int32_t *x = p->x + job * n_in;
    int16_t *to = q->x16 + job * q->x_width;
    uint64_t sum = 0;
    int32_t lost = 0;
    for (uint32_t k = 0; k < n_in; k++) {
        to[k] = (int16_t)x[k];
        lost |= x[k] ^ to[k];
        sum += (uint64_t)((int32_t)to[k] * to[k]);
    }
    q->x_norm[job] = lost ? UINT32_MAX : root_up(sum);
}

static void product_rows(void *ctx, size_t job)
{
    const product_job *p = ctx;
    assay_forward *f = p->f;
    const assay_forward_fast *q = f->fast;
    const assay_matrix *w = p->w;
    const uint32_t r0 = (uint32_t)job * p->chunk, left = w->n_out - r0, n_rows = left < p->chunk ? left : p->chunk;
    int32_t acc[CHUNK_MAX];
    for (uint32_t i = 0; i < p->n; i++) {
        q->k->dots(acc, q->x16 + i * q->x_width, w->w + (size_t)r0 * w->n_in, w->n_in, w->n_in, n_rows);
        for (uint32_t r = 0; r < n_rows; r++) {
            const size_t at = (size_t)i * w->n_out + r0 + r;
            int64_t sum = acc[r];
            if ((uint64_t)q->x_norm[i] * p->w_norm[r0 + r] >> 31 != 0)
                sum = assay_forward_dot(p->x + (size_t)i * w->n_in, w->w + (size_t)(r0 + r) * w->n_in, w->n_in);
            if (w->bias) sum += w->bias[r0 + r];
            if (p->logits)
                p->out[at] = forward_logit(f, sum, p->first_position + i);
            else
                forward_requant(f, f->t[p->y] + at, forward_at(f->t[p->y + 1], at), sum, p->s, f->t0 + i);
        }
    }
}

static void run_product(product_job *p)
{
    const uint32_t chunk = CHUNK_CELLS / p->w->n_in;
    p->chunk = chunk < 8 ? 8 : chunk > CHUNK_MAX ? CHUNK_MAX : chunk;
    p->w_norm = p->f->fast->w_norm + p->w->first;
    assay_pool_run(p->f->pool, p->n, narrow_rows, p);
    assay_pool_run(p->f->pool, (p->w->n_out + p->chunk - 1) / p->chunk, product_rows, p);
}

static void fast_matmul(assay_forward *f, assay_tensor y, const int32_t *x, const assay_matrix *w, assay_site s)
{
    product_job p = {.f = f, .w = w, .x = x, .n = f->nt, .y = y, .s = s};
    run_product(&p);
}

static void fast_logits(assay_forward *f, int32_t *out, uint32_t n, uint32_t first_position)
{
    const assay_matrix head = {f->m->head, NULL, f->c->vocab, f->c->d, f->fast->head_first};
    product_job p = {
        .f = f, .w = &head, .x = f->t[TEN_NG], .n = n, .logits = true, .out = out, .first_position = first_position};
    run_product(&p);
}

/* ---- attention */

typedef struct attention_job {
    assay_forward *f;
    uint32_t layer, chunks; /* chunks of query rows a head */
} attention_job;

/* Scores of query i against keys 0 .. i. */
static void attention_scores(const attention_job *a, int32_t *ex, uint32_t head, uint32_t kv, uint32_t i)
{
    assay_forward *f = a->f;
    const assay_forward_fast *s = f->fast;
    const uint32_t e_n = f->c->head_dim, row = i - f->t0, key = s->key[a->layer * f->c->n_kv + kv];
    const int32_t *q = f->t[TEN_QR] + ((size_t)row * f->c->n_heads + head) * e_n;
    const int16_t *q16 = s->x16 + row * s->x_width + (size_t)head * e_n, *keys = forward_keys(f, a->layer, kv);
    const bool exact = s->x_norm[row] != UINT32_MAX && (uint64_t)norm_of(q16, e_n) * key >> 31 == 0;
    s->k->dots(ex, q16, keys, e_n, e_n, (size_t)i + 1);
    for (uint32_t j = 0; j <= i; j++)
        ex[j] = forward_score(f, exact ? ex[j] : assay_forward_dot(q, keys + (size_t)j * e_n, e_n), i);
}

/* As in forward_ref.c; the sums of the mix fit in 32 bits (docs/model.md, "Width table"). */
static void attention_row(const attention_job *a, uint32_t head, uint32_t i, size_t row)
{
    assay_forward *f = a->f;
    const assay_model_config *c = f->c;
    const assay_forward_fast *q = f->fast;
    const uint32_t e_n = c->head_dim, kv = head / (c->n_heads / c->n_kv);
    const int16_t *values = forward_values(f, a->layer, kv);
    const size_t out = ((size_t)(i - f->t0) * c->n_heads + head) * e_n, at = (size_t)head * f->cap + i;
    int32_t *ex = forward_row(f, head, i, row), *num = q->num + row * 2 * e_n;
    attention_scores(a, ex, head, kv, i);
    const int64_t full = assay_forward_weights(f, ex, head, i);
    int32_t delta;
    const int64_t z2 = assay_forward_divisor(f, at, full, &delta);
    q->k->mix(num, ex, values, (size_t)2 * e_n, (size_t)i + 1); /* sums below 2^29 */
    for (uint32_t e = 0; e < e_n; e++)
        assay_forward_divide(f, out + e, num[e], num[e_n + e], z2, delta, c->layer[a->layer].v.b + c->o_guard, i);
}

static void attention_rows(void *ctx, size_t job)
{
    const attention_job *a = ctx;
    const uint32_t head = (uint32_t)(job / a->chunks), i0 = (uint32_t)(job % a->chunks) * QUERY_CHUNK;
    for (uint32_t i = i0; i < a->f->nt && i < i0 + QUERY_CHUNK; i++) attention_row(a, head, a->f->t0 + i, job);
}

static void fast_attention(assay_forward *f, uint32_t layer)
{
    const assay_matrix shape = {NULL, NULL, 0, f->c->n_heads * f->c->head_dim, 0};
    product_job narrow = {.f = f, .w = &shape, .x = f->t[TEN_QR]};
    attention_job a = {f, layer, (f->nt + QUERY_CHUNK - 1) / QUERY_CHUNK};
    assay_pool_run(f->pool, f->nt, narrow_rows, &narrow);
    for (uint32_t kv = 0; kv < f->c->n_kv; kv++) {
        const int16_t *keys = forward_keys(f, layer, kv);
        uint32_t *top = &f->fast->key[layer * f->c->n_kv + kv];
        for (uint32_t i = f->t0; i < f->t0 + f->nt; i++) {
            uint32_t norm = norm_of(keys + (size_t)i * f->c->head_dim, f->c->head_dim);
            *top = norm > *top ? norm : *top;
        }
    }
    assay_pool_run(f->pool, (size_t)a.chunks * f->c->n_heads, attention_rows, &a);
}

/* ---- state */

typedef struct norms_job {
    const assay_matrix *w;
    uint32_t *out;
} norms_job;

static void matrix_norms(void *ctx, size_t begin, size_t end)
{
    const norms_job *j = ctx;
    for (size_t r = begin; r < end; r++) j->out[r] = norm_of(j->w->w + r * j->w->n_in, j->w->n_in);
}

static void fill_norms(assay_forward *f, assay_matrix w)
{
    norms_job j = {&w, f->fast->w_norm + w.first};
    assay_pool_range(f->pool, w.n_out, CHUNK_MAX, matrix_norms, &j);
}

static void fast_close(assay_forward *f)
{
    assay_forward_fast *q = f->fast;
    assay_mem_free_secret(q->w_norm, q->n_norms * sizeof *q->w_norm);
    assay_mem_free_secret(q->x_norm, q->rows * sizeof *q->x_norm);
    assay_mem_free_secret(q->key, (size_t)f->c->n_layers * f->c->n_kv * sizeof *q->key);
    assay_mem_free_secret(q->num, q->n_num * sizeof *q->num);
    assay_mem_free_secret(q->x16, q->rows * q->x_width * sizeof *q->x16);
    assay_mem_free(q);
    f->fast = NULL;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static assay_status fast_open(assay_forward *f, assay_errinfo *err)
{
    const assay_model_config *c = f->c;
    const uint32_t last = c->n_layers - 1;
    assay_forward_fast *q = f->fast = assay_mem_alloc(1, sizeof *q);
    if (!q) return ASSAY_FAIL(err, ASSAY_ENOMEM, "model run", "out of memory");
    const assay_matrix end = assay_forward_matrix(f, last, MAT_DOWN);
    q->k = assay_forward_kernels_pick();
    q->head_first = end.first + end.n_out;
    q->n_norms = q->head_first + c->vocab;
    q->rows = f->keep || f->cap < FORWARD_BLOCK ? f->cap : FORWARD_BLOCK;
    q->x_width = max_size(max_size(c->d, c->ff), (size_t)c->n_heads * c->head_dim);
    f->n_rows = c->n_heads * (uint32_t)((q->rows + QUERY_CHUNK - 1) / QUERY_CHUNK);
    q->w_norm = assay_mem_alloc_raw(q->n_norms, sizeof *q->w_norm);
    q->x_norm = assay_mem_alloc(q->rows, sizeof *q->x_norm);
    q->x16 = assay_mem_alloc(q->rows * q->x_width, sizeof *q->x16);
    q->n_num = (size_t)f->n_rows * 2 * c->head_dim;
    q->num = assay_mem_alloc(q->n_num, sizeof *q->num);
    q->key = assay_mem_alloc((size_t)c->n_layers * c->n_kv, sizeof *q->key);
    if (!q->w_norm || !q->x_norm || !q->x16 || !q->num || !q->key)
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "model run", "out of memory");
    for (uint32_t l = 0; l <= last; l++) {
        for (int k = MAT_Q; k <= MAT_DOWN; k++) fill_norms(f, assay_forward_matrix(f, l, (assay_layer_matrix)k));
    }
    fill_norms(f, (assay_matrix){f->m->head, NULL, c->vocab, c->d, q->head_first});
    return ASSAY_OK;
}

const assay_forward_ops assay_forward_fast_ops = {fast_matmul, fast_attention, fast_logits, fast_open, fast_close};
