/* SPDX-License-Identifier: Apache-2.0 */
/* LogUp by GKR on the fraction tree, one text for both parties (docs/protocol.md, "Look-ups"; LogUp-GKR, 2023/1284).
 *
 * Node x of layer i has children 2x and 2x+1 in layer i+1; p = p0 q1 + p1 q0, q = q0 q1. The claims at a layer's point
 * become one by lambda, a sumcheck of degree 3 moves it to the children at rr, and tau joins the two children. */
#include "iop/tape.h"
#include "poly/eq.h"
#include <string.h>

unsigned assay_gkr_depth(uint64_t n)
{
    unsigned k = 1;
    while (k < 63 && ((uint64_t)1 << k) < n) k++;
    return k;
}

/* a + scale (b - a) */
static assay_claim join(assay_iop *iop, assay_claim a, assay_claim b, kel scale)
{
    kel coef[2] = {k_sub(k_one(), scale), scale};
    assay_claim of[2] = {a, b};
    return assay_iop_affine(iop, k_zero(), coef, of, 2);
}

/* The children's values at rr: sent, multiplied, and held against the claim that the sumcheck left. child: p0, p1, q0,
 * q1. */
static void close_layer(assay_iop *iop, const char *name, assay_claim claim, kel eq, kel lambda, const kel values[4],
                        assay_claim child[4])
{
    static const char *const suffix[4] = {"/p0", "/p1", "/q0", "/q1"};
    char label[TAPE_MAX_LABEL];
    for (int j = 0; j < 4; j++) child[j] = assay_iop_hidden(iop, assay_tape_label(label, name, suffix[j]), values[j]);
    assay_claim of[4] = {claim, 0, 0, 0};
    of[1] = assay_iop_product(iop, child[0], child[3]);
    of[2] = assay_iop_product(iop, child[1], child[2]);
    of[3] = assay_iop_product(iop, child[2], child[3]);
    kel minus = k_neg(eq), coef[4] = {k_one(), minus, minus, k_mul(minus, lambda)};
    assay_iop_require(iop, assay_iop_affine(iop, k_zero(), coef, of, 4), name);
}

static void run_layers(assay_iop *iop, const char *name, unsigned depth, assay_gkr_prover *g, assay_claim *p,
                       assay_claim *q, kel *point)
{
    char l_lambda[TAPE_MAX_LABEL], l_tau[TAPE_MAX_LABEL], l_sc[TAPE_MAX_LABEL];
    assay_tape_label(l_lambda, name, "/lambda");
    assay_tape_label(l_tau, name, "/tau");
    assay_tape_label(l_sc, name, "/sc");
    for (unsigned i = 0; i < depth; i++) {
        kel rr[64], values[4] = {k_zero(), k_zero(), k_zero(), k_zero()};
        assay_sumcheck_prover sp;
        assay_claim of[2] = {*p, *q}, child[4];
        kel lambda = assay_channel_challenge(iop->ch, l_lambda), coef[2] = {k_one(), lambda};
        assay_status s = g ? iop->ops->gkr_layer(g, &sp, i, point, lambda) : ASSAY_OK;
        if (s != ASSAY_OK) {
            assay_tape_fail(iop, s);
            g = NULL;
        }
        assay_claim claim = assay_iop_affine(iop, k_zero(), coef, of, 2);
        claim = assay_iop_sumcheck(iop, l_sc, claim, i, 3, g ? &sp : NULL, rr);
        if (g) iop->ops->gkr_ends(g, values);
        close_layer(iop, name, claim, assay_eq_eval(point, rr, i), lambda, values, child);
        kel tau = assay_channel_challenge(iop->ch, l_tau);
        *p = join(iop, child[0], child[1], tau);
        *q = join(iop, child[2], child[3], tau);
        point[0] = tau;
        memcpy(point + 1, rr, i * sizeof *rr);
    }
}

void assay_iop_gkr(assay_iop *iop, const char *name, uint64_t n, const uint32_t *p, assay_kvec *q, assay_claim *p_claim,
                   assay_claim *q_claim, kel *point)
{
    char label[TAPE_MAX_LABEL];
    assay_gkr_prover *g = NULL;
    kel root = k_zero();
    if (iop->ops && tape_failed(iop)) {
        assay_kvec_free(q);
    } else if (iop->ops) {
        assay_status s = iop->ops->gkr_new(&g, &root, iop->be, n, p, q);
        if (s != ASSAY_OK) assay_tape_fail(iop, s);
    }
    *p_claim = 0; /* the sum is zero: the constant 0 */
    *q_claim = assay_iop_hidden(iop, assay_tape_label(label, name, "/root"), root);
    run_layers(iop, name, assay_gkr_depth(n), g, p_claim, q_claim, point);
    if (iop->ops) iop->ops->gkr_free(g);
}
