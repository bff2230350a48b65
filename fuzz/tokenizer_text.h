/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every tokenizer that was read, whatever file it comes from. */
#ifndef ASSAY_FUZZ_TOKENIZER_TEXT_H
#define ASSAY_FUZZ_TOKENIZER_TEXT_H

#include "base/mem.h"
#include "fuzz.h"
#include "model/chat.h"
#include "model/tokenizer.h"
#include <string.h>

/* Every token that comes out is one of the vocabulary. */
static inline void fuzz_text(const assay_tokenizer *t, const char *text, size_t n)
{
    for (int special = 0; special < 2; special++) {
        uint32_t *ids = NULL;
        size_t n_ids = 0, n_back = 0;
        char *back = NULL;
        if (assay_tokenizer_encode(t, text, n, special, &ids, &n_ids, NULL) == ASSAY_OK) {
            FUZZ_REQUIRE(assay_tokenizer_decode(t, ids, n_ids, &back, &n_back, NULL) == ASSAY_OK);
            assay_mem_free(back);
        }
        assay_mem_free(ids);
    }
}

/* What was packed is read again, and packs to the same bytes. */
static inline void fuzz_pack(const assay_tokenizer *t)
{
    uint8_t *a = NULL, *b = NULL;
    size_t n_a = 0, n_b = 0;
    assay_tokenizer *again = NULL;
    if (assay_tokenizer_pack(t, &a, &n_a, NULL) != ASSAY_OK) return;
    FUZZ_REQUIRE(assay_tokenizer_new(&again, a, n_a, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(assay_tokenizer_pack(again, &b, &n_b, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(n_a == n_b && memcmp(a, b, n_a) == 0);
    assay_tokenizer_free(again);
    assay_mem_free(a);
    assay_mem_free(b);
}

static inline void fuzz_chat(const assay_tokenizer *t, const char *text, size_t n)
{
    for (int system = 0; system < 2; system++) {
        uint32_t *ids = NULL;
        size_t n_ids = 0;
        fuzz_either(assay_chat_prompt(t, &ids, &n_ids, system ? text : NULL, system ? n : 0, text, n, NULL));
        assay_mem_free(ids);
    }
}

#endif
