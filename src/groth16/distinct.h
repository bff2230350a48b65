/* SPDX-License-Identifier: Apache-2.0 */
/* How many distinct coefficients a file may hold, from a sample of them: for plans of memory. */
#ifndef ASSAY_GROTH16_DISTINCT_H
#define ASSAY_GROTH16_DISTINCT_H

#include "base/status.h"
#include "curve/curve.h"

enum { ASSAY_DISTINCT_SAMPLE = 1 << 18 };

typedef struct assay_distinct {
    uint64_t *slot; /* hashes by open addressing, at most half full; 0: empty */
    uint64_t seen, distinct;
} assay_distinct;

/* 4 MiB. ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_distinct_init(assay_distinct *d, const char *name, assay_errinfo *err);
void assay_distinct_clear(assay_distinct *d);
/* Not more often than ASSAY_DISTINCT_SAMPLE times. */
void assay_distinct_add(assay_distinct *d, const assay_fr *x);
/* Of `all` elements: the number itself when all were seen, else as if new ones went on coming at the same rate, which
 * is more than there are in matrices that repeat themselves. */
uint64_t assay_distinct_estimate(const assay_distinct *d, uint64_t all);

#endif
