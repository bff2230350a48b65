/* SPDX-License-Identifier: Apache-2.0 */
/* The binary model configuration: what decodes encodes to the same bytes, and is safe to check. */
#include "fuzz.h"
#include "model/config.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_model_config c;
    assay_writer w;
    assay_reader r = assay_reader_of(data, size);
    if (assay_model_config_decode(&c, &r, NULL) != ASSAY_OK) return 0;
    size_t used = size - assay_reader_left(&r);
    assay_writer_init(&w, 1 << 20);
    assay_model_config_encode(&w, &c);
    FUZZ_REQUIRE(!w.bad && w.n == used && memcmp(w.p, data, used) == 0);
    fuzz_either(assay_model_config_check(&c, 1, NULL));
    assay_writer_clear(&w);
    assay_model_config_clear(&c);
    return 0;
}
