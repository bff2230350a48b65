/* SPDX-License-Identifier: Apache-2.0 */
/* What a key would take if it were resident, and a proof with it or with one in its file: from the key's header and a
 * sample of its coefficients, before anything large is read. Public numbers. */
#ifndef ASSAY_GROTH16_CAPACITY_H
#define ASSAY_GROTH16_CAPACITY_H

#include "assay/groth16.h"
#include "curve/curve.h"

typedef struct assay_groth16_capacity {
    const assay_curve *curve;
    uint32_t n_wires, n_public;
    uint64_t held;                        /* bytes of a resident key */
    uint64_t loading;                     /* besides, while it is loaded */
    assay_groth16_plan resident, in_file; /* of a proof */
} assay_groth16_capacity;

/* threads: of the prover; 0: one per available processor. memory: the bound of a proof with a resident key, and of one
 * with a key in its file; 0: none. A bound below the plan's `least` makes that plan's peak 0, and is no error. Errors:
 * those of assay_groth16_key_open, but that a development key is none. Cost: at most 12 MiB are read. */
ASSAY_MUST_USE assay_status assay_groth16_capacity_read(assay_groth16_capacity *out, const char *zkey, unsigned threads,
                                                        uint64_t memory_resident, uint64_t memory_in_file,
                                                        assay_errinfo *err);

#endif
