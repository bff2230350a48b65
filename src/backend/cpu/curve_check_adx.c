/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of curve_check.h by scalar products with ADX. */
#include "backend/cpu/curve_check.h"
#include "curve/curves_gen.h"
#include "field/bls381_fq_lanes.h"
#include "field/bn254_fq_lanes.h"
#include <string.h>

#define CURVE     bn254
#define FQ        bn254_fq
#define CURVE_BIG BN254
#include "backend/cpu/curve_check.tmpl.h"

#define CURVE     bls381
#define FQ        bls381_fq
#define CURVE_BIG BLS381
#include "backend/cpu/curve_check.tmpl.h"

const assay_curve_check_table assay_curve_check_adx = {
    .of = {[ASSAY_BN254] = {bn254_curve_check_g1, bn254_curve_check_g2},
           [ASSAY_BLS381] = {bls381_curve_check_g1, bls381_curve_check_g2}},
};
