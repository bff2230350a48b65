/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of bls381_fq at a time, with AVX-512 IFMA. */
#ifndef ASSAY_FIELD_BLS381_FQ_IFMA_H
#define ASSAY_FIELD_BLS381_FQ_IFMA_H

#include "field/bls381_fq.h"
#include <stddef.h>

#define FIELD       bls381_fq
#define FIELD_LIMBS 6
#define FIELD_BIG   BLS381_FQ
#include "field/prime_ifma.tmpl.h"

#endif
