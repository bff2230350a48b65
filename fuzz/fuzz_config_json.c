/* SPDX-License-Identifier: Apache-2.0 */
/* config.json and generation_config.json. */
#include "model/hf_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_hf_config c;
    if (assay_hf_config_parse(&c, "config.json", data, size, NULL) != ASSAY_OK) return 0;
    (void)assay_hf_generation_parse(&c, "generation_config.json", data, size, NULL);
    if (c.n_layers < 1 || c.n_layers > ASSAY_MAX_LAYERS || c.d < 1 || c.head_dim % 2 || c.n_stop > ASSAY_MAX_STOP_IDS)
        __builtin_trap();
    return 0;
}
