/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of a prime field at a time in plain C: the names of prime_ifma.tmpl.h, whose comment says what they
 * mean, over the scalar functions. Parameters as there. Here R' = R, lift does nothing, and all numbers are below p,
 * whatever bound the vector form would have. */

#define FIELD_FN(name)  LIMB_JOIN(FIELD, name)
#define FIELD_v         LIMB_JOIN(FIELD, v)
#define FIELDV_FN(name) LIMB_JOIN(FIELD_v, name)
#define FIELDV_ALL(f)                                                                                                  \
    FIELD_v r;                                                                                                         \
    for (int i = 0; i < FIELDV_FN(LANES); i++) r.e[i] = f;                                                             \
    return r

enum { FIELDV_FN(LANES) = 8, FIELDV_FN(HEADROOM) = 64 };

typedef struct FIELD_v {
    FIELD e[FIELDV_FN(LANES)];
} FIELD_v;

typedef uint8_t FIELDV_FN(mask);

static inline FIELD_v FIELDV_FN(load_at)(const FIELD *const p[8])
{
    FIELDV_ALL(*p[i]);
}

static inline FIELD_v FIELDV_FN(load)(const FIELD *p)
{
    FIELDV_ALL(p[i]);
}

static inline void FIELDV_FN(store_at)(FIELD *const p[8], FIELD_v a)
{
    for (int i = 0; i < FIELDV_FN(LANES); i++) *p[i] = a.e[i];
}

static inline void FIELDV_FN(store)(FIELD *p, FIELD_v a)
{
    for (int i = 0; i < FIELDV_FN(LANES); i++) p[i] = a.e[i];
}

static inline FIELD_v FIELDV_FN(set1)(FIELD a)
{
    FIELDV_ALL(a);
}

static inline FIELD_v FIELDV_FN(zero)(void)
{
    FIELDV_ALL(FIELD_FN(zero)());
}

static inline FIELD_v FIELDV_FN(one)(void)
{
    FIELDV_ALL(FIELD_FN(one)());
}

static inline FIELD_v FIELDV_FN(lift)(FIELD_v a)
{
    return a;
}

static inline FIELD_v FIELDV_FN(raise)(FIELD_v a)
{
    return a;
}

static inline FIELD_v FIELDV_FN(lower)(FIELD_v a)
{
    return a;
}

static inline FIELD_v FIELDV_FN(mul)(FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(FIELD_FN(mul)(a.e[i], b.e[i]));
}

static inline FIELD_v FIELDV_FN(mul_r)(FIELD_v a, FIELD_v b)
{
    return FIELDV_FN(mul)(a, b);
}

static inline FIELD_v FIELDV_FN(sqr)(FIELD_v a)
{
    FIELDV_ALL(FIELD_FN(sqr)(a.e[i]));
}

static inline FIELD_v FIELDV_FN(add)(FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(FIELD_FN(add)(a.e[i], b.e[i]));
}

static inline FIELD_v FIELDV_FN(dbl)(FIELD_v a)
{
    FIELDV_ALL(FIELD_FN(dbl)(a.e[i]));
}

static inline FIELD_v FIELDV_FN(sub)(FIELD_v a, FIELD_v b, unsigned k)
{
    (void)k;
    FIELDV_ALL(FIELD_FN(sub)(a.e[i], b.e[i]));
}

static inline FIELD_v FIELDV_FN(neg)(FIELD_v a, unsigned k)
{
    (void)k;
    FIELDV_ALL(FIELD_FN(neg)(a.e[i]));
}

static inline FIELD_v FIELDV_FN(tame)(FIELD_v a)
{
    return a;
}

static inline FIELD_v FIELDV_FN(once)(FIELD_v a)
{
    return a;
}

static inline FIELD_v FIELDV_FN(canon)(FIELD_v a)
{
    return a;
}

static inline uint8_t FIELDV_FN(is_zero)(FIELD_v a)
{
    unsigned lanes = 0;
    for (int i = 0; i < FIELDV_FN(LANES); i++) lanes |= (unsigned)FIELD_FN(is_zero)(a.e[i]) << i;
    return (uint8_t)lanes;
}

static inline uint8_t FIELDV_FN(equal)(FIELD_v a, FIELD_v b)
{
    return FIELDV_FN(is_zero)(FIELDV_FN(sub)(a, b, 1));
}

static inline FIELD_v FIELDV_FN(select)(uint8_t lanes, FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(lanes >> i & 1 ? a.e[i] : b.e[i]);
}

#include "field/prime_lanes_inv.tmpl.h"

#undef FIELDV_ALL
#undef FIELDV_FN
#undef FIELD_v
#undef FIELD_FN
#undef FIELD
#undef FIELD_LIMBS
#undef FIELD_BIG
