/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups: LogUp by instances, and what its leaf claims say about cells; docs/protocol.md §7.2, §7.3.
 *
 * Width: every tuple entry is an affine form over F of cells; a tuple that is in no row of its table makes a pole that
 * no other leaf cancels but with probability 2 w (N + T) / |K| (docs/soundness.md), and an instance has fewer than p
 * leaves, so that equal bad tuples cannot add up to zero in characteristic p. */
#include "base/mem.h"
#include "cp/statement.h"

enum { MAX_DEPTH = 32 /* an instance has at most 2^31 leaves */ };
/* eq tables of parts of one instance's leaf point: of n coordinates from `bit` on. A long request has very many boxes
 * and few shapes of boxes, which share them. */
typedef struct eq_cache {
    assay_weights at[MAX_DEPTH][MAX_DEPTH];
    const kel *point;
} eq_cache;

static assay_weights cached_eq(assay_cp *cp, eq_cache *c, unsigned bit, unsigned n, uint32_t start)
{
    assay_weights *w = &c->at[bit][n];
    if (w->len == 0) *w = assay_functional_eq(&cp->fn, k_one(), c->point + bit, (uint32_t)1 << n);
    return (assay_weights){w->w, start, w->len, NULL};
}

/* eq weights of a box's axes at the leaf point: ax[a] covers the box's range of axis a. */
static void box_weights(assay_cp *cp, const assay_grid *g, const assay_box *b, eq_cache *c, assay_weights *ax)
{
    unsigned bit = 0;
    for (unsigned a = g->n_axes; a-- > 0;) {
        ax[a] = cached_eq(cp, c, bit, b->log_len[a], b->start[a]);
        bit += b->log_len[a];
    }
}

/* Weights of a tensor's axis given those of the family's axes: the axis itself, query tokens for tokens, heads of a
 * joined axis. */
static assay_weights broadcast(assay_cp *cp, const assay_family *f, const assay_weights *ax, uint8_t axis)
{
    for (unsigned a = 0; a < f->n_axes; a++) {
        if (f->axis[a] == axis || (axis == AX_T && f->axis[a] == AX_I)) return ax[a];
        if (cp_joined_axis(axis) == AX_NONE || f->axis[a] != cp_joined_axis(axis)) continue;
        uint32_t n = cp->shape->run.cfg->head_dim, first = ax[a].start / n, last = (ax[a].start + ax[a].len - 1) / n;
        kel *w = assay_functional_weights(&cp->fn, last - first + 1);
        for (uint32_t i = 0; w && i < ax[a].len; i++) {
            uint32_t h = (ax[a].start + i) / n - first;
            w[h] = k_add(w[h], ax[a].w ? ax[a].w[i] : k_one());
        }
        return weights_part(w, first, last - first + 1);
    }
    return weights_ones(0);
}

/* sum of the component's constants over the box, weighed along axis 0 (the other axes' weights sum to 1). */
static kel constant_sum(const int32_t *by_axis0, const assay_weights *ax0)
{
    kel s = k_zero();
    for (uint32_t i = 0; by_axis0 && i < ax0->len; i++)
        s = k_add(s, k_mul_f(ax0->w ? ax0->w[i] : k_one(), m31_from_i64(by_axis0[ax0->start + i])));
    return s;
}

/* Adds coef * (sum over a box of eq * component) to the node; returns the part that is public. */
static kel component_terms(assay_cp *cp, assay_claim node, kel coef, const assay_family *f, const assay_box *b,
                           const assay_component *k, const assay_weights *ax)
{
    for (unsigned r = 0; r < k->n_refs; r++) {
        uint32_t t = k->ref[r].tensor;
        const assay_grid *g = &cp->shape->grid[t];
        const uint8_t *axis = assay_cp_grid_axes(cp->shape, t);
        bool same = g->n_axes == f->n_axes;
        assay_weights w[ASSAY_GRID_AXES];
        for (unsigned a = 0; a < g->n_axes; a++) {
            same = same && axis[a] == f->axis[a];
            w[a] = broadcast(cp, f, ax, axis[a]);
        }
        kel c = k_mul_f(coef, m31_from_i64(k->ref[r].coef));
        if (same)
            assay_functional_add_in_box(&cp->fn, node, c, t, w, b->natural);
        else
            assay_functional_add(&cp->fn, node, c, t, w);
    }
    if (k->virt == VIRT_RESIDUAL) assay_residual_terms(cp, node, coef, ax[0], ax[1], ax[2]);
    if (k->virt == VIRT_HEADS) assay_head_terms(cp, node, coef, ax[0], ax[1], ax[2]);
    return k_mul(coef, k_add(constant_sum(k->by_axis0, &ax[0]), k_from_i64(k->c0)));
}

/* Families: numerators are 1, so p gets the box's weight; the denominator's cells become terms of node. */
static void family_box(assay_cp *cp, const assay_family *f, const assay_box *b, eq_cache *cache, unsigned depth,
                       assay_claim node, kel *p_const, kel *q_const)
{
    kel w = assay_box_weight(b, cache->point, depth);
    assay_weights ax[ASSAY_GRID_AXES];
    box_weights(cp, &f->grid, b, cache, ax);
    kel id = k_add(k_from_i64(f->table), constant_sum(f->table_by_axis0, &ax[0]));
    *p_const = k_add(*p_const, w);
    kel shared = k_sub(cp->pt.alpha, k_mul(cp->pt.beta[0], id));
    *q_const = k_add(*q_const, k_mul(w, shared));
    for (unsigned k = 0; k < f->n_comps; k++) {
        kel c = k_neg(k ? k_mul(w, cp->pt.beta[k]) : w);
        *q_const = k_add(*q_const, component_terms(cp, node, c, f, b, &f->comp[k], ax));
    }
}

