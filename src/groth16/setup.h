/* SPDX-License-Identifier: Apache-2.0 */
/* Making proving keys. setup_write.c has what both ways share, setup_dev.c the one from a known trapdoor, setup_ptau.c
 * the one from powers of tau. */
#ifndef ASSAY_GROTH16_SETUP_H
#define ASSAY_GROTH16_SETUP_H

#include "backend/groups.h"
#include "base/progress.h"
#include "groth16/ptau.h"
#include "groth16/r1cs.h"
#include "groth16/zkey.h"

/* Who knows these can prove anything under the key. Class A of docs/secrets.md. Montgomery form, none zero, tau not in
 * the domain. */
typedef struct assay_groth16_trapdoor {
    assay_fr tau, alpha, beta, gamma, delta;
} assay_groth16_trapdoor;

/* Uniform, from the system. ASSAY_EIO; wiped then. */
ASSAY_MUST_USE assay_status assay_groth16_trapdoor_draw(assay_groth16_trapdoor *t, const assay_curve *c,
                                                        unsigned log_domain, assay_errinfo *err);

/* Counts of the key of a circuit, in *z; its points are the caller's to fill. name: of the circuit, for messages.
 * ASSAY_ERANGE: too large for the curve, or for the format. */
ASSAY_MUST_USE assay_status assay_groth16_setup_counts(assay_zkey *z, const assay_r1cs *c, const char *name,
                                                       assay_errinfo *err);

/* Section 4: the terms of A and B, constraint by constraint, then the rows of the public wires (docs/groth16.md). */
ASSAY_MUST_USE assay_status assay_groth16_setup_coefs(assay_container_writer *w, const assay_zkey *z,
                                                      const assay_r1cs *c, assay_errinfo *err);

/* x[i] = scale q_i / (tau - q_i), q_i = first step^i: with scale = (tau^n - 1) / n the Lagrange basis at tau of the n
 * points q_i with q_i^n = 1. tau is none of them. */
void assay_groth16_lagrange(const assay_group_backend *be, const assay_curve *c, assay_fr *x, size_t n, assay_fr scale,
                            assay_fr tau, assay_fr first, assay_fr step);
assay_fr assay_groth16_fr_pow(const assay_curve *c, assay_fr x, uint64_t e);

/* A development key for a circuit with the trapdoor, whole: sections 1 to 10 and the mark. */
ASSAY_MUST_USE assay_status assay_groth16_setup_with(assay_container_writer *w, const assay_r1cs *c, const char *name,
                                                     const assay_groth16_trapdoor *t, const assay_group_backend *be,
                                                     const assay_progress *progress, assay_errinfo *err);

/* The key that `snarkjs groth16 setup` makes, byte for byte: sections 1 to 10, no contribution. t: prepared. Memory:
 * 200 bytes a constraint, 8 a term, on BN254; half as much again on BLS12-381. ASSAY_ERANGE: a circuit larger than t,
 * or points that do not belong. */
ASSAY_MUST_USE assay_status assay_groth16_setup_ptau(assay_container_writer *w, const assay_r1cs *c, const char *name,
                                                     const assay_ptau *t, assay_pool *pool,
                                                     const assay_progress *progress, assay_errinfo *err);

#endif
