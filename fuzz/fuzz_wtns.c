/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses: what is read is written and read again, the same, and its head is that of the whole. */
#include "fuzz.h"
#include "groth16/wtns.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_wtns t, again;
    assay_writer w;
    assay_wtns_head head;
    const assay_status headed = assay_wtns_head_parse(&head, "f", data, size, NULL);
    if (assay_wtns_parse(&t, "f", data, size, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(t.n >= 1 && t.w[0][0] == 1);
    FUZZ_REQUIRE(headed == ASSAY_OK && head.n == t.n && head.curve == t.curve);
    assay_writer_init(&w, size + 256);
    FUZZ_REQUIRE(assay_wtns_write(&t, NULL, &w, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(assay_wtns_parse(&again, "f", w.p, w.n, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(again.n == t.n && again.curve == t.curve && memcmp(again.w, t.w, t.n * sizeof *t.w) == 0);
    assay_wtns_clear(&again);
    assay_writer_clear(&w);
    assay_wtns_clear(&t);
    return 0;
}
