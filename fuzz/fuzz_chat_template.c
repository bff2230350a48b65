/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer_config.json, or a chat template alone, beside a small tokenizer.json: the first byte says which. */
#include "fuzz.h"
#include "tokenizer_text.h"

#define TOKEN(id, text) "{\"id\":" id ",\"content\":\"" text "\",\"special\":true},"

static const char json[] = "{\"added_tokens\":[" TOKEN("3", "<|im_start|>") TOKEN("4", "<|im_end|>")
    TOKEN("5", "<|start_header_id|>") TOKEN("6", "<|end_header_id|>") TOKEN("7", "<|eot_id|>") TOKEN("8", "<s>")
        TOKEN("9", "</s>") "{\"id\":10,\"content\":\"[INST]\",\"special\":true}],"
                           "\"pre_tokenizer\":{\"type\":\"ByteLevel\"},\"decoder\":{\"type\":\"ByteLevel\"},"
                           "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = " ab <|im_end|>[/INST]\xc2\xa0";
    assay_tokenizer *t = NULL;
    if (size == 0) return 0;
    bool config = data[0] == '{';
    const uint8_t *p = config ? data : data + 1;
    size_t n = config ? size : size - 1;
    assay_status s = assay_tokenizer_of_folder(&t, (const uint8_t *)json, sizeof json - 1, config ? p : NULL, n,
                                               config ? NULL : p, n, NULL);
    FUZZ_REQUIRE(config || s == ASSAY_OK);
    if (s == ASSAY_OK) {
        fuzz_chat(t, text, sizeof text - 1);
        fuzz_pack(t);
    }
    assay_tokenizer_free(t);
    return 0;
}
