/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381 with the products of field/limbs_adx.h: equal, bit for bit. */
#define CURVE_TABLE assay_curve_bls381_adx
#include "curve/curve_bls381.tmpl.h"
