/* SPDX-License-Identifier: Apache-2.0 */
/* One change to a good file, and the words with which it must be refused. */
#ifndef ASSAY_TESTS_GROTH16_MUTATION_H
#define ASSAY_TESTS_GROTH16_MUTATION_H

#include "assay/status.h"
#include "base/bytes.h"
#include "harness.h"

typedef struct mutation {
    const char *name;
    uint32_t section;     /* 0: of the file */
    size_t at;            /* in it */
    const uint8_t *bytes; /* what to write there */
    size_t n;
    assay_status want;
    const char *words;
} mutation;

/* Bytes of a literal string, and how many. */
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

typedef assay_status parse_fn(const uint8_t *p, size_t n, assay_errinfo *err);

/* Whether `parse` refuses p as it should. */
void check_refused(parse_fn *parse, const uint8_t *p, size_t n, const char *name, assay_status want, const char *words);
/* A copy of the file with one change is refused; the file itself is as before afterwards. */
void check_mutations(parse_fn *parse, const assay_writer *good, const mutation *m, size_t n);
/* The file cut to 0, stride, 2 stride, ... bytes is refused with a reason. */
void check_truncations(parse_fn *parse, const assay_writer *good, size_t stride);

#endif
