/* SPDX-License-Identifier: Apache-2.0 */
/* The product list (docs/protocol.md, "Product list"): every product cell is the product of its two pads. The list's
 * last entry is a dummy whose factors hide nothing else, so a~ and b~ may be sent in clear. */
#include "base/mem.h"
#include "iop/tape.h"
#include "poly/eq.h"

static unsigned list_vars(size_t n_entries)
{
    unsigned m = 0;
    while (((size_t)1 << m) < n_entries) m++;
    return m;
}

/* Entry l's pads; the dummy's cells follow the pads. */
static uint32_t entry_pad(const assay_iop *iop, size_t l, int side)
{
    return l < iop->n_products ? iop->products[l][side] : iop->plan.n_hidden + (uint32_t)side;
}

/* sent - sum_l weight[l] pad[l's side] = 0 */
static void require_pads(assay_iop *iop, kel sent, const kel *weight, int side, const char *name)
{
    assay_claim node = assay_tape_node(iop, TAPE_AFFINE, sent);
    for (size_t l = 0; l <= iop->n_products; l++)
        assay_tape_edge(iop, k_neg(weight[l]), TAPE_CELL | entry_pad(iop, l, side));
    assay_iop_require(iop, node, name);
}

static void run_list(assay_iop *iop, unsigned m, kel *tau, kel *eq_tau, kel *eq_rr)
{
    kel rr[32], ends[2] = {k_zero(), k_zero()};
    size_t n = iop->n_products + 1;
    assay_dot_prover d;
    assay_sumcheck_prover sp;
    bool proving = iop->ops != NULL;
    assay_channel_challenges(iop->ch, "prod/tau", tau, m);
    assay_eq_prefix(eq_tau, n, tau, m);
    assay_claim claim = assay_tape_node(iop, TAPE_AFFINE, k_zero());
    for (size_t l = 0; l < n; l++) assay_tape_edge(iop, eq_tau[l], TAPE_CELL | tape_product_cell(iop, l));
    if (proving) {
        assay_status s = iop->ops->products_start(&d, &sp, iop, eq_tau, m);
        if (s != ASSAY_OK) {
            assay_tape_fail(iop, s);
            proving = false;
        }
    }
    claim = assay_iop_sumcheck(iop, "prod/sc", claim, m, 2, proving ? &sp : NULL, rr);
    if (proving) iop->ops->products_end(&d, ends);
    assay_channel_k(iop->ch, "prod/a", &ends[0], 1);
    assay_channel_k(iop->ch, "prod/b", &ends[1], 1);
    assay_eq_prefix(eq_rr, n, rr, m);
    for (size_t l = 0; l < n; l++) eq_tau[l] = k_mul(eq_tau[l], eq_rr[l]);
    require_pads(iop, ends[0], eq_tau, 0, "prod a");
    require_pads(iop, ends[1], eq_rr, 1, "prod b");
    kel one = k_one();
    assay_iop_require(iop, assay_iop_affine(iop, k_neg(k_mul(ends[0], ends[1])), &one, &claim, 1), "prod");
}

void assay_iop_product_list(assay_iop *iop)
{
    kel tau[32];
    unsigned m = list_vars(iop->n_products + 1);
    if (iop->planned && iop->n_products != iop->plan.n_products) assay_tape_fail(iop, ASSAY_EINTERNAL);
    if (tape_failed(iop)) return;
    kel *tables = (kel *)assay_mem_alloc(2 * (iop->n_products + 1), sizeof *tables);
    if (!tables) {
        assay_tape_fail(iop, ASSAY_ENOMEM);
        return;
    }
    run_list(iop, m, tau, tables, tables + iop->n_products + 1);
    assay_mem_free(tables);
}
