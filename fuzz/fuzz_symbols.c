/* SPDX-License-Identifier: Apache-2.0 */
/* Names of signals: printable, ended, of one line. */
#include "fuzz.h"
#include "groth16/symbols.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_symbol s[] = {{.wire = 0}, {.wire = 1}, {.wire = 3}, {.wire = UINT32_MAX}};
    assay_source source = assay_source_of("f", data, size);
    fuzz_either(assay_symbols_find_in(s, sizeof s / sizeof s[0], &source, NULL));
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++) {
        FUZZ_REQUIRE(memchr(s[i].name, 0, sizeof s[i].name) != NULL);
        for (const char *c = s[i].name; *c; c++) FUZZ_REQUIRE(*c > ' ' && *c <= '~');
    }
    return 0;
}
