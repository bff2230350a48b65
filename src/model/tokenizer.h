/* SPDX-License-Identifier: Apache-2.0 */
/* Text to token ids and back, from a tokenizer.json (byte-level BPE). */
#ifndef ASSAY_MODEL_TOKENIZER_H
#define ASSAY_MODEL_TOKENIZER_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct assay_tokenizer assay_tokenizer;

/* json is untrusted. ASSAY_EUNSUPPORTED names the part of the file this version does not handle. */
ASSAY_MUST_USE assay_status assay_tokenizer_new(assay_tokenizer **t, const uint8_t *json, size_t n, assay_errinfo *err);
void assay_tokenizer_free(assay_tokenizer *t);
uint32_t assay_tokenizer_vocab(const assay_tokenizer *t); /* highest id + 1 */

/* Encodes n bytes of text (special tokens in the text are recognised only if parse_special); *ids freed by
 * assay_mem_free. */
ASSAY_MUST_USE assay_status assay_tokenizer_encode(const assay_tokenizer *t, const char *text, size_t n,
                                                   int parse_special, uint32_t **ids, size_t *n_ids,
                                                   assay_errinfo *err);
/* Bytes of the ids, special tokens left out; *text is zero-terminated, freed by assay_mem_free. */
ASSAY_MUST_USE assay_status assay_tokenizer_decode(const assay_tokenizer *t, const uint32_t *ids, size_t n_ids,
                                                   char **text, size_t *n, assay_errinfo *err);

#endif
