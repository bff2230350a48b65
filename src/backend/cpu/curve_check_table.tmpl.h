/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of both curves and their table, as a template: after the lanes of both coordinate fields are included,
 * and with CHECK_TABLE, its name, which is undefined at the end. */
#include "curve/curves_gen.h"
#include <string.h>

#define CURVE     bn254
#define FQ        bn254_fq
#define CURVE_BIG BN254
#include "backend/cpu/curve_check.tmpl.h"

#define CURVE     bls381
#define FQ        bls381_fq
#define CURVE_BIG BLS381
#include "backend/cpu/curve_check.tmpl.h"

const assay_curve_check_table CHECK_TABLE = {
    .of = {[ASSAY_BN254] = {bn254_curve_check_g1, bn254_curve_check_g2},
           [ASSAY_BLS381] = {bls381_curve_check_g1, bls381_curve_check_g2}},
};

#undef CHECK_TABLE
