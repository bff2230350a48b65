/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting text into the words that merging stays inside of. Each rule is a regular expression of Hugging Face
 * tokenizers, written out; source: the tokenizer.json files of the families named. */
#ifndef ASSAY_MODEL_PRETOKENIZE_H
#define ASSAY_MODEL_PRETOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are part of the packed form of a tokenizer: never changed, never used again. */
typedef enum assay_cut {
    ASSAY_CUT_SPACE = 1,      /* no cut: a space is put before a piece that does not begin with one */
    ASSAY_CUT_NUMBERS = 2,    /* runs of numbers, runs of others */
    ASSAY_CUT_EACH_DIGIT = 3, /* each number alone, runs of others */
    ASSAY_CUT_GPT2 = 4,       /* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
    ASSAY_CUT_LLAMA3 = 5,     /* the pattern of Llama 3: up to three numbers in a piece */
    ASSAY_CUT_QWEN2 = 6,      /* the same with one number in a piece */
    /* No cuts: spaces become U+2581, and one is put before a piece that does not begin with one: before each, before
     * the one at the start of the text, or before none. */
    ASSAY_CUT_BLOCK_EACH = 7,
    ASSAY_CUT_BLOCK_FIRST = 8,
    ASSAY_CUT_BLOCK_NONE = 9
} assay_cut;
enum { ASSAY_CUT_LAST = ASSAY_CUT_BLOCK_NONE };

/* Whether a step changes the text of a piece instead of cutting it. */
static inline bool cut_changes(assay_cut cut)
{
    return cut == ASSAY_CUT_SPACE || cut >= ASSAY_CUT_BLOCK_EACH;
}

/* The rule of a regular expression as it stands in tokenizer.json; 0 when it is none of them. */
assay_cut assay_cut_of_pattern(const char *pattern);

/* Length of the first piece of text, n > 0: at least one byte, whole characters. Not for steps that
 * change it. */
size_t assay_cut_next(assay_cut cut, const uint8_t *text, size_t n);

#endif
