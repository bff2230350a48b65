/* SPDX-License-Identifier: Apache-2.0 */
/* The scalars of BLS12-381: bls381_fr, 4 limbs. */
#ifndef ASSAY_FIELD_BLS381_FR_H
#define ASSAY_FIELD_BLS381_FR_H

#include "field/primes_gen.h"

#define FIELD           bls381_fr
#define FIELD_LIMBS     4
#define FIELD_MODULUS   BLS381_FR_MODULUS
#define FIELD_ONE       BLS381_FR_ONE
#define FIELD_R2        BLS381_FR_R2
#define FIELD_NEG_INV   BLS381_FR_NEG_INV
#define FIELD_MINUS_TWO BLS381_FR_MINUS_TWO
#define FIELD_HALF      BLS381_FR_HALF
#include "field/prime.tmpl.h"

#endif
