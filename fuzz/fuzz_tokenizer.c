/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json, and text through what was read. */
#include "base/mem.h"
#include "fuzz.h"
#include "model/tokenizer.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "Q: <s>abcabc aa\xc3\xa9\n</s>";
    assay_tokenizer *t = NULL;
    uint32_t *ids = NULL;
    size_t n_ids = 0, n = 0;
    char *back = NULL;
    if (assay_tokenizer_new(&t, data, size, NULL) != ASSAY_OK) return 0;
    for (int special = 0; special < 2; special++) {
        if (assay_tokenizer_encode(t, text, sizeof text - 1, special, &ids, &n_ids, NULL) == ASSAY_OK) {
            /* Every token that comes out is one of the vocabulary. */
            FUZZ_REQUIRE(assay_tokenizer_decode(t, ids, n_ids, &back, &n, NULL) == ASSAY_OK);
            assay_mem_free(back);
        }
        assay_mem_free(ids);
    }
    assay_tokenizer_free(t);
    return 0;
}
