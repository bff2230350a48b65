/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bls381_fq at a time, in plain C. */
#ifndef ASSAY_FIELD_BLS381_FQ_LANES_H
#define ASSAY_FIELD_BLS381_FQ_LANES_H

#include "field/bls381_fq.h"
#include <stddef.h>

#define FIELD       bls381_fq
#define FIELD_LIMBS 6
#define FIELD_BIG   BLS381_FQ
#include "field/prime_lanes.tmpl.h"

#endif
