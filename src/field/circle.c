/* SPDX-License-Identifier: Apache-2.0 */
/* Powers in the circle group. */
#include "field/circle.h"

assay_circle_point assay_circle_pow(assay_circle_point a, uint64_t e)
{
    assay_circle_point r = circle_one();
    for (; e; e >>= 1) {
        if (e & 1) r = circle_mul(r, a);
        a = circle_double(a);
    }
    return r;
}

assay_circle_point assay_circle_root(unsigned log_order)
{
    assay_circle_point a = circle_gen();
    for (unsigned i = log_order; i < CIRCLE_LOG_ORDER; i++) a = circle_double(a);
    return a;
}

bool assay_circle_contains(assay_circle_point a)
{
    return a.x < M31_P && a.y < M31_P && m31_add(m31_sqr(a.x), m31_sqr(a.y)) == 1;
}
