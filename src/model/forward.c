/* SPDX-License-Identifier: Apache-2.0 */
/* The order of operations of the integer model, and the memory of a run. Source: docs/model.md. */
#include "model/forward.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

static const char *const reasons[BAD_COUNT] = {
    [BAD_RESIDUAL] = "residual outside 16 bits", [BAD_SQUARES] = "sum of squares out of range",
    [BAD_SHIFT] = "shift out of range",          [BAD_ACC] = "accumulator outside 30 bits",
    [BAD_SCORE] = "score outside 30 bits",       [BAD_DIST] = "distance beyond the exp table",
};

static const char *outside(int32_t b)
{
    static const char *const text[] = {"outside its range", "outside its range", "outside 2 bits",  "outside 3 bits",
                                       "outside 4 bits",    "outside 5 bits",    "outside 6 bits",  "outside 7 bits",
                                       "outside 8 bits",    "outside 9 bits",    "outside 10 bits", "outside 11 bits",
                                       "outside 12 bits",   "outside 13 bits",   "outside 14 bits", "outside 15 bits",
                                       "outside 16 bits"};
    return text[b >= 0 && b <= 16 ? b : 0];
}

static void clear_refusals(assay_forward *f)
{
    for (int k = 0; k < BAD_COUNT; k++) atomic_store(&f->bad[k], UINT32_MAX);
}

/* ASSAY_OK, or the first refusal of the operation that has just run. b: bits of its output. */
static assay_status settle(assay_forward *f, uint32_t layer, const char *what, int32_t b, assay_errinfo *err)
{
    for (int k = 0; k < BAD_COUNT && !f->hook; k++) {
        unsigned position = atomic_load(&f->bad[k]);
        if (position == UINT32_MAX) continue;
        char subject[96];
        snprintf(subject, sizeof subject, "layer %u, %s, position %u", layer, what, position);
        return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, k == BAD_RANGE ? outside(b) : reasons[k]);
    }
    return ASSAY_OK;
}

/* ---- memory */

/* Tensors that a run writes even when nothing is kept, and elements of one token of one layer. */
static uint32_t scratch_width(const assay_model_config *c, assay_tensor t)
{
    switch ((int)t) {
    case TEN_H0:
    case TEN_REB:
    case TEN_N:
    case TEN_Y:
    case TEN_DOWN:
    case TEN_NG:
        return c->d;
    case TEN_XN:
        return model_has_head_norms(c) ? (c->n_heads + c->n_kv) * c->head_dim : 0;
    case TEN_QG:
        return model_has_head_norms(c) ? c->n_heads * c->head_dim : 0;
    case TEN_KG:
        return model_has_head_norms(c) ? c->n_kv * c->head_dim : 0;
    case TEN_Q:
    case TEN_QR:
    case TEN_O1:
    case TEN_O0:
        return c->n_heads * c->head_dim;
    case TEN_K:
    case TEN_V1:
    case TEN_V0:
    case TEN_KR:
        return c->n_kv * c->head_dim;
    case TEN_GATE:
    case TEN_UP:
    case TEN_SG:
    case TEN_ACT:
        return c->ff;
    default:
        return 0;
    }
}

static assay_status open_scratch(assay_forward *f, assay_errinfo *err)
{
    const size_t rows = f->cap < FORWARD_BLOCK ? f->cap : FORWARD_BLOCK;
    size_t n = rows * f->c->d + (size_t)f->n_rows * f->cap; /* residual, rows of EX */
    for (int t = 0; t < TEN_COUNT; t++) n += rows * scratch_width(f->c, (assay_tensor)t);
    f->scratch_n = n;
    f->scratch = assay_mem_alloc(n, sizeof *f->scratch);
    if (!f->scratch) return ASSAY_FAIL(err, ASSAY_ENOMEM, "model run", "out of memory");
    int32_t *at = f->scratch;
    f->h = at, at += rows * f->c->d;
    f->row = at, at += (size_t)f->n_rows * f->cap;
    for (int t = 0; t < TEN_COUNT; t++) {
        uint32_t width = scratch_width(f->c, (assay_tensor)t);
        if (width != 0) f->t[t] = at, at += rows * width;
    }
    return ASSAY_OK;
}

