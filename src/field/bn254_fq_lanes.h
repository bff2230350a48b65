/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bn254_fq at a time, in plain C. */
#ifndef ASSAY_FIELD_BN254_FQ_LANES_H
#define ASSAY_FIELD_BN254_FQ_LANES_H

#include "field/bn254_fq.h"
#include <stddef.h>

#define FIELD       bn254_fq
#define FIELD_LIMBS 4
#define FIELD_BIG   BN254_FQ
#include "field/prime_lanes.tmpl.h"

#endif
