/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 in plain C. */
#define CURVE_TABLE assay_curve_bn254
#include "curve/curve_bn254.tmpl.h"
