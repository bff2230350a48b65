/* SPDX-License-Identifier: Apache-2.0 */
/* Score distances of the witness: CMAX - q.k over the causal cells, in F whatever the words are.
 *
 * Rows of 16-bit integers, which an honest run has, go through the model's vector products: those sum mod 2^32, which
 * is the true sum when |q|^2 |k|^2 < 2^62 (Cauchy-Schwarz). Other rows are summed word by word. */
#include "base/mem.h"
#include "cp/witness.h"
#include "model/forward_kernels.h"
#include <stdatomic.h>

enum { WIDE = 63 }; /* log2 of a norm that no product is safe with */

typedef struct distances {
    assay_witness *w;
    const assay_forward_kernels *k;
    atomic_bool failed;
} distances;

/* n words as 16-bit integers; gives the square of their norm, or 2^WIDE when one does not fit. */
static uint64_t narrow(int16_t *out, const uint32_t *v, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t e = 0; e < n; e++) {
        int64_t x = m31_to_i64(v[e]);
        if (x < INT16_MIN || x > INT16_MAX) return (uint64_t)1 << WIDE;
        out[e] = (int16_t)x;
        sum += (uint64_t)(x * x);
    }
    return sum;
}

static bool safe(uint64_t a, uint64_t b)
{
    return a >> WIDE == 0 && b >> WIDE == 0 && ((a >> 15) + 1) * ((b >> 15) + 1) <= (uint64_t)1 << 32;
}

static uint32_t product(const uint32_t *q, const uint32_t *k, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t e = 0; e < n; e++) sum = m31_add(sum, m31_mul(q[e], k[e]));
    return sum;
}

/* One (layer, head). */
static void head_distances(void *ctx, size_t job)
{
    distances *d = ctx;
    const assay_witness *w = d->w;
    const assay_run_shape *r = &w->shape->run;
    const assay_model_config *c = r->cfg;
    uint32_t l = (uint32_t)(job / c->n_heads), h = (uint32_t)(job % c->n_heads), g = h / (c->n_heads / c->n_kv),
             n = c->head_dim, n_t = r->n_tokens;
    const uint32_t *keys = w->ten[TEN_KR] + ((size_t)l * n_t * c->n_kv + g) * n;
    size_t step = (size_t)c->n_kv * n; /* from a key to the next token's */
    int16_t *k16 = assay_mem_alloc((size_t)n_t + 1, n * sizeof *k16);
    uint64_t *norm = assay_mem_alloc_raw(n_t, sizeof *norm);
    int32_t *sum = assay_mem_alloc_raw(n_t, sizeof *sum);
    if (!k16 || !norm || !sum) atomic_store(&d->failed, true);
    for (uint32_t j = 0; k16 && norm && j < n_t; j++) norm[j] = narrow(k16 + (size_t)j * n, keys + j * step, n);
    for (uint32_t i = 0; k16 && norm && sum && i < n_t; i++) {
        const uint32_t *q = w->ten[TEN_QR] + (((size_t)l * n_t + i) * c->n_heads + h) * n;
        uint32_t top = w->ten[TEN_CMAX][job * n_t + i], *out = w->dist + witness_causal_index(r, i, 0, l, h);
        int16_t *q16 = k16 + (size_t)n_t * n;
        uint64_t q_norm = narrow(q16, q, n);
        if (q_norm >> WIDE == 0) d->k->dots(sum, q16, k16, n, n, (size_t)i + 1);
        for (uint32_t j = 0; j <= i; j++)
            out[j] = m31_sub(top, safe(q_norm, norm[j]) ? m31_from_i64(sum[j]) : product(q, keys + j * step, n));
    }
    size_t n_k = ((size_t)n_t + 1) * n * sizeof *k16;
    if (k16) assay_mem_free_secret(k16, n_k);
    if (norm) assay_mem_free_secret(norm, n_t * sizeof *norm);
    if (sum) assay_mem_free_secret(sum, n_t * sizeof *sum);
}

assay_status assay_witness_distances(assay_witness *w, assay_errinfo *err)
{
    const assay_model_config *c = w->shape->run.cfg;
    distances d = {w, assay_forward_kernels_pick(), false};
    if (!w->dist) w->dist = assay_mem_alloc_raw(witness_distances(w->shape), sizeof(uint32_t));
    if (w->dist) assay_pool_run(w->be->pool, (size_t)c->n_layers * c->n_heads, head_distances, &d);
    if (!w->dist || atomic_load(&d.failed)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    return ASSAY_OK;
}
