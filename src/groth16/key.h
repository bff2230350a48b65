/* SPDX-License-Identifier: Apache-2.0 */
/* A proving key as the prover sees it: a .zkey file that is read piece by piece for every proof, or, resident, read and
 * checked once and held in memory. Read-only once open. */
#ifndef ASSAY_GROTH16_KEY_H
#define ASSAY_GROTH16_KEY_H

#include "assay/groth16.h"
#include "base/pool.h"
#include "groth16/zkey.h"

struct assay_groth16_key {
    char *path; /* own; the name of z's source */
    assay_zkey z;
    assay_vk vk; /* of the key: what own proofs are checked under */
    bool marked; /* as a development key */
    /* Of a resident key; NULL and empty for another. */
    bool resident;
    void *points[ASSAY_ZKEY_H + 1]; /* sections A to H, affine */
    assay_zkey_matrices matrices;
    uint64_t n_bytes; /* held */
};

/* Which group a section of points is in. */
static inline assay_group_id assay_groth16_section_group(unsigned section)
{
    return section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1;
}

/* The name of a section's stage, as progress and plans have it. */
const char *assay_groth16_section_name(unsigned section);

/* Points [first, first + n) of section A to H: *points stands in the key, when it is resident, or they are read into
 * room (n affine points), by all threads of the pool, each checked to be on the curve. Then the system is told that the
 * next n will be wanted, so that the disk works while these are worked on. */
ASSAY_MUST_USE assay_status assay_groth16_key_points(const void **points, const assay_groth16_key *key,
                                                     unsigned section, uint64_t first, size_t n, void *room,
                                                     assay_pool *pool, assay_errinfo *err);

#endif
