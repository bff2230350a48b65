/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer of a GGUF file. */
#include "fuzz.h"
#include "model/gguf.h"
#include "tokenizer_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "ab <s>aab\xc3\xa9 12\n\xff";
    assay_tokenizer *t = NULL;
    assay_gguf g;
    if (assay_gguf_parse(&g, "file", data, size, NULL) == ASSAY_OK &&
        assay_tokenizer_of_gguf(&t, &g, NULL) == ASSAY_OK) {
        fuzz_text(t, text, sizeof text - 1);
        fuzz_pack(t);
        fuzz_chat(t, text, sizeof text - 1);
    }
    assay_tokenizer_free(t);
    assay_gguf_clear(&g);
    return 0;
}
