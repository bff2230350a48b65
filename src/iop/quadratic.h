/* SPDX-License-Identifier: Apache-2.0 */
/* The running polynomial of a sumcheck of degree 2, as a prover knows it: g[0] = g(0) + g(1), g[1] = g(0), g[2] = the
 * leading coefficient. The slope at 0 is then g[0] - 2 g[1] - g[2]. */
#ifndef ASSAY_IOP_QUADRATIC_H
#define ASSAY_IOP_QUADRATIC_H

#include "field/k.h"

/* g(2) = g(0) + 2 slope + 4 lead */
static inline kel quadratic_at_two(const kel g[3])
{
    return k_sub(k_double(k_add(g[0], g[2])), k_mul_f(g[1], 3));
}

/* The next round's claim: g[0] = g(r). */
static inline void quadratic_fold(kel g[3], kel r)
{
    kel slope = k_sub(k_sub(g[0], k_double(g[1])), g[2]);
    g[0] = k_add(g[1], k_mul(r, k_add(slope, k_mul(g[2], r))));
}

#endif
