/* SPDX-License-Identifier: Apache-2.0 */
/* What rounding costs: the float checkpoint and the integer model on the same text, position by position. Each run
 * leaves a few numbers a position, never its logits, so memory does not grow with the vocabulary times the text. */
#ifndef ASSAY_MODEL_EVALUATE_H
#define ASSAY_MODEL_EVALUATE_H

#include "model/calibration_text.h"
#include "model/checkpoint.h"
#include "model/model.h"
#include "model/peaks.h"

/* What a model says at one position of a window. */
typedef struct assay_choice {
    double loss;  /* -log of the probability of the window's next token; 0 at the last position */
    float margin; /* the largest logit less the second */
    uint32_t top; /* the smallest index of the largest logit */
} assay_choice;

/* out[w->n][w->length]. Windows run in parallel, and the result does not depend on the threads. Memory: a run of one
 * window and 16 rows of logits a thread. ASSAY_ERANGE: the float model leaves float32. */
ASSAY_MUST_USE assay_status assay_evaluate_float(assay_choice *out, const assay_checkpoint *ck, const assay_windows *w,
                                                 assay_pool *pool, const assay_progress *progress, assay_errinfo *err);

/* Where a window of the integer model ends. */
typedef struct assay_window_result {
    uint32_t n;        /* positions that have a result: the window's length, or fewer */
    assay_errinfo why; /* layer, tensor and position of the first refusal, when n is less */
} assay_window_result;

/* out[w->n][w->length], of which the first result[i].n of window i are filled; peaks is raised. Memory: a run of one
 * window and 64 rows of logits. tb must have w->length positions. A refusal is no failure. */
ASSAY_MUST_USE assay_status assay_evaluate_integer(assay_choice *out, assay_window_result *result, assay_peaks *peaks,
                                                   const assay_model *m, const assay_tables *tb, const assay_windows *w,
                                                   assay_pool *pool, const assay_progress *progress,
                                                   assay_errinfo *err);

/* Sums over positions with a result. A position *predicts* when a token of its window follows it. */
typedef struct assay_fidelity {
    uint64_t positions, predicted;
    double loss_float, loss_integer;  /* sums over what is predicted */
    uint64_t same;                    /* positions where both choose the same token */
    uint64_t decisive, decisive_same; /* positions where the float margin exceeds the one given */
} assay_fidelity;

/* a: float, b: integer; either may be NULL, and counts then as absent. result = NULL: all positions have one. */
void assay_fidelity_sum(assay_fidelity *f, const assay_choice *a, const assay_choice *b,
                        const assay_window_result *result, const assay_windows *w, double margin);

#endif
