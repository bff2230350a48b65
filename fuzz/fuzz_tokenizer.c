/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json and the packed form, and text through what was read. */
#include "base/mem.h"
#include "fuzz.h"
#include "model/chat.h"
#include "tokenizer_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "Q: <s>abcabc aa\xc3\xa9 e\xcc\x81 \xe2\x96\x81 12\xff\n</s>";
    assay_tokenizer *t = NULL;
    if (assay_tokenizer_new(&t, data, size, NULL) != ASSAY_OK) return 0;
    fuzz_text(t, text, sizeof text - 1);
    fuzz_pack(t);
    fuzz_chat(t, text, sizeof text - 1);
    assay_tokenizer_free(t);
    return 0;
}
