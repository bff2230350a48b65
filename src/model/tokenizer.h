/* SPDX-License-Identifier: Apache-2.0 */
/* Text to token ids and back: byte-level and SentencePiece-style byte-pair encodings, from a tokenizer.json, a GGUF
 * file or the packed form that a commitment stores. Equal to the Hugging Face tokenizers library on every text that is
 * UTF-8. */
#ifndef ASSAY_MODEL_TOKENIZER_H
#define ASSAY_MODEL_TOKENIZER_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct assay_tokenizer assay_tokenizer;

/* From the bytes of a tokenizer.json or of the packed form (docs/formats.md), untrusted; which of them is seen by how
 * they begin. ASSAY_EUNSUPPORTED names the part of the file this version does not handle. */
ASSAY_MUST_USE assay_status assay_tokenizer_new(assay_tokenizer **t, const uint8_t *file, size_t n, assay_errinfo *err);
void assay_tokenizer_free(assay_tokenizer *t);

/* From tokenizer.json with the chat template and special tokens of tokenizer_config.json, and the template of a file
 * chat_template.jinja, which replaces the other; both may be NULL. */
ASSAY_MUST_USE assay_status assay_tokenizer_of_folder(assay_tokenizer **t, const uint8_t *json, size_t n,
                                                      const uint8_t *config, size_t n_config, const uint8_t *jinja,
                                                      size_t n_jinja, assay_errinfo *err);
/* The bytes that a commitment stores for the model at `path`, a folder or a GGUF file, for assay_tokenizer_new. Those
 * of tokenizer.json where the folder says nothing more about it, else the packed form. A GGUF file without a tokenizer
 * has a tokenizer.json beside it. Freed by assay_mem_free. */
ASSAY_MUST_USE assay_status assay_tokenizer_file(uint8_t **out, size_t *n, const char *path, assay_errinfo *err);
/* From the values of a GGUF file. */
struct assay_gguf;
ASSAY_MUST_USE assay_status assay_tokenizer_of_gguf(assay_tokenizer **t, const struct assay_gguf *g,
                                                    assay_errinfo *err);

/* The packed form: everything that encoding, decoding and prompts depend on. The same tokenizer gives the same bytes.
 * *out is freed by assay_mem_free. */
ASSAY_MUST_USE assay_status assay_tokenizer_pack(const assay_tokenizer *t, uint8_t **out, size_t *n,
                                                 assay_errinfo *err);

uint32_t assay_tokenizer_vocab(const assay_tokenizer *t); /* highest id + 1 */
/* Whether the tokenizer puts a token before a plain text, and which: 1 yes (*id), 0 no, -1 its files do not say. */
int assay_tokenizer_first(const assay_tokenizer *t, uint32_t *id);

/* Encodes n bytes of text (special tokens in the text are recognised only if parse_special); *ids freed by
 * assay_mem_free. Bytes that are not UTF-8 are kept as bytes. A byte or character that the vocabulary cannot write
 * becomes the unknown token, or, where there is none, is left out (some vocabularies lack rare control characters).
 * About O(n log n). */
ASSAY_MUST_USE assay_status assay_tokenizer_encode(const assay_tokenizer *t, const char *text, size_t n,
                                                   int parse_special, uint32_t **ids, size_t *n_ids,
                                                   assay_errinfo *err);
/* Bytes of the ids, special tokens left out; *text is zero-terminated, freed by assay_mem_free. */
ASSAY_MUST_USE assay_status assay_tokenizer_decode(const assay_tokenizer *t, const uint32_t *ids, size_t n_ids,
                                                   char **text, size_t *n, assay_errinfo *err);

#endif
