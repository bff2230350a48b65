/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bn254_fr at a time, in plain C. */
#ifndef ASSAY_FIELD_BN254_FR_LANES_H
#define ASSAY_FIELD_BN254_FR_LANES_H

#include "field/bn254_fr.h"
#include <stddef.h>

#define FIELD       bn254_fr
#define FIELD_LIMBS 4
#define FIELD_BIG   BN254_FR
#include "field/prime_lanes.tmpl.h"

#endif
