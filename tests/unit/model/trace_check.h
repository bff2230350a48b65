/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a trace against every relation of docs/protocol.md ("Relations"), written from the document and not from the
 * model's code: sums are congruent mod p, ranges hold, tables are looked up. */
#ifndef ASSAY_TESTS_MODEL_TRACE_CHECK_H
#define ASSAY_TESTS_MODEL_TRACE_CHECK_H

#include "model/model.h"

typedef struct assay_trace_check {
    uint64_t n_held, n_broken;
    const char *first; /* the first broken relation, NULL if none */
} assay_trace_check;

assay_trace_check assay_trace_check_run(const assay_trace *t, const assay_model *m, const assay_tables *tb,
                                        const uint32_t *ids, uint32_t y);

#endif
