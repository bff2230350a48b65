/* SPDX-License-Identifier: Apache-2.0 */
/* Largest absolute values of a float run at every place that the integer model rounds. Class B: derived from weights,
 * though the binary points that follow from them become public.
 *
 * Legend: S = 2L + 1 norm sites, D width, H query heads, G key/value heads, E head dimension, F hidden width. */
#ifndef ASSAY_MODEL_MAXIMA_H
#define ASSAY_MODEL_MAXIMA_H

#include "assay/progress.h"
#include "base/pool.h"
#include "model/checkpoint.h"
#include <stdbool.h>

/* By channel: [HE] [GE] [GE] [HE] [GE] [F] [F]; the others over all channels, one value each. q and k are what rotation
 * finds. */
typedef struct assay_layer_maxima {
    float *q, *k, *v, *qr, *kr, *u, *a;
    float *n1, *n2, *g, *sg, *ho, *hd;
    float *xq, *xk, *nx; /* with norms of heads: q and k before them, and normalised heads of both */
    float *score;        /* |q.k| after rotation, in nats */
    float *distance;     /* of a score from the largest of its row, in nats */
} assay_layer_maxima;

typedef struct assay_maxima {
    float *h;       /* [S] residual */
    float *nf, *ng; /* final normalised row, and after its gain */
    float *logit;   /* at each 16th position */
    assay_layer_maxima *layer;
    float *own; /* all of the above in one block, so that two runs merge value by value */
    size_t n_own;
} assay_maxima;

ASSAY_MUST_USE assay_status assay_maxima_new(assay_maxima *m, const assay_hf_config *c, assay_errinfo *err);
void assay_maxima_clear(assay_maxima *m);
void assay_maxima_merge(assay_maxima *into, const assay_maxima *from); /* of the same configuration */

/* Runs the checkpoint in float32 on n tokens and raises m to what was seen. rows[n][D], unless NULL: the last rows,
 * after the final gain; the head makes logits of them. With a fixed first token position 0
 * counts only for rotated keys and values: the integer model does not compute it. ASSAY_ERANGE when a value is not
 * finite. Memory: about n (4 D + 2 HE + 2 GE + 2 F + n) floats. */
ASSAY_MUST_USE assay_status assay_float_forward(assay_maxima *m, const assay_checkpoint *ck, const uint32_t *ids,
                                                size_t n, float *rows, assay_errinfo *err);

/* Position 0 alone: maxima of it, and its rotated keys and values [L][GE] (either may be NULL). */
ASSAY_MUST_USE assay_status assay_float_first(assay_maxima *m, const assay_checkpoint *ck, uint32_t id, float *first_k,
                                              float *first_v, assay_errinfo *err);

/* The same over windows ids[n_windows][length], windows in parallel; the result does not depend on the threads. */
ASSAY_MUST_USE assay_status assay_calibrate(assay_maxima *m, const assay_checkpoint *ck, const uint32_t *ids,
                                            size_t n_windows, size_t length, assay_pool *pool, assay_progress progress,
                                            assay_errinfo *err);

/* Balances outlier channels by powers of two, in place, without changing the function: rows of up, v and q (by rotated
 * pair) against columns of down and o and rows of k. m follows. */
ASSAY_MUST_USE assay_status assay_smooth(assay_checkpoint *ck, assay_maxima *m, assay_errinfo *err);

#endif
