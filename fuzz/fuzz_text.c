/* SPDX-License-Identifier: Apache-2.0 */
/* Text through every cutting rule and normal form C. */
#include "base/mem.h"
#include "fuzz.h"
#include "model/pretokenize.h"
#include "model/unicode.h"
#include <string.h>

static void cut(const uint8_t *text, size_t n)
{
    for (int rule = 1; rule <= ASSAY_CUT_LAST; rule++) {
        if (cut_changes((assay_cut)rule)) continue;
        for (size_t at = 0; at < n;) {
            size_t len = assay_cut_next((assay_cut)rule, text + at, n - at);
            FUZZ_REQUIRE(len > 0 && len <= n - at);
            at += len;
        }
    }
}

/* Normal form C of a normal form C is itself. */
static void normalise(const uint8_t *text, size_t n)
{
    uint8_t *once = assay_mem_alloc_raw(n, ASSAY_NFC_GROWTH),
            *twice = assay_mem_alloc_raw(n, ASSAY_NFC_GROWTH * ASSAY_NFC_GROWTH);
    uint64_t *work = assay_mem_alloc_raw(n, ASSAY_NFC_GROWTH * ASSAY_NFC_WORK * sizeof *work);
    if (once && twice && work) {
        size_t n_once = assay_nfc(once, work, text, n);
        FUZZ_REQUIRE(n_once <= ASSAY_NFC_GROWTH * n);
        size_t n_twice = assay_nfc(twice, work, once, n_once);
        FUZZ_REQUIRE(n_once == n_twice && memcmp(once, twice, n_once) == 0);
        if (assay_nfc_is_stable(text, n)) FUZZ_REQUIRE(n == n_once && memcmp(text, once, n) == 0);
    }
    assay_mem_free(once);
    assay_mem_free(twice);
    assay_mem_free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 16) return 0;
    cut(data, size);
    normalise(data, size);
    return 0;
}
