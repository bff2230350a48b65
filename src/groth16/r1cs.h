/* SPDX-License-Identifier: Apache-2.0 */
/* A circuit as rank-1 constraints, <A_i, w> <B_i, w> = <C_i, w> for i < n_constraints, and the file .r1cs (version 1)
 * that holds it. Wire 0 is the constant 1; then come public outputs, public inputs, private inputs, and the rest. */
#ifndef ASSAY_GROTH16_R1CS_H
#define ASSAY_GROTH16_R1CS_H

#include "base/progress.h"
#include "groth16/container.h"
#include "groth16/values.h"
#include <stdbool.h>

enum { ASSAY_R1CS_A, ASSAY_R1CS_B, ASSAY_R1CS_C, ASSAY_R1CS_MATRICES };

/* The three linear combinations of constraint i are numbers 3i, 3i + 1, 3i + 2. Term t of combination k stands at
 * start[k] + t: wire[..] and value[..], an index into values.v (Montgomery form). 8 bytes a term: coefficients of real
 * circuits repeat. Terms keep the order of the file; a wire may come twice, a value may be 0. Class C (public). */
typedef struct assay_r1cs {
    const assay_curve *curve;
    uint32_t n_wires, n_outputs, n_inputs, n_private, n_constraints; /* n_wires with the constant */
    uint64_t n_labels;
    uint32_t *start; /* 3 n_constraints + 1 */
    uint32_t *wire, *value;
    assay_values values;
} assay_r1cs;

/* Reads a circuit and checks it: known prime, every wire below n_wires, every value below r, sections exactly as long
 * as their contents, a domain that the curve has, no custom gates. Memory: 8 bytes a term, 12 a constraint, 40 to 80 a
 * distinct value; all of it bounded by the size of the file. progress may be NULL. Cleared on failure. */
ASSAY_MUST_USE assay_status assay_r1cs_read(assay_r1cs *c, const char *path, const assay_progress *progress,
                                            assay_errinfo *err);
/* The same within `memory` bytes (0: no bound), of which `beside` are taken by other things. ASSAY_ENOMEM, with MiB
 * needed (at least) and allowed, before more is taken. */
ASSAY_MUST_USE assay_status assay_r1cs_read_within(assay_r1cs *c, const char *path, uint64_t memory, uint64_t beside,
                                                   const assay_progress *progress, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_r1cs_parse(assay_r1cs *c, const char *name, const void *p, size_t n,
                                             assay_errinfo *err);
/* What a circuit would take, from its header and the beginning of its constraints: for plans of memory. */
typedef struct assay_r1cs_survey {
    const assay_curve *curve;
    uint32_t n_wires, n_public, n_constraints;
    uint64_t n_terms;
    uint64_t n_values; /* distinct ones: an estimate (groth16/distinct.h) when there are many terms */
    uint64_t most;     /* bytes of an assay_r1cs, most of all while it is read */
} assay_r1cs_survey;
/* Errors: those of assay_r1cs_read that can be found so. Cost: at most 9 MiB are read. */
ASSAY_MUST_USE assay_status assay_r1cs_survey_read(assay_r1cs_survey *out, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_r1cs_survey_parse(assay_r1cs_survey *out, const char *name, const void *p, size_t n,
                                                    assay_errinfo *err);
/* The header only; start, wire, value, values stay empty. */
ASSAY_MUST_USE assay_status assay_r1cs_read_header(assay_r1cs *c, const assay_container *file, assay_errinfo *err);
void assay_r1cs_clear(assay_r1cs *c);

static inline uint32_t assay_r1cs_n_public(const assay_r1cs *c)
{
    return c->n_outputs + c->n_inputs; /* the header check keeps the sum below n_wires */
}

/* Terms of combination k of matrix m in constraint i: *wire and *value point at them. Returns how many. */
static inline uint32_t assay_r1cs_row(const assay_r1cs *c, uint32_t i, unsigned m, const uint32_t **wire,
                                      const uint32_t **value)
{
    size_t k = 3 * (size_t)i + m;
    *wire = c->wire + c->start[k];
    *value = c->value + c->start[k];
    return c->start[k + 1] - c->start[k];
}

/* log2 of the domain that snarkjs takes: floor(log2(n_constraints + n_public)) + 1, and 1 for an empty sum. */
unsigned assay_groth16_log_domain(uint32_t n_constraints, uint32_t n_public);

/* Writes the circuit as circom does (sections 2, 1, 3; labels 0, 1, 2, ...). */
ASSAY_MUST_USE assay_status assay_r1cs_write(const assay_r1cs *c, assay_outfile *file, assay_writer *memory,
                                             assay_errinfo *err);

#endif
