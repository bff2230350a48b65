/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381 as a table of functions, CURVE_TABLE: in files compiled for different processors. */
#include "curve/bls381.h"
#include "curve/bls381_member.h"
#include "curve/bls381_pairing.h"
#include "curve/curves.h"
#include <string.h>

#define CURVE       bls381
#define FQ          bls381_fq
#define FR          bls381_fr
#define FQ_BIG      BLS381_FQ
#define FR_BIG      BLS381_FR
#define CURVE_ID    ASSAY_BLS381
#define CURVE_NAME  "bls12381"
#define CURVE_TITLE "BLS12-381"
#include "curve/curve_table.tmpl.h"
