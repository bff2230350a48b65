/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of Groth16, made here: the circuit out = a b with out public, its witness, a key of the right shape (no
 * proof verifies under it: its points are made-up multiples of the generators), powers of tau. */
#ifndef ASSAY_TESTS_GROTH16_SMALL_FILES_H
#define ASSAY_TESTS_GROTH16_SMALL_FILES_H

#include "base/bytes.h"
#include "groth16/bellman.h"
#include "groth16/ptau.h"
#include "groth16/r1cs.h"
#include "groth16/wtns.h"
#include "groth16/zkey.h"

enum {
    SMALL_WIRES = 4,
    SMALL_PUBLIC = 1,
    SMALL_DOMAIN = 4,
    SMALL_COEFS = 4,
    SMALL_PTAU_POWER = 2,
    SMALL_PARAMS_POINTS = 3
};

/* Each fills a writer that the caller clears. */
void small_r1cs(assay_writer *w, const assay_curve *c);
void small_wtns(assay_writer *w, const assay_curve *c);
/* mark: as a development key. */
void small_zkey(assay_writer *w, const assay_curve *c, bool mark);
void small_ptau(assay_writer *w, const assay_curve *c, bool prepared);
void small_vk(assay_vk *vk, const assay_curve *c);
void small_proof(assay_proof *p, const assay_curve *c);
/* On BLS12-381: the same key as small_vk, and parameters whose parts have SMALL_PARAMS_POINTS points, l none. */
void small_bellman_vk(assay_writer *w);
void small_bellman_params(assay_writer *w);

/* k times the generator. */
void small_multiple(void *affine, const assay_curve *c, assay_group_id g, uint64_t k);
/* k R^2 mod r, as section 4 of a key has it. */
assay_fr small_coefficient(const assay_curve *c, uint64_t k);

/* Where the contents of section id begin in a container of n bytes, and how long they are; the test fails, and 0 comes
 * back, when it is not there. */
size_t small_section(const uint8_t *p, size_t n, uint32_t id, size_t *nbytes);
/* The file without the last `cut` bytes of section id, all lengths and other sections right. */
void small_cut_section(assay_writer *out, const uint8_t *p, size_t n, uint32_t id, size_t cut);

#endif
