/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs of affine points in plain C. */
#include "backend/cpu/affine.h"
#include "base/isa.h"
#include "field/bls381_fq.h"
#include "field/bn254_fq.h"
#include <string.h>

#define TABLE      assay_affine_ref
#define TABLE_NAME "ref"
#include "backend/cpu/affine_one.tmpl.h"
