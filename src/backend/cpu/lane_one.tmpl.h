/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field as lanes of one element, as a template: what affine_add.tmpl.h needs of lanes, by plain C. Before
 * inclusion: LANE, the prefix of all names; LANE_FIELD, the field. They are undefined at the end.
 *
 * mask has one bit a lane. Elements are below p: the bounds k of differences, which lane_eight.tmpl.h needs, mean
 * nothing here, nor does its factor, which `inverse` brings in and `mul_slope` and `tangent` take away. */

#define LO_FN(name) LIMB_JOIN(LANE, name)
#define LF_FN(name) LIMB_JOIN(LANE_FIELD, name)

typedef LANE_FIELD LANE;
typedef uint8_t LO_FN(mask);

static inline LANE LO_FN(zero)(void)
{
    return LF_FN(zero)();
}

static inline LANE LO_FN(one)(void)
{
    return LF_FN(one)();
}

static inline LANE LO_FN(load)(const uint8_t *const *p, size_t at)
{
    LANE a;
    memcpy(&a, p[0] + at, sizeof a);
    return a;
}

static inline void LO_FN(store)(uint8_t *const *p, size_t at, LANE a, unsigned count)
{
    (void)count;
    memcpy(p[0] + at, &a, sizeof a);
}

static inline LANE LO_FN(add)(LANE a, LANE b)
{
    return LF_FN(add)(a, b);
}

static inline LANE LO_FN(sub)(LANE a, LANE b, unsigned k)
{
    (void)k;
    return LF_FN(sub)(a, b);
}

static inline LANE LO_FN(neg)(LANE a, unsigned k)
{
    (void)k;
    return LF_FN(neg)(a);
}

static inline LANE LO_FN(mul)(LANE a, LANE b)
{
    return LF_FN(mul)(a, b);
}

static inline LANE LO_FN(sqr)(LANE a)
{
    return LF_FN(sqr)(a);
}

static inline unsigned LO_FN(is_zero)(LANE a)
{
    return LF_FN(is_zero)(a);
}

static inline unsigned LO_FN(equal)(LANE a, LANE b)
{
    return LF_FN(equal)(a, b);
}

static inline LANE LO_FN(canon)(LANE a)
{
    return a;
}

static inline LANE LO_FN(select)(LO_FN(mask) mask, LANE a, LANE b)
{
    return mask ? a : b;
}

static inline LANE LO_FN(inverse)(LANE a)
{
    return LF_FN(inv_var)(a);
}

static inline LANE LO_FN(norm)(LANE a)
{
    return a;
}

/* a / d, from i, the inverse of the norm of d. */
static inline LANE LO_FN(divide)(LANE a, LANE d, LANE i)
{
    (void)d;
    return LF_FN(mul)(a, i);
}

static inline LANE LO_FN(mul_slope)(LANE slope, LANE a)
{
    return LF_FN(mul)(slope, a);
}

static inline LANE LO_FN(tangent)(LANE a)
{
    return a;
}

#undef LO_FN
#undef LF_FN
#undef LANE
#undef LANE_FIELD
