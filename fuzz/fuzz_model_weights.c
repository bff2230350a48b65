/* SPDX-License-Identifier: Apache-2.0 */
/* The weights file, after a configuration: u32 length of the configuration, its bytes, the weights file. */
#include "fuzz.h"
#include "model/weights.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_model m;
    memset(&m, 0, sizeof m);
    assay_reader r = assay_reader_of(data, size);
    uint32_t n = assay_read_u32(&r);
    const uint8_t *bytes = assay_read_bytes(&r, n);
    assay_reader config = assay_reader_of(bytes, bytes ? n : 0);
    if (bytes && assay_model_config_decode(&m.cfg, &config, NULL) == ASSAY_OK &&
        assay_model_config_check(&m.cfg, 16, NULL) == ASSAY_OK) {
        size_t left = assay_reader_left(&r);
        if (assay_model_weights_decode(&m, "weights", assay_read_bytes(&r, left), left, NULL) == ASSAY_OK)
            FUZZ_REQUIRE(m.own != NULL);
    }
    assay_model_clear(&m);
    return 0;
}
