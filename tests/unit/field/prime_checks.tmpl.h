/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of one prime field against its vectors and its laws, as a template: PRIME is the field's prefix, PRIME_NAME
 * the same as a string. */

#define P_FN(name)  LIMB_JOIN(PRIME, name)
#define CHECK_FN(n) LIMB_JOIN(n, PRIME)

static PRIME CHECK_FN(vector)(vector_file *v)
{
    uint8_t bytes[P_FN(BYTES)];
    PRIME a;
    CHECK_EQ_U64(vector_bytes(v, bytes, sizeof bytes), sizeof bytes);
    CHECK(P_FN(from_bytes)(&a, bytes, true));
    return a;
}

static PRIME CHECK_FN(random)(void)
{
    uint8_t bytes[P_FN(BYTES)];
    PRIME a;
    do
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(assay_test_random() >> 40);
    while (!P_FN(from_bytes)(&a, bytes, false));
    return a;
}

static void CHECK_FN(check_vectors)(void)
{
    vector_file v;
    REQUIRE(vector_open(&v, "prime_vectors.txt"));
    while (vector_line(&v, PRIME_NAME)) {
        PRIME a = CHECK_FN(vector)(&v), b = CHECK_FN(vector)(&v);
        CHECK(P_FN(equal)(P_FN(add)(a, b), CHECK_FN(vector)(&v)));
        CHECK(P_FN(equal)(P_FN(sub)(a, b), CHECK_FN(vector)(&v)));
        CHECK(P_FN(equal)(P_FN(mul)(a, b), CHECK_FN(vector)(&v)));
        PRIME inverse = CHECK_FN(vector)(&v);
        CHECK(P_FN(equal)(P_FN(inv)(a), inverse));
        CHECK(P_FN(equal)(P_FN(inv_var)(a), inverse));
    }
    vector_close(&v, 60);
}

static void CHECK_FN(check_laws)(void)
{
    for (int i = 0; i < 500; i++) {
        PRIME a = CHECK_FN(random)(), b = CHECK_FN(random)(), c = CHECK_FN(random)();
        CHECK(P_FN(equal)(P_FN(mul)(P_FN(add)(a, b), c), P_FN(add)(P_FN(mul)(a, c), P_FN(mul)(b, c))));
        CHECK(P_FN(equal)(P_FN(mul)(P_FN(mul)(a, b), c), P_FN(mul)(a, P_FN(mul)(b, c))));
        CHECK(P_FN(is_zero)(P_FN(add)(a, P_FN(neg)(a))));
        CHECK(P_FN(equal)(P_FN(sqr)(a), P_FN(mul)(a, a)));
        CHECK(P_FN(equal)(P_FN(dbl)(a), P_FN(add)(a, a)));
        if (!P_FN(is_zero)(a)) CHECK(P_FN(is_high)(a) != P_FN(is_high)(P_FN(neg)(a)));
        /* Long runs of equal bits and numbers near 0 and p, as well as random ones. */
        PRIME power = P_FN(zero)();
        power.l[i % 3] = UINT64_C(1) << i % 64;
        PRIME cases[] = {a, power, P_FN(neg)(power), P_FN(sub)(power, P_FN(one)())};
        for (int j = 0; j < 4; j++) CHECK(P_FN(equal)(P_FN(inv)(cases[j]), P_FN(inv_var)(cases[j])));
    }
}

