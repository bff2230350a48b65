/* SPDX-License-Identifier: Apache-2.0 */
/* Chat prompts: a system text and messages as the model was trained to read them. Templates are recognised, not
 * interpreted: each family below is written out, and a template of none of them is refused.
 * What a prompt is: the ids that the template's own text (as Jinja renders it for these messages with a generation
 * prompt, and `date_string` as its default) gives, with the special tokens that the template writes as their ids.
 * Special tokens inside the messages stay text. */
#ifndef ASSAY_MODEL_CHAT_H
#define ASSAY_MODEL_CHAT_H

#include "assay/text.h"
#include "model/tokenizer.h"
#include <stdbool.h>

/* The numbers are part of the packed form of a tokenizer. */
typedef enum assay_chat_family {
    ASSAY_CHAT_NONE = 0,    /* the model brings no template */
    ASSAY_CHAT_UNKNOWN = 1, /* it brings one of no known family */
    ASSAY_CHAT_CHATML = 2,  /* SmolLM2, Qwen2, Qwen3 */
    ASSAY_CHAT_LLAMA3 = 3,  /* Llama 3 */
    ASSAY_CHAT_LLAMA31 = 4, /* Llama 3.1 to 3.3: dates in the system message */
    ASSAY_CHAT_ZEPHYR = 5,  /* Zephyr, TinyLlama */
    ASSAY_CHAT_MISTRAL = 6  /* Mistral-Instruct */
} assay_chat_family;
enum { ASSAY_CHAT_LAST = ASSAY_CHAT_MISTRAL, ASSAY_CHAT_TEXT = 1024 };

typedef struct assay_chat {
    assay_chat_family family;
    bool bos;                     /* the prompt begins with the tokenizer's bos */
    bool has_system;              /* system texts are possible */
    char system[ASSAY_CHAT_TEXT]; /* CHATML: system text when none is given; "": no system message then */
    char open[16], close[16];     /* MISTRAL: what stands before and after the user's message */
} assay_chat;

/* The family of a Jinja template (untrusted); ASSAY_CHAT_UNKNOWN for what is not recognised. ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_chat_recognise(assay_chat *c, const char *jinja, size_t n, assay_errinfo *err);
/* "chatml" and so on; "none", "unknown". */
const char *assay_chat_name(assay_chat_family f);
/* That of a tokenizer, borrowed. */
const assay_chat *assay_tokenizer_chat(const assay_tokenizer *t);

/* The prompt's ids, freed by assay_mem_free. Turns are the user's and the assistant's by turns; the first and the last
 * are the user's. system = NULL: none given, the template's own is used if it has one. ASSAY_EUNSUPPORTED: no template,
 * an unknown one, a system text where the family has none, several turns in a family of which templates differ there
 * (mistral), or an assistant's text that some templates of the family cut; ASSAY_EFORMAT: the tokenizer lacks a token
 * of the family; ASSAY_EINVAL: an even number of turns. */
ASSAY_MUST_USE assay_status assay_chat_dialogue(const assay_tokenizer *t, uint32_t **ids, size_t *n_ids,
                                                const char *system, size_t n_system, const assay_turn *turns, size_t n,
                                                assay_errinfo *err);
/* The same for one message of the user's. */
ASSAY_MUST_USE assay_status assay_chat_prompt(const assay_tokenizer *t, uint32_t **ids, size_t *n_ids,
                                              const char *system, size_t n_system, const char *user, size_t n_user,
                                              assay_errinfo *err);

#endif
