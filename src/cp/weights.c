/* SPDX-License-Identifier: Apache-2.0 */
/* Making weights along axes from other weights. A planner's weights are never stored: w is NULL there. */
#include "cp/statement.h"

static kel at(const assay_weights *w, uint32_t i)
{
    return w->w ? w->w[i - w->start] : k_one();
}

assay_weights assay_out_weights(assay_cp *cp, uint32_t extent)
{
    kel point[ASSAY_MAX_AXIS_BITS * 2];
    uint32_t n = layout_ceil_log2(extent), jb = cp->shape->params.jb;
    for (uint32_t i = 0; i < n; i++) point[i] = i < jb ? cp->pt.j[i] : cp->pt.x[i - jb];
    /* An axis shorter than R_W still stands at the whole of r_J: its index's high bits are 0. */
    kel scale = k_one();
    for (uint32_t i = n; i < jb; i++) scale = k_mul(scale, k_sub(k_one(), cp->pt.j[i]));
    return assay_functional_eq(&cp->fn, scale, point, extent);
}

assay_weights assay_weights_times(assay_cp *cp, assay_weights a, assay_weights b)
{
    kel *w = assay_functional_weights(&cp->fn, a.len);
    if (!w) return a;
    for (uint32_t i = 0; i < a.len; i++) w[i] = k_mul(at(&a, a.start + i), at(&b, a.start + i));
    return weights_part(w, a.start, a.len);
}

assay_weights assay_weights_scaled(assay_cp *cp, assay_weights a, const int64_t *c)
{
    kel *w = assay_functional_weights(&cp->fn, a.len);
    if (!w) return a;
    for (uint32_t i = 0; i < a.len; i++) w[i] = k_mul_f(at(&a, a.start + i), m31_from_i64(c[a.start + i]));
    return weights_part(w, a.start, a.len);
}

kel assay_weights_sum(assay_weights a)
{
    kel s = k_zero();
    for (uint32_t i = 0; i < a.len; i++) s = k_add(s, at(&a, a.start + i));
    return s;
}

assay_weights assay_weights_joined(assay_cp *cp, assay_weights heads, assay_weights dims)
{
    uint32_t n = cp->shape->run.cfg->head_dim;
    kel *w = assay_functional_weights(&cp->fn, (size_t)heads.len * n);
    if (!w) return weights_ones(heads.len * n);
    for (uint32_t h = 0; h < heads.len; h++)
        for (uint32_t e = 0; e < n; e++) w[h * n + e] = k_mul(at(&heads, heads.start + h), at(&dims, e));
    return weights_part(w, heads.start * n, heads.len * n);
}

assay_weights assay_weights_grouped(assay_cp *cp, assay_weights heads)
{
    const assay_model_config *cfg = cp->shape->run.cfg;
    uint32_t group = cfg->n_heads / cfg->n_kv;
    kel *w = assay_functional_weights(&cp->fn, cfg->n_kv);
    if (!w) return weights_ones(cfg->n_kv);
    for (uint32_t h = heads.start; h < heads.start + heads.len; h++) w[h / group] = k_add(w[h / group], at(&heads, h));
    return weights_part(w, 0, cfg->n_kv);
}

assay_weights assay_weights_clip(assay_weights a, uint32_t from, uint32_t n)
{
    uint32_t lo = a.start > from ? a.start : from, end = a.start + a.len < from + n ? a.start + a.len : from + n;
    if (lo >= end) return weights_ones(0);
    return weights_part(a.w ? a.w + (lo - a.start) : NULL, lo - from, end - lo);
}

assay_weights assay_weights_at(assay_cp *cp, uint32_t i, kel v)
{
    kel *w = assay_functional_weights(&cp->fn, 1);
    if (w) w[0] = v;
    return weights_part(w, i, 1);
}
