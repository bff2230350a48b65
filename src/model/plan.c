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
    WINDOW = 30,
    REM_BITS = 16,
    RESID_F = 13, /* finest residual unit */
    NO_CAP = 99
};
/* How fine a plan is: bits of weights, gates (their SiLU tables have 2^gate rows) and values, units of scores and exp
 * entries; then the bits that are left above a calibrated maximum, for scores, rotated q and k, normalised rows, the
 * residual, gate * up, down, and all others; and what the bits of a value allow beyond its unit's headroom, where the
 * unit is capped. */
typedef struct grade {
    int w, gate, v, score_f, dist, e, z;
    double score_head, norm_head, resid_head, act_head, down_head, head, slack;
} grade;
static const grade coarse = {13, 12, 10, 9, 16, 12, 19, 1, 1, 2, 2, 2, 1, 0},
                   fine = {16, 16, 14, 20, 16, 13, 22, 0.4, 0.2, 0.5, 1.7, 0.5, 1, 2};
/* From so many weights on, a plan is fine: then look-ups of wider gates and of distances' remainders, and tables of
 * 2^16 rows, cost less than the weights do. */
static const double FINE_WEIGHTS = 1 << 24;
static const double SCORE_HEAD = 1; /* bits above the largest calibrated score */
static const double TINY = 1e-6;    /* maxima below count as this */

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
    const grade *g;
    int lost; /* the most bits that plan_matrix took from a matrix since this was 0 */
} planner;

/* Site for an accumulator at unit fa whose output reaches `top`: at most b bits, unit at most f_cap. */
static assay_site plan_site(const planner *p, int fa, double top, int b, int f_cap, double head)
{
    int f = min_int(min_int(unit_for(top, b, head), f_cap), fa);
    return (assay_site){max_int(min_int(b, bits_for(top, f, head + p->g->slack)), 2), fa - f, f};
}

/* Unit of a weight array: no finer than f_max. */
static int weight_unit(const planner *p, const assay_folded *a, int f_max)
{
    double lim = ldexp(1, p->g->w - 1) - 1;
    return min_int(floor_log2(lim / fmax((double)assay_folded_max(a), TINY)), f_max);
}

/* The site of weight array i fed at unit fx; the weights are made no finer than the site can absorb. */
static assay_site plan_matrix(planner *p, uint32_t i, int fx, double top, int b, int f_cap, double head)
{
    assay_folded a = assay_folded_at(p->ck, i), bias = assay_folded_bias(p->ck, i);
    int f = weight_unit(p, &a, bias_cap(&bias, fx));
    assay_site t = plan_site(p, fx + f, top, b, f_cap, head);
    int lost = max_int(t.s - min_int(REM_BITS, WINDOW - t.b), 0);
    p->lost = max_int(p->lost, lost);
    p->f[i] = f -= lost;
    return plan_site(p, fx + f, top, b, f_cap, head);
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
    return min_int(unit_for((double)top, ASSAY_N_BITS, p->g->norm_head), p->c->rs_t);
}

static void plan_residual(planner *p)
{
    assay_model_config *c = p->c;
    double room = log2(ldexp(1, ASSAY_RESID_BITS - 1) - 1) - p->g->resid_head;
    int unit = RESID_F;
    for (uint32_t j = 0; j < model_sites(c); j++) {
        unit = min_int(unit, (int)floor(room - log2(fmax((double)p->m->h[j], 1e-9))));
        c->unit[j] = unit;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, unit);
    }
}

static int rotated_bits(const planner *p, double top, int f)
{
    return max_int(min_int(A_BITS, bits_for(top, f, p->g->score_head)), 2);
}

/* One of q and k: `top` of both sides of the rotation, f the unit after it. */
static void plan_rotated(planner *p, assay_site *before, assay_site *after, uint32_t i, int fn, double top, int f)
{
    int cos_bits = p->c->cos_bits;
    int b = rotated_bits(p, top, f);
    int s_max = min_int(REM_BITS, WINDOW - b);
    *before = plan_matrix(p, i, fn, top, A_BITS, f + s_max - cos_bits, p->g->head);
    *after = (assay_site){b, before->f + cos_bits - f, f};
}

/* Largest |q| and |k| before and after rotation, q with the score scale, and the unit of rotated q: both units add up
 * to the score unit, so that a score needs no rounding of its own. */
typedef struct score_range {
    double q, k;
    int fq;
} score_range;

