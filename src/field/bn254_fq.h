/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinates of BN254: bn254_fq, 4 limbs. */
#ifndef ASSAY_FIELD_BN254_FQ_H
#define ASSAY_FIELD_BN254_FQ_H

#include "field/primes_gen.h"

#define FIELD           bn254_fq
#define FIELD_LIMBS     4
#define FIELD_MODULUS   BN254_FQ_MODULUS
#define FIELD_ONE       BN254_FQ_ONE
#define FIELD_R2        BN254_FQ_R2
#define FIELD_NEG_INV   BN254_FQ_NEG_INV
#define FIELD_MINUS_TWO BN254_FQ_MINUS_TWO
#define FIELD_HALF      BN254_FQ_HALF
#include "field/prime.tmpl.h"

#endif
