/* SPDX-License-Identifier: Apache-2.0 */
/* The circle x^2 + y^2 = 1 over F, a cyclic group of order 2^31: (x, y) stands for x + i y of norm one. */
#ifndef ASSAY_FIELD_CIRCLE_H
#define ASSAY_FIELD_CIRCLE_H

#include "field/m31.h"
#include <stdbool.h>
#include <stdint.h>

#define CIRCLE_LOG_ORDER 31

typedef struct assay_circle_point {
    uint32_t x, y;
} assay_circle_point;

static inline assay_circle_point circle_make(uint32_t x, uint32_t y)
{
    assay_circle_point r;
    r.x = x;
    r.y = y;
    return r;
}
static inline assay_circle_point circle_one(void)
{
    return circle_make(1, 0);
}
/* The generator of the whole group that the code's cosets are counted from. */
static inline assay_circle_point circle_gen(void)
{
    return circle_make(2, 1268011823u);
}

static inline assay_circle_point circle_mul(assay_circle_point a, assay_circle_point b)
{
    uint64_t re = (uint64_t)a.x * b.x + (uint64_t)(M31_P - a.y) * b.y;
    uint64_t im = (uint64_t)a.x * b.y + (uint64_t)a.y * b.x;
    return circle_make(m31_reduce64(re), m31_reduce64(im));
}
static inline assay_circle_point circle_inv(assay_circle_point a)
{
    return circle_make(a.x, m31_neg(a.y));
}

/* x of twice a point, a function of x alone: pi(x) = 2 x^2 - 1. */
static inline uint32_t circle_double_x(uint32_t x)
{
    return m31_sub(m31_double(m31_sqr(x)), 1);
}
static inline assay_circle_point circle_double(assay_circle_point a)
{
    return circle_make(circle_double_x(a.x), m31_mul(m31_double(a.x), a.y));
}

/* a^e; a^0 is one. */
assay_circle_point assay_circle_pow(assay_circle_point a, uint64_t e);
/* circle_gen()^(2^(31 - log_order)): a point of order exactly 2^log_order, log_order <= 31. */
assay_circle_point assay_circle_root(unsigned log_order);
bool assay_circle_contains(assay_circle_point a);

#endif