assay_status assay_forward_open(assay_forward *f, const assay_model *m, const assay_tables *tb, uint32_t cap,
                                assay_trace *keep, const assay_run_options *opt, assay_errinfo *err)
{
    const assay_model_config *c = &m->cfg;
    memset(f, 0, sizeof *f);
    f->m = m, f->c = c, f->tb = tb, f->cap = cap, f->keep = keep;
    f->ops = opt && opt->ref ? &assay_forward_ref_ops : &assay_forward_fast_ops;
    f->field = opt && opt->field;
    f->pool = opt && !opt->ref ? opt->pool : NULL;
    if (opt) f->progress = opt->progress;
    f->hook = opt && keep ? opt->hook : NULL;
    f->n_rows = 1;
    clear_refusals(f);
    if (cap > tb->max_tokens || cap > c->max_positions)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, "model run", "more tokens than the tables or the model have positions",
                           cap, tb->max_tokens < c->max_positions ? tb->max_tokens : c->max_positions);
    if (tb->n_layers != c->n_layers || tb->e_bits != (uint32_t)c->e_bits)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "model run", "the tables belong to another model");
    f->cache_n = (size_t)c->n_layers * c->n_kv * c->head_dim * cap;
    f->kc = assay_mem_alloc(f->cache_n, sizeof *f->kc);
    f->vc = assay_mem_alloc(f->cache_n, 2 * sizeof *f->vc);
    f->mixed_n = (size_t)(keep || cap < FORWARD_BLOCK ? cap : FORWARD_BLOCK) * c->n_heads * c->head_dim;
    f->mixed = assay_mem_alloc(f->mixed_n, sizeof *f->mixed);
    assay_status s =
        f->kc && f->vc && f->mixed ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "model run", "out of memory");
    if (s == ASSAY_OK) s = f->ops->open(f, err);
    if (s == ASSAY_OK && !keep) s = open_scratch(f, err);
    if (s != ASSAY_OK) assay_forward_close(f);
    return s;
}

void assay_forward_close(assay_forward *f)
{
    if (f->fast) f->ops->close(f);
    assay_mem_free_secret(f->kc, f->cache_n * sizeof *f->kc);
    assay_mem_free_secret(f->vc, 2 * f->cache_n * sizeof *f->vc);
    assay_mem_free_secret(f->mixed, f->mixed_n * sizeof *f->mixed);
    f->mixed = NULL;
    assay_mem_free_secret(f->scratch, f->scratch_n * sizeof *f->scratch);
    f->kc = f->vc = NULL;
    f->scratch = NULL;
}

/* With a trace: points tensors with leading axis `axis` at their part `index`. */
static void enter(assay_forward *f, assay_axis axis, uint32_t index)
{
    if (!f->keep) return;
    for (int t = 0; t < TEN_COUNT; t++) {
        if (assay_tensor_axes((assay_tensor)t)[0] != axis || assay_axis_extent(&f->keep->shape, axis) == 0) continue;
        uint64_t part = assay_tensor_cells(&f->keep->shape, (assay_tensor)t) / assay_axis_extent(&f->keep->shape, axis);
        f->t[t] = f->keep->t[t] + part * index;
    }
}

static void made(const assay_forward *f, assay_tensor t, uint32_t index)
{
    if (f->hook) f->hook->made(f->hook->ctx, t, index, f->t);
    if (f->peaks) assay_peaks_see(f->peaks, f->c, t, index, f->t[t], t == TEN_V1 ? f->t[TEN_V0] : NULL, f->nt);
}

/* ---- operations in order */

enum { TOKEN_CHUNK = 8 };

static void cells_chunk(void *ctx, size_t job)
{
    const assay_cells *a = ctx;
    const uint32_t rows = a->run == assay_cells_gain ? a->n : a->f->nt, i0 = (uint32_t)job * TOKEN_CHUNK;
    a->run(a, i0, rows - i0 < TOKEN_CHUNK ? rows : i0 + TOKEN_CHUNK);
}

static void run_cells(assay_forward *f, assay_cells_fn *run, assay_cells a)
{
    a.f = f, a.run = run;
    const uint32_t rows = run == assay_cells_gain ? a.n : f->nt;
    assay_pool_run(f->pool, (rows + TOKEN_CHUNK - 1) / TOKEN_CHUNK, cells_chunk, &a);
}

static const char *norm_name(const assay_forward *f, uint32_t site)
{
    return site == 2 * f->c->n_layers ? "final norm" : site % 2 == 0 ? "norm1" : "norm2";
}

/* h at `site`: what was there, in the units of the site, plus y 2^shift. Refused at the norm where it leaves 16 bits.
 */
