/* SPDX-License-Identifier: Apache-2.0 */
/* config.bin: what decodes encodes to the same bytes. */
#include "cp/public.h"
#include "fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_public p;
    assay_writer w;
    if (assay_config_decode(&p, data, size, NULL) != ASSAY_OK) return 0;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_config_encode(&w, &p);
    FUZZ_REQUIRE(!w.bad && w.n == size && memcmp(w.p, data, size) == 0);
    assay_writer_clear(&w);
    assay_public_clear(&p);
    return 0;
}
