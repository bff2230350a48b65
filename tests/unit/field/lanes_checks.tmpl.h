/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of eight-lane field arithmetic (prime_ifma.tmpl.h, prime_lanes.tmpl.h) against the scalar functions, as a
 * template: PRIME is the field's prefix. Defines lanes_PRIME(). */

#define P_FN(name)  LIMB_JOIN(PRIME, name)
#define PRIME_V     LIMB_JOIN(PRIME, v)
#define V_FN(name)  LIMB_JOIN(PRIME_V, name)
#define LC_FN(name) LIMB_JOIN(name, PRIME)

/* Random, or at an edge: 0, 1, p - 1, single bits, and numbers whose limbs are all ones where p allows it. */
static PRIME LC_FN(any)(unsigned which)
{
    PRIME a;
    uint8_t bytes[P_FN(BYTES)];
    switch (which % 8) {
    case 0:
        return P_FN(zero)();
    case 1:
        return P_FN(one)();
    case 2:
        a = P_FN(zero)();
        a.l[0] = 1;
        return a;
    case 3:
        a = P_FN(zero)();
        a.l[0] = 1;
        return P_FN(neg)(a);
    case 4:
        a = P_FN(zero)();
        a.l[assay_test_random() % (P_FN(BYTES) / 8)] = assay_test_random() >> 12;
        a.l[P_FN(BYTES) / 8 - 1] &= 0xffffff;
        return a;
    case 5:
        for (int i = 0; i < P_FN(BYTES) / 8; i++) a.l[i] = UINT64_MAX;
        a.l[P_FN(BYTES) / 8 - 1] = P_FN(modulus)[P_FN(BYTES) / 8 - 1] - 1;
        return a;
    default:
        break;
    }
    do
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(assay_test_random() >> 40);
    while (!P_FN(from_mont_bytes)(&a, bytes));
    return a;
}

static void LC_FN(fill)(PRIME x[8], unsigned at)
{
    for (unsigned i = 0; i < 8; i++) x[i] = LC_FN(any)(at < 64 ? at / 8 + (i ? i * at : 0) : 6);
}

/* v, a number below any bound that canon takes, holds the elements want. */
static void LC_FN(same)(PRIME_V v, const PRIME want[8])
{
    PRIME got[8];
    V_FN(store)(got, V_FN(canon)(v));
    CHECK_EQ_MEM(got, want, sizeof got);
    V_FN(store)(got, V_FN(once)(V_FN(tame)(v)));
    CHECK_EQ_MEM(got, want, sizeof got);
}

#define WANT(f)                                                                                                        \
    for (int i = 0; i < 8; i++) want[i] = f

static void LC_FN(check_operations)(void)
{
    const unsigned most = V_FN(HEADROOM) - 2;
    for (unsigned round = 0; round < 400; round++) {
        PRIME a[8], b[8], want[8];
        LC_FN(fill)(a, round);
        LC_FN(fill)(b, round / 8);
        PRIME_V v = V_FN(load)(a), w = V_FN(load)(b);
        LC_FN(same)(v, a);
        WANT(P_FN(add)(a[i], b[i]));
        LC_FN(same)(V_FN(add)(v, w), want);
        WANT(P_FN(dbl)(a[i]));
        LC_FN(same)(V_FN(dbl)(v), want);
        WANT(P_FN(neg)(a[i]));
        LC_FN(same)(V_FN(neg)(v, 1), want);
        WANT(P_FN(sub)(a[i], b[i]));
        LC_FN(same)(V_FN(sub)(v, w, 1), want);
        LC_FN(same)(V_FN(sub)(v, w, most - 1), want);
        LC_FN(same)(V_FN(add)(v, V_FN(neg)(w, most - 1)), want);
        WANT(P_FN(mul)(a[i], b[i]));
        LC_FN(same)(V_FN(mul_r)(v, w), want);
        LC_FN(same)(V_FN(mul)(V_FN(lift)(v), w), want);
        LC_FN(same)(V_FN(mul)(v, V_FN(raise)(w)), want);
        LC_FN(same)(V_FN(lower)(V_FN(mul)(V_FN(raise)(v), V_FN(raise)(w))), want);
        WANT(P_FN(sqr)(a[i]));
        LC_FN(same)(V_FN(lower)(V_FN(sqr)(V_FN(raise)(v))), want);
        LC_FN(same)(V_FN(lower)(V_FN(lift)(v)), a);
        LC_FN(same)(V_FN(lower)(V_FN(raise)(v)), a);
        LC_FN(same)(V_FN(lower)(V_FN(mul)(V_FN(raise)(v), V_FN(one)())), a);
        WANT(P_FN(zero)());
        for (int i = 0; i < 8; i++) P_FN(to_limbs)(want[i].l, a[i]);
        LC_FN(same)(V_FN(to_integers)(v), want);
        LC_FN(same)(V_FN(from_integers)(V_FN(load)(want)), a);
        V_FN(splat) splat;
        V_FN(to_splat)(&splat, V_FN(canon)(V_FN(raise)(v)));
        WANT(a[0]);
        LC_FN(same)(V_FN(lower)(V_FN(from_splat)(&splat)), want);
        unsigned zeros = 0, equals = 0;
        for (unsigned i = 0; i < 8; i++) {
            zeros |= (unsigned)P_FN(is_zero)(a[i]) << i;
            equals |= (unsigned)P_FN(equal)(a[i], b[i]) << i;
        }
        CHECK_EQ_U64(V_FN(is_zero)(v), zeros);
        CHECK_EQ_U64(V_FN(equal)(v, w), equals);
        CHECK_EQ_U64(V_FN(is_zero)(V_FN(canon)(V_FN(sub)(v, v, 2))), 255);
        WANT(round >> i & 1 ? a[i] : b[i]);
        LC_FN(same)(V_FN(select)((V_FN(mask))(round & 255), v, w), want);
        LC_FN(same)(V_FN(set1)(a[3]), (PRIME[8]){a[3], a[3], a[3], a[3], a[3], a[3], a[3], a[3]});
    }
}

