/* SPDX-License-Identifier: Apache-2.0 */
/* What proving a request takes, from public numbers alone: nothing is run and nothing large is allocated. */
#ifndef ASSAY_CP_MEMORY_H
#define ASSAY_CP_MEMORY_H

#include "cp/public.h"

typedef struct assay_cp_plan {
    uint64_t peak_bytes;       /* the most that lives at once while one proof is made, the open commitment included */
    uint64_t commitment_bytes; /* of these: what the open commitment holds all the time */
    uint64_t program_bytes;    /* of these: what is counted for the program itself and its threads */
    uint64_t waiting_bytes;    /* what this proof holds while others of the same call are made (assay_cp_prove_many) */
    const char *stage;         /* in which the peak lies */
    uint64_t look_ups, leaves; /* cells looked up; and with the tables' rows */
    uint64_t cells;            /* committed values, without random slots */
    uint32_t n_rows;           /* rows of 2^c words that they take */
    uint32_t n_instances;      /* fraction trees, one after the other */
    uint64_t proof_bytes;      /* about (cp/proof_size.h) */
} assay_cp_plan;

/* A request of n_tokens, of which n_prompt are the prompt's, proved under a policy (limits do not matter) by `threads`
 * threads. Errors: ASSAY_ERANGE (lengths that the model or a proof does not allow), ASSAY_EUNSUPPORTED (policy),
 * ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_cp_plan_make(assay_cp_plan *out, const assay_public *pub, uint32_t n_prompt,
                                               uint32_t n_tokens, uint32_t policy, unsigned threads,
                                               assay_errinfo *err);

#endif
