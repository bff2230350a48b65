/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of curve_check.h for both groups of a curve over eight-lane vectors, as a template. Before inclusion: the
 * lanes of the coordinates' field; CURVE, FQ, prefixes of names, and CURVE_BIG, that of the constants. They are
 * undefined at the end.
 *
 * y^2 = x^3 + b, all in form R. Bounds as multiples of q are said where they are not 1; lift takes up to 5 (BN254). */

#define CC_FN(name) LIMB_JOIN(CURVE, name)
#define CC_V        LIMB_JOIN(FQ, v)
#define CCV_FN(n)   LIMB_JOIN(CC_V, n)
enum { CC_FN(CHECK_LANES) = 8 };

/* Coordinate k of eight points of n coordinates each. */
static inline CC_V CC_FN(check_load)(const FQ *points, size_t n, size_t k)
{
    const FQ *p[CC_FN(CHECK_LANES)];
    for (size_t i = 0; i < CC_FN(CHECK_LANES); i++) p[i] = points + i * n + k;
    return CCV_FN(load_at)(p);
}

/* Lanes of eight points that are good. */
static inline unsigned CC_FN(check_g1)(const FQ *points)
{
    static const FQ b = {LIMB_JOIN(CURVE_BIG, B)};
    CC_V x = CC_FN(check_load)(points, 2, 0), y = CC_FN(check_load)(points, 2, 1);
    unsigned zero = CCV_FN(is_zero)(x) & CCV_FN(is_zero)(y), below = CCV_FN(is_reduced)(x) & CCV_FN(is_reduced)(y);
    x = CCV_FN(select)((CCV_FN(mask))below, x, CCV_FN(zero)());
    y = CCV_FN(select)((CCV_FN(mask))below, y, CCV_FN(zero)());
    CC_V cube = CCV_FN(mul_r)(x, CCV_FN(mul_r)(x, x));                                  /* 2 */
    CC_V gap = CCV_FN(sub)(CCV_FN(add)(cube, CCV_FN(set1)(b)), CCV_FN(mul_r)(y, y), 2); /* 5 */
    return (CCV_FN(is_zero)(CCV_FN(canon)(gap)) & below) | zero;
}

/* (a0 + a1 u)^2: (a0 + a1) (a0 - a1) and 2 a0 a1, both below 2. */
static inline void CC_FN(check_square)(CC_V r[2], const CC_V a[2])
{
    r[0] = CCV_FN(mul_r)(CCV_FN(add)(a[0], a[1]), CCV_FN(sub)(a[0], a[1], 1));
    r[1] = CCV_FN(mul_r)(a[0], CCV_FN(dbl)(a[1]));
}

static inline unsigned CC_FN(check_g2)(const FQ *points)
{
    static const FQ b[2] = LIMB_JOIN(CURVE_BIG, B2);
    CC_V x[2], y[2], square[2], cube[2], right[2];
    unsigned zero = 255, below = 255, same = 255;
    for (size_t k = 0; k < 2; k++) {
        x[k] = CC_FN(check_load)(points, 4, k);
        y[k] = CC_FN(check_load)(points, 4, 2 + k);
        zero &= CCV_FN(is_zero)(x[k]) & CCV_FN(is_zero)(y[k]);
        below &= CCV_FN(is_reduced)(x[k]) & CCV_FN(is_reduced)(y[k]);
    }
    for (size_t k = 0; k < 2; k++) {
        x[k] = CCV_FN(select)((CCV_FN(mask))below, x[k], CCV_FN(zero)());
        y[k] = CCV_FN(select)((CCV_FN(mask))below, y[k], CCV_FN(zero)());
    }
    CC_FN(check_square)(square, x);
    CC_FN(check_square)(right, y);
    cube[0] = CCV_FN(sub)(CCV_FN(mul_r)(x[0], square[0]), CCV_FN(mul_r)(x[1], square[1]), 2); /* 4 */
    cube[1] = CCV_FN(add)(CCV_FN(mul_r)(x[0], square[1]), CCV_FN(mul_r)(x[1], square[0]));    /* 4 */
    for (size_t k = 0; k < 2; k++) {
        CC_V gap = CCV_FN(sub)(CCV_FN(add)(cube[k], CCV_FN(set1)(b[k])), right[k], 2); /* 7 */
        same &= CCV_FN(is_zero)(CCV_FN(canon)(gap));
    }
    return (same & below) | zero;
}

/* Eights, then the rest with infinities. */
static inline size_t CC_FN(check_all)(const void *points, size_t n, size_t coords, unsigned (*eight)(const FQ *))
{
    FQ rest[CC_FN(CHECK_LANES) * 4];
    for (size_t i = 0; i < n; i += CC_FN(CHECK_LANES)) {
        const FQ *at = (const FQ *)points + i * coords;
        if (n - i < CC_FN(CHECK_LANES)) {
            memset(rest, 0, sizeof rest);
            memcpy(rest, at, (n - i) * coords * sizeof rest[0]);
            at = rest;
        }
        unsigned good = eight(at);
        if (good == 255) continue;
        while (good & 1) good >>= 1, i++;
        return i;
    }
    return n;
}

static size_t CC_FN(curve_check_g1)(const void *points, size_t n)
{
    return CC_FN(check_all)(points, n, 2, CC_FN(check_g1));
}

static size_t CC_FN(curve_check_g2)(const void *points, size_t n)
{
    return CC_FN(check_all)(points, n, 4, CC_FN(check_g2));
}

#undef CC_FN
#undef CC_V
#undef CCV_FN
#undef CURVE
#undef FQ
#undef CURVE_BIG