/* Factors as large as the bounds allow: A B / H + 1 < H. */
static void LC_FN(check_bounds)(void)
{
    for (unsigned round = 0; round < 200; round++) {
        PRIME a[8], b[8], want[8];
        LC_FN(fill)(a, round);
        LC_FN(fill)(b, round * 3);
        for (unsigned up = 1; up + 2 < V_FN(HEADROOM); up++) {
            unsigned other = V_FN(HEADROOM) - 3;
            PRIME_V v = V_FN(sub)(V_FN(raise)(V_FN(load)(a)), V_FN(zero)(), up - 1 ? up - 1 : 1);
            PRIME_V w = V_FN(sub)(V_FN(load)(b), V_FN(zero)(), other);
            WANT(P_FN(mul)(a[i], b[i]));
            LC_FN(same)(V_FN(mul)(v, w), want);
            WANT(P_FN(sqr)(a[i]));
            LC_FN(same)(V_FN(lower)(V_FN(sqr)(v)), want);
        }
    }
}

/* Elements that do not lie side by side; what is between them stays. */
static void LC_FN(check_places)(void)
{
    PRIME x[40], y[40];
    const PRIME *from[8];
    PRIME *to[8];
    for (unsigned i = 0; i < 40; i++) {
        x[i] = LC_FN(any)(6);
        y[i] = P_FN(one)();
    }
    for (unsigned i = 0; i < 8; i++) {
        from[i] = x + (i * 23 + 5) % 40;
        to[i] = y + (i * 17 + 1) % 40;
    }
    V_FN(store_at)(to, V_FN(load_at)(from));
    for (unsigned i = 0; i < 8; i++) {
        CHECK(P_FN(equal)(*from[i], *to[i]));
        *to[i] = P_FN(one)();
    }
    for (unsigned i = 0; i < 40; i++) CHECK(P_FN(equal)(y[i], P_FN(one)()));
}

/* The modulus and numbers around it, in one lane; others are reduced. */
static void LC_FN(check_reduced)(void)
{
    for (unsigned i = 0; i < 8; i++) {
        PRIME x[8];
        for (unsigned j = 0; j < 8; j++) x[j] = LC_FN(any)(j);
        CHECK_EQ_U64(V_FN(is_reduced)(V_FN(load)(x)), 255);
        memcpy(x[i].l, P_FN(modulus), sizeof x[i].l);
        CHECK_EQ_U64(V_FN(is_reduced)(V_FN(load)(x)), 255 ^ 1u << i);
        x[i].l[0]--;
        CHECK_EQ_U64(V_FN(is_reduced)(V_FN(load)(x)), 255);
        for (unsigned j = 0; j < P_FN(BYTES) / 8; j++) x[i].l[j] = UINT64_MAX;
        CHECK_EQ_U64(V_FN(is_reduced)(V_FN(load)(x)), 255 ^ 1u << i);
    }
}

static void LC_FN(check_inverses)(void)
{
    enum { MOST = 9 };
    for (unsigned n = 0; n <= MOST; n++) {
        PRIME a[MOST][8], want[8];
        PRIME_V x[MOST + 1], scratch[MOST + 1];
        for (unsigned j = 0; j < n; j++) {
            for (unsigned i = 0; i < 8; i++)
                while (P_FN(is_zero)(a[j][i] = LC_FN(any)((unsigned)(assay_test_random() >> 30)))) continue;
            x[j] = V_FN(raise)(V_FN(load)(a[j]));
        }
        V_FN(batch_inv)(x, scratch, n);
        for (unsigned j = 0; j < n; j++) {
            WANT(P_FN(inv)(a[j][i]));
            LC_FN(same)(V_FN(lower)(x[j]), want);
        }
    }
}

static void LC_FN(lanes)(void)
{
    LC_FN(check_operations)();
    LC_FN(check_bounds)();
    LC_FN(check_places)();
    LC_FN(check_reduced)();
    LC_FN(check_inverses)();
}

#undef WANT
#undef P_FN
#undef PRIME_V
#undef V_FN
#undef LC_FN
#undef PRIME