static void put_residual(assay_forward *f, const int32_t *base, const int32_t *y, int32_t shift, uint32_t site)
{
    const uint32_t d = f->c->d;
    const int64_t lim = (int64_t)1 << (f->c->resid_bits - 1);
    if (f->keep) f->h = f->keep->h + (size_t)site * f->nt * d;
    for (uint32_t i = 0; i < f->nt; i++) {
        for (uint32_t k = 0; k < d; k++) {
            const size_t at = (size_t)i * d + k;
            int64_t h = (base ? base[at] : 0) + y[at] * ((int64_t)1 << shift);
            if (f->field) h = forward_symmetric(h);
            if (h < -lim || h >= lim) {
                forward_refuse(f, BAD_RESIDUAL, f->t0 + i);
                if (!f->hook) h = 0;
            }
            f->h[at] = (int32_t)h;
        }
    }
}

/* Adds y, at unit fy, to the residual and goes from site - 1 to site. */
static assay_status advance(assay_forward *f, assay_tensor y, int32_t fy, uint32_t site, uint32_t layer,
                            assay_errinfo *err)
{
    const int32_t *base = f->h;
    if (assay_rebase_index(f->c, site) >= 0) {
        enter(f, AX_B, (uint32_t)assay_rebase_index(f->c, site));
        assay_site s = {f->c->resid_bits, f->c->unit[site - 1] - f->c->unit[site], f->c->unit[site]};
        run_cells(f, assay_cells_requant, (assay_cells){.y = TEN_REB, .in = base, .s = s});
        made(f, TEN_REB, (uint32_t)assay_rebase_index(f->c, site));
        base = f->t[TEN_REB];
    }
    assay_status s = settle(f, layer, "rebase", f->c->resid_bits, err);
    if (s != ASSAY_OK) return s;
    put_residual(f, base, f->t[y], f->c->unit[site] - fy, site);
    return ASSAY_OK;
}

static assay_status norm(assay_forward *f, uint32_t site, int32_t fn, assay_errinfo *err)
{
    enter(f, AX_S, site);
    assay_status s = settle(f, site / 2, norm_name(f, site), 0, err);
    if (s != ASSAY_OK) return s;
    run_cells(f, assay_cells_norm, (assay_cells){.site = site, .param = fn});
    made(f, TEN_N, site);
    return settle(f, site / 2, norm_name(f, site), f->c->n_bits, err);
}

assay_matrix assay_forward_matrix(const assay_forward *f, uint32_t l, assay_layer_matrix which)
{
    const assay_model_config *c = f->c;
    const assay_layer_weights *w = &f->m->layer[l];
    const uint32_t he = c->n_heads * c->head_dim, ge = c->n_kv * c->head_dim;
    const int16_t *const all[] = {w->q, w->k, w->v, w->o, w->gate, w->up, w->down};
    const int32_t *const bias[] = {w->bq, w->bk, w->bv, NULL, NULL, NULL, NULL};
    const uint32_t rows[] = {he, ge, ge, c->d, c->ff, c->ff, c->d}, cols[] = {c->d, c->d, c->d, he, c->d, c->d, c->ff};
    size_t before = 0, layer = 0;
    for (int k = 0; k < 7; k++) {
        before += k < (int)which ? rows[k] : 0;
        layer += rows[k];
    }
    return (assay_matrix){all[which], bias[which], rows[which], cols[which], layer * l + before};
}

/* Where position 0 is fixed: its committed keys, or values. */
static void put_first(assay_forward *f, uint32_t l, assay_tensor t)
{
    const size_t ge = (size_t)f->c->n_kv * f->c->head_dim;
    const int16_t *from = t == TEN_KR ? f->m->first_k : t == TEN_V1 ? f->m->first_v : NULL;
    if (!from || !forward_is_fixed(f, f->t0)) return;
    for (size_t i = 0; i < ge; i++) f->t[t][i] = from[l * ge + i];
}

/* The values of the block, whole in V1 until here, in two limbs. */
static void split_values(const assay_forward *f)
{
    const size_t n = (size_t)f->nt * f->c->n_kv * f->c->head_dim;
    for (size_t at = 0; at < n; at++) {
        const int32_t v = f->t[TEN_V1][at], low = v & ((1 << ASSAY_LIMB_BITS) - 1);
        f->t[TEN_V0][at] = low;
        f->t[TEN_V1][at] = (v - low) / (1 << ASSAY_LIMB_BITS);
    }
}

