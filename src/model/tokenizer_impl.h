/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a tokenizer: built by the readers (tokenizer_codec.c, tokenizer_gguf_codec.c, tokenizer_pack_codec.c) with
 * the functions of tokenizer_build.c, then read only. */
#ifndef ASSAY_MODEL_TOKENIZER_IMPL_H
#define ASSAY_MODEL_TOKENIZER_IMPL_H

#include "model/chat.h"
#include "model/pretokenize.h"
#include "model/tokenizer.h"
#include <stdbool.h>

enum {
    ASSAY_MAX_TOKEN_BYTES = 4096, /* of a token's text in the file */
    ASSAY_MAX_PIECE_BYTES = 256, /* of a token's text where merges follow from ranks: their number is quadratic in it */
    ASSAY_MAX_TOKENS = 1 << 22,  /* and merges */
    ASSAY_MAX_VOCAB_BYTES = 1 << 28,
    ASSAY_MAX_ADDED = 1 << 14,
    ASSAY_MAX_CUTS = 6,
    ASSAY_MAX_TEXT_BYTES = 1 << 22
};

#define ASSAY_NO_TOKEN UINT32_MAX
#define ASSAY_BLOCK    "\xe2\x96\x81" /* U+2581, which stands for a space in SentencePiece vocabularies */

/* BYTE: a byte that no token spells, as <0x0A>; its one byte is kept. ADDED and SPECIAL tokens are found in text as
 * they stand, before anything is merged. */
typedef enum assay_token_kind { TOKEN_ABSENT, TOKEN_ORDINARY, TOKEN_BYTE, TOKEN_ADDED, TOKEN_SPECIAL } assay_token_kind;
enum { TOKEN_KIND_LAST = TOKEN_SPECIAL };

typedef struct assay_token {
    uint32_t at, len; /* its bytes; in a vocabulary that is not byte_level, U+2581 stands for spaces */
    uint32_t rank;    /* of a by_rank tokenizer: order of merging into it, small first */
    uint8_t kind;
    bool in_model; /* merging can make it */
} assay_token;

/* left right -> out; applied in the order of rank. */
typedef struct assay_merge {
    uint32_t left, right, out, rank;
} assay_merge;

/* An added or special token. text: as it stands in the file; pattern: what is looked for. */
typedef struct assay_added {
    uint32_t id, text, len, pattern, pattern_len; /* places in bytes and in patterns */
    bool lstrip, rstrip, single_word, normalized;
} assay_added;
typedef struct assay_added_list {
    uint32_t *at; /* [n] indices of added, increasing in pattern */
    size_t n;
    bool first[256]; /* bytes that a pattern begins with */
} assay_added_list;

/* Flags of assay_tokenizer.rules; the numbers are part of the packed form. */
enum {
    RULE_BYTE_LEVEL = 1, /* tokens are bytes; else text with U+2581 for spaces */
    RULE_NFC = 2,        /* text is normalised first */
    RULE_PREPEND = 4,    /* U+2581 goes before each piece of text */
    RULE_REPLACE = 8,    /* spaces become U+2581 */
    RULE_BYTE_FALLBACK = 16,
    RULE_IGNORE_MERGES = 32, /* a word that is a token needs no merges */
    RULE_FUSE_UNKNOWN = 64,
    RULE_BY_RANK = 128,   /* two symbols merge when their text together is a token, in the order of tokens' ranks */
    RULE_STRIP = 256,     /* decoding drops one space at the start */
    RULE_BOS = 512,       /* a text begins with bos */
    RULE_BOS_SAID = 1024, /* the files say whether it does */
    RULE_ALL = 2047
};

