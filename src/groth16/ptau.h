/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of tau, the file .ptau (version 1) of snarkjs: the first phase of a set-up. docs/groth16.md, "Formats". */
#ifndef ASSAY_GROTH16_PTAU_H
#define ASSAY_GROTH16_PTAU_H

#include "groth16/container.h"
#include "groth16/points.h"
#include <stdbool.h>

enum {
    ASSAY_PTAU_HEADER = 1,
    ASSAY_PTAU_TAU_G1 = 2,       /* 2^(power + 1) - 1 of G1 */
    ASSAY_PTAU_TAU_G2 = 3,       /* 2^power of G2 */
    ASSAY_PTAU_ALPHA_TAU_G1 = 4, /* 2^power of G1 */
    ASSAY_PTAU_BETA_TAU_G1 = 5,  /* 2^power of G1 */
    ASSAY_PTAU_BETA_G2 = 6,      /* one */
    ASSAY_PTAU_CONTRIBUTIONS = 7,
    /* After `prepare phase2`: for each size 2^0, 2^1, ... one after the other, the points of the Lagrange basis. Size
     * 2^k begins at point 2^k - 1. */
    ASSAY_PTAU_LAGRANGE_TAU_G1 = 12, /* sizes to 2^(power + 1) */
    ASSAY_PTAU_LAGRANGE_TAU_G2 = 13, /* sizes to 2^power */
    ASSAY_PTAU_LAGRANGE_ALPHA_G1 = 14,
    ASSAY_PTAU_LAGRANGE_BETA_G1 = 15
};

typedef struct assay_ptau {
    assay_container file;
    const assay_curve *curve;
    unsigned power, ceremony_power;
    bool prepared; /* sections 12 to 15 are there */
} assay_ptau;

/* Opens and checks: known prime, power at most two_adicity, every section exactly as long as the power asks for.
 * Allocates nothing. */
ASSAY_MUST_USE assay_status assay_ptau_open(assay_ptau *t, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_ptau_of(assay_ptau *t, const char *name, const void *p, size_t n, assay_errinfo *err);
void assay_ptau_close(assay_ptau *t);

/* Points of a section, and its group. */
uint64_t assay_ptau_n_points(const assay_ptau *t, unsigned section);
const assay_group *assay_ptau_group(const assay_ptau *t, unsigned section);
/* Points [first, first + n) of a section. See assay_points_read; only the top Lagrange block of section 12 may have
 * infinity for a good reason. ASSAY_EINVAL for sections that are not there. */
ASSAY_MUST_USE assay_status assay_ptau_points(void *out, const assay_ptau *t, unsigned section, uint64_t first,
                                              size_t n, assay_point_check check, assay_pool *pool, assay_errinfo *err);
/* Points [first, first + n) of the Lagrange basis of size 2^k in section 12 to 15. */
ASSAY_MUST_USE assay_status assay_ptau_lagrange(void *out, const assay_ptau *t, unsigned section, unsigned k,
                                                uint64_t first, size_t n, assay_point_check check, assay_pool *pool,
                                                assay_errinfo *err);

#endif
