/* SPDX-License-Identifier: Apache-2.0 */
/* Points of y^2 = x^3 + b over a field, as a template. Before inclusion: POINT, the prefix of all names; COORD, the
 * prefix of the field's; POINT_B, an expression for b; POINT_ORDER, the limbs of the group order, POINT_ORDER_LIMBS of
 * them. They are undefined at the end.
 *
 * Affine (x, y), with (0, 0), which is on no curve with b != 0, for infinity; Jacobian (X, Y, Z) is (X / Z^2, Y / Z^3),
 * Z = 0 for infinity. Formulas: Bernstein and Lange, Explicit-Formulas Database, shortw/jacobian-0 (dbl-2009-l,
 * add-2007-bl, madd-2007-bl); complete here, by cases. All functions take time that depends on values. */

#define PT_FN(name) LIMB_JOIN(POINT, name)
#define PC_FN(name) LIMB_JOIN(COORD, name)
#define PT_AFFINE   PT_FN(affine)

typedef struct PT_AFFINE {
    COORD x, y;
} PT_AFFINE;
typedef struct POINT {
    COORD x, y, z;
} POINT;

static inline PT_AFFINE PT_FN(affine_infinity)(void)
{
    PT_AFFINE r = {PC_FN(zero)(), PC_FN(zero)()};
    return r;
}

static inline bool PT_FN(affine_is_infinity)(const PT_AFFINE *a)
{
    return PC_FN(is_zero)(a->x) && PC_FN(is_zero)(a->y);
}

static inline POINT PT_FN(infinity)(void)
{
    POINT r = {PC_FN(one)(), PC_FN(one)(), PC_FN(zero)()};
    return r;
}

static inline bool PT_FN(is_infinity)(const POINT *a)
{
    return PC_FN(is_zero)(a->z);
}

static inline PT_AFFINE PT_FN(affine_neg)(const PT_AFFINE *a)
{
    PT_AFFINE r = {a->x, PC_FN(neg)(a->y)};
    return r;
}

/* Infinity counts as on the curve. */
static inline bool PT_FN(on_curve)(const PT_AFFINE *a)
{
    COORD right = PC_FN(add)(PC_FN(mul)(PC_FN(sqr)(a->x), a->x), POINT_B);
    return PT_FN(affine_is_infinity)(a) || PC_FN(equal)(PC_FN(sqr)(a->y), right);
}

static inline POINT PT_FN(from_affine)(const PT_AFFINE *a)
{
    POINT r = {a->x, a->y, PC_FN(one)()};
    return PT_FN(affine_is_infinity)(a) ? PT_FN(infinity)() : r;
}

static inline PT_AFFINE PT_FN(to_affine)(const POINT *a)
{
    if (PT_FN(is_infinity)(a)) return PT_FN(affine_infinity)();
    COORD i = PC_FN(inv)(a->z), i2 = PC_FN(sqr)(i);
    PT_AFFINE r = {PC_FN(mul)(a->x, i2), PC_FN(mul)(PC_FN(mul)(a->y, i2), i)};
    return r;
}

static inline void PT_FN(dbl)(POINT *r, const POINT *p)
{
    COORD a = PC_FN(sqr)(p->x), b = PC_FN(sqr)(p->y), c = PC_FN(sqr)(b);
    COORD d = PC_FN(dbl)(PC_FN(sub)(PC_FN(sub)(PC_FN(sqr)(PC_FN(add)(p->x, b)), a), c));
    COORD e = PC_FN(add)(PC_FN(dbl)(a), a), z = PC_FN(dbl)(PC_FN(mul)(p->y, p->z));
    r->x = PC_FN(sub)(PC_FN(sqr)(e), PC_FN(dbl)(d));
    r->y = PC_FN(sub)(PC_FN(mul)(e, PC_FN(sub)(d, r->x)), PC_FN(dbl)(PC_FN(dbl)(PC_FN(dbl)(c))));
    r->z = z;
}

/* From h = u2 - u1, s1, s2, u1 and the product of both z (times 2): the rest of an addition. */
static inline void PT_FN(add_tail)(POINT *r, COORD u1, COORD s1, COORD h, COORD s2, COORD zz2)
{
    COORD i = PC_FN(sqr)(PC_FN(dbl)(h)), j = PC_FN(mul)(h, i), w = PC_FN(dbl)(PC_FN(sub)(s2, s1)),
          v = PC_FN(mul)(u1, i);
    r->x = PC_FN(sub)(PC_FN(sub)(PC_FN(sqr)(w), j), PC_FN(dbl)(v));
    r->y = PC_FN(sub)(PC_FN(mul)(w, PC_FN(sub)(v, r->x)), PC_FN(dbl)(PC_FN(mul)(s1, j)));
    r->z = PC_FN(mul)(zz2, h);
}

static inline void PT_FN(add)(POINT *r, const POINT *p, const POINT *q)
{
    if (PT_FN(is_infinity)(p)) {
        *r = *q;
        return;
    }
    if (PT_FN(is_infinity)(q)) {
        *r = *p;
        return;
    }
    COORD z1 = PC_FN(sqr)(p->z), z2 = PC_FN(sqr)(q->z), u1 = PC_FN(mul)(p->x, z2), u2 = PC_FN(mul)(q->x, z1);
    COORD s1 = PC_FN(mul)(PC_FN(mul)(p->y, q->z), z2), s2 = PC_FN(mul)(PC_FN(mul)(q->y, p->z), z1),
          h = PC_FN(sub)(u2, u1);
    if (PC_FN(is_zero)(h)) {
        if (PC_FN(equal)(s1, s2))
            PT_FN(dbl)(r, p);
        else
            *r = PT_FN(infinity)();
        return;
    }
    PT_FN(add_tail)(r, u1, s1, h, s2, PC_FN(dbl)(PC_FN(mul)(p->z, q->z)));
}

