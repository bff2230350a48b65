/* SPDX-License-Identifier: Apache-2.0 */
/* Text that a model is run on to find its binary points. */
#ifndef ASSAY_MODEL_CALIBRATION_TEXT_H
#define ASSAY_MODEL_CALIBRATION_TEXT_H

#include "model/hf_config.h"
#include "model/tokenizer.h"
#include <stddef.h>

enum { ASSAY_CALIBRATION_WINDOWS = 24, ASSAY_CALIBRATION_LENGTH = 256 };

/* Documents for a folder that brings none of its own; ends with NULL. */
extern const char *const assay_calibration_documents[];

typedef struct assay_windows {
    uint32_t *ids; /* [n][length] */
    size_t n, length;
} assay_windows;

/* Cuts text into windows that each start with a document. Documents are separated by an empty line; each becomes bos,
 * its tokens, eos. text = NULL: the built-in documents. ASSAY_EINVAL when the text does not fill one window. */
ASSAY_MUST_USE assay_status assay_windows_new(assay_windows *w, const assay_hf_config *c, const assay_tokenizer *t,
                                              const char *text, size_t n, assay_errinfo *err);
void assay_windows_clear(assay_windows *w);

#endif
