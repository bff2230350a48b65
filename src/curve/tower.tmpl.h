/* SPDX-License-Identifier: Apache-2.0 */
/* The tower Fq2 = Fq[u]/(u^2 + 1), Fq6 = Fq2[v]/(v^3 - xi), Fq12 = Fq6[w]/(w^2 - v), as a template. Before inclusion:
 * CURVE, the prefix of all names; FQ, the prime field; TOWER_XI, k where xi = k + u, and TOWER_XI_TOP, its highest bit;
 * TOWER_FROBENIUS, xi^(i (q - 1) / 6) for i = 0 .. 5. Formulas: Karatsuba, and Devegili, O hEigeartaigh, Scott, Dahab,
 * "Multiplication and squaring on pairing-friendly fields" (2006). Outputs may be inputs. What is used most takes
 * pointers: structs passed by value are copied, and a copy waits for the words that were just written. */

#define FQ_FN(name)    LIMB_JOIN(FQ, name)
#define CURVE_FN(name) LIMB_JOIN(CURVE, name)
#define FQ2            CURVE_FN(fq2)
#define FQ6            CURVE_FN(fq6)
#define FQ12           CURVE_FN(fq12)
#define FQ2_FN(name)   LIMB_JOIN(FQ2, name)
#define FQ6_FN(name)   LIMB_JOIN(FQ6, name)
#define FQ12_FN(name)  LIMB_JOIN(FQ12, name)

typedef struct FQ2 {
    FQ c[2];
} FQ2;
typedef struct FQ6 {
    FQ2 c[3];
} FQ6;
typedef struct FQ12 {
    FQ6 c[2];
} FQ12;

/* ---- Fq2 */

static inline FQ2 FQ2_FN(make)(FQ a, FQ b)
{
    FQ2 r = {{a, b}};
    return r;
}

static inline FQ2 FQ2_FN(zero)(void)
{
    return FQ2_FN(make)(FQ_FN(zero)(), FQ_FN(zero)());
}

static inline FQ2 FQ2_FN(one)(void)
{
    return FQ2_FN(make)(FQ_FN(one)(), FQ_FN(zero)());
}

static inline bool FQ2_FN(is_zero)(FQ2 a)
{
    return FQ_FN(is_zero)(a.c[0]) && FQ_FN(is_zero)(a.c[1]);
}

static inline bool FQ2_FN(equal)(FQ2 a, FQ2 b)
{
    return FQ_FN(equal)(a.c[0], b.c[0]) && FQ_FN(equal)(a.c[1], b.c[1]);
}

/* Apart from their callers, as the products below: the code of a pairing must fit the cache for instructions. */
ASSAY_NO_INLINE void FQ2_FN(sum)(FQ2 *r, const FQ2 *a, const FQ2 *b)
{
    FQ_FN(sum)(&r->c[0], &a->c[0], &b->c[0]);
    FQ_FN(sum)(&r->c[1], &a->c[1], &b->c[1]);
}