static void join_mixed(const assay_forward *f)
{
    const size_t n = (size_t)f->nt * f->c->n_heads * f->c->head_dim;
    for (size_t at = 0; at < n; at++) f->mixed[at] = f->t[TEN_O1][at] * (1 << ASSAY_LIMB_BITS) + f->t[TEN_O0][at];
}

static assay_status project(assay_forward *f, uint32_t l, assay_layer_matrix which, const int32_t *x, assay_tensor y,
                            assay_site site, const char *name, assay_errinfo *err)
{
    assay_matrix w = assay_forward_matrix(f, l, which);
    f->ops->matmul(f, y, x, &w, site);
    put_first(f, l, y);
    if (y == TEN_V1) split_values(f);
    made(f, y, l);
    return settle(f, l, name, site.b, err);
}

/* Rotated keys and values of the block to the cache. */
static void remember(assay_forward *f, uint32_t layer)
{
    const uint32_t g_n = f->c->n_kv, e_n = f->c->head_dim;
    for (uint32_t i = 0; i < f->nt; i++) {
        for (uint32_t g = 0; g < g_n; g++) {
            int16_t *k = forward_keys(f, layer, g) + (size_t)(f->t0 + i) * e_n;
            int16_t *v = forward_values(f, layer, g) + (size_t)(f->t0 + i) * 2 * e_n;
            const size_t at = ((size_t)i * g_n + g) * e_n;
            for (uint32_t e = 0; e < e_n; e++) {
                k[e] = (int16_t)f->t[TEN_KR][at + e];
                v[e] = (int16_t)f->t[TEN_V1][at + e];
                v[e_n + e] = (int16_t)f->t[TEN_V0][at + e];
            }
        }
    }
}

/* Where position 0 is fixed: mixed values of 0, so that its row of the residual stays 0. */
static void drop_first(assay_forward *f)
{
    const size_t n = (size_t)f->c->n_heads * f->c->head_dim;
    if (!forward_is_fixed(f, f->t0)) return;
    for (int t = TEN_O1; t <= TEN_OC0; t++)
        if (f->t[t]) memset(f->t[t], 0, n * sizeof *f->t[t]);
}

/* Normalised heads times their gain, of q or k. */
static assay_status head_gain(assay_forward *f, uint32_t l, bool key, assay_errinfo *err)
{
    const assay_model_config *c = f->c;
    const assay_layer_weights *w = &f->m->layer[l];
    const assay_cells q = {.y = TEN_QG, .n = c->n_heads, .s = c->layer[l].qg, .gain = w->nq},
                      k = {.y = TEN_KG, .n = c->n_kv, .s = c->layer[l].kg, .gain = w->nk, .first = c->n_heads};
    const assay_cells *a = key ? &k : &q;
    run_cells(f, assay_cells_head_gain, *a);
    made(f, a->y, l);
    return settle(f, l, key ? "k gain" : "q gain", a->s.b, err);
}

static assay_status norm_heads(assay_forward *f, uint32_t l, assay_errinfo *err)
{
    if (!model_has_head_norms(f->c)) return ASSAY_OK;
    enter(f, AX_U, l);
    run_cells(f, assay_cells_head_norm, (assay_cells){.site = l, .param = f->c->layer[l].fnh});
    made(f, TEN_XN, l);
    assay_status s = settle(f, l, "norm of a head", f->c->n_bits, err);
    if (s == ASSAY_OK) s = head_gain(f, l, false, err);
    return s == ASSAY_OK ? head_gain(f, l, true, err) : s;
}

static assay_status run_attention(assay_forward *f, uint32_t l, assay_errinfo *err)
{
    const assay_model_config *c = f->c;
    const assay_layer_config *lc = &c->layer[l];
    assay_status s = norm(f, 2 * l, lc->fn1, err);
    if (s == ASSAY_OK) s = project(f, l, MAT_Q, f->t[TEN_N], TEN_Q, lc->q, "q", err);
    if (s == ASSAY_OK) s = project(f, l, MAT_K, f->t[TEN_N], TEN_K, lc->k, "k", err);
    if (s == ASSAY_OK) s = project(f, l, MAT_V, f->t[TEN_N], TEN_V1, lc->v, "v", err);
    if (s == ASSAY_OK) s = norm_heads(f, l, err);
    if (s != ASSAY_OK) return s;
    const assay_tensor q = tensor_before_rotation(c, false), k = tensor_before_rotation(c, true);
    run_cells(f, assay_cells_rotate, (assay_cells){.y = TEN_QR, .x = q, .n = c->n_heads, .s = lc->qr});
    made(f, TEN_QR, l);
    if ((s = settle(f, l, "q rotated", lc->qr.b, err)) != ASSAY_OK) return s;
    run_cells(f, assay_cells_rotate, (assay_cells){.y = TEN_KR, .x = k, .n = c->n_kv, .s = lc->kr});
    put_first(f, l, TEN_KR);
    made(f, TEN_KR, l);
    if ((s = settle(f, l, "k rotated", lc->kr.b, err)) != ASSAY_OK) return s;
    remember(f, l);
    f->ops->attention(f, l);
    drop_first(f);
    made(f, TEN_O1, l);
    join_mixed(f);
    if ((s = settle(f, l, "attention", lc->v.b + c->o_guard, err)) != ASSAY_OK) return s;
    s = project(f, l, MAT_O, f->mixed, TEN_Y, lc->o, "o", err);
    return s == ASSAY_OK ? advance(f, TEN_Y, lc->o.f, 2 * l + 1, l, err) : s;
}

