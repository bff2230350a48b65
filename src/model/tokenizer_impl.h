/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a tokenizer: written by tokenizer_codec.c, read by tokenizer.c and bpe.c. */
#ifndef ASSAY_MODEL_TOKENIZER_IMPL_H
#define ASSAY_MODEL_TOKENIZER_IMPL_H

#include "model/tokenizer.h"
#include <stdbool.h>

enum {
    ASSAY_MAX_TOKEN_BYTES = 4096, /* of a token's text in the file */
    ASSAY_MAX_TEXT_BYTES = 1 << 22
};

#define ASSAY_NO_TOKEN UINT32_MAX

typedef enum assay_token_kind { TOKEN_ABSENT, TOKEN_ORDINARY, TOKEN_ADDED, TOKEN_SPECIAL } assay_token_kind;

typedef struct assay_token {
    uint32_t at, len; /* its bytes */
    assay_token_kind kind;
} assay_token;

/* left right -> out; applied in the order of rank. */
typedef struct assay_merge {
    uint32_t left, right, out, rank;
} assay_merge;

struct assay_tokenizer {
    uint32_t vocab;        /* highest id + 1 */
    assay_token *token;    /* [vocab] */
    uint8_t *bytes;        /* of all tokens */
    uint32_t byte_id[256]; /* the token of a single byte, or ASSAY_NO_TOKEN */
    assay_merge *merge; /* open hash table of merge_cap entries, out = ASSAY_NO_TOKEN in free ones; NULL: no merges */
    size_t merge_cap;   /* a power of two */
    uint32_t *added;    /* ids of added and special tokens, longest first */
    size_t n_added;
    bool prefix_space;
};

static inline size_t merge_slot(const assay_tokenizer *t, uint32_t left, uint32_t right)
{
    uint64_t h = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) & (t->merge_cap - 1);
    while (t->merge[i].out != ASSAY_NO_TOKEN && (t->merge[i].left != left || t->merge[i].right != right))
        i = (i + 1) & (t->merge_cap - 1);
    return i;
}

/* The merge of a pair, or NULL. */
static inline const assay_merge *merge_find(const assay_tokenizer *t, uint32_t left, uint32_t right)
{
    const assay_merge *m = &t->merge[merge_slot(t, left, right)];
    return m->out == ASSAY_NO_TOKEN ? NULL : m;
}

/* Merges ids[0 .. n-1] in place, lowest rank first, leftmost among equals; returns how many are left in *n. O(n log n).
 */
ASSAY_MUST_USE assay_status assay_bpe_merge(const assay_tokenizer *t, uint32_t *ids, size_t *n, assay_errinfo *err);

#endif
