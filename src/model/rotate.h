/* SPDX-License-Identifier: Apache-2.0 */
/* Another basis of the residual stream, for checkpoints with massive activations (docs/model.md, "Rotation"). */
#ifndef ASSAY_MODEL_ROTATE_H
#define ASSAY_MODEL_ROTATE_H

#include "model/maxima.h"

/* Above this ratio (assay_float_peak) a large checkpoint is given another basis. */
enum { ASSAY_MASSIVE_RATIO = 8 };

/* The row of the residual whose largest |value| stands out most, over all sites of a run on n tokens, and the ratio of
 * that value to the median token's largest at the same site. row[D]; left as it is, with ratio 1, where none stands
 * out. As assay_float_forward. */
ASSAY_MUST_USE assay_status assay_float_peak(float *row, float *ratio, const assay_checkpoint *ck, const uint32_t *ids,
                                             size_t n, assay_errinfo *err);

/* Replaces the residual stream h by Q h, Q orthogonal with Q row = |row| (1, .., 1) / sqrt(D), without changing the
 * function: norm gains move into the matrices behind them (they become 1), Q into every matrix that reads or writes the
 * stream. A tied head becomes a matrix of its own, since only it has the final gain in it. row is not 0. Cost: about
 * 4 log2 D operations a weight. */
ASSAY_MUST_USE assay_status assay_rotate(assay_checkpoint *ck, const float *row, assay_pool *pool, assay_errinfo *err);

/* Multiplies the residual stream by the largest factor 1, 17/16, .. 31/16 that lets its largest value fill 16 bits less
 * `head`: what writes the stream, and eps, whose square it is. The function is unchanged; m follows. */
void assay_rescale(assay_checkpoint *ck, assay_maxima *m, double head);

#endif
