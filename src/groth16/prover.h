/* SPDX-License-Identifier: Apache-2.0 */
/* One proof in the making. The stages are files of their own: sums.c, rows.c, quotient.c, blinding.c; prove.c has the
 * order. */
#ifndef ASSAY_GROTH16_PROVER_H
#define ASSAY_GROTH16_PROVER_H

#include "base/progress.h"
#include "groth16/plan.h"
#include "groth16/wires.h"
#include "groth16/wtns.h"

/* r and s of the proof. Secret: with them a proof says more about the witness than that there is one. Class A of
 * docs/secrets.md. */
typedef struct assay_groth16_blinding {
    uint64_t r[ASSAY_FR_LIMBS], s[ASSAY_FR_LIMBS];
} assay_groth16_blinding;

/* Both uniform below the order, from the system. ASSAY_EIO; wiped then. */
ASSAY_MUST_USE assay_status assay_groth16_blinding_draw(assay_groth16_blinding *b, const assay_curve *c,
                                                        assay_errinfo *err);

/* The five sums: over w (A, B1, B2), over the private part of w (C), over the quotient (H). Class B. */
typedef struct assay_groth16_sums {
    assay_point a, b1, b2, c, h;
} assay_groth16_sums;

typedef struct assay_groth16_prover {
    const assay_groth16_key *key;  /* borrowed */
    const assay_group_backend *be; /* borrowed */
    assay_groth16_pieces pieces;
    const assay_progress *progress; /* borrowed */
    double done, share;             /* of the whole: before this stage, and of this stage */
} assay_groth16_prover;

/* sum = sum_i k[i] P_i over a section's points; k has as many. ASSAY_ENOMEM, ASSAY_ECANCELED, and what reading says. */
ASSAY_MUST_USE assay_status assay_groth16_sum(const assay_groth16_prover *p, assay_point *sum, unsigned section,
                                              const assay_scalar *k, assay_errinfo *err);

/* The same over the points number part, part + parts, ... of section H (pieces.parts); k has domain / parts. */
ASSAY_MUST_USE assay_status assay_groth16_sum_part(const assay_groth16_prover *p, assay_point *sum, unsigned part,
                                                   const assay_scalar *k, assay_errinfo *err);

/* Where section 4 has the coefficients of each window of rows: the first, and the one after the last. */
typedef struct assay_row_places {
    uint32_t first[ASSAY_GROTH16_WINDOWS], end[ASSAY_GROTH16_WINDOWS];
} assay_row_places;

/* a[i] = <A_i, w>, b[i] = <B_i, w> in Montgomery form, i < domain; a or b may be NULL. places, if not NULL, is filled
 * in (not of a resident key). */
ASSAY_MUST_USE assay_status assay_groth16_rows(const assay_groth16_prover *p, assay_fr *a, assay_fr *b,
                                               const assay_wires *w, assay_row_places *places, assay_errinfo *err);

/* out[i] = <A_i, w> <B_i, w>, i < domain. Takes memory for one window's rows. */
ASSAY_MUST_USE assay_status assay_groth16_row_products(const assay_groth16_prover *p, assay_fr *out,
                                                       const assay_wires *w, const assay_row_places *places,
                                                       assay_errinfo *err);

/* From the values of A w and B w on the roots of unity of the domain, a[i] and b[i]: in a, the values of AB - C on the
 * roots shifted by a root of twice the order, as plain integers, where C is a b on the domain. c, too, has room for the
 * domain. b and c are scratch afterwards. */
ASSAY_MUST_USE assay_status assay_groth16_quotient(const assay_groth16_prover *p, assay_fr *a, assay_fr *b, assay_fr *c,
                                                   assay_errinfo *err);

/* One of the parts (2^pieces.log_parts) of the same values: those of the shifted roots number part, part + parts, ...,
 * in out (domain / parts). x has room for the domain, and is scratch afterwards. places: filled in with part 0, used by
 * the others. */
ASSAY_MUST_USE assay_status assay_groth16_quotient_part(const assay_groth16_prover *p, unsigned part, assay_fr *out,
                                                        assay_fr *x, const assay_wires *w, assay_row_places *places,
                                                        assay_errinfo *err);

/* The whole proof, checked under the key. w is used up: cleared, also on failure, as soon as nothing needs it.
 * blinding: for tests only; NULL draws it. checked: the witness was found to satisfy the circuit, which changes what a
 * failure is blamed on. memory as in assay_groth16_prove_options. *proof is zeroed on failure. */
ASSAY_MUST_USE assay_status assay_groth16_prove_with(assay_proof *proof, const assay_groth16_key *key, assay_wtns *w,
                                                     const assay_group_backend *be,
                                                     const assay_groth16_blinding *blinding, bool checked,
                                                     uint64_t memory, const assay_progress *progress,
                                                     assay_errinfo *err);

/* The same with a plan already made (plan.h), for a witness that was found to fit the key. */
ASSAY_MUST_USE assay_status assay_groth16_prove_planned(assay_proof *proof, const assay_groth16_key *key, assay_wtns *w,
                                                        const assay_group_backend *be,
                                                        const assay_groth16_blinding *blinding, bool checked,
                                                        const assay_groth16_pieces *pieces,
                                                        const assay_progress *progress, assay_errinfo *err);

#endif
