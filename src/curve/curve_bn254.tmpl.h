/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 as a table of functions, CURVE_TABLE: in files compiled for different processors. */
#include "curve/bn254.h"
#include "curve/bn254_member.h"
#include "curve/bn254_pairing.h"
#include "curve/curves.h"
#include <string.h>

#define CURVE       bn254
#define FQ          bn254_fq
#define FR          bn254_fr
#define FQ_BIG      BN254_FQ
#define FR_BIG      BN254_FR
#define CURVE_ID    ASSAY_BN254
#define CURVE_NAME  "bn128"
#define CURVE_TITLE "BN254"
#include "curve/curve_table.tmpl.h"
