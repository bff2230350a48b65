/* SPDX-License-Identifier: Apache-2.0 */
/* Scores: the inner products inside the score family's keys, at the look-up's own point; docs/protocol.md §7.4.
 *
 * Width: a distance CMAX - q.k is a key, 2^r D, plus a remainder below 2^r, together below 2^dist_bits <= 2^29. The
 * cell with the flag has key and remainder 0, so CMAX is q.k of a cell. Two such numbers would have d and p - d below
 * 2^29: CMAX is unique whatever q and k are. The model refuses |q.k| >= 2^29, so that a distance is a difference of
 * less than 2^30 in absolute value, read mod p as a number below 2^29: as p - 2^30 >= 2^29 it is the integer
 * difference, and not negative. So CMAX is the maximum. Query and key token are separate coordinates of the leaf point:
 * one point on both axes would miss antisymmetric errors. */
#include "cp/statement.h"

static const assay_dot_names names = {"score", {"score/a0"}, {"score/b0"}, {"score a0"}, {"score b0"}};

/* u[i] += base * (sum_j eq(point_j, j) key[j]) * eq(point_i, i) for the token square or rectangle of one box. */
static void add_square(assay_cp *cp, const assay_box *b, const kel *point, unsigned depth, const assay_weights *key,
                       kel *u)
{
    unsigned low = b->log_len[2] + b->log_len[3];
    uint32_t n_i = (uint32_t)1 << b->log_len[0], n_j = (uint32_t)1 << b->log_len[1];
    kel f = k_zero(), base = assay_box_weight(b, point, depth);
    assay_weights wj = assay_functional_eq(&cp->fn, k_one(), point + low, n_j);
    assay_weights wi = assay_functional_eq(&cp->fn, k_one(), point + low + b->log_len[1], n_i);
    if (!wi.w || !wj.w) return;
    for (uint32_t j = 0; j < n_j; j++) f = k_add(f, k_mul(wj.w[j], key->w[b->start[1] + j]));
    f = k_mul(f, base);
    for (uint32_t i = 0; i < n_i; i++) u[b->start[0] + i] = k_add(u[b->start[0] + i], k_mul(f, wi.w[i]));
}

enum { MAX_PAIRS = 32 * 32 /* pieces of two axes */ };

static bool same_pieces(const assay_box *a, const assay_box *b)
{
    return a->start[2] == b->start[2] && a->start[3] == b->start[3];
}

/* The query factor: per pair of a layer piece and a head piece one term, whose token weights collect all squares. */
static void query_terms(assay_cp *cp, uint32_t instance, const kel *leaf, unsigned depth, assay_claim node,
                        const kel *rho, unsigned e_bits, unsigned t_bits, unsigned h_bits)
{
    const assay_cp_shape *s = cp->shape;
    const assay_model_config *cfg = s->run.cfg;
    const assay_instance *in = &s->instance[instance];
    assay_functional *fn = &cp->fn;
    kel one = k_one();
    assay_weights we = assay_functional_eq(fn, one, rho, cfg->head_dim),
                  wj = assay_functional_eq(fn, one, rho + e_bits, s->run.n_tokens),
                  wh = assay_functional_eq(fn, one, rho + e_bits + t_bits, cfg->n_heads),
                  wl = assay_functional_eq(fn, one, rho + e_bits + t_bits + h_bits, cfg->n_layers);
    if (fn->failed) return;
    for (uint32_t k = 0; k < in->n_part; k++) {
        const assay_family *f = &s->family[in->part[k].family];
        if (f->comp[0].virt != VIRT_SCORE) continue;
        uint32_t first = in->part[k].first_box, end = in->part[k].end_box;
        for (uint32_t b = first; b < end; b++) {
            const assay_box *x = &f->grid.box[b];
            /* Each pair of pieces once, at its first box; pieces come in a fixed order within each token square, so a
             * pair that has been met stands within the last few boxes. */
            bool seen = false;
            for (uint32_t c = b; c-- > first && b - c <= MAX_PAIRS && !seen;) seen = same_pieces(&f->grid.box[c], x);
            if (seen) continue;
            kel *u = assay_functional_weights(fn, s->run.n_tokens);
            if (!u) return;
            for (uint32_t c = b; c < end; c++) {
                const assay_box *y = &f->grid.box[c];
                if (same_pieces(y, x)) add_square(cp, y, leaf, depth, &wj, u);
            }
            assay_weights lh = assay_functional_eq(fn, one, leaf, (uint32_t)1 << x->log_len[3]);
            assay_weights ll = assay_functional_eq(fn, one, leaf + x->log_len[3], (uint32_t)1 << x->log_len[2]);
            lh.start = x->start[3];
            ll.start = x->start[2];
            assay_weights heads = assay_weights_times(cp, lh, wh), layers = assay_weights_times(cp, ll, wl);
            const assay_weights ax[3] = {layers, weights_part(u, 0, s->run.n_tokens),
                                         assay_weights_joined(cp, heads, we)};
            assay_functional_add(fn, node, one, TEN_QR, ax);
        }
    }
}

void assay_rel_score(assay_cp *cp, uint32_t instance, const kel *leaf_point, assay_claim start)
{
    const assay_run_shape *r = &cp->shape->run;
    unsigned e_bits = layout_ceil_log2(r->cfg->head_dim), t_bits = layout_ceil_log2(r->n_tokens),
             h_bits = layout_ceil_log2(r->cfg->n_heads), l_bits = layout_ceil_log2(r->cfg->n_layers),
             n = e_bits + t_bits + h_bits + l_bits;
    kel rho[64];
    assay_claim a, b;
    cp->leaf_point = leaf_point;
    assay_dot_run(cp, &names, DOT_SCORE, instance, k_zero(), start, n, 1, &a, &b, rho);
    assay_claim node_a = assay_define(cp, a, names.ra[0]), node_b = assay_define(cp, b, names.rb[0]);
    if (cp->fn.counting) return;
    query_terms(cp, instance, leaf_point, assay_gkr_depth(cp->shape->instance[instance].n_leaves), node_a, rho, e_bits,
                t_bits, h_bits);

    kel one = k_one();
    assay_weights we = assay_functional_eq(&cp->fn, one, rho, r->cfg->head_dim),
                  wj = assay_functional_eq(&cp->fn, one, rho + e_bits, r->n_tokens),
                  wh = assay_functional_eq(&cp->fn, one, rho + e_bits + t_bits, r->cfg->n_heads),
                  wl = assay_functional_eq(&cp->fn, one, rho + e_bits + t_bits + h_bits, r->cfg->n_layers);
    const assay_weights ax[3] = {wl, wj, assay_weights_joined(cp, assay_weights_grouped(cp, wh), we)};
    assay_functional_add(&cp->fn, node_b, one, TEN_KR, ax);
}
