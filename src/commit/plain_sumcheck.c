/* SPDX-License-Identifier: Apache-2.0 */
/* Sumcheck of degree 2 in clear, and interpolation at 0, 1, 2, 3. */
#include "commit/plain_sumcheck.h"
#include <stdio.h>

enum { LABEL_BYTES = 64 };
#define INV_2 1073741824u /* 2 * INV_2 = 2^31 = 1 */
#define INV_6 1789569706u /* 6 * INV_6 = 5 p + 1 */

/* Newton's form: v0 + r d1 + r(r-1)/2 d2 + r(r-1)(r-2)/6 d3 with forward differences. */
kel assay_lagrange_eval(const kel *v, unsigned deg, kel r)
{
    kel d1 = k_sub(v[1], v[0]);
    kel out = k_add(v[0], k_mul(r, d1));
    if (deg < 2) return out;
    kel e1 = k_sub(v[2], v[1]), d2 = k_sub(e1, d1);
    kel falling = k_mul(r, k_sub_f(r, 1));
    out = k_add(out, k_mul(k_mul_f(falling, INV_2), d2));
    if (deg < 3) return out;
    kel d3 = k_sub(k_sub(k_sub(v[3], v[2]), e1), d2);
    falling = k_mul(falling, k_sub_f(r, 2));
    return k_add(out, k_mul(k_mul_f(falling, INV_6), d3));
}

kel assay_plain_sumcheck(assay_channel *ch, const char *name, kel claim, unsigned n_vars,
                         const assay_sumcheck_prover *sp, kel *point)
{
    char message[LABEL_BYTES], challenge[LABEL_BYTES];
    (void)snprintf(message, sizeof message, "%s/g", name);
    (void)snprintf(challenge, sizeof challenge, "%s/r", name);
    for (unsigned i = 0; i < n_vars; i++) {
        kel sent[2] = {k_zero(), k_zero()};
        if (sp) sp->round(sp->ctx, sent, claim);
        assay_channel_k(ch, message, sent, 2);
        kel values[3] = {sent[0], k_sub(claim, sent[0]), sent[1]};
        point[i] = assay_channel_challenge(ch, challenge);
        claim = assay_lagrange_eval(values, 2, point[i]);
        if (sp) sp->fold(sp->ctx, point[i]);
    }
    return claim;
}
