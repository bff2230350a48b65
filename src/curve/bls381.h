/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381: y^2 = x^3 + 4 over Fq, its twist, and their pairing. Source: draft-irtf-cfrg-pairing-friendly-curves;
 * Barreto, Lynn, Scott, "Constructing elliptic curves with prescribed embedding degrees" (2002), x =
 * -0xd201000000010000. */
#ifndef ASSAY_CURVE_BLS381_H
#define ASSAY_CURVE_BLS381_H

#include "curve/curves_gen.h"
#include "curve/digits.h"
#include "field/bls381_fq.h"
#include "field/bls381_fr.h"

#define CURVE        bls381
#define FQ           bls381_fq
#define CURVE_BIG    BLS381
#define FR_MODULUS   BLS381_FR_MODULUS
#define TOWER_XI     1
#define TOWER_XI_TOP 1
#include "curve/pairing_curve.tmpl.h"

#endif
