/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of one pairing-friendly curve, as a template: EC is its prefix, EC_NAME the same as a string, EC_FQ its field.
 */

#define E_FN(name)  LIMB_JOIN(EC, name)
#define G1_FN(name) LIMB_JOIN(EC, LIMB_JOIN(g1, name))
#define G2_FN(name) LIMB_JOIN(EC, LIMB_JOIN(g2, name))
#define Q_FN(name)  LIMB_JOIN(EC_FQ, name)
#define CHECK_FN(n) LIMB_JOIN(n, EC)

static EC_FQ CHECK_FN(coordinate)(vector_file *v)
{
    uint8_t bytes[Q_FN(BYTES)];
    EC_FQ a;
    CHECK_EQ_U64(vector_bytes(v, bytes, sizeof bytes), sizeof bytes);
    CHECK(Q_FN(from_bytes)(&a, bytes, true));
    return a;
}

static void CHECK_FN(scalar)(vector_file *v, uint64_t k[4])
{
    uint8_t bytes[32];
    CHECK_EQ_U64(vector_bytes(v, bytes, sizeof bytes), sizeof bytes);
    limbs_from_bytes(k, bytes, 4, true);
}

static void CHECK_FN(check_vectors)(void)
{
    vector_file v;
    const char *name;
    uint64_t k[4];
    REQUIRE(vector_open(&v, "prime_vectors.txt"));
    while ((name = vector_line(&v, EC_NAME "_g")) != NULL) {
        CHECK_FN(scalar)(&v, k);
        if (strcmp(name, EC_NAME "_g1") == 0) {
            E_FN(g1_affine) g = E_FN(g1_generator)(), want;
            E_FN(g1) p, q;
            want.x = CHECK_FN(coordinate)(&v);
            want.y = CHECK_FN(coordinate)(&v);
            G1_FN(mul_limbs)(&p, &g, k, 4);
            q = G1_FN(from_affine)(&want);
            CHECK(G1_FN(on_curve)(&want) && G1_FN(equal)(&p, &q));
        } else {
            E_FN(g2_affine) g = E_FN(g2_generator)(), want;
            E_FN(g2) p, q;
            for (int i = 0; i < 2; i++) want.x.c[i] = CHECK_FN(coordinate)(&v);
            for (int i = 0; i < 2; i++) want.y.c[i] = CHECK_FN(coordinate)(&v);
            G2_FN(mul_limbs)(&p, &g, k, 4);
            q = G2_FN(from_affine)(&want);
            CHECK(G2_FN(on_curve)(&want) && G2_FN(equal)(&p, &q));
        }
    }
    vector_close(&v, 20);
}

static void CHECK_FN(check_cases)(void)
{
    E_FN(g1_affine) g = E_FN(g1_generator)(), none = G1_FN(affine_infinity)(), minus = G1_FN(affine_neg)(&g), a, off;
    E_FN(g1) p = G1_FN(from_affine)(&g), q, r, zero = G1_FN(infinity)();
    G1_FN(add_affine)(&q, &p, &minus);
    CHECK(G1_FN(is_infinity)(&q));
    G1_FN(add_affine)(&q, &p, &g); /* the doubling case */
    G1_FN(dbl)(&r, &p);
    CHECK(G1_FN(equal)(&q, &r));
    G1_FN(add)(&q, &p, &p);
    CHECK(G1_FN(equal)(&q, &r));
    G1_FN(add_affine)(&q, &zero, &g);
    CHECK(G1_FN(equal)(&q, &p));
    G1_FN(add_affine)(&q, &p, &none);
    CHECK(G1_FN(equal)(&q, &p));
    G1_FN(add)(&q, &zero, &zero);
    CHECK(G1_FN(is_infinity)(&q));
    a = G1_FN(to_affine)(&q);
    CHECK(G1_FN(affine_is_infinity)(&a) && G1_FN(on_curve)(&a) && G1_FN(in_group)(&a));
    off = g;
    off.x = Q_FN(add)(off.x, Q_FN(one)());
    CHECK(!G1_FN(on_curve)(&off));
    /* (p + 2p) + p = 2p + 2p with coordinates that are not affine */
    G1_FN(add)(&q, &p, &r);
    G1_FN(add)(&q, &q, &p);
    G1_FN(dbl)(&r, &r);
    CHECK(G1_FN(equal)(&q, &r));
}

/* A point of the twist outside the group is on the curve, and only that. */
static void CHECK_FN(check_outside)(void)
{
    vector_file v;
    E_FN(g2_affine) a, g = E_FN(g2_generator)();
    E_FN(g1_affine) g1 = E_FN(g1_generator)();
    REQUIRE(vector_open(&v, "prime_vectors.txt"));
    REQUIRE(vector_line(&v, EC_NAME "_outside") != NULL);
    for (int i = 0; i < 2; i++) a.x.c[i] = CHECK_FN(coordinate)(&v);
    for (int i = 0; i < 2; i++) a.y.c[i] = CHECK_FN(coordinate)(&v);
    vector_close(&v, 1);
    CHECK(G2_FN(on_curve)(&a) && !G2_FN(in_group)(&a));
    CHECK(G2_FN(in_group)(&g) && G1_FN(in_group)(&g1));
}

/* e(a P, b Q) = e(P, Q)^(a b), not 1; a pair with infinity counts as 1. */
static void CHECK_FN(check_pairing)(void)
{
    const uint64_t a = 0x123456789abcdef1u, b = 977, three = 3;
    E_FN(g1_affine) p[3] = {E_FN(g1_generator)()};
    E_FN(g2_affine) q[3] = {E_FN(g2_generator)()};
    E_FN(g1) x;
    E_FN(g2) y;
    E_FN(fq12) f, g, h;
    G1_FN(mul_limbs)(&x, &p[0], &a, 1);
    p[1] = G1_FN(to_affine)(&x);
    G2_FN(mul_limbs)(&y, &q[0], &b, 1);
    q[1] = G2_FN(to_affine)(&y);
    E_FN(pairing)(&f, &p[0], &q[0]);
    E_FN(pairing)(&g, &p[1], &q[1]);
    LIMB_JOIN(EC, LIMB_JOIN(fq12, pow))(&h, &f, &a, 1);
    LIMB_JOIN(EC, LIMB_JOIN(fq12, pow))(&h, &h, &b, 1);
    CHECK(LIMB_JOIN(EC, LIMB_JOIN(fq12, equal))(&g, &h));
    h = LIMB_JOIN(EC, LIMB_JOIN(fq12, one))();
    CHECK(!LIMB_JOIN(EC, LIMB_JOIN(fq12, equal))(&g, &h));

    /* e(a P, b Q) e(-a P, Q)^b = 1, as e(-a b P, Q); and not with 3 in place of b */
    G1_FN(mul_limbs)(&x, &p[1], &b, 1);
    p[0] = G1_FN(to_affine)(&x);
    p[0] = G1_FN(affine_neg)(&p[0]);
    p[2] = G1_FN(affine_infinity)();
    q[2] = q[0];
    CHECK(E_FN(pairing_product_is_one)(p, q, 3));
    G1_FN(mul_limbs)(&x, &p[1], &three, 1);
    p[0] = G1_FN(to_affine)(&x);
    p[0] = G1_FN(affine_neg)(&p[0]);
    CHECK(!E_FN(pairing_product_is_one)(p, q, 3));
    CHECK(E_FN(pairing_product_is_one)(p, q, 0));
}

#undef E_FN
#undef G1_FN
#undef G2_FN
#undef Q_FN
#undef CHECK_FN
#undef EC
#undef EC_NAME
#undef EC_FQ