static score_range range_of_scores(const planner *p, uint32_t l)
{
    const assay_model_config *c = p->c;
    const assay_layer_maxima *m = &p->m->layer[l];
    size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    score_range r = {fmax(fmax(top_of(m->q, q), top_of(m->qr, q)) * (1 / sqrt(c->head_dim)), TINY),
                     fmax(fmax(top_of(m->k, kv), top_of(m->kr, kv)), TINY), 0};
    r.fq = (int)rint((c->score_f + log2(r.k / r.q)) / 2);
    return r;
}

/* Takes the score unit down to where rotated rows, scores and distances of all layers keep to their bits; then gives
 * distances as many as they need. */
static void plan_scores(planner *p)
{
    assay_model_config *c = p->c;
    const double head = p->g->score_head;
    double distance = 0;
    for (uint32_t l = 0; l < c->n_layers && p->g == &fine; l++) {
        const assay_layer_maxima *m = &p->m->layer[l];
        c->score_f = min_int(c->score_f, unit_for((double)*m->score, ASSAY_SCORE_BITS + 1, SCORE_HEAD));
        for (; c->score_f > 1; c->score_f--) {
            score_range r = range_of_scores(p, l);
            if (bits_for(r.q, r.fq, head) <= A_BITS && bits_for(r.k, c->score_f - r.fq, head) <= A_BITS) break;
        }
        distance = fmax(distance, (double)*m->distance);
    }
    const int whole = (int)ceil(log2(fmax(distance, TINY)) + head); /* bits of a distance in nats */
    c->score_f = min_int(c->score_f, ASSAY_MAX_DIST_BITS - whole);
    c->dist_bits = max_int(c->dist_bits, c->score_f + whole);
}

/* q and k before their norms, whose rows have the same limits as the residual's. */
static void plan_heads(planner *p, uint32_t l, uint32_t first)
{
    const assay_layer_maxima *m = &p->m->layer[l];
    assay_layer_config *y = &p->c->layer[l];
    y->q = plan_matrix(p, first, y->fn1, (double)*m->xq, A_BITS, RESID_F, p->g->head);
    y->k = plan_matrix(p, first + 1, y->fn1, (double)*m->xk, A_BITS, RESID_F, p->g->head);
}

static void plan_qkv(planner *p, uint32_t l, uint32_t first)
{
    assay_layer_config *y = &p->c->layer[l];
    const score_range r = range_of_scores(p, l);
    const bool normed = model_has_head_norms(p->c);
    const uint32_t gains = first + ASSAY_LAYER_MATRICES;
    if (normed) { /* of these no weights of a matrix are lost */
        y->fnh = norm_unit(p, *p->m->layer[l].nx * sqrtf((float)p->c->d / (float)p->c->head_dim));
        plan_rotated(p, &y->qg, &y->qr, gains, y->fnh, r.q, r.fq);
        plan_rotated(p, &y->kg, &y->kr, gains + 1, y->fnh, r.k, p->c->score_f - r.fq);
    }
    p->lost = 0;
    if (normed)
        plan_heads(p, l, first);
    else {
        plan_rotated(p, &y->q, &y->qr, first, y->fn1, r.q, r.fq);
        plan_rotated(p, &y->k, &y->kr, first + 1, y->fn1, r.k, p->c->score_f - r.fq);
    }
    y->v = plan_matrix(p, first + 2, y->fn1, top_of(p->m->layer[l].v, (size_t)p->c->n_kv * p->c->head_dim), p->g->v,
                       NO_CAP, p->g->head);
    y->v.b = max_int(y->v.b, ASSAY_LIMB_BITS + 1); /* two limbs */
}

static void plan_gate_up(planner *p, uint32_t l, uint32_t first)
{
    const assay_layer_maxima *m = &p->m->layer[l];
    const grade *g = p->g;
    assay_layer_config *y = &p->c->layer[l];
    p->lost = 0;
    y->gate = plan_matrix(p, first + 4, y->fn2, (double)*m->g, g->gate, NO_CAP, g->head);
    /* |silu(x)| <= |x|: a unit at most this much finer keeps it in 16 bits. */
    y->fsg = min_int(unit_for((double)*m->sg, A_BITS, g->head), y->gate.f + A_BITS - y->gate.b);
    int fa = unit_for(top_of(m->a, p->c->ff), A_BITS, g->act_head);
    y->up = plan_matrix(p, first + 5, y->fn2, top_of(m->u, p->c->ff), A_BITS, fa + WINDOW - A_BITS - y->fsg, g->head);
}

/* Plans what a norm feeds. An accumulator has only so many bits, of row and weights together: where weights lose bits,
 * the row takes half of the loss. */
