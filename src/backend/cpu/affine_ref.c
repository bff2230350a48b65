/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs of affine points in plain C. */
#include "backend/cpu/affine.h"
#include "base/isa.h"
#include "field/bls381_fq.h"
#include "field/bn254_fq.h"
#include <string.h>

#define LANE       bn254_fq_one_lane
#define LANE_FIELD bn254_fq
#include "backend/cpu/lane_one.tmpl.h"

#define LANE       bls381_fq_one_lane
#define LANE_FIELD bls381_fq
#include "backend/cpu/lane_one.tmpl.h"

#define TABLE              assay_affine_ref
#define TABLE_NAME         "ref"
#define TABLE_LANES(field) LIMB_JOIN(field, one_lane)
#define TABLE_LANE_COUNT   1
#define TABLE_CHAINS       2
#include "backend/cpu/affine_table.tmpl.h"
