/* SPDX-License-Identifier: Apache-2.0 */
/* The scalars of BN254: bn254_fr, 4 limbs. */
#ifndef ASSAY_FIELD_BN254_FR_H
#define ASSAY_FIELD_BN254_FR_H

#include "field/primes_gen.h"

#define FIELD           bn254_fr
#define FIELD_LIMBS     4
#define FIELD_MODULUS   BN254_FR_MODULUS
#define FIELD_ONE       BN254_FR_ONE
#define FIELD_R2        BN254_FR_R2
#define FIELD_NEG_INV   BN254_FR_NEG_INV
#define FIELD_MINUS_TWO BN254_FR_MINUS_TWO
#define FIELD_HALF      BN254_FR_HALF
#include "field/prime.tmpl.h"

#endif
