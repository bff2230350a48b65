/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay eval` found, for people and as JSON. */
#ifndef ASSAY_CLI_EVALUATION_H
#define ASSAY_CLI_EVALUATION_H

#include "cli/options.h"
#include "model/evaluate.h"

typedef struct assay_evaluation {
    assay_windows w;
    assay_choice *a, *b;         /* float, integer; NULL: not run */
    assay_window_result *result; /* of the integer model */
    assay_peaks peaks;
    double margin, seconds_float, seconds_integer;
} assay_evaluation;

void assay_evaluation_clear(assay_evaluation *e);
void assay_evaluation_print(const assay_evaluation *e, const assay_args *a);

#endif
