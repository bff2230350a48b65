/* SPDX-License-Identifier: Apache-2.0 */
/* The circle code: encoding against the functional of the definition, transposed encoding against dense sums. */
#include "base/mem.h"
#include "commit/code.h"
#include "field/circle.h"
#include "harness.h"

static uint32_t random_word(void)
{
    return (uint32_t)(assay_test_random() % M31_P);
}

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = random_word();
    return k;
}

/* prod_i vars[i]^(b_i) by plain multiplication. */
static uint32_t weight(const uint32_t *vars, unsigned c, uint64_t b)
{
    uint32_t w = 1;
    for (unsigned i = 0; i < c; i++)
        if (b >> i & 1) w = m31_mul(w, vars[i]);
    return w;
}

static void check_encoding(unsigned c, unsigned log_rate, assay_pool *pool)
{
    assay_errinfo err = {0};
    assay_code *code = NULL;
    assay_backend be;
    size_t n = (size_t)1 << c;
    assay_backend_cpu_init(&be, pool);
    REQUIRE_OK(assay_code_new(&code, c, log_rate, &err));
    uint32_t *msg = (uint32_t *)assay_mem_alloc(n, 4), *word = (uint32_t *)assay_mem_alloc(n, 4);
    REQUIRE(msg && word);
    for (size_t b = 0; b < n; b++) msg[b] = random_word();
    for (unsigned g = 0; g < 1u << log_rate; g++) {
        assay_code_encode_group(code, &be, g, word, msg);
        for (int trial = 0; trial < 6; trial++) {
            uint64_t at = assay_test_random() % n;
            uint32_t vars[30], value = 0;
            assay_code_vars(c, log_rate, at + ((uint64_t)g << c), vars);
            for (size_t b = 0; b < n; b++) value = m31_add(value, m31_mul(msg[b], weight(vars, c, b)));
            CHECK_EQ_U64(word[at], value);
        }
    }
    assay_mem_free(msg);
    assay_mem_free(word);
    assay_code_free(code);
}

TEST(encode_is_functional)
{
    for (unsigned c = 1; c <= 10; c++)
        for (unsigned log_rate = 1; log_rate <= 4; log_rate++) check_encoding(c, log_rate, NULL);
    check_encoding(14, 2, NULL);
}

TEST(encode_with_threads)
{
    assay_errinfo err = {0};
    assay_pool *pool = NULL;
    REQUIRE_OK(assay_pool_new(&pool, 3, &err));
    check_encoding(9, 3, pool);
    check_encoding(13, 2, pool);
    assay_pool_free(pool);
}

/* Exactly the definition's variables, with powers taken one by one. */
TEST(vars_are_the_definition)
{
    for (unsigned c = 1; c <= 6; c++)
        for (unsigned log_rate = 1; log_rate <= 3; log_rate++) {
            uint64_t d = (uint64_t)1 << (c + log_rate);
            assay_circle_point g = assay_circle_pow(circle_gen(), (uint64_t)1 << (31 - c - log_rate - 1));
            CHECK(assay_circle_pow(g, d).x == M31_P - 1);
            for (uint64_t pos = 0; pos < d; pos++) {
                uint32_t vars[30];
                assay_code_vars(c, log_rate, pos, vars);
                uint64_t f = 2 * (pos >> c) + 1;
                for (unsigned i = 1; i < c; i++) f += (pos >> i & 1) * (d >> (i - 1));
                uint32_t y = assay_circle_pow(g, f % (2 * d)).y;
                CHECK_EQ_U64(vars[0], pos & 1 ? M31_P - y : y);
                for (unsigned i = 1; i < c; i++) CHECK_EQ_U64(vars[i], assay_circle_pow(g, (f << (i - 1)) % (2 * d)).x);
            }
        }
}

TEST(functional_at_a_point)
{
    for (unsigned c = 1; c <= 7; c++) {
        uint32_t vars[30];
        kel z[30], sum = k_zero();
        for (unsigned i = 0; i < c; i++) z[i] = random_k();
        assay_code_vars(c, 3, assay_test_random() % ((uint64_t)8 << c), vars);
        for (uint64_t b = 0; b >> c == 0; b++) {
            kel eq = k_one();
            for (unsigned i = 0; i < c; i++) eq = k_mul(eq, b >> i & 1 ? z[i] : k_sub(k_one(), z[i]));
            sum = k_add(sum, k_mul_f(eq, weight(vars, c, b)));
        }
        CHECK(k_eq(sum, assay_code_functional_at(c, vars, z)));
    }
}

static void check_transpose(unsigned c, unsigned log_rate, size_t n_pos, assay_pool *pool)
{
    assay_errinfo err = {0};
    assay_code *code = NULL;
    assay_backend be;
    assay_kvec phi;
    uint64_t pos[40];
    kel w[40];
    size_t n = (size_t)1 << c;
    assay_backend_cpu_init(&be, pool);
    REQUIRE_OK(assay_code_new(&code, c, log_rate, &err));
    REQUIRE(assay_kvec_new(&phi, n));
    kel *want = (kel *)assay_mem_alloc(n, sizeof *want);
    REQUIRE(want);
    for (size_t b = 0; b < n; b++) {
        want[b] = random_k();
        kvec_set(&phi, b, want[b]);
    }
    for (size_t j = 0; j < n_pos; j++) {
        uint32_t vars[30];
        pos[j] = assay_test_random() % (n << log_rate); /* repeats are allowed here */
        w[j] = random_k();
        assay_code_vars(c, log_rate, pos[j], vars);
        for (size_t b = 0; b < n; b++) want[b] = k_add(want[b], k_mul_f(w[j], weight(vars, c, b)));
    }
    CHECK_OK(assay_code_transpose(code, &be, &phi, pos, w, n_pos));
    size_t same = 0;
    for (size_t b = 0; b < n; b++) same += k_eq(want[b], kvec_get(&phi, b));
    CHECK_EQ_U64(same, n);
    assay_mem_free(want);
    assay_kvec_free(&phi);
    assay_code_free(code);
}

TEST(transpose_is_dense)
{
    assay_errinfo err = {0};
    assay_pool *pool = NULL;
    REQUIRE_OK(assay_pool_new(&pool, 2, &err));
    for (unsigned c = 1; c <= 8; c++) check_transpose(c, 1 + c % 4, 40, c % 2 ? pool : NULL);
    check_transpose(9, 2, 0, NULL);
    check_transpose(11, 2, 1, pool);
    assay_pool_free(pool);
}

TEST(parameters_out_of_range)
{
    assay_errinfo err = {0};
    assay_code *code = NULL;
    CHECK_STATUS(assay_code_new(&code, 0, 2, &err), ASSAY_EINVAL);
    CHECK_STATUS(assay_code_new(&code, 4, 0, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_code_new(&code, 4, 5, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_code_new(&code, 29, 2, NULL), ASSAY_EINVAL);
    CHECK(code == NULL);
    for (uint64_t k = 1; k <= 5; k++) {
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(assay_code_new(&code, 4, 2, NULL), ASSAY_ENOMEM);
        CHECK(code == NULL);
    }
    (void)assay_mem_fail_after(0);
    assay_code_free(NULL);
}