/* sum over a table's box of eq * (v1 + beta1 v2 + ..): eq split in a low and a high half, so that most products are by
 * words. A first entry that is the row number (or a power of two times it) has the sum  sum_k 2^k point_k, and rows
 * of zeros are left out: an exp table costs as many products as it has entries. */
static kel table_sum(assay_cp *cp, assay_table_id id, const assay_box *b, const kel *point)
{
    const assay_model_config *cfg = cp->shape->run.cfg;
    unsigned lo_bits = b->log_n / 2, hi_bits = b->log_n - lo_bits, width = assay_table_width(id);
    uint32_t n_lo = (uint32_t)1 << lo_bits, n_hi = (uint32_t)1 << hi_bits, v[ASSAY_TABLE_WIDTH];
    assay_weights lo = assay_functional_eq(&cp->fn, k_one(), point, n_lo);
    assay_weights hi = assay_functional_eq(&cp->fn, k_one(), point + lo_bits, n_hi);
    const assay_table_part t = assay_table_part_of(cfg, cp->tables, id, b->start[0], (uint32_t)1 << b->log_n);
    kel total = t.linear ? k_from_i64(b->start[0] + t.offset) : k_zero();
    for (unsigned k = 0; t.linear && k < b->log_n; k++) total = k_add(total, k_mul_f(point[k], (uint32_t)1 << k));
    total = k_mul_f(total, (uint32_t)1 << t.log_step);
    for (uint32_t h = 0; lo.w && hi.w && h < n_hi && h * n_lo < t.used; h++) {
        kel part[ASSAY_TABLE_WIDTH];
        for (unsigned k = 0; k < width; k++) part[k] = k_zero();
        for (uint32_t i = 0; i < n_lo; i++) {
            assay_table_row(cfg, cp->tables, id, b->start[0] + h * n_lo + i, v);
            if (t.linear) v[0] = 0;
            for (unsigned k = 0; k < width; k++)
                if (v[k]) part[k] = k_add(part[k], k_mul_f(lo.w[i], v[k]));
        }
        for (unsigned k = 1; k < width; k++) part[0] = k_add(part[0], k_mul(cp->pt.beta[k], part[k]));
        total = k_add(total, k_mul(hi.w[h], part[0]));
    }
    return total;
}

static void table_box(assay_cp *cp, const assay_instance_table *t, const assay_box *b, const kel *point, unsigned depth,
                      assay_claim mult, kel *q_const)
{
    kel w = assay_box_weight(b, point, depth);
    assay_weights ax = assay_functional_eq_at(&cp->fn, point, b->log_n, b->start[0]);
    assay_functional_add_in_box(&cp->fn, mult, w, t->mult, &ax, b->natural);
    kel shared = k_sub(cp->pt.alpha, k_mul_f(cp->pt.beta[0], t->table));
    *q_const = k_add(*q_const, k_mul(w, k_sub(shared, table_sum(cp, t->table, b, point))));
}

static void instance_claims(assay_cp *cp, uint32_t i, assay_claim p, assay_claim q, const kel *point, unsigned depth)
{
    const assay_instance *in = &cp->shape->instance[i];
    assay_claim mult = assay_iop_functional(cp->iop), cells = assay_iop_functional(cp->iop);
    kel p_const = k_zero(), q_const = k_zero(), used = k_zero();
    bool counting = cp->fn.counting;
    eq_cache cache = {.point = point};
    for (uint32_t k = 0; k < in->n_part && !counting; k++) {
        const assay_family *f = &cp->shape->family[in->part[k].family];
        for (uint32_t b = in->part[k].first_box; b < in->part[k].end_box; b++)
            family_box(cp, f, &f->grid.box[b], &cache, depth, cells, &p_const, &q_const);
    }
    for (uint32_t k = 0; k < in->n_table && !counting; k++)
        for (uint32_t b = 0; b < in->table[k].grid.n_box; b++) {
            table_box(cp, &in->table[k], &in->table[k].grid.box[b], point, depth, mult, &q_const);
            used = k_add(used, assay_box_weight(&in->table[k].grid.box[b], point, depth));
        }
    /* Leaves past the last have denominator 1: their weight is what the others leave of 1. */
    q_const = k_add(q_const, k_sub(k_one(), k_add(used, p_const)));

    const kel plus[2] = {k_one(), k_one()}, minus[2] = {k_one(), k_neg(k_one())};
    assay_claim p_of[2] = {p, mult}, q_of[2] = {q, cells};
    assay_iop_require(cp->iop, assay_iop_affine(cp->iop, k_neg(p_const), plus, p_of, 2), "lookup p");
    assay_claim left = assay_iop_affine(cp->iop, k_neg(q_const), minus, q_of, 2);
    if (in->has_scores)
        assay_rel_score(cp, i, point, left);
    else
        assay_iop_require(cp->iop, left, "lookup q");
}

void assay_rel_lookups(assay_cp *cp)
{
    kel point[64];
    for (uint32_t i = 0; i < cp->shape->n_instance; i++) {
        const assay_instance *in = &cp->shape->instance[i];
        uint32_t *num = NULL;
        assay_kvec den = {{0}, 0, NULL, 0};
        assay_claim p, q;
        if (cp->hooks) cp->hooks->leaves(cp->hooks->ctx, cp, i, &num, &den);
        assay_iop_gkr(cp->iop, "lookup", in->n_leaves, num, &den, &p, &q, point);
        assay_kvec_free(&den);
        assay_mem_free_secret(num, (size_t)in->n_leaves * sizeof *num);
        instance_claims(cp, i, p, q, point, assay_gkr_depth(in->n_leaves));
    }
}
