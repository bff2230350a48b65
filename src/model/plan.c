/* SPDX-License-Identifier: Apache-2.0 */
/* Picks every binary point of the integer model from maxima of a float run (docs/model.md, "Plan"). The arithmetic is
 * that of tests/reference/model_reference.py; thresholds are floors of logarithms, so summation order does not show. */
#include "model/plan.h"
#include "base/mem.h"
#include "model/weights.h"
#include <math.h>
#include <string.h>

enum {
    A_BITS = 16, /* activations between matrices */
    G_BITS = 12, /* gate: the SiLU table has 2^12 rows */
    V_BITS = 10,
    W_BITS = 13, /* weights; 16 at most. Nothing about them is proved. */
    WINDOW = 30,
    REM_BITS = 16,
    RESID_F = 13, /* finest residual unit */
    NO_CAP = 99
};
static const double HEAD = 1,
                    HEAD_WIDE =
                        2; /* bits above the calibrated maximum; the second for the residual, gate * up and down */
static const double TINY = 1e-6; /* maxima below count as this */

static int floor_log2(double x)
{
    return (int)floor(log2(x));
}
static int min_int(int a, int b)
{
    return a < b ? a : b;
}
static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Finest unit at which `top` with headroom fits in b bits. */
static int unit_for(double top, int b, double head)
{
    return floor_log2((ldexp(1, b - 1) - 1) / (fmax(top, TINY) * exp2(head)));
}

/* Bits that `top` with headroom takes at unit f. */
static int bits_for(double top, int f, double head)
{
    return (int)ceil(log2(top * exp2(head) * ldexp(1, f) + 1)) + 1;
}

/* Site for an accumulator at unit fa whose output reaches `top`: at most b bits, unit at most f_cap. */
static assay_site plan_site(int fa, double top, int b, int f_cap, double head)
{
    int f = min_int(min_int(unit_for(top, b, head), f_cap), fa);
    return (assay_site){max_int(min_int(b, bits_for(top, f, head)), 2), fa - f, f};
}

/* Unit of a weight array: W_BITS bits, no finer than f_max. */
static int weight_unit(const assay_folded *a, int f_max)
{
    double lim = ldexp(1, W_BITS - 1) - 1;
    return min_int(floor_log2(lim / fmax((double)assay_folded_max(a), TINY)), f_max);
}

/* Finest unit at which a bias at the accumulator's unit has 30 bits, the weights being fed at unit fx. */
static int bias_cap(const assay_folded *bias, int fx)
{
    double lim = ldexp(1, ASSAY_BIAS_BITS - 1) - 1;
    return bias->w ? min_int(floor_log2(lim / fmax((double)assay_folded_max(bias), TINY)) - fx, NO_CAP) : NO_CAP;
}

typedef struct planner {
    assay_model_config *c;
    int32_t *f; /* of weight arrays */
    const assay_checkpoint *ck;
    const assay_maxima *m;
} planner;

/* The site of weight array i fed at unit fx; the weights are made no finer than the site can absorb. */
static assay_site plan_matrix(planner *p, uint32_t i, int fx, double top, int b, int f_cap, double head)
{
    assay_folded a = assay_folded_at(p->ck, i), bias = assay_folded_bias(p->ck, i);
    int f = weight_unit(&a, bias_cap(&bias, fx));
    assay_site t = plan_site(fx + f, top, b, f_cap, head);
    f -= max_int(t.s - min_int(REM_BITS, WINDOW - t.b), 0);
    p->f[i] = f;
    return plan_site(fx + f, top, b, f_cap, head);
}

static double top_of(const float *x, size_t n)
{
    float top = 0;
    for (size_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
    return (double)top;
}

/* Unit of a normalised row: no finer than the reciprocal square root, so that no shift is negative. */
static int norm_unit(const planner *p, float top)
{
    return min_int(unit_for((double)top, ASSAY_N_BITS, HEAD), p->c->rs_t);
}

static void plan_residual(planner *p)
{
    assay_model_config *c = p->c;
    double room = log2(ldexp(1, ASSAY_RESID_BITS - 1) - 1) - HEAD_WIDE;
    int unit = RESID_F;
    for (uint32_t j = 0; j < model_sites(c); j++) {
        unit = min_int(unit, (int)floor(room - log2(fmax((double)p->m->h[j], 1e-9))));
        c->unit[j] = unit;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, unit);
    }
}

