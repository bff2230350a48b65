/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of curve_check.h by scalar products with ADX. */
#include "backend/cpu/curve_check.h"
#include "field/bls381_fq_lanes.h"
#include "field/bn254_fq_lanes.h"

#define CHECK_TABLE assay_curve_check_adx
#include "backend/cpu/curve_check_table.tmpl.h"
