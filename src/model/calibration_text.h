/* SPDX-License-Identifier: Apache-2.0 */
/* Text that a model is run on: to find its binary points, and to see what they cost. */
#ifndef ASSAY_MODEL_CALIBRATION_TEXT_H
#define ASSAY_MODEL_CALIBRATION_TEXT_H

#include "model/hf_config.h"
#include "model/tokenizer.h"
#include <stddef.h>

enum { ASSAY_CALIBRATION_WINDOWS = 24, ASSAY_CALIBRATION_LENGTH = 256 };

/* Documents for a folder that brings none of its own; ends with NULL. */
extern const char *const assay_calibration_documents[];

typedef struct assay_windows {
    uint32_t *ids; /* [n][length] */
    size_t n, length;
    size_t from; /* positions before it do not count when models are compared: 1 where the first token is fixed */
} assay_windows;

/* How a text becomes windows. */
typedef struct assay_window_rule {
    size_t length, max; /* tokens of a window; most windows */
    uint32_t vocab;
    int32_t first, last; /* tokens before and after a document; -1: none */
    bool stream;         /* the text is one document, cut in windows that each begin with `first` */
} assay_window_rule;

/* Cuts text by a rule. Documents are separated by an empty line, and each window starts with one. ASSAY_EINVAL when the
 * text does not fill one window; `what` is the text's name in messages. */
ASSAY_MUST_USE assay_status assay_windows_cut(assay_windows *w, const assay_window_rule *rule, const assay_tokenizer *t,
                                              const char *what, const char *text, size_t n, assay_errinfo *err);
/* The same from token ids in decimal, one document a line, to which nothing is added. */
ASSAY_MUST_USE assay_status assay_windows_of_ids(assay_windows *w, const assay_window_rule *rule, const char *what,
                                                 const char *text, size_t n, assay_errinfo *err);

/* For calibration: cuts text into windows that each start with a document. Documents are separated by an empty line;
 * each becomes bos, its tokens, eos. With a chat template each second window is a chat, as served requests are: its
 * first document is the user's message, the next ones are the reply. text = NULL: the built-in documents. ASSAY_EINVAL
 * when the text does not fill one window. */
ASSAY_MUST_USE assay_status assay_windows_new(assay_windows *w, const assay_hf_config *c, const assay_tokenizer *t,
                                              const char *text, size_t n, assay_errinfo *err);
void assay_windows_clear(assay_windows *w);

/* The tokenizer of the model at `path`, and in c->bos the token that is put before a text: the configuration may name
 * one without its being put. */
ASSAY_MUST_USE assay_status assay_model_tokenizer(assay_tokenizer **t, assay_hf_config *c, const char *path,
                                                  assay_errinfo *err);

#endif
