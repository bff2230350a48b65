/* SPDX-License-Identifier: Apache-2.0 */
/* The tower Fq2 = Fq[u]/(u^2 + 1), Fq6 = Fq2[v]/(v^3 - xi), Fq12 = Fq6[w]/(w^2 - v), as a template. Before inclusion:
 * CURVE, the prefix of all names; FQ, the prime field; TOWER_XI, k where xi = k + u; TOWER_FROBENIUS, xi^(i (q - 1) /
 * 6) for i = 0 .. 5. Formulas: Karatsuba, and Devegili, O hEigeartaigh, Scott, Dahab, "Multiplication and squaring on
 * pairing-friendly fields" (2006). Elements of Fq2 travel by value, larger ones by pointer; outputs may be inputs. */

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

static inline FQ2 FQ2_FN(add)(FQ2 a, FQ2 b)
{
    return FQ2_FN(make)(FQ_FN(add)(a.c[0], b.c[0]), FQ_FN(add)(a.c[1], b.c[1]));
}

static inline FQ2 FQ2_FN(sub)(FQ2 a, FQ2 b)
{
    return FQ2_FN(make)(FQ_FN(sub)(a.c[0], b.c[0]), FQ_FN(sub)(a.c[1], b.c[1]));
}

static inline FQ2 FQ2_FN(dbl)(FQ2 a)
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

static inline FQ2 FQ2_FN(mul)(FQ2 a, FQ2 b)
{
    FQ low = FQ_FN(mul)(a.c[0], b.c[0]), high = FQ_FN(mul)(a.c[1], b.c[1]);
    FQ cross = FQ_FN(mul)(FQ_FN(add)(a.c[0], a.c[1]), FQ_FN(add)(b.c[0], b.c[1]));
    return FQ2_FN(make)(FQ_FN(sub)(low, high), FQ_FN(sub)(FQ_FN(sub)(cross, low), high));
}

static inline FQ2 FQ2_FN(sqr)(FQ2 a)
{
    FQ cross = FQ_FN(mul)(a.c[0], a.c[1]);
    return FQ2_FN(make)(FQ_FN(mul)(FQ_FN(add)(a.c[0], a.c[1]), FQ_FN(sub)(a.c[0], a.c[1])), FQ_FN(dbl)(cross));
}

static inline FQ2 FQ2_FN(scale)(FQ2 a, FQ k)
{
    return FQ2_FN(make)(FQ_FN(mul)(a.c[0], k), FQ_FN(mul)(a.c[1], k));
}

static inline FQ2 FQ2_FN(inv)(FQ2 a)
{
    FQ d = FQ_FN(inv)(FQ_FN(add)(FQ_FN(sqr)(a.c[0]), FQ_FN(sqr)(a.c[1])));
    return FQ2_FN(make)(FQ_FN(mul)(a.c[0], d), FQ_FN(neg)(FQ_FN(mul)(a.c[1], d)));
}

/* xi a = (k + u) a. */
static inline FQ2 FQ2_FN(mul_xi)(FQ2 a)
{
    FQ2 k = FQ2_FN(zero)();
    for (int bit = 8; bit > 0; bit /= 2) {
        k = FQ2_FN(dbl)(k);
        if (TOWER_XI & bit) k = FQ2_FN(add)(k, a);
    }
    return FQ2_FN(make)(FQ_FN(sub)(k.c[0], a.c[1]), FQ_FN(add)(k.c[1], a.c[0]));
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
    for (int i = 0; i < 3; i++) r->c[i] = FQ2_FN(add)(a->c[i], b->c[i]);
}

static inline void FQ6_FN(sub)(FQ6 *r, const FQ6 *a, const FQ6 *b)
{
    for (int i = 0; i < 3; i++) r->c[i] = FQ2_FN(sub)(a->c[i], b->c[i]);
}

/* r = a v. */
static inline void FQ6_FN(mul_v)(FQ6 *r, const FQ6 *a)
{
    FQ2 top = a->c[2];
    r->c[2] = a->c[1];
    r->c[1] = a->c[0];
    r->c[0] = FQ2_FN(mul_xi)(top);
}

static inline void FQ6_FN(mul)(FQ6 *r, const FQ6 *a, const FQ6 *b)
{
    const FQ2 *x = a->c, *y = b->c;
    FQ2 d0 = FQ2_FN(mul)(x[0], y[0]), d1 = FQ2_FN(mul)(x[1], y[1]), d2 = FQ2_FN(mul)(x[2], y[2]);
    FQ2 s12 = FQ2_FN(mul)(FQ2_FN(add)(x[1], x[2]), FQ2_FN(add)(y[1], y[2]));
    FQ2 s01 = FQ2_FN(mul)(FQ2_FN(add)(x[0], x[1]), FQ2_FN(add)(y[0], y[1]));
    FQ2 s02 = FQ2_FN(mul)(FQ2_FN(add)(x[0], x[2]), FQ2_FN(add)(y[0], y[2]));
    FQ2 high = FQ2_FN(sub)(FQ2_FN(sub)(s12, d1), d2);
    r->c[0] = FQ2_FN(add)(d0, FQ2_FN(mul_xi)(high));
    r->c[1] = FQ2_FN(add)(FQ2_FN(sub)(FQ2_FN(sub)(s01, d0), d1), FQ2_FN(mul_xi)(d2));
    r->c[2] = FQ2_FN(add)(FQ2_FN(sub)(FQ2_FN(sub)(s02, d0), d2), d1);
}