/* One of q and k: `top` of both sides of the rotation, f the unit after it. */
static void plan_rotated(planner *p, assay_site *before, assay_site *after, uint32_t i, int fn, double top, int f)
{
    int cos_bits = p->c->cos_bits;
    int b = max_int(min_int(A_BITS, bits_for(top, f, HEAD)), 2);
    int s_max = min_int(REM_BITS, WINDOW - b);
    *before = plan_matrix(p, i, fn, top, A_BITS, f + s_max - cos_bits, HEAD);
    *after = (assay_site){b, before->f + cos_bits - f, f};
}

static void plan_attention(planner *p, uint32_t l, uint32_t first)
{
    const assay_layer_maxima *m = &p->m->layer[l];
    assay_model_config *c = p->c;
    assay_layer_config *y = &c->layer[l];
    size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    double scale = 1 / sqrt(c->head_dim);
    y->fn1 = norm_unit(p, *m->n1);
    /* Units of rotated q and k add up to the score unit, so that a score needs no rounding of its own. */
    double tq = fmax(fmax(top_of(m->q, q), top_of(m->qr, q)) * scale, TINY);
    double tk = fmax(fmax(top_of(m->k, kv), top_of(m->kr, kv)), TINY);
    int fq = (int)rint((c->score_f + log2(tk / tq)) / 2);
    plan_rotated(p, &y->q, &y->qr, first, y->fn1, tq, fq);
    plan_rotated(p, &y->k, &y->kr, first + 1, y->fn1, tk, c->score_f - fq);
    y->v = plan_matrix(p, first + 2, y->fn1, top_of(m->v, kv), V_BITS, NO_CAP, HEAD);
    y->v.b = max_int(y->v.b, ASSAY_LIMB_BITS + 1); /* two limbs */
    y->o = plan_matrix(p, first + 3, y->v.f + c->o_guard, (double)*m->ho, A_BITS, c->unit[2 * l + 1], HEAD);
}

static void plan_mlp(planner *p, uint32_t l, uint32_t first)
{
    const assay_layer_maxima *m = &p->m->layer[l];
    assay_model_config *c = p->c;
    assay_layer_config *y = &c->layer[l];
    y->fn2 = norm_unit(p, *m->n2);
    y->gate = plan_matrix(p, first + 4, y->fn2, (double)*m->g, G_BITS, NO_CAP, HEAD);
    /* |silu(x)| <= |x|: a unit at most this much finer keeps it in 16 bits. */
    y->fsg = min_int(unit_for((double)*m->sg, A_BITS, HEAD), y->gate.f + A_BITS - y->gate.b);
    double top_a = top_of(m->a, c->ff);
    int fa = unit_for(top_a, A_BITS, HEAD_WIDE);
    y->up = plan_matrix(p, first + 5, y->fn2, top_of(m->u, c->ff), A_BITS, fa + WINDOW - A_BITS - y->fsg, HEAD);
    y->act = plan_site(y->fsg + y->up.f, top_a, A_BITS, NO_CAP, HEAD_WIDE);
    y->down = plan_matrix(p, first + 6, y->act.f, (double)*m->hd, A_BITS, c->unit[2 * l + 2], HEAD_WIDE);
}

static void plan_ends(planner *p)
{
    assay_model_config *c = p->c;
    uint32_t gain = c->tied ? 1 : 2;
    assay_folded embed = assay_folded_at(p->ck, 0), head = assay_folded_at(p->ck, gain - 1),
                 gf = assay_folded_at(p->ck, gain);
    c->f_embed = p->f[0] = weight_unit(&embed, c->unit[0]);
    c->f_head = c->tied ? c->f_embed : weight_unit(&head, NO_CAP);
    c->f_gf = weight_unit(&gf, NO_CAP);
    p->f[gain - 1] = c->f_head;
    p->f[gain] = c->f_gf;
    c->fn_final = norm_unit(p, *p->m->nf);
    c->ng = plan_site(c->fn_final + c->f_gf, (double)*p->m->ng, A_BITS, NO_CAP, HEAD);
    c->logit_f = c->ng.f + c->f_head;
}

