/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and pairings of BN254 and BLS12-381 against vectors made with Python's integers. */
#include "curve/bls381_pairing.h"
#include "curve/bn254_pairing.h"
#include "vectors/vector_file.h"

#define EC      bn254
#define EC_NAME "bn254"
#define EC_FQ   bn254_fq
#include "curve/curve_checks.tmpl.h"

#define EC      bls381
#define EC_NAME "bls381"
#define EC_FQ   bls381_fq
#include "curve/curve_checks.tmpl.h"

TEST(bn254)
{
    check_vectors_bn254();
    check_cases_bn254();
    check_outside_bn254();
    check_pairing_bn254();
}

TEST(bls381)
{
    check_vectors_bls381();
    check_cases_bls381();
    check_outside_bls381();
    check_pairing_bls381();
}

/* (0, 2) is on E of BLS12-381, whose cofactor is not 1. */
TEST(outside_the_first_group)
{
    bls381_g1_affine low = {bls381_fq_zero(), bls381_fq_from_u64(2)};
    CHECK(bls381_g1_on_curve(&low) && !bls381_g1_in_group(&low));
}
