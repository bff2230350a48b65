/* SPDX-License-Identifier: Apache-2.0 */
/* The prime fields of BN254 and BLS12-381 against vectors made with Python's integers. */
#include "base/cpu.h"
#include "base/isa.h"
#include "field/bls381_fq.h"
#include "field/bls381_fr.h"
#include "field/bn254_fq.h"
#include "field/bn254_fr.h"
#include "field/prime_adx.h"
#include "vectors/vector_file.h"
#include <string.h>

#define PRIME      bn254_fq
#define PRIME_NAME "bn254_fq"
#include "field/prime_checks.tmpl.h"

#define PRIME      bn254_fr
#define PRIME_NAME "bn254_fr"
#include "field/prime_checks.tmpl.h"

#define PRIME      bls381_fq
#define PRIME_NAME "bls381_fq"
#include "field/prime_checks.tmpl.h"

#define PRIME      bls381_fr
#define PRIME_NAME "bls381_fr"
#include "field/prime_checks.tmpl.h"

TEST(bn254_fq)
{
    check_vectors_bn254_fq();
    check_laws_bn254_fq();
    check_encoding_bn254_fq();
}

TEST(bn254_fr)
{
    check_vectors_bn254_fr();
    check_laws_bn254_fr();
    check_encoding_bn254_fr();
}

TEST(bls381_fq)
{
    check_vectors_bls381_fq();
    check_laws_bls381_fq();
    check_encoding_bls381_fq();
}

TEST(bls381_fr)
{
    check_vectors_bls381_fr();
    check_laws_bls381_fr();
    check_encoding_bls381_fr();
}

#define PLAIN_SUM(F)                                                                                                   \
    static void plain_sum_##F(uint64_t *out, const uint64_t *four)                                                     \
    {                                                                                                                  \
        F x[4], r;                                                                                                     \
        memcpy(x, four, sizeof x);                                                                                     \
        F##_mul_sum(&r, x, x + 2);                                                                                     \
        memcpy(out, &r, sizeof r);                                                                                     \
    }
PLAIN_SUM(bn254_fq)
PLAIN_SUM(bn254_fr)
PLAIN_SUM(bls381_fq)

TEST(sums_of_products)
{
    check_sums_bn254_fq(plain_sum_bn254_fq);
    check_sums_bn254_fr(plain_sum_bn254_fr);
    check_sums_bls381_fq(plain_sum_bls381_fq);
}

/* The root of unity has the order 2^s exactly. */
TEST(roots_of_unity)
{
    bn254_fr a = {BN254_FR_ROOT};
    bls381_fr b = {BLS381_FR_ROOT};
    for (int i = 1; i < BN254_FR_TWO_ADICITY; i++) a = bn254_fr_sqr(a);
    for (int i = 1; i < BLS381_FR_TWO_ADICITY; i++) b = bls381_fr_sqr(b);
    CHECK(bn254_fr_equal(a, bn254_fr_neg(bn254_fr_one())));
    CHECK(bls381_fr_equal(b, bls381_fr_neg(bls381_fr_one())));
}

/* The products of limbs_adx.h. */
TEST(adx)
{
    typedef void operations(uint64_t *, const uint64_t *, const uint64_t *);
    operations *bn_q = ASSAY_X86_FN(prime_adx_bn254_fq), *bn_r = ASSAY_X86_FN(prime_adx_bn254_fr);
    operations *bls_q = ASSAY_X86_FN(prime_adx_bls381_fq), *bls_r = ASSAY_X86_FN(prime_adx_bls381_fr);
    if (!bn_q || !bn_r || !bls_q || !bls_r || !(assay_cpu_features() & ASSAY_CPU_ADX)) {
        assay_test_skip("this machine has no ADX");
        return;
    }
    void (*const sum_bn_q)(uint64_t *, const uint64_t *) = ASSAY_X86_FN(prime_adx_sum_bn254_fq);
    void (*const sum_bn_r)(uint64_t *, const uint64_t *) = ASSAY_X86_FN(prime_adx_sum_bn254_fr);
    void (*const sum_bls_q)(uint64_t *, const uint64_t *) = ASSAY_X86_FN(prime_adx_sum_bls381_fq);
    if (sum_bn_q) check_sums_bn254_fq(sum_bn_q);
    if (sum_bn_r) check_sums_bn254_fr(sum_bn_r);
    if (sum_bls_q) check_sums_bls381_fq(sum_bls_q);
    check_same_bn254_fq(bn_q);
    check_same_bn254_fr(bn_r);
    check_same_bls381_fq(bls_q);
    check_same_bls381_fr(bls_r);
}
