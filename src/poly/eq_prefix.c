/* SPDX-License-Identifier: Apache-2.0 */
/* The equality polynomial on the first n points of the cube: what is real when an axis is padded to a power of two. */
#include "poly/eq.h"

/* Variable i doubles the table: the entries so far times 1 - r_i below, times r_i above; what lies beyond n is cut. */
void assay_eq_prefix(kel *out, size_t n, const kel *r, unsigned n_vars)
{
    out[0] = k_one();
    for (unsigned i = 0; i < n_vars; i++) {
        size_t half = (size_t)1 << i;
        for (size_t x = half < n ? half : n; x-- > 0;) {
            kel hi = k_mul(out[x], r[i]);
            out[x] = k_sub(out[x], hi);
            if (x + half < n) out[x + half] = hi;
        }
    }
}

/* From the highest variable down: all of the lower half counts when n passes it, and the rest goes on in one half. */
kel assay_eq_below(const kel *r, unsigned n_vars, uint64_t n)
{
    kel sum = k_zero(), scale = k_one();
    for (unsigned i = n_vars; i-- > 0;) {
        kel low = k_mul(scale, k_sub(k_one(), r[i]));
        bool passes = n >> i != 0;
        if (passes) sum = k_add(sum, low);
        scale = passes ? k_sub(scale, low) : low;
        if (passes) n -= (uint64_t)1 << i;
    }
    return n ? k_add(sum, scale) : sum;
}
