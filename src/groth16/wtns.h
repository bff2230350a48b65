/* SPDX-License-Identifier: Apache-2.0 */
/* A witness: the value of every wire, and the file .wtns (versions 1 and 2) that holds it. */
#ifndef ASSAY_GROTH16_WTNS_H
#define ASSAY_GROTH16_WTNS_H

#include "backend/groups.h"
#include "groth16/container.h"

/* Secret: class B of docs/secrets.md. w[0] is 1; every value is below r. */
typedef struct assay_wtns {
    const assay_curve *curve;
    uint32_t n;
    assay_scalar *w;
} assay_wtns;

/* Reads and checks: known prime, section of exactly n values, each below r, the first one 1. Empty on failure, and what
 * had been read is wiped. Memory: 32 bytes a value, bounded by the size of the file. */
ASSAY_MUST_USE assay_status assay_wtns_read(assay_wtns *w, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_wtns_parse(assay_wtns *w, const char *name, const void *p, size_t n,
                                             assay_errinfo *err);
void assay_wtns_clear(assay_wtns *w); /* wipes */

/* What a witness says of itself, for those who have no use for its values yet: sections and header are checked, the
 * values are not looked at. */
typedef struct assay_wtns_head {
    const assay_curve *curve;
    uint32_t n;
} assay_wtns_head;
ASSAY_MUST_USE assay_status assay_wtns_head_parse(assay_wtns_head *out, const char *name, const void *p, size_t n,
                                                  assay_errinfo *err);

/* Version 2, as circom writes it. */
ASSAY_MUST_USE assay_status assay_wtns_write(const assay_wtns *w, assay_outfile *file, assay_writer *memory,
                                             assay_errinfo *err);

#endif
