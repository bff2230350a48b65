/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the statement's parts, and the points; docs/protocol.md §7. */
#include "cp/statement.h"

static void draw(assay_cp *cp, const char *label, kel *out, uint32_t n)
{
    if (n) assay_channel_challenges(assay_iop_channel(cp->iop), label, out, n);
}

void assay_points_draw(assay_cp *cp)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *cfg = r->cfg;
    assay_points *pt = &cp->pt;
    uint32_t high = 0;
    for (unsigned m = 0; m < MAT_COUNT; m++) {
        uint32_t n = layout_ceil_log2(cp->shape->weights[m].extent[1]);
        if (n > high) high = n;
    }
    draw(cp, "alpha", &pt->alpha, 1);
    draw(cp, "beta", pt->beta, ASSAY_TABLE_WIDTH);
    draw(cp, "rJ", pt->j, cp->shape->params.jb);
    draw(cp, "rX", pt->x, high);
    draw(cp, "rL", pt->l, layout_ceil_log2(cfg->n_layers));
    draw(cp, "rS", pt->s, layout_ceil_log2(model_sites(cfg)));
    draw(cp, "rB", pt->b, layout_ceil_log2(r->n_rebase));
    draw(cp, "rT", pt->t, layout_ceil_log2(r->n_tokens));
    draw(cp, "rP", pt->p, layout_ceil_log2(r->n_checked));
    draw(cp, "rD", pt->d, layout_ceil_log2(cfg->d));
    draw(cp, "rh", pt->h, layout_ceil_log2(cfg->n_heads));
    draw(cp, "re", pt->e, layout_ceil_log2(cfg->head_dim));
    const uint32_t all_heads = model_has_head_norms(cfg) ? cfg->n_heads + cfg->n_kv : 0;
    draw(cp, "rA", pt->a, layout_ceil_log2(all_heads));

    kel one = k_one();
    assay_functional *f = &cp->fn;
    cp->w_l = assay_functional_eq(f, one, pt->l, cfg->n_layers);
    cp->w_s = assay_functional_eq(f, one, pt->s, model_sites(cfg));
    if (r->n_rebase) cp->w_b = assay_functional_eq(f, one, pt->b, r->n_rebase);
    cp->w_t = assay_functional_eq(f, one, pt->t, r->n_tokens);
    if (cfg->fixed_first && cp->w_t.w) { /* no sum over tokens has position 0: it is not computed */
        kel *w = assay_functional_weights(f, r->n_tokens);
        for (uint32_t t = 1; w && t < r->n_tokens; t++) w[t] = cp->w_t.w[t];
        cp->w_t.w = w;
    }
    cp->w_p = assay_functional_eq(f, one, pt->p, r->n_checked);
    cp->w_d = assay_functional_eq(f, one, pt->d, cfg->d);
    cp->w_h = assay_functional_eq(f, one, pt->h, cfg->n_heads);
    cp->w_e = assay_functional_eq(f, one, pt->e, cfg->head_dim);
    if (all_heads) cp->w_a = assay_functional_eq(f, one, pt->a, all_heads);
}

void assay_statement_run(assay_cp *cp)
{
    assay_points_draw(cp);
    if (cp->hooks && cp->hooks->bind) cp->hooks->bind(cp->hooks->ctx, cp);
    assay_rel_lookups(cp);
    assay_rel_matrices(cp);
    assay_rel_linear(cp);
    assay_rel_products(cp);
}

void assay_dot_run(assay_cp *cp, const assay_dot_names *names, assay_dot_id id, uint32_t arg, kel theta,
                   assay_claim start, unsigned n_vars, unsigned n_terms, assay_claim *a, assay_claim *b, kel *point)
{
    assay_sumcheck_prover side, *sp = NULL;
    const assay_cp_hooks *h = cp->hooks;
    if (h) {
        h->start(h->ctx, cp, id, arg, theta, &side);
        sp = &side;
    }
    assay_claim end = assay_iop_sumcheck(cp->iop, names->name, start, n_vars, 2, sp, point);
    kel coef[ASSAY_DOT_TERMS + 1] = {k_one()};
    assay_claim of[ASSAY_DOT_TERMS + 1] = {end};
    for (unsigned k = 0; k < n_terms; k++) {
        a[k] = assay_iop_hidden(cp->iop, names->a[k], h ? h->factor(h->ctx, k, 0) : k_zero());
        b[k] = assay_iop_hidden(cp->iop, names->b[k], h ? h->factor(h->ctx, k, 1) : k_zero());
        coef[k + 1] = k_neg(k_one());
        of[k + 1] = assay_iop_product(cp->iop, a[k], b[k]);
    }
    if (h) h->stop(h->ctx);
    assay_iop_require(cp->iop, assay_iop_affine(cp->iop, k_zero(), coef, of, n_terms + 1), names->name);
}

assay_claim assay_define(assay_cp *cp, assay_claim claim, const char *name)
{
    assay_claim of[2] = {claim, assay_iop_functional(cp->iop)};
    const kel coef[2] = {k_one(), k_neg(k_one())};
    assay_iop_require(cp->iop, assay_iop_affine(cp->iop, k_zero(), coef, of, 2), name);
    return of[1];
}
