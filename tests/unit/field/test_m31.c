/* SPDX-License-Identifier: Apache-2.0 */
/* F against vectors made with Python integers, its laws, and exhaustive edges. */
#include "field/batch_inv.h"
#include "field/m31.h"
#include "vectors/vector_file.h"

TEST(vectors)
{
    vector_file v;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "m31")) {
        uint32_t a = vector_f(&v), b = vector_f(&v);
        CHECK_EQ_U64(m31_add(a, b), vector_f(&v));
        CHECK_EQ_U64(m31_sub(a, b), vector_f(&v));
        CHECK_EQ_U64(m31_mul(a, b), vector_f(&v));
        CHECK_EQ_U64(m31_inv(a), vector_f(&v));
    }
    vector_close(&v, 200);
}

TEST(signed_integers)
{
    vector_file v;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "i64")) {
        int64_t x = strtoll(vector_field(&v), NULL, 10);
        uint32_t r = vector_f(&v);
        CHECK_EQ_U64(m31_from_i64(x), r);
        CHECK_EQ_U64(m31_to_i64(r), (uint64_t)strtoll(vector_field(&v), NULL, 10));
    }
    vector_close(&v, 100);
}

/* All pairs from both ends and the middle of the range, against 64-bit remainders. */
TEST(corners_exhaustively)
{
    enum { NEAR = 40, N = 4 * NEAR };
    uint32_t x[N];
    uint64_t bad = 0;
    for (uint32_t i = 0; i < NEAR; i++) {
        x[i] = i;
        x[NEAR + i] = M31_P - 1 - i;
        x[2 * NEAR + i] = M31_P / 2 - NEAR / 2 + i;
        x[3 * NEAR + i] = (1u << 16) - NEAR / 2 + i;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            uint64_t a = x[i], b = x[j];
            bad += m31_add(x[i], x[j]) != (a + b) % M31_P;
            bad += m31_sub(x[i], x[j]) != (a + M31_P - b) % M31_P;
            bad += m31_mul(x[i], x[j]) != a * b % M31_P;
            bad += m31_reduce64(a << 33 | b) != (a << 33 | b) % M31_P;
            bad += m31_reduce_pair(~a, ~b) != ((~a) % M31_P + (~b) % M31_P) % M31_P;
        }
    for (size_t i = 0; i < N; i++) {
        bad += m31_neg(x[i]) != (M31_P - (uint64_t)x[i]) % M31_P;
        bad += m31_double(x[i]) != 2 * (uint64_t)x[i] % M31_P;
        bad += m31_reduce64(~(uint64_t)x[i]) != ~(uint64_t)x[i] % M31_P;
    }
    CHECK_EQ_U64(bad, 0);
}

TEST(inverses)
{
    CHECK_EQ_U64(m31_inv(0), 0);
    for (uint32_t a = 1; a < 3000; a++) {
        CHECK_EQ_U64(m31_mul(a, m31_inv(a)), 1);
        CHECK_EQ_U64(m31_mul(M31_P - a, m31_inv(M31_P - a)), 1);
    }
    CHECK_EQ_U64(m31_pow(0, 0), 1);
    CHECK_EQ_U64(m31_pow(3, M31_P - 1), 1);
}

TEST(batch_inversion_steps_over_zeros)
{
    uint32_t in[101] = {0}, out[101];
    for (size_t n = 0; n <= 100; n++) {
        for (size_t i = 0; i < n; i++) in[i] = i % 7 == 3 ? 0 : (uint32_t)(assay_test_random() % M31_P);
        out[n] = 5;
        assay_m31_batch_inv(out, in, n);
        for (size_t i = 0; i < n; i++) CHECK_EQ_U64(out[i], m31_inv(in[i]));
        CHECK_EQ_U64(out[n], 5);
    }
}
