/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind assay_curve_get: plain C, and compiled for ADX (ASSAY_CPU_ADX). */
#ifndef ASSAY_CURVE_CURVES_H
#define ASSAY_CURVE_CURVES_H

#include "curve/curve.h"

extern const assay_curve assay_curve_bn254, assay_curve_bls381;
extern const assay_curve assay_curve_bn254_adx, assay_curve_bls381_adx;

#endif
