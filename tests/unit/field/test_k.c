/* SPDX-License-Identifier: Apache-2.0 */
/* K against vectors made by polynomial division in Python, the laws of a field, and the facts that make it one. */
#include "base/mem.h"
#include "field/batch_inv.h"
#include "field/k.h"
#include "field/kvec.h"
#include "vectors/vector_file.h"

static kel random_k(void)
{
    static const uint32_t corners[] = {0, 1, M31_P - 1, M31_P / 2};
    kel k;
    for (int j = 0; j < K_WORDS; j++) {
        uint64_t r = assay_test_random();
        k.v[j] = r % 3 == 0 ? corners[r / 3 % 4] : (uint32_t)(r % M31_P);
    }
    return k;
}

TEST(vectors)
{
    vector_file v;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    for (const char *name; (name = vector_line(&v, "k"));) {
        kel a = vector_k(&v);
        if (strcmp(name, "kpow") == 0) {
            uint64_t e = vector_u64(&v);
            CHECK(k_eq(k_pow_u64(a, e), vector_k(&v)));
            continue;
        }
        kel b = vector_k(&v);
        CHECK(k_eq(k_mul(a, b), vector_k(&v)));
        CHECK(k_eq(k_sqr(a), vector_k(&v)));
        CHECK(k_eq(k_inv(a), vector_k(&v)));
    }
    vector_close(&v, 109);
}

TEST(laws)
{
    for (int i = 0; i < 2000; i++) {
        kel a = random_k(), b = random_k(), c = random_k();
        CHECK(k_eq(k_mul(a, b), k_mul(b, a)));
        CHECK(k_eq(k_mul(k_mul(a, b), c), k_mul(a, k_mul(b, c))));
        CHECK(k_eq(k_mul(a, k_add(b, c)), k_add(k_mul(a, b), k_mul(a, c))));
        CHECK(k_eq(k_sqr(a), k_mul(a, a)));
        CHECK(k_eq(k_mul(a, k_inv(a)), k_is_zero(a) ? k_zero() : k_one()));
        CHECK(k_eq(k_sub(a, b), k_add(a, k_neg(b))));
        CHECK(k_eq(k_double(a), k_mul_f(a, 2)));
        CHECK(k_eq(k_mul_f(a, b.v[0]), k_mul(a, k_from_f(b.v[0]))));
        CHECK(k_eq(k_sub_f(k_add_f(a, c.v[1]), c.v[1]), a));
        CHECK(k_is_canonical(k_mul(a, b)) && k_is_canonical(k_sqr(a)) && k_is_canonical(k_neg(a)));
    }
    CHECK(k_is_zero(k_inv(k_zero())));
    CHECK(k_eq(k_from_i64(-1), k_neg(k_one())));
}

/* Every product of two basis elements, with both factors at the largest coefficient. */
TEST(largest_coefficients)
{
    kel top;
    for (int j = 0; j < K_WORDS; j++) top.v[j] = M31_P - 1;
    kel ones = k_neg(top);
    CHECK(k_eq(k_mul(top, top), k_mul(ones, ones)));
    CHECK(k_eq(k_sqr(top), k_sqr(ones)));
    for (int s = 0; s < K_WORDS; s++)
        for (int t = 0; t < K_WORDS; t++) {
            kel a = k_zero(), b = k_zero();
            a.v[s] = b.v[t] = M31_P - 1;
            kel ab = k_mul(a, b);
            a.v[s] = b.v[t] = 1;
            CHECK(k_eq(ab, k_mul(a, b)));
        }
    kel bad = top;
    bad.v[3] = M31_P;
    CHECK(k_is_canonical(top) && !k_is_canonical(bad));
}

/* i^2 + 1 is irreducible over F: -1 has no square root, by Euler's criterion. w^3 - (2+i) is over C: 2+i is no cube,
 * because its ((p^2-1)/3)-th power is not one. 3 divides p^2 - 1. */
TEST(the_tower_is_a_field)
{
    CHECK_EQ_U64(m31_pow(M31_P - 1, (M31_P - 1) / 2), M31_P - 1);
    uint64_t order = (uint64_t)M31_P * M31_P - 1;
    CHECK_EQ_U64(order % 3, 0);
    kel xi = k_zero();
    xi.v[0] = 2;
    xi.v[1] = 1;
    kel root = k_pow_u64(xi, order / 3);
    CHECK(!k_eq(root, k_one()));
    CHECK(k_eq(k_mul(k_sqr(root), root), k_one()));
    kel w = k_zero();
    w.v[2] = 1;
    CHECK(k_eq(k_mul(k_sqr(w), w), xi));
}

TEST(batch_inversion)
{
    kel in[50], out[50];
    for (size_t i = 0; i < 50; i++) in[i] = i % 9 == 4 ? k_zero() : random_k();
    assay_k_batch_inv(out, in, 50);
    for (size_t i = 0; i < 50; i++) CHECK(k_eq(out[i], k_inv(in[i])));
}

TEST(vectors_of_k)
{
    for (size_t n = 1; n < 3000; n += 97) {
        assay_kvec v;
        REQUIRE(assay_kvec_new(&v, n));
        for (size_t j = 0; j < K_WORDS; j++) CHECK_EQ_U64((uintptr_t)v.c[j] % 64, 0);
        for (size_t i = 0; i < n; i++) {
            CHECK(k_is_zero(kvec_get(&v, i)));
            kvec_set(&v, i, k_from_f((uint32_t)i + 1));
        }
        assay_kvec tail = assay_kvec_at(&v, n - 1, 1);
        CHECK(k_eq(kvec_get(&tail, 0), k_from_f((uint32_t)n)));
        assay_kvec_free(&v);
        CHECK(v.own == NULL && v.n == 0);
    }
}

TEST(vectors_of_k_report_no_memory)
{
    assay_kvec v;
    CHECK(!assay_kvec_new(&v, SIZE_MAX));
    CHECK(!assay_kvec_new(&v, SIZE_MAX / 8));
    assay_kvec_free(&v);
    (void)assay_mem_fail_after(1);
    CHECK(!assay_kvec_new(&v, 10));
    (void)assay_mem_fail_after(0);
    CHECK(v.own == NULL && v.c[0] == NULL);
    assay_kvec_free(&v);
}
