/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381 in plain C. */
#define CURVE_TABLE assay_curve_bls381
#include "curve/curve_bls381.tmpl.h"
