/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a model that was just imported gives a result on text that it was calibrated on. */
#ifndef ASSAY_MODEL_IMPORT_CHECK_H
#define ASSAY_MODEL_IMPORT_CHECK_H

#include "model/calibration_text.h"
#include "model/model.h"

/* Runs the integer model on the first windows. ASSAY_ENORESULT: it has none at some position; err names layer, tensor
 * and position, as a request's refusal does. */
ASSAY_MUST_USE assay_status assay_import_check(const assay_model *m, const assay_windows *w, assay_pool *pool,
                                               const assay_progress *progress, assay_errinfo *err);

#endif
