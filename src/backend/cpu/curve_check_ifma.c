/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of curve_check.h with AVX-512 IFMA. */
#include "backend/cpu/curve_check.h"
#include "field/bls381_fq_ifma.h"
#include "field/bn254_fq_ifma.h"

#define CHECK_TABLE assay_curve_check_ifma
#include "backend/cpu/curve_check_table.tmpl.h"
