/* SPDX-License-Identifier: Apache-2.0 */
/* The circle code seen by the verifier: a position's basis variables and its functional at a point (docs/protocol.md,
 * "Code"). No tables. */
#include "commit/code.h"
#include "field/circle.h"

void assay_code_vars(unsigned c, unsigned log_rate, uint64_t pos, uint32_t *vars)
{
    unsigned log_d = c + log_rate;
    uint64_t d = (uint64_t)1 << log_d;
    uint64_t f = 2 * (pos >> c) + 1;
    for (unsigned i = 1; i < c; i++)
        if (pos >> i & 1) f += d >> (i - 1);
    assay_circle_point at = assay_circle_pow(assay_circle_root(log_d + 1), f & (2 * d - 1));
    vars[0] = pos & 1 ? m31_neg(at.y) : at.y;
    for (unsigned i = 1; i < c; i++) vars[i] = i == 1 ? at.x : circle_double_x(vars[i - 1]);
}

kel assay_code_functional_at(unsigned c, const uint32_t *vars, const kel *z)
{
    kel out = k_one();
    for (unsigned i = 0; i < c; i++) out = k_mul(out, k_add_f(k_mul_f(z[i], m31_sub(vars[i], 1)), 1));
    return out;
}
