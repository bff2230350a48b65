/* SPDX-License-Identifier: Apache-2.0 */
/* config.json and generation_config.json of a Hugging Face folder: the same bytes as both. */
#include "fuzz.h"
#include "model/hf_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_hf_config c;
    if (assay_hf_config_parse(&c, "config.json", data, size, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(c.n_layers > 0 && c.d > 0 && c.vocab > 0 && c.n_stop <= ASSAY_MAX_STOP_IDS);
        fuzz_either(assay_hf_generation_parse(&c, "generation_config.json", data, size, NULL));
        FUZZ_REQUIRE(c.n_stop <= ASSAY_MAX_STOP_IDS);
    }
    return 0;
}
