/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs of affine points, eight at a time, with AVX-512 IFMA. */
#include "backend/cpu/affine.h"
#include "base/isa.h"
#include "field/bls381_fq_ifma.h"
#include "field/bn254_fq_ifma.h"

#define LANE       bn254_fq_eight
#define LANE_FIELD bn254_fq
#define LANE_SHIFT 4
#include "backend/cpu/lane_eight.tmpl.h"

#define LANE       bls381_fq_eight
#define LANE_FIELD bls381_fq
#define LANE_SHIFT 32
#include "backend/cpu/lane_eight.tmpl.h"

#define TABLE              assay_affine_ifma
#define TABLE_NAME         "ifma"
#define TABLE_LANES(field) LIMB_JOIN(field, eight)
#define TABLE_LANE_COUNT   8
#define TABLE_CHAINS       4
#include "backend/cpu/affine_table.tmpl.h"
