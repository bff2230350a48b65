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

/* Loops of their own: the scalar functions, eight times at each use, are too much for the compiler. */
ASSAY_NO_INLINE void FIELDV_FN(mul_all)(FIELD *r, const FIELD *a, const FIELD *b)
{
    _Pragma("GCC unroll 1") for (int i = 0; i < FIELDV_FN(LANES); i++) r[i] = FIELD_FN(mul)(a[i], b[i]);
}

ASSAY_NO_INLINE void FIELDV_FN(add_all)(FIELD *r, const FIELD *a, const FIELD *b)
{
    _Pragma("GCC unroll 1") for (int i = 0; i < FIELDV_FN(LANES); i++) r[i] = FIELD_FN(add)(a[i], b[i]);
}

ASSAY_NO_INLINE void FIELDV_FN(sub_all)(FIELD *r, const FIELD *a, const FIELD *b)
{
    _Pragma("GCC unroll 1") for (int i = 0; i < FIELDV_FN(LANES); i++) r[i] = FIELD_FN(sub)(a[i], b[i]);
}

static inline FIELD_v FIELDV_FN(mul)(FIELD_v a, FIELD_v b)
{
    FIELD_v r;
    FIELDV_FN(mul_all)(r.e, a.e, b.e);
    return r;
}

static inline FIELD_v FIELDV_FN(mul_r)(FIELD_v a, FIELD_v b)
{
    return FIELDV_FN(mul)(a, b);
}

static inline FIELD_v FIELDV_FN(sqr)(FIELD_v a)
{
    return FIELDV_FN(mul)(a, a);
}

static inline FIELD_v FIELDV_FN(add)(FIELD_v a, FIELD_v b)
{
    FIELD_v r;
    FIELDV_FN(add_all)(r.e, a.e, b.e);
    return r;
}

static inline FIELD_v FIELDV_FN(dbl)(FIELD_v a)
{
    return FIELDV_FN(add)(a, a);
}

static inline FIELD_v FIELDV_FN(sub)(FIELD_v a, FIELD_v b, unsigned k)
{
    (void)k;
    FIELD_v r;
    FIELDV_FN(sub_all)(r.e, a.e, b.e);
    return r;
}

static inline FIELD_v FIELDV_FN(neg)(FIELD_v a, unsigned k)
{
    return FIELDV_FN(sub)(FIELDV_FN(zero)(), a, k);
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

static inline uint8_t FIELDV_FN(is_reduced)(FIELD_v a)
{
    unsigned lanes = 0;
    for (int i = 0; i < FIELDV_FN(LANES); i++)
        lanes |= (unsigned)limbs_less(a.e[i].l, FIELD_FN(modulus), FIELD_LIMBS) << i;
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

static inline FIELD_v FIELDV_FN(from_integers)(FIELD_v a)
{
    FIELDV_ALL(FIELD_FN(from_limbs)(a.e[i].l));
}

static inline FIELD_v FIELDV_FN(to_integers)(FIELD_v a)
{
    FIELD_v r;
    for (int i = 0; i < FIELDV_FN(LANES); i++) FIELD_FN(to_limbs)(r.e[i].l, a.e[i]);
    return r;
}

typedef FIELD FIELDV_FN(splat);

static inline FIELD_v FIELDV_FN(from_splat)(const FIELDV_FN(splat) * p)
{
    return FIELDV_FN(set1)(*p);
}

static inline void FIELDV_FN(to_splat)(FIELDV_FN(splat) * p, FIELD_v a)
{
    *p = a.e[0];
}

#include "field/prime_lanes_inv.tmpl.h"

#undef FIELDV_ALL
#undef FIELDV_FN
#undef FIELD_v
#undef FIELD_FN
#undef FIELD
#undef FIELD_LIMBS
#undef FIELD_BIG
