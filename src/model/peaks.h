/* SPDX-License-Identifier: Apache-2.0 */
/* The largest accumulators of runs, by kind. Class B: derived from weights and requests. */
#ifndef ASSAY_MODEL_PEAKS_H
#define ASSAY_MODEL_PEAKS_H

#include "model/config.h"
#include "model/tensors.h"

typedef enum assay_peak_kind {
    PEAK_Q,
    PEAK_K,
    PEAK_V,
    PEAK_QG,
    PEAK_KG,
    PEAK_QR,
    PEAK_KR,
    PEAK_O,
    PEAK_GATE,
    PEAK_UP,
    PEAK_ACT,
    PEAK_DOWN,
    PEAK_NG,
    PEAK_LOGITS,
    PEAK_COUNT
} assay_peak_kind;

/* top: |accumulator|, read off the rounded results, so exact to half a unit of them; layer: where that was. */
typedef struct assay_peaks {
    int64_t top[PEAK_COUNT];
    uint32_t layer[PEAK_COUNT];
} assay_peaks;

/* "gate * up" and so on, as in refusals. */
const char *assay_peak_name(assay_peak_kind k);

/* Raises p to what `rows` rows y of tensor t hold, with their low limbs where it has two (else NULL); tensors of no
 * kind above are passed over. */
void assay_peaks_see(assay_peaks *p, const assay_model_config *c, assay_tensor t, uint32_t layer, const int32_t *y,
                     const int32_t *low, size_t rows);
/* The same for n logits. */
void assay_peaks_see_logits(assay_peaks *p, const assay_model_config *c, const int32_t *logits, size_t n);

#endif