/* Bytes of p - 1 are read; those of p, p + 1 and all ones are refused and leave zero. */
static void CHECK_FN(check_encoding)(void)
{
    uint8_t bytes[P_FN(BYTES)], back[P_FN(BYTES)], mont[P_FN(BYTES)];
    PRIME minus_one = P_FN(neg)(P_FN(one)()), a;
    P_FN(to_bytes)(bytes, minus_one, false);
    for (int step = 0; step < 4; step++) {
        bool good = step == 0;
        if (step == 3)
            for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0xff;
        a = P_FN(one)();
        CHECK(P_FN(from_bytes)(&a, bytes, false) == good);
        CHECK(P_FN(equal)(a, good ? minus_one : P_FN(zero)()));
        a = P_FN(one)();
        CHECK(P_FN(from_mont_bytes)(&a, bytes) == good);
        if (!good) CHECK(P_FN(is_zero)(a));
        for (size_t i = 0; i < sizeof bytes; i++)
            if (++bytes[i] != 0) break;
    }
    for (int i = 0; i < 100; i++) {
        PRIME b = CHECK_FN(random)();
        P_FN(to_bytes)(bytes, b, true);
        P_FN(to_bytes)(back, b, false);
        for (size_t j = 0; j < sizeof bytes; j++) CHECK_EQ_U64(bytes[j], back[sizeof bytes - 1 - j]);
        P_FN(to_mont_bytes)(mont, b);
        CHECK(P_FN(from_bytes)(&a, bytes, true) && P_FN(equal)(a, b));
        CHECK(P_FN(from_mont_bytes)(&a, mont) && P_FN(equal)(a, b));
    }
    CHECK(P_FN(equal)(P_FN(from_u64)(6), P_FN(mul)(P_FN(from_u64)(2), P_FN(from_u64)(3))));
}

/* f: product, sum and difference by other instructions, at random and at the edges: equal bit for bit. */
static void CHECK_FN(check_same)(void (*f)(uint64_t *out, const uint64_t *a, const uint64_t *b))
{
    PRIME edges[6] = {P_FN(zero)(), P_FN(one)(), P_FN(neg)(P_FN(one)()), {{1}}, P_FN(neg)((PRIME){{1}}), {{0}}};
    for (int i = 0; i < P_FN(BYTES) / 8 - 1; i++) edges[5].l[i] = UINT64_MAX;
    for (int i = 0; i < 2000; i++) {
        PRIME got[3], a = i < 36 ? edges[i / 6] : CHECK_FN(random)(), b = i < 60 ? edges[i % 6] : CHECK_FN(random)();
        PRIME want[3] = {P_FN(mul)(a, b), P_FN(add)(a, b), P_FN(sub)(a, b)};
        f(got[0].l, a.l, b.l);
        CHECK_EQ_MEM(got, want, sizeof got);
    }
}

/* f: mul_sum of x[0], x[1] by x[2], x[3], of moduli that leave two bits. With the largest of all inputs; one of them
 * may be the modulus. */
static inline void CHECK_FN(check_sums)(void (*f)(uint64_t *out, const uint64_t *four))
{
    PRIME edges[3] = {P_FN(zero)(), P_FN(one)(), P_FN(zero)()}, modulus;
    for (int i = 0; i < P_FN(BYTES) / 8; i++) edges[2].l[i] = P_FN(modulus)[i];
    P_FN(minus)(&modulus, &edges[0]);
    edges[2].l[0]--; /* the largest integer, whatever it stands for */
    CHECK_EQ_MEM(&modulus, P_FN(modulus), sizeof modulus);
    for (int i = 0; i < 1000; i++) {
        PRIME x[4], got, want;
        for (int j = 0, k = i; j < 4; j++, k /= 4) x[j] = i < 256 && k % 4 < 3 ? edges[k % 4] : CHECK_FN(random)();
        want = P_FN(mul)(x[0], x[2]);
        if (i % 2 == 0) want = P_FN(add)(want, P_FN(mul)(x[1], x[3]));
        if (i % 2) x[3] = modulus;
        if (i % 4 == 3) {
            P_FN(minus)(&x[3], &x[2]); /* (a c - b c) / R */
            want = P_FN(mul)(x[2], P_FN(sub)(x[0], x[1]));
        }
        f(got.l, x[0].l);
        CHECK_EQ_MEM(&got, &want, sizeof got);
    }
}

#undef P_FN
#undef CHECK_FN
#undef PRIME
#undef PRIME_NAME
