/* SPDX-License-Identifier: Apache-2.0 */
/* A table of distinct field elements: matrices keep four bytes a coefficient, for most are 1, -1 or a power of two. */
#ifndef ASSAY_GROTH16_VALUES_H
#define ASSAY_GROTH16_VALUES_H

#include "base/status.h"
#include "curve/curve.h"

typedef struct assay_values {
    assay_fr *v;
    uint32_t n, cap;
    uint32_t *slot; /* open addressing: 1 + index, 0 for empty; 2^log_slots of them, at most 3/4 used */
    unsigned log_slots;
    uint64_t key[ASSAY_FR_LIMBS]; /* of the hash, random */
    uint64_t memory, beside;      /* bytes that may be taken in all (0: no bound), and what else is taken of them */
} assay_values;

/* Whether `more` bytes fit beside what is taken. ASSAY_ENOMEM: MiB needed, allowed. name: of a file. */
ASSAY_MUST_USE assay_status assay_values_fit(const assay_values *t, uint64_t more, const char *name,
                                             assay_errinfo *err);
/* *index of x in the table, which grows if x is new (ASSAY_ENOMEM, also for the bound). About 10 ns for one that is
 * there. */
ASSAY_MUST_USE assay_status assay_values_add(assay_values *t, uint32_t *index, assay_fr x, assay_errinfo *err);
/* Frees the search table: what is there can be read, nothing may be added. */
void assay_values_freeze(assay_values *t);
void assay_values_clear(assay_values *t);

/* What a table of n elements takes: *held when it is frozen, *most while it grows to that. */
void assay_values_bytes(uint64_t *held, uint64_t *most, uint64_t n);

#endif
