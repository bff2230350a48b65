/* SPDX-License-Identifier: Apache-2.0 */
/* The padded sumcheck (docs/protocol.md, "Hidden messages"): the values of each round polynomial are hidden messages,
 * and the next claim is the affine combination of them that interpolation at the challenge gives. */
#include "iop/tape.h"

/* out[j] = prod over m <= degree, m != j, of (r - m) / (j - m): from values at 0 .. degree to the value at r. */
static void lagrange_weights(kel *out, unsigned degree, kel r)
{
    for (unsigned j = 0; j <= degree; j++) {
        uint32_t den = 1;
        out[j] = k_one();
        for (unsigned m = 0; m <= degree; m++) {
            if (m == j) continue;
            out[j] = k_mul(out[j], k_sub_f(r, m));
            den = m31_mul(den, m31_from_i64((int64_t)j - (int64_t)m));
        }
        out[j] = k_mul_f(out[j], m31_inv(den));
    }
}

assay_claim assay_iop_sumcheck(assay_iop *iop, const char *name, assay_claim claim, unsigned n, unsigned degree,
                               const assay_sumcheck_prover *sp, kel *point)
{
    char g_label[TAPE_MAX_LABEL], r_label[TAPE_MAX_LABEL];
    assay_tape_label(g_label, name, "/g");
    assay_tape_label(r_label, name, "/r");
    for (unsigned i = 0; i < n; i++) {
        kel values[3] = {k_zero(), k_zero(), k_zero()}, weights[4];
        assay_claim parts[4] = {claim, 0, 0, 0}; /* the claim, then the values at 0, 2, 3 */
        if (sp) sp->round(sp->ctx, values, k_zero());
        for (unsigned j = 0; j < degree; j++) parts[1 + j] = assay_iop_hidden(iop, g_label, values[j]);
        point[i] = assay_channel_challenge(iop->ch, r_label);
        lagrange_weights(weights, degree, point[i]);
        /* g(1) = claim - g(0): the claim takes the weight of the value at 1, and the value at 0 pays for it. */
        kel at0 = k_sub(weights[0], weights[1]);
        weights[0] = weights[1];
        weights[1] = at0;
        claim = assay_iop_affine(iop, k_zero(), weights, parts, degree + 1);
        if (sp) sp->fold(sp->ctx, point[i]);
    }
    return claim;
}