struct assay_tokenizer {
    uint32_t vocab;     /* highest id + 1 */
    assay_token *token; /* [vocab] */
    uint8_t *bytes;     /* of all tokens, and texts of added ones; n_bytes of cap_bytes are used */
    size_t n_bytes, cap_bytes;
    uint32_t *slot; /* hash table by bytes of the tokens that merging can make, ASSAY_NO_TOKEN in free entries */
    size_t slot_cap;
    uint32_t byte_id[256]; /* the token of a single byte, or ASSAY_NO_TOKEN */
    assay_merge *merge; /* open hash table of merge_cap entries, out = ASSAY_NO_TOKEN in free ones; NULL: no merges */
    size_t merge_cap, n_merges;
    assay_added *added; /* [n_added], in the order of the file */
    size_t n_added;
    uint8_t *patterns;
    assay_added_list raw, normalized;  /* looked for before and after normalising */
    uint32_t rules, unknown, bos, eos; /* tokens: or ASSAY_NO_TOKEN */
    assay_cut cut[ASSAY_MAX_CUTS];
    size_t n_cuts;
    assay_chat chat;
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

/* --- Building (tokenizer_build.c) ---------------------------------------------------------------------------------
 * In order: rules; reserve; put every token; added tokens; index; merges; finish. What fails leaves something that
 * assay_tokenizer_free can free. `path` names the part of the file in messages. */

/* A zeroed tokenizer without rules, whose special ids are all ASSAY_NO_TOKEN. */
ASSAY_MUST_USE assay_status assay_tokenizer_blank(assay_tokenizer **t, assay_errinfo *err);
/* Room for ids below vocab and for nbytes of text. */
ASSAY_MUST_USE assay_status assay_tokenizer_reserve(assay_tokenizer *t, uint32_t vocab, size_t nbytes,
                                                    assay_errinfo *err);
/* Token id, which must be absent and in range: n bytes of text, copied. */
ASSAY_MUST_USE assay_status assay_tokenizer_put(assay_tokenizer *t, uint32_t id, const void *text, size_t n,
                                                assay_token_kind kind, bool in_model, const char *path,
                                                assay_errinfo *err);
/* Makes tokens findable by their bytes, and single bytes by their value. Special tokens are not found. */
ASSAY_MUST_USE assay_status assay_tokenizer_index(assay_tokenizer *t, const char *path, assay_errinfo *err);
/* The token with these bytes that merging can make, or ASSAY_NO_TOKEN. */
uint32_t assay_tokenizer_find(const assay_tokenizer *t, const void *text, size_t n);
/* Room for n merges; then each of them, the result found by its text. */
ASSAY_MUST_USE assay_status assay_tokenizer_reserve_merges(assay_tokenizer *t, size_t n, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_tokenizer_put_merge(assay_tokenizer *t, uint32_t left, uint32_t right, uint32_t rank,
                                                      const char *path, assay_errinfo *err);
/* All merges of a by_rank tokenizer. */
ASSAY_MUST_USE assay_status assay_tokenizer_merges_of_ranks(assay_tokenizer *t, const char *path, assay_errinfo *err);
/* Room for n added tokens; then each of them (its text and id as for put: it may be an ordinary token already, which
 * then becomes added or special). */
ASSAY_MUST_USE assay_status assay_tokenizer_reserve_added(assay_tokenizer *t, size_t n, const char *path,
                                                          assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_tokenizer_put_added(assay_tokenizer *t, const assay_added *a, const void *text,
                                                      size_t n, assay_token_kind kind, const char *path,
                                                      assay_errinfo *err);
/* Patterns of added tokens, and the last checks. */
ASSAY_MUST_USE assay_status assay_tokenizer_finish(assay_tokenizer *t, assay_errinfo *err);

/* --- The readers -------------------------------------------------------------------------------------------------- */

/* Packed form (tokenizer_pack_codec.c); recognised by its first eight bytes. */
#define ASSAY_TOKENIZER_MAGIC "ASSAYVOC"
ASSAY_MUST_USE assay_status assay_tokenizer_unpack(assay_tokenizer **t, const uint8_t *p, size_t n, assay_errinfo *err);

/* Of the top level of a tokenizer.json: normaliser, pre-tokeniser, decoder, flags of the model
 * (tokenizer_rules_codec.c). */
struct json_t;
ASSAY_MUST_USE assay_status assay_tokenizer_read_rules(assay_tokenizer *t, const struct json_t *root,
                                                       assay_errinfo *err);
/* The bytes that a token's text stands for in a byte-level vocabulary, in out (room for n); false when a character of
 * it is no byte: out is then the text. */
bool assay_byte_level_decode(uint8_t *out, size_t *n_out, const char *text, size_t n);
/* A token of the model by its text in a file: byte-level, or with <0x0A> for bytes. */
ASSAY_MUST_USE assay_status assay_tokenizer_put_text(assay_tokenizer *t, uint32_t id, const char *text, size_t n,
                                                     const char *path, assay_errinfo *err);
/* The parts of a merge "left right", ASSAY_NO_TOKEN where a part is none; false when there is no space. */
bool assay_tokenizer_split_merge(const assay_tokenizer *t, uint32_t *left, uint32_t *right, const char *text, size_t n);

/* --- Encoding ------------------------------------------------------------------------------------------------------
 */

typedef struct assay_bpe_candidate {
    uint32_t rank, at, out;
} assay_bpe_candidate;
/* Reused from word to word; starts zeroed. */
typedef struct assay_bpe_work {
    uint32_t *next, *prev;
    assay_bpe_candidate *heap;
    size_t cap;
} assay_bpe_work;
void assay_bpe_work_clear(assay_bpe_work *w); /* wipes */

/* Merges ids[0 .. n-1] in place, lowest rank first, leftmost among equals; *n: how many are left. O(n log n). */
ASSAY_MUST_USE assay_status assay_bpe_merge(const assay_tokenizer *t, assay_bpe_work *w, uint32_t *ids, size_t *n,
                                            assay_errinfo *err);

/* Normalised text (tokenizer_normalize.c): *out is text itself or a new array that *own holds, wiped and freed by
 * assay_mem_free_secret(*own, *n_own). */
ASSAY_MUST_USE assay_status assay_tokenizer_normalize(const assay_tokenizer *t, const uint8_t **out, size_t *n_out,
                                                      uint8_t **own, size_t *n_own, const uint8_t *text, size_t n,
                                                      assay_errinfo *err);
/* Spaces as U+2581, with one before the text if put_first; out has room for 3 n + 3. Returns the length. */
size_t assay_blocks_for_spaces(uint8_t *out, const uint8_t *text, size_t n, bool put_first);

/* The next added token of a list at or after text[from] (tokenizer_added.c); special ones only if asked for. */
typedef struct assay_added_match {
    size_t start, stop;
    uint32_t id;
} assay_added_match;
bool assay_added_next(const assay_tokenizer *t, const assay_added_list *list, assay_added_match *m, const uint8_t *text,
                      size_t n, size_t from, bool special);
/* Makes a list of the added tokens that are normalized or not, from their patterns. */
ASSAY_MUST_USE assay_status assay_added_list_new(const assay_tokenizer *t, assay_added_list *list, bool normalized,
                                                 assay_errinfo *err);

/* Ids as they come; starts with {.t = t, .err = err}. */
typedef struct assay_encoder {
    const assay_tokenizer *t;
    assay_errinfo *err;
    uint32_t *ids; /* n of cap are used */
    size_t n, cap;
    assay_bpe_work bpe;
} assay_encoder;
void assay_encoder_clear(assay_encoder *e); /* wipes */
ASSAY_MUST_USE assay_status assay_encoder_put_id(assay_encoder *e, uint32_t id);
/* first: the text stands at the start of all text. */
ASSAY_MUST_USE assay_status assay_encoder_put_text(assay_encoder *e, const char *text, size_t n, bool special,
                                                   bool first);

#endif
