/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a witness satisfies a circuit. */
#ifndef ASSAY_GROTH16_WITNESS_H
#define ASSAY_GROTH16_WITNESS_H

#include "base/pool.h"
#include "groth16/r1cs.h"
#include "groth16/symbols.h"
#include "groth16/wtns.h"
#include "groth16/zkey.h"

/* *violated: the first constraint that does not hold, or n_constraints. ASSAY_ERANGE when the witness is over another
 * field or has another number of values than the circuit has wires; ASSAY_ECANCELED. Time depends on the witness. Cost:
 * a multiplication a term whose value is not 0. */
ASSAY_MUST_USE assay_status assay_groth16_violated(uint32_t *violated, const assay_r1cs *c, const assay_wtns *w,
                                                   assay_pool *pool, const assay_progress *progress,
                                                   assay_errinfo *err);

/* "constraint 17 with main.c, main.a, wire 5": the distinct wires of the constraint in the order of C, A, B as far as
 * there is room, by the names that the file sym (may be NULL) gives them. ASSAY_EIO, ASSAY_EFORMAT: of that file. */
ASSAY_MUST_USE assay_status assay_groth16_constraint_text(char *out, size_t nbytes, const assay_r1cs *c, uint32_t i,
                                                          const char *sym, assay_errinfo *err);

/* Reads a circuit and checks the witness against it. *text (nbytes) is "" when all constraints hold, and else what
 * assay_groth16_constraint_text says. The circuit is freed on return. memory and beside as for assay_r1cs_read_within.
 * key: if not NULL, the one that a proof is to be made with: ASSAY_ERANGE unless it has the circuit's wires, its public
 * ones and room for its constraints. */
ASSAY_MUST_USE assay_status assay_groth16_witness_check(char *text, size_t nbytes, const char *r1cs, const char *sym,
                                                        const assay_zkey *key, const assay_wtns *w, uint64_t memory,
                                                        uint64_t beside, assay_pool *pool,
                                                        const assay_progress *progress, assay_errinfo *err);

#endif
