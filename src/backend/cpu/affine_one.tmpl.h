/* SPDX-License-Identifier: Apache-2.0 */
/* An assay_affine_table of pairs that are added one after the other, as a template: TABLE is its name, TABLE_NAME what
 * it is called. */

#define LANE       bn254_fq_one_lane
#define LANE_FIELD bn254_fq
#include "backend/cpu/lane_one.tmpl.h"

#define LANE       bls381_fq_one_lane
#define LANE_FIELD bls381_fq
#include "backend/cpu/lane_one.tmpl.h"

#define TABLE_LANES(field) LIMB_JOIN(field, one_lane)
#define TABLE_LANE_COUNT   1
#define TABLE_CHAINS       2
#include "backend/cpu/affine_table.tmpl.h"
