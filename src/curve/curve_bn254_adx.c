/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 with the products of field/limbs_adx.h: equal, bit for bit. */
#define CURVE_TABLE assay_curve_bn254_adx
#include "curve/curve_bn254.tmpl.h"
