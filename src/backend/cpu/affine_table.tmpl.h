/* SPDX-License-Identifier: Apache-2.0 */
/* An assay_affine_table, as a template. Before inclusion: lanes named NAME(bn254_fq) and NAME(bls381_fq), which
 * TABLE_LANES(field) gives; TABLE, the name of the table; TABLE_NAME, TABLE_LANE_COUNT, TABLE_CHAINS
 * (affine_add.tmpl.h).
 */

#define PAIR       LIMB_JOIN(TABLE_LANES(bn254_fq), pair)
#define LANE       TABLE_LANES(bn254_fq)
#define LANE_COORD 32
#include "backend/cpu/lane_pair.tmpl.h"

#define PAIR       LIMB_JOIN(TABLE_LANES(bls381_fq), pair)
#define LANE       TABLE_LANES(bls381_fq)
#define LANE_COORD 48
#include "backend/cpu/lane_pair.tmpl.h"

#define AFFINE        bn254_g1_pairs
#define LANE          TABLE_LANES(bn254_fq)
#define COORD         TABLE_LANES(bn254_fq)
#define AFFINE_LANES  TABLE_LANE_COUNT
#define AFFINE_CHAINS TABLE_CHAINS
#define AFFINE_COORD  32
#include "backend/cpu/affine_add.tmpl.h"

#define AFFINE        bn254_g2_pairs
#define LANE          TABLE_LANES(bn254_fq)
#define COORD         LIMB_JOIN(TABLE_LANES(bn254_fq), pair)
#define AFFINE_LANES  TABLE_LANE_COUNT
#define AFFINE_CHAINS TABLE_CHAINS
#define AFFINE_COORD  64
#include "backend/cpu/affine_add.tmpl.h"

#define AFFINE        bls381_g1_pairs
#define LANE          TABLE_LANES(bls381_fq)
#define COORD         TABLE_LANES(bls381_fq)
#define AFFINE_LANES  TABLE_LANE_COUNT
#define AFFINE_CHAINS TABLE_CHAINS
#define AFFINE_COORD  48
#include "backend/cpu/affine_add.tmpl.h"

#define AFFINE        bls381_g2_pairs
#define LANE          TABLE_LANES(bls381_fq)
#define COORD         LIMB_JOIN(TABLE_LANES(bls381_fq), pair)
#define AFFINE_LANES  TABLE_LANE_COUNT
#define AFFINE_CHAINS TABLE_CHAINS
#define AFFINE_COORD  96
#include "backend/cpu/affine_add.tmpl.h"

#define TABLE_ENTRY(group)                                                                                             \
    {                                                                                                                  \
        TABLE_NAME, TABLE_LANE_COUNT, (sizeof(LIMB_JOIN(group, step)) + 63) / 64 * 64 /* clang-format off */,          \
            LIMB_JOIN(group, add) /* clang-format on */                                                                \
    }

const assay_affine_table TABLE = {
    .ops = {[ASSAY_BN254] = {[ASSAY_G1] = TABLE_ENTRY(bn254_g1_pairs), [ASSAY_G2] = TABLE_ENTRY(bn254_g2_pairs)},
            [ASSAY_BLS381] = {[ASSAY_G1] = TABLE_ENTRY(bls381_g1_pairs), [ASSAY_G2] = TABLE_ENTRY(bls381_g2_pairs)}}};