ASSAY_NO_INLINE void FQ2_FN(difference)(FQ2 *r, const FQ2 *a, const FQ2 *b)
{
    FQ_FN(difference)(&r->c[0], &a->c[0], &b->c[0]);
    FQ_FN(difference)(&r->c[1], &a->c[1], &b->c[1]);
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(add)(FQ2 a, FQ2 b)
{
    FQ2_FN(sum)(&a, &a, &b);
    return a;
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(sub)(FQ2 a, FQ2 b)
{
    FQ2_FN(difference)(&a, &a, &b);
    return a;
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(dbl)(FQ2 a)
{
    return FQ2_FN(add)(a, a);
}

static inline FQ2 FQ2_FN(neg)(FQ2 a)
{
    return FQ2_FN(make)(FQ_FN(neg)(a.c[0]), FQ_FN(neg)(a.c[1]));
}

/* a^q. */
static inline FQ2 FQ2_FN(conj)(FQ2 a)
{
    return FQ2_FN(make)(a.c[0], FQ_FN(neg)(a.c[1]));
}

/* r = a b: four products and two reductions (Longa, "Efficient algorithms for large prime characteristic fields and
 * their application to bilinear pairings", eprint 2022/367), which takes fewer steps than three products, two
 * reductions more and five sums. Apart from its callers: six of them fill a quarter of the cache for instructions. */
ASSAY_NO_INLINE void FQ2_FN(product)(FQ2 *r, const FQ2 *a, const FQ2 *b)
{
    const FQ imaginary[2] = {b->c[1], b->c[0]};
    FQ real[2] = {b->c[0]}, low;
    FQ_FN(minus)(&real[1], &b->c[1]);
    FQ_FN(mul_sum)(&low, a->c, real);
    FQ_FN(mul_sum)(&r->c[1], a->c, imaginary);
    r->c[0] = low;
}

ASSAY_NO_INLINE void FQ2_FN(square)(FQ2 *r, const FQ2 *a)
{
    FQ plus, minus, twice;
    FQ_FN(raw_sum)(&plus, &a->c[0], &a->c[1]);
    FQ_FN(minus)(&minus, &a->c[1]);
    FQ_FN(raw_sum)(&minus, &minus, &a->c[0]);
    FQ_FN(raw_sum)(&twice, &a->c[0], &a->c[0]);
    FQ_FN(product)(&r->c[1], &twice, &a->c[1]);
    FQ_FN(product)(&r->c[0], &plus, &minus);
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(mul)(FQ2 a, FQ2 b)
{
    FQ2_FN(product)(&a, &a, &b);
    return a;
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(sqr)(FQ2 a)
{
    FQ2_FN(square)(&a, &a);
    return a;
}

static inline FQ2 FQ2_FN(scale)(FQ2 a, FQ k)
{
    return FQ2_FN(make)(FQ_FN(mul)(a.c[0], k), FQ_FN(mul)(a.c[1], k));
}

/* The norm, a[0]^2 + a[1]^2. */
static inline FQ FQ2_FN(norm)(FQ2 a)
{
    return FQ_FN(add)(FQ_FN(sqr)(a.c[0]), FQ_FN(sqr)(a.c[1]));
}

/* 1 / a from d = 1 / norm(a). */
static inline FQ2 FQ2_FN(inv_by)(FQ2 a, FQ d)
{
    return FQ2_FN(make)(FQ_FN(mul)(a.c[0], d), FQ_FN(neg)(FQ_FN(mul)(a.c[1], d)));
}

static inline FQ2 FQ2_FN(inv)(FQ2 a)
{
    return FQ2_FN(inv_by)(a, FQ_FN(inv)(FQ2_FN(norm)(a)));
}

/* In time that depends on a. */
static inline FQ2 FQ2_FN(inv_var)(FQ2 a)
{
    return FQ2_FN(inv_by)(a, FQ_FN(inv_var)(FQ2_FN(norm)(a)));
}

/* r = xi a = (k + u) a. */
ASSAY_NO_INLINE void FQ2_FN(xi_times)(FQ2 *r, const FQ2 *a)
{
    const FQ2 x = *a;
    FQ2 k = x;
    for (int bit = TOWER_XI_TOP / 2; bit > 0; bit /= 2)
        for (int i = 0; i < 2; i++) {
            FQ_FN(sum)(&k.c[i], &k.c[i], &k.c[i]);
            if (TOWER_XI & bit) FQ_FN(sum)(&k.c[i], &k.c[i], &x.c[i]);
        }
    FQ_FN(difference)(&r->c[0], &k.c[0], &x.c[1]);
    FQ_FN(sum)(&r->c[1], &k.c[1], &x.c[0]);
}

ASSAY_FORCE_INLINE FQ2 FQ2_FN(mul_xi)(FQ2 a)
{
    FQ2_FN(xi_times)(&a, &a);
    return a;
}

/* xi^(i (q - 1) / 6). */
static inline FQ2 FQ2_FN(gamma)(int i)
{
    static const FQ gamma[6][2] = TOWER_FROBENIUS;
    return FQ2_FN(make)(gamma[i][0], gamma[i][1]);
}

/* ---- Fq6 */

static inline FQ6 FQ6_FN(zero)(void)
{
    FQ6 r = {{FQ2_FN(zero)(), FQ2_FN(zero)(), FQ2_FN(zero)()}};
    return r;
}

static inline void FQ6_FN(add)(FQ6 *r, const FQ6 *a, const FQ6 *b)
{
    for (int i = 0; i < 3; i++) FQ2_FN(sum)(&r->c[i], &a->c[i], &b->c[i]);
}

static inline void FQ6_FN(sub)(FQ6 *r, const FQ6 *a, const FQ6 *b)
{
    for (int i = 0; i < 3; i++) FQ2_FN(difference)(&r->c[i], &a->c[i], &b->c[i]);
}

/* r = a v. */
static inline void FQ6_FN(mul_v)(FQ6 *r, const FQ6 *a)
{
    FQ2 top;
    FQ2_FN(xi_times)(&top, &a->c[2]);
    r->c[2] = a->c[1];
    r->c[1] = a->c[0];
    r->c[0] = top;
}

/* r += a v; not in place. */
static inline void FQ6_FN(add_v)(FQ6 *r, const FQ6 *a)
{
    FQ2 top;
    FQ2_FN(xi_times)(&top, &a->c[2]);
    FQ2_FN(sum)(&r->c[0], &r->c[0], &top);
    FQ2_FN(sum)(&r->c[1], &r->c[1], &a->c[0]);
    FQ2_FN(sum)(&r->c[2], &r->c[2], &a->c[1]);
}

/* r = (a + b)(c + d) - less - more: the middle of a product by Karatsuba. r may be an input. */
static inline void FQ2_FN(middle)(FQ2 *r, const FQ2 *a, const FQ2 *b, const FQ2 *c, const FQ2 *d, const FQ2 *less,
                                  const FQ2 *more)
{
    FQ2 s, t;
    FQ2_FN(sum)(&s, a, b);
    FQ2_FN(sum)(&t, c, d);
    FQ2_FN(product)(&s, &s, &t);
    FQ2_FN(difference)(&s, &s, less);
    FQ2_FN(difference)(r, &s, more);
}

ASSAY_NO_INLINE void FQ6_FN(mul)(FQ6 *r, const FQ6 *a, const FQ6 *b)
{
    const FQ2 *x = a->c, *y = b->c;
    FQ2 d0, d1, d2, m12, m01, m02;
    FQ2_FN(product)(&d0, &x[0], &y[0]);
    FQ2_FN(product)(&d1, &x[1], &y[1]);
    FQ2_FN(product)(&d2, &x[2], &y[2]);
    FQ2_FN(middle)(&m12, &x[1], &x[2], &y[1], &y[2], &d1, &d2);
    FQ2_FN(middle)(&m01, &x[0], &x[1], &y[0], &y[1], &d0, &d1);
    FQ2_FN(middle)(&m02, &x[0], &x[2], &y[0], &y[2], &d0, &d2);
    FQ2_FN(xi_times)(&m12, &m12);
    FQ2_FN(xi_times)(&d2, &d2);
    FQ2_FN(sum)(&r->c[0], &d0, &m12);
    FQ2_FN(sum)(&r->c[1], &m01, &d2);
    FQ2_FN(sum)(&r->c[2], &m02, &d1);
}

/* r = a (b0 + b1 v). */
ASSAY_NO_INLINE void FQ6_FN(mul_01)(FQ6 *r, const FQ6 *a, const FQ2 *b0, const FQ2 *b1)
{
    const FQ2 *x = a->c;
    FQ2 d0, d1, high, top, middle;
    FQ2_FN(product)(&d0, &x[0], b0);
    FQ2_FN(product)(&d1, &x[1], b1);
    FQ2_FN(product)(&high, &x[2], b1);
    FQ2_FN(product)(&top, &x[2], b0);
    FQ2_FN(middle)(&middle, &x[0], &x[1], b0, b1, &d0, &d1);
    FQ2_FN(xi_times)(&high, &high);
    FQ2_FN(sum)(&r->c[0], &d0, &high);
    r->c[1] = middle;
    FQ2_FN(sum)(&r->c[2], &top, &d1);
}

static inline void FQ6_FN(scale)(FQ6 *r, const FQ6 *a, const FQ2 *k)
{
    for (int i = 0; i < 3; i++) FQ2_FN(product)(&r->c[i], &a->c[i], k);
}

/* 1 / a, in time that depends on a. */
static inline void FQ6_FN(inv_var)(FQ6 *r, const FQ6 *a)
{
    FQ2 a0 = a->c[0], a1 = a->c[1], a2 = a->c[2];
    FQ2 m12 = FQ2_FN(mul)(a1, a2), s2 = FQ2_FN(sqr)(a2);
    FQ2 t0 = FQ2_FN(sub)(FQ2_FN(sqr)(a0), FQ2_FN(mul_xi)(m12)),
        t1 = FQ2_FN(sub)(FQ2_FN(mul_xi)(s2), FQ2_FN(mul)(a0, a1));
    FQ2 t2 = FQ2_FN(sub)(FQ2_FN(sqr)(a1), FQ2_FN(mul)(a0, a2));
    FQ2 up = FQ2_FN(add)(FQ2_FN(mul)(a2, t1), FQ2_FN(mul)(a1, t2));
    FQ2 d = FQ2_FN(inv_var)(FQ2_FN(add)(FQ2_FN(mul)(a0, t0), FQ2_FN(mul_xi)(up)));
    r->c[0] = FQ2_FN(mul)(t0, d);
    r->c[1] = FQ2_FN(mul)(t1, d);
    r->c[2] = FQ2_FN(mul)(t2, d);
}

/* ---- Fq12 */

static inline FQ12 FQ12_FN(one)(void)
{
    FQ12 r = {{FQ6_FN(zero)(), FQ6_FN(zero)()}};
    r.c[0].c[0] = FQ2_FN(one)();
    return r;
}

static inline bool FQ12_FN(equal)(const FQ12 *a, const FQ12 *b)
{
    bool same = true;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) same = FQ2_FN(equal)(a->c[i].c[j], b->c[i].c[j]) && same;
    return same;
}

ASSAY_NO_INLINE void FQ12_FN(mul)(FQ12 *r, const FQ12 *a, const FQ12 *b)
{
    FQ6 low, high, sa, sb;
    FQ6_FN(add)(&sa, &a->c[0], &a->c[1]);
    FQ6_FN(add)(&sb, &b->c[0], &b->c[1]);
    FQ6_FN(mul)(&low, &a->c[0], &b->c[0]);
    FQ6_FN(mul)(&high, &a->c[1], &b->c[1]);
    FQ6_FN(mul)(&sa, &sa, &sb);
    FQ6_FN(sub)(&sa, &sa, &low);
    FQ6_FN(sub)(&r->c[1], &sa, &high);
    FQ6_FN(add_v)(&low, &high);
    r->c[0] = low;
}

/* r = a (c0 + (d0 + d1 v) w): a line of a twist that divides by xi. In place. */
static inline void FQ12_FN(mul_034)(FQ12 *r, const FQ2 *c0, const FQ2 *d0, const FQ2 *d1)
{
    FQ6 high, cross;
    FQ2 s;
    FQ2_FN(sum)(&s, c0, d0);
    FQ6_FN(add)(&cross, &r->c[0], &r->c[1]);
    FQ6_FN(scale)(&r->c[0], &r->c[0], c0);
    FQ6_FN(mul_01)(&high, &r->c[1], d0, d1);
    FQ6_FN(mul_01)(&cross, &cross, &s, d1);
    FQ6_FN(sub)(&cross, &cross, &r->c[0]);
    FQ6_FN(sub)(&r->c[1], &cross, &high);
    FQ6_FN(add_v)(&r->c[0], &high);
}

/* r = a (c0 + c1 v + d1 v w): a line of a twist that multiplies by xi. In place. */
static inline void FQ12_FN(mul_014)(FQ12 *r, const FQ2 *c0, const FQ2 *c1, const FQ2 *d1)
{
    FQ6 high, cross;
    FQ2 s;
    FQ2_FN(sum)(&s, c1, d1);
    FQ6_FN(add)(&cross, &r->c[0], &r->c[1]);
    FQ6_FN(mul_01)(&r->c[0], &r->c[0], c0, c1);
    FQ6_FN(scale)(&high, &r->c[1], d1);
    FQ6_FN(mul_v)(&high, &high);
    FQ6_FN(mul_01)(&cross, &cross, c0, &s);
    FQ6_FN(sub)(&cross, &cross, &r->c[0]);
    FQ6_FN(sub)(&r->c[1], &cross, &high);
    FQ6_FN(add_v)(&r->c[0], &high);
}

/* (a0 + a1 w)^2 = (a0 + a1)(a0 + v a1) - m - v m + 2 m w, m = a0 a1. */
static inline void FQ12_FN(sqr)(FQ12 *r, const FQ12 *a)
{
    FQ6 m, s, t = a->c[0];
    FQ6_FN(add_v)(&t, &a->c[1]);
    FQ6_FN(add)(&s, &a->c[0], &a->c[1]);
    FQ6_FN(mul)(&m, &a->c[0], &a->c[1]);
    FQ6_FN(mul)(&s, &s, &t);
    FQ6_FN(sub)(&s, &s, &m);
    FQ6_FN(add)(&r->c[1], &m, &m);
    FQ6_FN(mul_v)(&m, &m);
    FQ6_FN(sub)(&r->c[0], &s, &m);
}

/* a^(q^6), the inverse of an element of norm 1. */
static inline void FQ12_FN(conj)(FQ12 *r, const FQ12 *a)
{
    r->c[0] = a->c[0];
    for (int i = 0; i < 3; i++) r->c[1].c[i] = FQ2_FN(neg)(a->c[1].c[i]);
}

/* 1 / a, in time that depends on a. */
static inline void FQ12_FN(inv_var)(FQ12 *r, const FQ12 *a)
{
    FQ6 s, t;
    FQ6_FN(mul)(&s, &a->c[0], &a->c[0]);
    FQ6_FN(mul)(&t, &a->c[1], &a->c[1]);
    FQ6_FN(mul_v)(&t, &t);
    FQ6_FN(sub)(&s, &s, &t);
    FQ6_FN(inv_var)(&s, &s);
    FQ6_FN(mul)(&r->c[0], &a->c[0], &s);
    FQ6_FN(mul)(&t, &a->c[1], &s);
    for (int i = 0; i < 3; i++) r->c[1].c[i] = FQ2_FN(neg)(t.c[i]);
}

/* a^q: the coefficient of w^i gets xi^(i (q - 1) / 6); c[h].c[j] is that of w^(2 j + h). */
static inline void FQ12_FN(frobenius)(FQ12 *r, const FQ12 *a)
{
    for (int h = 0; h < 2; h++)
        for (int j = 0; j < 3; j++) r->c[h].c[j] = FQ2_FN(mul)(FQ2_FN(conj)(a->c[h].c[j]), FQ2_FN(gamma)(2 * j + h));
}

/* a^e, e of n limbs; time depends on e. */
static inline void FQ12_FN(pow)(FQ12 *r, const FQ12 *a, const uint64_t *e, unsigned n)
{
    FQ12 base = *a, t = FQ12_FN(one)();
    for (unsigned i = n * LIMB_BITS; i-- > 0;) {
        FQ12_FN(sqr)(&t, &t);
        if (limbs_bit(e, i)) FQ12_FN(mul)(&t, &t, &base);
    }
    *r = t;
}

/* (a + b y)^2 in Fq2[y]/(y^2 - xi). */
static inline void FQ12_FN(quartic_sqr)(FQ2 *c0, FQ2 *c1, const FQ2 *a, const FQ2 *b)
{
    FQ2 aa, bb, s;
    FQ2_FN(square)(&aa, a);
    FQ2_FN(square)(&bb, b);
    FQ2_FN(sum)(&s, a, b);
    FQ2_FN(square)(&s, &s);
    FQ2_FN(difference)(&s, &s, &aa);
    FQ2_FN(difference)(c1, &s, &bb);
    FQ2_FN(xi_times)(&bb, &bb);
    FQ2_FN(sum)(c0, &aa, &bb);
}

/* r = 3 a - 2 r, and 3 a + 2 r. */
static inline void FQ12_FN(three_less)(FQ2 *r, const FQ2 *a)
{
    FQ2 t;
    FQ2_FN(difference)(&t, a, r);
    FQ2_FN(sum)(&t, &t, &t);
    FQ2_FN(sum)(r, &t, a);
}

static inline void FQ12_FN(three_more)(FQ2 *r, const FQ2 *a)
{
    FQ2 t;
    FQ2_FN(sum)(&t, a, r);
    FQ2_FN(sum)(&t, &t, &t);
    FQ2_FN(sum)(r, &t, a);
}

/* a^2 for a in the cyclotomic group, that is after the power (q^6 - 1)(q^2 + 1): half of a square's products (Granger
 * and Scott, "Faster squaring in the cyclotomic subgroup of sixth degree extensions", PKC 2010, section 3.2). */
ASSAY_NO_INLINE void FQ12_FN(cyclotomic_sqr)(FQ12 *r, const FQ12 *a)
{
    FQ2 a0, a1, b0, b1, c0, c1;
    FQ12_FN(quartic_sqr)(&a0, &a1, &a->c[0].c[0], &a->c[1].c[1]);
    FQ12_FN(quartic_sqr)(&b0, &b1, &a->c[1].c[0], &a->c[0].c[2]);
    FQ12_FN(quartic_sqr)(&c0, &c1, &a->c[0].c[1], &a->c[1].c[2]);
    FQ2_FN(xi_times)(&c1, &c1);
    if (r != a) *r = *a;
    FQ12_FN(three_less)(&r->c[0].c[0], &a0);
    FQ12_FN(three_more)(&r->c[1].c[1], &a1);
    FQ12_FN(three_less)(&r->c[0].c[1], &b0);
    FQ12_FN(three_more)(&r->c[1].c[2], &b1);
    FQ12_FN(three_less)(&r->c[0].c[2], &c0);
    FQ12_FN(three_more)(&r->c[1].c[0], &c1);
}

/* a^e for such an a; e > 0. Digits of width w, at most 4, whose odd powers are made first; a conjugate is an inverse.
 */
static inline void FQ12_FN(cyclotomic_pow)(FQ12 *r, const FQ12 *a, uint64_t e, unsigned w)
{
    enum { POWERS = 4 };
    FQ12 odd[POWERS], t; /* a, a^3, a^5, a^7 */
    int8_t digit[LIMB_BITS + 1];
    unsigned i = limbs_digits(digit, &e, 1, w) - 1;
    odd[0] = *a;
    if (w > 2) FQ12_FN(cyclotomic_sqr)(&t, a);
    for (unsigned j = 1; j < 1u << (w - 2); j++) FQ12_FN(mul)(&odd[j], &odd[j - 1], &t);
    *r = odd[digit[i] / 2];
    while (i-- > 0) {
        FQ12_FN(cyclotomic_sqr)(r, r);
        if (digit[i] > 0) FQ12_FN(mul)(r, r, &odd[digit[i] / 2]);
        if (digit[i] >= 0) continue;
        FQ12_FN(conj)(&t, &odd[-digit[i] / 2]);
        FQ12_FN(mul)(r, r, &t);
    }
}