static assay_status run_feed_forward(assay_forward *f, uint32_t l, assay_errinfo *err)
{
    const assay_layer_config *lc = &f->c->layer[l];
    assay_status s = norm(f, 2 * l + 1, lc->fn2, err);
    if (s == ASSAY_OK) s = project(f, l, MAT_GATE, f->t[TEN_N], TEN_GATE, lc->gate, "gate", err);
    if (s == ASSAY_OK) s = project(f, l, MAT_UP, f->t[TEN_N], TEN_UP, lc->up, "up", err);
    if (s != ASSAY_OK) return s;
    run_cells(f, assay_cells_product, (assay_cells){.in = f->tb->silu[l], .param = lc->gate.b, .s = lc->act});
    made(f, TEN_ACT, l);
    if ((s = settle(f, l, "gate * up", lc->act.b, err)) != ASSAY_OK) return s;
    s = project(f, l, MAT_DOWN, f->t[TEN_ACT], TEN_DOWN, lc->down, "down", err);
    return s == ASSAY_OK ? advance(f, TEN_DOWN, lc->down.f, 2 * l + 2, l, err) : s;
}

static void embed(assay_forward *f, const uint32_t *ids)
{
    const uint32_t d = f->c->d;
    for (uint32_t i = 0; i < f->nt; i++) {
        const int16_t *e = f->m->embed + (size_t)ids[f->t0 + i] * d;
        const bool fixed = forward_is_fixed(f, f->t0 + i);
        for (uint32_t k = 0; k < d; k++) f->t[TEN_H0][(size_t)i * d + k] = fixed ? 0 : e[k];
    }
    made(f, TEN_H0, 0);
    put_residual(f, NULL, f->t[TEN_H0], f->c->unit[0] - f->c->f_embed, 0);
}

assay_status assay_forward_block(assay_forward *f, const uint32_t *ids, uint32_t t0, uint32_t nt, assay_errinfo *err)
{
    const uint32_t n_layers = f->c->n_layers;
    f->t0 = t0, f->nt = nt;
    clear_refusals(f);
    for (uint32_t i = t0; i < t0 + nt; i++) {
        if (ids[i] >= f->c->vocab)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, "token", "outside the vocabulary (position, token)", i, ids[i]);
    }
    enter(f, AX_T, 0);
    embed(f, ids);
    for (uint32_t l = 0; l < n_layers; l++) {
        if (f->progress.fn && f->progress.fn(f->progress.ctx, "model", (double)l / n_layers) != 0)
            return ASSAY_FAIL(err, ASSAY_ECANCELED, "model run", "canceled");
        enter(f, AX_L, l);
        assay_status s = run_attention(f, l, err);
        if (s == ASSAY_OK) s = run_feed_forward(f, l, err);
        if (s != ASSAY_OK) return s;
    }
    return norm(f, 2 * n_layers, f->c->fn_final, err);
}

assay_status assay_forward_logits(assay_forward *f, int32_t *out, uint32_t n, assay_errinfo *err)
{
    const uint32_t l = f->c->n_layers;
    enter(f, AX_P, 0);
    run_cells(f, assay_cells_gain, (assay_cells){.n = n, .s = f->c->ng});
    made(f, TEN_NG, 0);
    assay_status s = settle(f, l, "final gain", f->c->ng.b, err);
    if (s != ASSAY_OK) return s;
    f->ops->logits(f, out, n, f->t0 + f->nt - n);
    return settle(f, l, "logits", 0, err);
}
