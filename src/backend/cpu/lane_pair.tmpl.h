/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of Fq2 = Fq[u]/(u^2 + 1) over lanes of Fq, as a template: what affine_add.tmpl.h needs of coordinates. Before
 * inclusion: PAIR, the prefix of all names; LANE, that of the lanes of Fq; LANE_COORD, bytes of an element of Fq in
 * memory. They are undefined at the end. */

#define PR_FN(name) LIMB_JOIN(PAIR, name)
#define LA_FN(name) LIMB_JOIN(LANE, name)

typedef struct PAIR {
    LANE c[2];
} PAIR;

ASSAY_FORCE_INLINE PAIR PR_FN(make)(LANE a, LANE b)
{
    PAIR r = {{a, b}};
    return r;
}

ASSAY_FORCE_INLINE PAIR PR_FN(zero)(void)
{
    return PR_FN(make)(LA_FN(zero)(), LA_FN(zero)());
}

ASSAY_FORCE_INLINE PAIR PR_FN(one)(void)
{
    return PR_FN(make)(LA_FN(one)(), LA_FN(zero)());
}

ASSAY_FORCE_INLINE PAIR PR_FN(load)(const uint8_t *const *p, size_t at)
{
    return PR_FN(make)(LA_FN(load)(p, at), LA_FN(load)(p, at + LANE_COORD));
}

ASSAY_FORCE_INLINE void PR_FN(store)(uint8_t *const *p, size_t at, PAIR a, unsigned count)
{
    LA_FN(store)(p, at, a.c[0], count);
    LA_FN(store)(p, at + LANE_COORD, a.c[1], count);
}

ASSAY_FORCE_INLINE PAIR PR_FN(add)(PAIR a, PAIR b)
{
    return PR_FN(make)(LA_FN(add)(a.c[0], b.c[0]), LA_FN(add)(a.c[1], b.c[1]));
}

ASSAY_FORCE_INLINE PAIR PR_FN(sub)(PAIR a, PAIR b, unsigned k)
{
    return PR_FN(make)(LA_FN(sub)(a.c[0], b.c[0], k), LA_FN(sub)(a.c[1], b.c[1], k));
}

ASSAY_FORCE_INLINE PAIR PR_FN(neg)(PAIR a, unsigned k)
{
    return PR_FN(make)(LA_FN(neg)(a.c[0], k), LA_FN(neg)(a.c[1], k));
}

/* (a0 b0 - a1 b1, cross - a0 b0 - a1 b1). Products of one component are below 2, cross below 4: the result below 8. */
ASSAY_FORCE_INLINE PAIR PR_FN(karatsuba)(LANE low, LANE high, LANE cross)
{
    return PR_FN(make)(LA_FN(sub)(low, high, 2), LA_FN(sub)(LA_FN(sub)(cross, low, 2), high, 2));
}

ASSAY_FORCE_INLINE PAIR PR_FN(mul)(PAIR a, PAIR b)
{
    return PR_FN(karatsuba)(LA_FN(mul)(a.c[0], b.c[0]), LA_FN(mul)(a.c[1], b.c[1]),
                            LA_FN(mul)(LA_FN(add)(a.c[0], a.c[1]), LA_FN(add)(b.c[0], b.c[1])));
}

/* a below 2. */
ASSAY_FORCE_INLINE PAIR PR_FN(sqr)(PAIR a)
{
    LANE cross = LA_FN(mul)(a.c[0], a.c[1]);
    return PR_FN(make)(LA_FN(mul)(LA_FN(add)(a.c[0], a.c[1]), LA_FN(sub)(a.c[0], a.c[1], 2)), LA_FN(add)(cross, cross));
}

ASSAY_FORCE_INLINE unsigned PR_FN(is_zero)(PAIR a)
{
    return LA_FN(is_zero)(a.c[0]) & LA_FN(is_zero)(a.c[1]);
}

ASSAY_FORCE_INLINE unsigned PR_FN(equal)(PAIR a, PAIR b)
{
    return LA_FN(equal)(a.c[0], b.c[0]) & LA_FN(equal)(a.c[1], b.c[1]);
}

ASSAY_FORCE_INLINE PAIR PR_FN(canon)(PAIR a)
{
    return PR_FN(make)(LA_FN(canon)(a.c[0]), LA_FN(canon)(a.c[1]));
}

ASSAY_FORCE_INLINE PAIR PR_FN(select)(LA_FN(mask) mask, PAIR a, PAIR b)
{
    return PR_FN(make)(LA_FN(select)(mask, a.c[0], b.c[0]), LA_FN(select)(mask, a.c[1], b.c[1]));
}

ASSAY_FORCE_INLINE LANE PR_FN(norm)(PAIR a)
{
    return LA_FN(add)(LA_FN(sqr)(a.c[0]), LA_FN(sqr)(a.c[1]));
}

/* a / d = a conj(d) i, i the inverse of the norm of d; d below 2. */
ASSAY_FORCE_INLINE PAIR PR_FN(divide)(PAIR a, PAIR d, LANE i)
{
    PAIR t = PR_FN(mul)(a, PR_FN(make)(d.c[0], LA_FN(neg)(d.c[1], 2)));
    return PR_FN(make)(LA_FN(mul)(t.c[0], i), LA_FN(mul)(t.c[1], i));
}

ASSAY_FORCE_INLINE PAIR PR_FN(mul_slope)(PAIR slope, PAIR a)
{
    return PR_FN(karatsuba)(LA_FN(mul_slope)(slope.c[0], a.c[0]), LA_FN(mul_slope)(slope.c[1], a.c[1]),
                            LA_FN(mul_slope)(LA_FN(add)(slope.c[0], slope.c[1]), LA_FN(add)(a.c[0], a.c[1])));
}

ASSAY_FORCE_INLINE PAIR PR_FN(tangent)(PAIR a)
{
    return PR_FN(make)(LA_FN(tangent)(a.c[0]), LA_FN(tangent)(a.c[1]));
}

#undef PR_FN
#undef LA_FN
#undef PAIR
#undef LANE
#undef LANE_COORD
