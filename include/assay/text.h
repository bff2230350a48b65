/* SPDX-License-Identifier: Apache-2.0 */
/* Between text and token ids, with the tokenizer that a commitment names. In libassay. */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

#include "assay/buffer.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable: any number of threads may use one. */
typedef struct assay_text assay_text;

/* From the bytes of config/config.bin and config/tokenizer.json (in either form, docs/formats.md), which may be hostile
 * and must belong together. Errors: ASSAY_EFORMAT (malformed, or another tokenizer than the configuration's),
 * ASSAY_ERANGE, ASSAY_EUNSUPPORTED, ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_new(assay_text **out, const void *config, size_t n_config,
                                                     const void *tokenizer, size_t n_tokenizer, assay_errinfo *err);
/* NULL is fine. */
ASSAY_API void assay_text_free(assay_text *t);

/* A prompt as the model is asked it: the configuration's first token if it has one, then the n bytes of text, in which
 * special tokens are not recognised. On failure *out is empty. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_prompt(const assay_text *t, assay_ids *out, const char *text, size_t n,
                                                        assay_errinfo *err);
/* A chat as the model is asked it: the user's message after a system text, NULL for none, in the form that the model
 * was trained to read, up to where its answer begins. Special tokens inside the two texts stay text.
 * ASSAY_EUNSUPPORTED: the model brings no chat template, one of no known family, or one without system texts. On
 * failure *out is empty. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_chat(const assay_text *t, assay_ids *out, const char *system,
                                                      size_t n_system, const char *user, size_t n_user,
                                                      assay_errinfo *err);
/* A message of a chat. */
typedef struct assay_turn {
    const char *text;
    size_t n;
} assay_turn;
/* The same for a chat of several turns: n messages, the user's and the assistant's by turns, the first and the last the
 * user's. ASSAY_EUNSUPPORTED also: templates of this family differ in what they make of an assistant's message. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_dialogue(const assay_text *t, assay_ids *out, const char *system,
                                                          size_t n_system, const assay_turn *turns, size_t n,
                                                          assay_errinfo *err);
/* The family of the chat template: "none", "unknown", "chatml", "llama3", "llama3.1", "zephyr", "mistral". */
ASSAY_API const char *assay_text_chat_family(const assay_text *t);
/* Text alone, nothing put before it. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_encode(const assay_text *t, assay_ids *out, const char *text, size_t n,
                                                        assay_errinfo *err);
/* What is shown for token ids: special tokens left out. The bytes need not be UTF-8; a zero byte follows them that n
 * does not count. ASSAY_ERANGE: an id outside the vocabulary. */
ASSAY_API ASSAY_MUST_USE assay_status assay_text_decode(const assay_text *t, assay_buffer *out, const uint32_t *ids,
                                                        size_t n, assay_errinfo *err);

/* Whether the reply ends after this token. */
ASSAY_API int assay_text_is_stop(const assay_text *t, uint32_t id);
/* Ids are below this number. */
ASSAY_API uint32_t assay_text_vocabulary(const assay_text *t);
/* Most tokens of prompt and reply together. */
ASSAY_API uint32_t assay_text_max_tokens(const assay_text *t);

#ifdef __cplusplus
}
#endif
#endif