/* r = a (b0 + b1 v). */
static inline void FQ6_FN(mul_01)(FQ6 *r, const FQ6 *a, FQ2 b0, FQ2 b1)
{
    const FQ2 *x = a->c;
    FQ2 d0 = FQ2_FN(mul)(x[0], b0), d1 = FQ2_FN(mul)(x[1], b1), high = FQ2_FN(mul)(x[2], b1),
        top = FQ2_FN(mul)(x[2], b0);
    FQ2 cross = FQ2_FN(mul)(FQ2_FN(add)(x[0], x[1]), FQ2_FN(add)(b0, b1));
    r->c[0] = FQ2_FN(add)(d0, FQ2_FN(mul_xi)(high));
    r->c[1] = FQ2_FN(sub)(FQ2_FN(sub)(cross, d0), d1);
    r->c[2] = FQ2_FN(add)(top, d1);
}

static inline void FQ6_FN(scale)(FQ6 *r, const FQ6 *a, FQ2 k)
{
    for (int i = 0; i < 3; i++) r->c[i] = FQ2_FN(mul)(a->c[i], k);
}

static inline void FQ6_FN(inv)(FQ6 *r, const FQ6 *a)
{
    FQ2 a0 = a->c[0], a1 = a->c[1], a2 = a->c[2];
    FQ2 m12 = FQ2_FN(mul)(a1, a2), s2 = FQ2_FN(sqr)(a2);
    FQ2 t0 = FQ2_FN(sub)(FQ2_FN(sqr)(a0), FQ2_FN(mul_xi)(m12)),
        t1 = FQ2_FN(sub)(FQ2_FN(mul_xi)(s2), FQ2_FN(mul)(a0, a1));
    FQ2 t2 = FQ2_FN(sub)(FQ2_FN(sqr)(a1), FQ2_FN(mul)(a0, a2));
    FQ2 up = FQ2_FN(add)(FQ2_FN(mul)(a2, t1), FQ2_FN(mul)(a1, t2));
    FQ2 d = FQ2_FN(inv)(FQ2_FN(add)(FQ2_FN(mul)(a0, t0), FQ2_FN(mul_xi)(up)));
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

static inline void FQ12_FN(mul)(FQ12 *r, const FQ12 *a, const FQ12 *b)
{
    FQ6 low, high, sa, sb, cross, up;
    FQ6_FN(mul)(&low, &a->c[0], &b->c[0]);
    FQ6_FN(mul)(&high, &a->c[1], &b->c[1]);
    FQ6_FN(add)(&sa, &a->c[0], &a->c[1]);
    FQ6_FN(add)(&sb, &b->c[0], &b->c[1]);
    FQ6_FN(mul)(&cross, &sa, &sb);
    FQ6_FN(sub)(&cross, &cross, &low);
    FQ6_FN(sub)(&r->c[1], &cross, &high);
    FQ6_FN(mul_v)(&up, &high);
    FQ6_FN(add)(&r->c[0], &low, &up);
}

/* r = a (c0 + (d0 + d1 v) w): a line of a twist that divides by xi. */
static inline void FQ12_FN(mul_034)(FQ12 *r, const FQ12 *a, FQ2 c0, FQ2 d0, FQ2 d1)
{
    FQ6 low, high, cross;
    FQ6_FN(scale)(&low, &a->c[0], c0);
    FQ6_FN(mul_01)(&high, &a->c[1], d0, d1);
    FQ6_FN(add)(&cross, &a->c[0], &a->c[1]);
    FQ6_FN(mul_01)(&cross, &cross, FQ2_FN(add)(c0, d0), d1);
    FQ6_FN(sub)(&cross, &cross, &low);
    FQ6_FN(sub)(&r->c[1], &cross, &high);
    FQ6_FN(mul_v)(&high, &high);
    FQ6_FN(add)(&r->c[0], &low, &high);
}

/* r = a (c0 + c1 v + d1 v w): a line of a twist that multiplies by xi. */
static inline void FQ12_FN(mul_014)(FQ12 *r, const FQ12 *a, FQ2 c0, FQ2 c1, FQ2 d1)
{
    FQ6 low, high, cross;
    FQ6_FN(mul_01)(&low, &a->c[0], c0, c1);
    FQ6_FN(scale)(&high, &a->c[1], d1);
    FQ6_FN(mul_v)(&high, &high);
    FQ6_FN(add)(&cross, &a->c[0], &a->c[1]);
    FQ6_FN(mul_01)(&cross, &cross, c0, FQ2_FN(add)(c1, d1));
    FQ6_FN(sub)(&cross, &cross, &low);
    FQ6_FN(sub)(&r->c[1], &cross, &high);
    FQ6_FN(mul_v)(&high, &high);
    FQ6_FN(add)(&r->c[0], &low, &high);
}

/* (a0 + a1 w)^2 = (a0 + a1)(a0 + v a1) - m - v m + 2 m w, m = a0 a1. */
static inline void FQ12_FN(sqr)(FQ12 *r, const FQ12 *a)
{
    FQ6 m, s, t, vm;
    FQ6_FN(mul)(&m, &a->c[0], &a->c[1]);
    FQ6_FN(mul_v)(&t, &a->c[1]);
    FQ6_FN(add)(&t, &t, &a->c[0]);
    FQ6_FN(add)(&s, &a->c[0], &a->c[1]);
    FQ6_FN(mul)(&s, &s, &t);
    FQ6_FN(mul_v)(&vm, &m);
    FQ6_FN(sub)(&s, &s, &m);
    FQ6_FN(sub)(&r->c[0], &s, &vm);
    FQ6_FN(add)(&r->c[1], &m, &m);
}

/* a^(q^6), the inverse of an element of norm 1. */
static inline void FQ12_FN(conj)(FQ12 *r, const FQ12 *a)
{
    r->c[0] = a->c[0];
    for (int i = 0; i < 3; i++) r->c[1].c[i] = FQ2_FN(neg)(a->c[1].c[i]);
}

static inline void FQ12_FN(inv)(FQ12 *r, const FQ12 *a)
{
    FQ6 s, t;
    FQ6_FN(mul)(&s, &a->c[0], &a->c[0]);
    FQ6_FN(mul)(&t, &a->c[1], &a->c[1]);
    FQ6_FN(mul_v)(&t, &t);
    FQ6_FN(sub)(&s, &s, &t);
    FQ6_FN(inv)(&s, &s);
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
static inline void FQ12_FN(quartic_sqr)(FQ2 *c0, FQ2 *c1, FQ2 a, FQ2 b)
{
    FQ2 aa = FQ2_FN(sqr)(a), bb = FQ2_FN(sqr)(b), s = FQ2_FN(sqr)(FQ2_FN(add)(a, b));
    *c0 = FQ2_FN(add)(aa, FQ2_FN(mul_xi)(bb));
    *c1 = FQ2_FN(sub)(FQ2_FN(sub)(s, aa), bb);
}

/* 3 a - 2 z, and 3 a + 2 z. */
static inline FQ2 FQ12_FN(three_less)(FQ2 a, FQ2 z)
{
    return FQ2_FN(add)(FQ2_FN(dbl)(FQ2_FN(sub)(a, z)), a);
}

static inline FQ2 FQ12_FN(three_more)(FQ2 a, FQ2 z)
{
    return FQ2_FN(add)(FQ2_FN(dbl)(FQ2_FN(add)(a, z)), a);
}

/* a^2 for a in the cyclotomic group, that is after the power (q^6 - 1)(q^2 + 1): half of a square's products (Granger
 * and Scott, "Faster squaring in the cyclotomic subgroup of sixth degree extensions", PKC 2010, section 3.2). */
static inline void FQ12_FN(cyclotomic_sqr)(FQ12 *r, const FQ12 *a)
{
    FQ2 a0, a1, b0, b1, c0, c1;
    FQ12_FN(quartic_sqr)(&a0, &a1, a->c[0].c[0], a->c[1].c[1]);
    FQ12_FN(quartic_sqr)(&b0, &b1, a->c[1].c[0], a->c[0].c[2]);
    FQ12_FN(quartic_sqr)(&c0, &c1, a->c[0].c[1], a->c[1].c[2]);
    r->c[0].c[0] = FQ12_FN(three_less)(a0, a->c[0].c[0]);
    r->c[1].c[1] = FQ12_FN(three_more)(a1, a->c[1].c[1]);
    r->c[0].c[1] = FQ12_FN(three_less)(b0, a->c[0].c[1]);
    r->c[1].c[2] = FQ12_FN(three_more)(b1, a->c[1].c[2]);
    r->c[0].c[2] = FQ12_FN(three_less)(c0, a->c[0].c[2]);
    r->c[1].c[0] = FQ12_FN(three_more)(FQ2_FN(mul_xi)(c1), a->c[1].c[0]);
}

/* a^e for such an a; e > 0, its top bit free of charge. */
static inline void FQ12_FN(cyclotomic_pow)(FQ12 *r, const FQ12 *a, uint64_t e)
{
    FQ12 base = *a;
    unsigned i = LIMB_BITS - 1;
    while (!limbs_bit(&e, i)) i--;
    *r = base;
    while (i-- > 0) {
        FQ12_FN(cyclotomic_sqr)(r, r);
        if (limbs_bit(&e, i)) FQ12_FN(mul)(r, r, &base);
    }
}
