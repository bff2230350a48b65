/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual residual as terms of committed tensors; docs/protocol.md §7.1. */
#include "cp/statement.h"

/* One contribution of a layer to the residual: 2^(unit_j - f) times the sum of ws over the sites that see it. */
static kel contribution(const assay_model_config *cfg, uint32_t site, int32_t f, const kel *ahead)
{
    return k_mul(ahead[site], k_pow2((unsigned)(cfg->unit[site] - f)));
}

void assay_residual_terms(assay_cp *cp, assay_claim node, kel coef, assay_weights ws, assay_weights wt,
                          assay_weights wd)
{
    const assay_cp_shape *s = cp->shape;
    const assay_model_config *cfg = s->run.cfg;
    uint32_t sites = model_sites(cfg), n_l = cfg->n_layers;
    kel *ahead = assay_functional_weights(&cp->fn, sites),
        *wb = assay_functional_weights(&cp->fn, s->run.n_rebase + 1u), *wy = assay_functional_weights(&cp->fn, n_l),
        *wdown = assay_functional_weights(&cp->fn, n_l);
    if (!ahead || !wb || !wy || !wdown) return;

    /* ahead[j]: weights of the sites from j to the last one before the next rebase. */
    for (uint32_t j = sites; j-- > 0;) {
        if (j + 1 < sites && assay_rebase_index(cfg, j + 1) < 0) ahead[j] = ahead[j + 1];
        if (j >= ws.start && j < ws.start + ws.len) ahead[j] = k_add(ahead[j], ws.w ? ws.w[j - ws.start] : k_one());
        int b = assay_rebase_index(cfg, j);
        if (b >= 0) wb[b] = ahead[j];
    }
    for (uint32_t l = 0; l < n_l; l++) {
        wy[l] = contribution(cfg, 2 * l + 1, cfg->layer[l].o.f, ahead);
        wdown[l] = contribution(cfg, 2 * l + 2, cfg->layer[l].down.f, ahead);
    }
    const assay_weights h0[2] = {wt, wd}, reb[3] = {weights_part(wb, 0, s->run.n_rebase), wt, wd},
                        y[3] = {weights_part(wy, 0, n_l), wt, wd}, down[3] = {weights_part(wdown, 0, n_l), wt, wd};
    kel base = k_mul(k_mul(coef, ahead[0]), k_pow2((unsigned)(cfg->unit[0] - cfg->f_embed)));
    if (!k_is_zero(base)) assay_functional_add(&cp->fn, node, base, TEN_H0, h0);
    if (s->run.n_rebase) assay_functional_add(&cp->fn, node, coef, TEN_REB, reb);
    assay_functional_add(&cp->fn, node, coef, TEN_Y, y);
    assay_functional_add(&cp->fn, node, coef, TEN_DOWN, down);
}
