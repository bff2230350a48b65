/* SPDX-License-Identifier: Apache-2.0 */
/* The multilinear equality polynomial. */
#include "poly/eq.h"

kel assay_eq_eval(const kel *a, const kel *b, unsigned n)
{
    kel out = k_one();
    for (unsigned i = 0; i < n; i++) {
        kel factor = k_add_f(k_sub(k_double(k_mul(a[i], b[i])), k_add(a[i], b[i])), 1);
        out = k_mul(out, factor);
    }
    return out;
}

kel assay_eq_index(const kel *r, unsigned n, uint64_t index)
{
    kel out = k_one();
    for (unsigned i = 0; i < n; i++) out = k_mul(out, index >> i & 1 ? r[i] : k_sub(k_one(), r[i]));
    return out;
}

void assay_eq_table(kel *out, const kel *r, unsigned n)
{
    out[0] = k_one();
    for (unsigned i = 0; i < n; i++) {
        size_t half = (size_t)1 << i;
        for (size_t b = 0; b < half; b++) {
            out[half + b] = k_mul(out[b], r[i]);
            out[b] = k_sub(out[b], out[half + b]);
        }
    }
}
