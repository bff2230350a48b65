/* SPDX-License-Identifier: Apache-2.0 */
/* The two kinds of norms as one: rows of the residual, by norm site and token, and of the heads of q and k, by layer,
 * token and head; docs/protocol.md §7.6, §7.7. */
#include "cp/statement.h"

void assay_head_terms(assay_cp *cp, assay_claim node, kel coef, assay_weights wl, assay_weights wt, assay_weights wae)
{
    const uint32_t he = cp->shape->grid[TEN_Q].extent[2], ge = cp->shape->grid[TEN_K].extent[2];
    const assay_weights q[3] = {wl, wt, assay_weights_clip(wae, 0, he)},
                        k[3] = {wl, wt, assay_weights_clip(wae, he, ge)};
    assay_functional_add(&cp->fn, node, coef, TEN_Q, q);
    assay_functional_add(&cp->fn, node, coef, TEN_K, k);
}

assay_norm_rows assay_norm_rows_of(const assay_cp *cp, assay_norm_kind kind)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *cfg = r->cfg;
    if (kind == NORM_RESIDUAL)
        return (assay_norm_rows){kind, 2, {model_sites(cfg), r->n_tokens, 0}, cfg->d, {cp->w_s, cp->w_t, {0}}, cp->w_d};
    return (assay_norm_rows){
        kind,   3, {cfg->n_layers, r->n_tokens, cfg->n_heads + cfg->n_kv}, cfg->head_dim, {cp->w_l, cp->w_t, cp->w_a},
        cp->w_e};
}

void assay_norm_row_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, assay_tensor t,
                          const assay_weights *w)
{
    assay_functional_add(&cp->fn, node, coef, tensor_of_norm(r->kind, t), w);
}

/* Values of a row have an axis of their own, or one with the heads. */
static assay_weights last_axis(assay_cp *cp, const assay_norm_rows *r, const assay_weights *w, assay_weights cell)
{
    return r->kind == NORM_HEADS ? assay_weights_joined(cp, w[2], cell) : cell;
}

void assay_norm_cell_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, assay_tensor t,
                           const assay_weights *w, assay_weights cell)
{
    const assay_weights ax[3] = {w[0], w[1], last_axis(cp, r, w, cell)};
    assay_functional_add(&cp->fn, node, coef, tensor_of_norm(r->kind, t), ax);
}

void assay_norm_input_terms(assay_cp *cp, const assay_norm_rows *r, assay_claim node, kel coef, const assay_weights *w,
                            assay_weights cell)
{
    const assay_weights last = last_axis(cp, r, w, cell);
    if (r->kind == NORM_HEADS)
        assay_head_terms(cp, node, coef, w[0], w[1], last);
    else
        assay_residual_terms(cp, node, coef, w[0], w[1], last);
}
