/* SPDX-License-Identifier: Apache-2.0 */
/* Which accumulators could leave the field for some input: the range report that a commitment prints. */
#ifndef ASSAY_MODEL_BOUNDS_H
#define ASSAY_MODEL_BOUNDS_H

#include "model/model.h"
#include <stdbool.h>

enum { ASSAY_N_BOUNDS = 10 };

/* One kind of accumulator, the worst layer. */
typedef struct assay_bound {
    const char *name;
    double by_sum;  /* log2 of max over rows of sum |w| times the largest input */
    double by_norm; /* log2 by Cauchy-Schwarz where a norm feeds the rows, else by_sum */
    double limit;   /* log2: below it no input whatever makes the accumulator wrap */
    bool excluded;  /* the smaller of the two lies below the limit */
} assay_bound;

/* q, k, v, o, gate, up, gate * up, down, final gain, logits, in this order. These are statements about the weights that
 * m holds; a proof does not contain them. Everything that is not listed is inside for every input and all weights by
 * the width table (assay_model_config_check). One pass over the weights. */
void assay_model_bounds(assay_bound out[ASSAY_N_BOUNDS], const assay_model *m);

#endif