static inline void PT_FN(add_affine)(POINT *r, const POINT *p, const PT_AFFINE *q)
{
    if (PT_FN(affine_is_infinity)(q)) {
        *r = *p;
        return;
    }
    if (PT_FN(is_infinity)(p)) {
        *r = PT_FN(from_affine)(q);
        return;
    }
    COORD z1 = PC_FN(sqr)(p->z), u2 = PC_FN(mul)(q->x, z1), s2 = PC_FN(mul)(PC_FN(mul)(q->y, p->z), z1);
    COORD h = PC_FN(sub)(u2, p->x);
    if (PC_FN(is_zero)(h)) {
        if (PC_FN(equal)(p->y, s2))
            PT_FN(dbl)(r, p);
        else
            *r = PT_FN(infinity)();
        return;
    }
    PT_FN(add_tail)(r, p->x, p->y, h, s2, PC_FN(dbl)(p->z));
}

/* k p for an integer of n limbs, from the top. */
static inline void PT_FN(mul_limbs)(POINT *r, const PT_AFFINE *p, const uint64_t *k, unsigned n)
{
    POINT t = PT_FN(infinity)();
    for (unsigned i = n * LIMB_BITS; i-- > 0;) {
        PT_FN(dbl)(&t, &t);
        if (limbs_bit(k, i)) PT_FN(add_affine)(&t, &t, p);
    }
    *r = t;
}

/* k p for a Jacobian point and one limb k with few bits set. */
static inline void PT_FN(mul_sparse)(POINT *r, const POINT *p, uint64_t k)
{
    POINT t = PT_FN(infinity)();
    for (unsigned i = LIMB_BITS; i-- > 0;) {
        PT_FN(dbl)(&t, &t);
        if (limbs_bit(&k, i)) PT_FN(add)(&t, &t, p);
    }
    *r = t;
}

enum { PT_FN(SUM_TERMS) = 8, PT_FN(SUM_WIDTH) = 4, PT_FN(SUM_ODD) = 4 }; /* at once; of digits; 1, 3, 5, 7 times */

/* r = sum_i k[i] p[i] for n <= SUM_TERMS points and integers of n_limbs limbs, at most 4: the doublings are shared
 * (Straus, "Addition chains of vectors", 1964). */
static inline void PT_FN(sum_few)(POINT *r, const PT_AFFINE *p, const uint64_t *k, unsigned n_limbs, size_t n)
{
    POINT odd[PT_FN(SUM_TERMS)][PT_FN(SUM_ODD)], t;
    int8_t digit[PT_FN(SUM_TERMS)][4 * LIMB_BITS + 1];
    unsigned length = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned mine = limbs_digits(digit[i], k + i * n_limbs, n_limbs, PT_FN(SUM_WIDTH));
        if (mine > length) length = mine;
        odd[i][0] = PT_FN(from_affine)(&p[i]);
        PT_FN(dbl)(&t, &odd[i][0]);
        for (int j = 1; j < PT_FN(SUM_ODD); j++) PT_FN(add)(&odd[i][j], &odd[i][j - 1], &t);
    }
    *r = PT_FN(infinity)();
    for (unsigned at = length; at-- > 0;) {
        PT_FN(dbl)(r, r);
        for (size_t i = 0; i < n; i++) {
            const int8_t d = digit[i][at];
            if (d == 0) continue;
            POINT term = odd[i][(d > 0 ? d : -d) / 2], sum;
            if (d < 0) term.y = PC_FN(neg)(term.y);
            PT_FN(add)(&sum, r, &term);
            *r = sum;
        }
    }
}

/* r = sum_i k[i] p[i]: 256 doublings for each SUM_TERMS of them, and about 55 additions a term. */
static inline void PT_FN(sum_of)(POINT *r, const PT_AFFINE *p, const uint64_t *k, unsigned n_limbs, size_t n)
{
    POINT all = PT_FN(infinity)(), part, sum;
    for (size_t i = 0; i < n; i += PT_FN(SUM_TERMS)) {
        size_t m = n - i < PT_FN(SUM_TERMS) ? n - i : PT_FN(SUM_TERMS);
        PT_FN(sum_few)(&part, p + i, k + i * n_limbs, n_limbs, m);
        PT_FN(add)(&sum, &all, &part);
        all = sum;
    }
    *r = all;
}

static inline bool PT_FN(equal)(const POINT *a, const POINT *b)
{
    COORD za = PC_FN(sqr)(a->z), zb = PC_FN(sqr)(b->z);
    if (PT_FN(is_infinity)(a) || PT_FN(is_infinity)(b)) return PT_FN(is_infinity)(a) && PT_FN(is_infinity)(b);
    return PC_FN(equal)(PC_FN(mul)(a->x, zb), PC_FN(mul)(b->x, za)) &&
           PC_FN(equal)(PC_FN(mul)(a->y, PC_FN(mul)(zb, b->z)), PC_FN(mul)(b->y, PC_FN(mul)(za, a->z)));
}

/* Whether a point of the curve has order r (or is infinity), by multiplication: about 380 point operations. The
 * reference; curve/member.h has quicker ones. */
static inline bool PT_FN(in_group)(const PT_AFFINE *a)
{
    static const uint64_t order[POINT_ORDER_LIMBS] = POINT_ORDER;
    POINT t;
    PT_FN(mul_limbs)(&t, a, order, POINT_ORDER_LIMBS);
    return PT_FN(is_infinity)(&t);
}

#undef PT_FN
#undef PC_FN
#undef PT_AFFINE
#undef POINT
#undef COORD
#undef POINT_B
#undef POINT_ORDER
#undef POINT_ORDER_LIMBS
