/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinates of BLS12-381: bls381_fq, 6 limbs. */
#ifndef ASSAY_FIELD_BLS381_FQ_H
#define ASSAY_FIELD_BLS381_FQ_H

#include "field/primes_gen.h"

#define FIELD           bls381_fq
#define FIELD_LIMBS     6
#define FIELD_MODULUS   BLS381_FQ_MODULUS
#define FIELD_ONE       BLS381_FQ_ONE
#define FIELD_R2        BLS381_FQ_R2
#define FIELD_NEG_INV   BLS381_FQ_NEG_INV
#define FIELD_MINUS_TWO BLS381_FQ_MINUS_TWO
#define FIELD_HALF      BLS381_FQ_HALF
#include "field/prime.tmpl.h"

#endif
