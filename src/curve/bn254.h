/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 (also alt_bn128, bn128): y^2 = x^3 + 3 over Fq, its twist, and their pairing. Source: EIP-196, EIP-197;
 * Barreto and Naehrig, "Pairing-friendly elliptic curves of prime order" (2005), x = 4965661367192848881. */
#ifndef ASSAY_CURVE_BN254_H
#define ASSAY_CURVE_BN254_H

#include "curve/curves_gen.h"
#include "curve/digits.h"
#include "field/bn254_fq.h"
#include "field/bn254_fr.h"

#define CURVE        bn254
#define FQ           bn254_fq
#define CURVE_BIG    BN254
#define FR_MODULUS   BN254_FR_MODULUS
#define TOWER_XI     9
#define TOWER_XI_TOP 8
#include "curve/pairing_curve.tmpl.h"

#endif
