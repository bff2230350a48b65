/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bls381_fr at a time, in plain C. */
#ifndef ASSAY_FIELD_BLS381_FR_LANES_H
#define ASSAY_FIELD_BLS381_FR_LANES_H

#include "field/bls381_fr.h"
#include <stddef.h>

#define FIELD       bls381_fr
#define FIELD_LIMBS 4
#define FIELD_BIG   BLS381_FR
#include "field/prime_lanes.tmpl.h"

#endif
