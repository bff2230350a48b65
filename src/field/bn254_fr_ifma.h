/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bn254_fr at a time, with AVX-512 IFMA. */
#ifndef ASSAY_FIELD_BN254_FR_IFMA_H
#define ASSAY_FIELD_BN254_FR_IFMA_H

#include "field/bn254_fr.h"
#include <stddef.h>

#define FIELD       bn254_fr
#define FIELD_LIMBS 4
#define FIELD_BIG   BN254_FR
#include "field/prime_ifma.tmpl.h"

#endif