/* Shape and widths: what does not depend on the weights. */
static assay_status start(assay_model_config *c, const assay_hf_config *h, assay_errinfo *err)
{
    *c = (assay_model_config){.family = 1,
                              .n_layers = h->n_layers,
                              .d = h->d,
                              .n_heads = h->n_heads,
                              .n_kv = h->n_kv,
                              .head_dim = h->head_dim,
                              .ff = h->ff,
                              .vocab = h->vocab,
                              .tied = h->tied,
                              .fixed_first = h->fixed_first,
                              .parts = h->parts & ASSAY_PARTS,
                              .bos = h->bos,
                              .n_stop = h->n_stop,
                              .n_bits = ASSAY_N_BITS,
                              .score_f = 9,
                              .dist_bits = ASSAY_MIN_DIST_BITS,
                              .cos_bits = 12,
                              .e_bits = 12,
                              .z_bits = 19,
                              .o_guard = 1,
                              .rsqrt_in = ASSAY_RSQRT_BITS,
                              .rsqrt_out = ASSAY_RSQRT_BITS,
                              .resid_bits = ASSAY_RESID_BITS};
    memcpy(c->stop, h->stop, sizeof c->stop);
    c->rs_t = assay_model_rsqrt_unit(h->d);
    c->rope_theta_q16 = (uint64_t)rint(ldexp(h->rope_theta, 16));
    c->eps_q60 = (uint64_t)rint(ldexp(h->eps, 60));
    uint32_t limit = model_positions_limit(c->z_bits);
    c->max_positions = h->max_positions < limit ? h->max_positions : limit;
    c->unit = assay_mem_alloc(model_sites(c), sizeof *c->unit);
    c->eps_term = assay_mem_alloc(model_sites(c), sizeof *c->eps_term);
    c->layer = assay_mem_alloc(c->n_layers, sizeof *c->layer);
    c->n_rope = h->n_rope;
    if (c->n_rope) c->rope_q32 = assay_mem_alloc(c->n_rope, sizeof *c->rope_q32);
    if (c->rope_q32) /* exact: a float32 of at least 1 is a multiple of 2^-23 */
        for (uint32_t i = 0; i < c->n_rope; i++) c->rope_q32[i] = (uint64_t)ldexp((double)h->rope_factor[i], 32);
    if (c->unit && c->eps_term && c->layer && (c->rope_q32 || !c->n_rope)) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_ENOMEM, "plan", "out of memory");
}

/* What calibration reads and a proof cannot speak of yet. */
static assay_status provable(const assay_hf_config *h, assay_errinfo *err)
{
    if (h->parts & ASSAY_PART_QK_NORM)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "q/k norm", "cannot be proved in this version");
    return ASSAY_OK;
}

assay_status assay_plan(assay_model_config *c, int32_t *f, const assay_checkpoint *ck, const assay_maxima *m,
                        assay_errinfo *err)
{
    planner p = {c, f, ck, m};
    *c = (assay_model_config){0};
    assay_status s = provable(&ck->cfg, err);
    if (s == ASSAY_OK) s = start(c, &ck->cfg, err);
    if (s == ASSAY_OK) {
        plan_residual(&p);
        for (uint32_t l = 0; l < c->n_layers; l++) {
            uint32_t first = (c->tied ? 2 : 3) + ASSAY_LAYER_MATRICES * l;
            plan_attention(&p, l, first);
            plan_mlp(&p, l, first);
        }
        plan_ends(&p);
        s = assay_model_config_check(c, c->max_positions, err);
    }
    if (s != ASSAY_OK) assay_model_config_clear(c);
    return s;
}
