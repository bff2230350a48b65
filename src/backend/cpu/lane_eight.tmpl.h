/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field on eight lanes, as a template: what affine_add.tmpl.h needs of lanes, over field/prime_ifma.tmpl.h.
 * Before inclusion: LANE, the prefix of all names; LANE_FIELD, the field; LANE_SHIFT, s of R' = R 2^s. They are
 * undefined at the end.
 *
 * Vectors divide products by R', and memory holds a R; read as a' R', that is a' = a / 2^s. So coordinates are scaled
 * by 2^-s, and nothing is converted: a slope is a quotient of coordinates and keeps its value, but its square must be
 * scaled as x is, and a slope times a coordinate as y is. Hence `inverse` brings in a factor 2^-(s/2), so do the
 * slopes, and their squares have 2^-s; `mul_slope` takes the factor away again, and `tangent` scales 3 x^2, whose scale
 * is that of a square, to that of 2 y. Both are shifts. Bounds are those of affine_add.tmpl.h and lane_pair.tmpl.h:
 * products of what they let through are below H p (64 <= H), for slopes, which come scaled up, too: 2^(s/2) 2 times 14,
 * twice. */

#define LE_FN(name) LIMB_JOIN(LANE, name)
#define LF_FN(name) LIMB_JOIN(LANE_FIELD, name)
#define LV_FN(name) LIMB_JOIN(LIMB_JOIN(LANE_FIELD, v), name)

typedef LIMB_JOIN(LANE_FIELD, v) LANE;
typedef uint8_t LE_FN(mask);

ASSAY_FORCE_INLINE LANE LE_FN(zero)(void)
{
    return LV_FN(zero)();
}

ASSAY_FORCE_INLINE LANE LE_FN(one)(void)
{
    return LV_FN(one)();
}

ASSAY_FORCE_INLINE LANE LE_FN(load)(const uint8_t *const *p, size_t at)
{
    const LANE_FIELD *q[8];
    for (int i = 0; i < 8; i++) q[i] = (const void *)(p[i] + at);
    return LV_FN(load_at)(q);
}

ASSAY_FORCE_INLINE void LE_FN(store)(uint8_t *const *p, size_t at, LANE a, unsigned count)
{
    LANE_FIELD *q[8], beyond[8];
    for (unsigned i = 0; i < 8; i++) q[i] = i < count ? (void *)(p[i] + at) : &beyond[i];
    LV_FN(store_at)(q, a);
}

ASSAY_FORCE_INLINE LANE LE_FN(add)(LANE a, LANE b)
{
    return LV_FN(add)(a, b);
}

/* b at most k p. */
ASSAY_FORCE_INLINE LANE LE_FN(sub)(LANE a, LANE b, unsigned k)
{
    return LV_FN(sub)(a, b, k);
}

ASSAY_FORCE_INLINE LANE LE_FN(neg)(LANE a, unsigned k)
{
    return LV_FN(neg)(a, k);
}

ASSAY_FORCE_INLINE LANE LE_FN(mul)(LANE a, LANE b)
{
    return LV_FN(mul)(a, b);
}

ASSAY_FORCE_INLINE LANE LE_FN(sqr)(LANE a)
{
    return LV_FN(sqr)(a);
}

ASSAY_FORCE_INLINE unsigned LE_FN(is_zero)(LANE a)
{
    return LV_FN(is_zero)(a);
}

ASSAY_FORCE_INLINE unsigned LE_FN(equal)(LANE a, LANE b)
{
    return LV_FN(equal)(a, b);
}

ASSAY_FORCE_INLINE LANE LE_FN(canon)(LANE a)
{
    return LV_FN(canon)(a);
}

ASSAY_FORCE_INLINE LANE LE_FN(select)(LE_FN(mask) mask, LANE a, LANE b)
{
    return LV_FN(select)(mask, a, b);
}

/* 2^-(s/2) / a: the integer 2^(s/2) R, read with R', is 2^-(s/2). */
static inline LANE LE_FN(inverse)(LANE a)
{
    return LV_FN(mul)(LV_FN(inv)(a), LV_FN(shift)(LV_FN(set1)(LF_FN(one)()), LANE_SHIFT / 2));
}

ASSAY_FORCE_INLINE LANE LE_FN(norm)(LANE a)
{
    return a;
}

/* a / d, from i, the inverse of the norm of d. */
ASSAY_FORCE_INLINE LANE LE_FN(divide)(LANE a, LANE d, LANE i)
{
    (void)d;
    return LV_FN(mul)(a, i);
}

ASSAY_FORCE_INLINE LANE LE_FN(mul_slope)(LANE slope, LANE a)
{
    return LV_FN(mul)(LV_FN(shift)(slope, LANE_SHIFT / 2), a);
}

ASSAY_FORCE_INLINE LANE LE_FN(tangent)(LANE a)
{
    return LV_FN(lift)(LV_FN(tame)(a));
}

#undef LE_FN
#undef LF_FN
#undef LV_FN
#undef LANE
#undef LANE_FIELD
#undef LANE_SHIFT