static void plan_behind_norm(planner *p, int32_t *fn, float top, void (*plan)(planner *, uint32_t, uint32_t),
                             uint32_t l, uint32_t first)
{
    *fn = norm_unit(p, top);
    plan(p, l, first);
    if (p->g != &fine || p->lost == 0) return;
    *fn = max_int(*fn - (p->lost + 1) / 2, 0);
    plan(p, l, first);
}

static void plan_layer(planner *p, uint32_t l, uint32_t first)
{
    const assay_layer_maxima *m = &p->m->layer[l];
    assay_model_config *c = p->c;
    assay_layer_config *y = &c->layer[l];
    plan_behind_norm(p, &y->fn1, *m->n1, plan_qkv, l, first);
    y->o = plan_matrix(p, first + 3, y->v.f + c->o_guard, (double)*m->ho, A_BITS, c->unit[2 * l + 1], p->g->head);
    plan_behind_norm(p, &y->fn2, *m->n2, plan_gate_up, l, first);
    y->act = plan_site(p, y->fsg + y->up.f, top_of(m->a, c->ff), A_BITS, NO_CAP, p->g->act_head);
    y->down = plan_matrix(p, first + 6, y->act.f, (double)*m->hd, A_BITS, c->unit[2 * l + 2], p->g->down_head);
}

/* The final row and the head share what a logit's unit allows: logits with a bit to spare stay below 2^28, so that
 * their differences have 30 bits. The row has more effect on a logit, by about two bits. */
static void share_logit(const planner *p, int *row, int *head)
{
    int most = (int)floor(28 - p->g->head - log2(fmax((double)*p->m->logit, TINY)));
    while (p->g == &fine && *row + *head > most) *(*row + 2 > *head ? row : head) -= 1;
}

static void plan_ends(planner *p)
{
    assay_model_config *c = p->c;
    uint32_t gain = c->tied ? 1 : 2;
    double top = (double)*p->m->ng;
    assay_folded embed = assay_folded_at(p->ck, 0), head = assay_folded_at(p->ck, gain - 1),
                 gf = assay_folded_at(p->ck, gain);
    c->f_gf = weight_unit(p, &gf, NO_CAP);
    c->fn_final = norm_unit(p, *p->m->nf);
    c->f_head = weight_unit(p, &head, c->tied ? c->unit[0] : NO_CAP);
    int row = plan_site(p, c->fn_final + c->f_gf, top, A_BITS, NO_CAP, p->g->head).f;
    share_logit(p, &row, &c->f_head);
    c->f_embed = c->tied ? c->f_head : weight_unit(p, &embed, c->unit[0]);
    c->ng = plan_site(p, c->fn_final + c->f_gf, top, A_BITS, row, p->g->head);
    c->ng.b = min_int(c->ng.b, WINDOW - c->ng.s);
    c->logit_f = c->ng.f + c->f_head;
    p->f[0] = c->f_embed;
    p->f[gain - 1] = c->f_head;
    p->f[gain] = c->f_gf;
}

static const grade *grade_of(const assay_hf_config *c)
{
    double heads = (double)c->n_heads + c->n_kv, d = c->d;
    double layer = 2 * heads * c->head_dim * d + 3.0 * d * c->ff;
    return layer * c->n_layers + d * c->vocab >= FINE_WEIGHTS ? &fine : &coarse;
}

bool assay_plan_is_fine(const assay_hf_config *c)
{
    return grade_of(c) == &fine;
}

double assay_plan_resid_head(const assay_hf_config *c)
{
    return grade_of(c)->resid_head;
}

/* Shape and widths: what does not depend on the weights. */
static assay_status start(assay_model_config *c, const assay_hf_config *h, const grade *g, assay_errinfo *err)
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
                              .score_f = g->score_f,
                              .dist_bits = g->dist,
                              .cos_bits = 12,
                              .e_bits = g->e,
                              .z_bits = g->z,
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

assay_status assay_plan(assay_model_config *c, int32_t *f, const assay_checkpoint *ck, const assay_maxima *m,
                        assay_errinfo *err)
{
    planner p = {c, f, ck, m, grade_of(&ck->cfg), 0};
    *c = (assay_model_config){0};
    assay_status s = start(c, &ck->cfg, p.g, err);
    if (s == ASSAY_OK) {
        plan_residual(&p);
        plan_scores(&p);
        for (uint32_t l = 0; l < c->n_layers; l++) {
            uint32_t first = (c->tied ? 2 : 3) + assay_layer_arrays(c->parts) * l;
            plan_layer(&p, l, first);
        }
        plan_ends(&p);
        s = assay_model_config_check(c, c->max_positions, err);
    }
    if (s != ASSAY_OK) assay_model_config_clear(c);
    return s;
}
