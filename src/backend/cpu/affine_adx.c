/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs of affine points, with the products of field/limbs_adx.h. */
#include "backend/cpu/affine.h"
#include "base/isa.h"
#include "field/bls381_fq.h"
#include "field/bn254_fq.h"
#include <string.h>

#define TABLE      assay_affine_adx
#define TABLE_NAME "adx"
#include "backend/cpu/affine_one.tmpl.h"
