/* SPDX-License-Identifier: Apache-2.0 */
/* A binary model configuration followed by the weights file that belongs to it. */
#include "model/bounds.h"
#include "model/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_model m = {0};
    assay_bound bound[ASSAY_N_BOUNDS];
    assay_reader r = assay_reader_of(data, size);
    if (assay_model_config_decode(&m.cfg, &r, NULL) != ASSAY_OK) return 0;
    if (assay_model_config_check(&m.cfg, 1, NULL) == ASSAY_OK) {
        size_t left = assay_reader_left(&r);
        if (assay_model_weights_decode(&m, "weights.bin", assay_read_bytes(&r, left), left, NULL) == ASSAY_OK)
            assay_model_bounds(bound, &m);
    }
    assay_model_clear(&m);
    return 0;
}
