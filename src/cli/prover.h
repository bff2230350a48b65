/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs share that hold a commitment or a prompt. */
#ifndef ASSAY_CLI_PROVER_H
#define ASSAY_CLI_PROVER_H

#include "assay/prove.h"
#include "assay/text.h"
#include "cli/options.h"

/* Options --threads, --wait, --skip, --share, where the command has them. Prints and returns an exit code on wrong
 * usage, else -1. One proof is written off at a time: a program makes one. */
int assay_cli_open_options(const assay_args *a, assay_open_options *o);

/* The tokenizer of a folder config/, from its two files. dir may be "DIR" with below = "config", or "CONFIG" with NULL.
 */
ASSAY_MUST_USE assay_status assay_cli_text(assay_text **out, const char *dir, const char *below, assay_errinfo *err);

/* The prompt as ids: of --prompt, --prompt-file, or --user with --system; `text`, unless NULL, stands for --prompt.
 * Errors: ASSAY_EINVAL (not exactly one of them), ASSAY_ERANGE (empty, or too long for the model), ASSAY_EUNSUPPORTED
 * (a chat, and the model has no known template). On failure *out is empty. */
ASSAY_MUST_USE assay_status assay_cli_prompt(assay_ids *out, const assay_text *t, const assay_args *a, const char *text,
                                             assay_errinfo *err);

/* Bytes of --context (none: 0). */
const char *assay_cli_context(const assay_args *a, size_t *n);

/* Reads F.req and F.y; errors name the file. */
ASSAY_MUST_USE assay_status assay_cli_request_read(assay_request **out, const char *req, const char *next,
                                                   assay_errinfo *err);
/* Writes them. Both or none: when the second cannot be written the first is removed. */
ASSAY_MUST_USE assay_status assay_cli_request_write(const assay_request *r, const char *req, const char *next,
                                                    assay_errinfo *err);
/* ASSAY_EINVAL when both paths name one file. */
ASSAY_MUST_USE assay_status assay_cli_distinct(const char *a, const char *b, assay_errinfo *err);
/* Whether a file can be made there, asked before the work whose result it is for. */
ASSAY_MUST_USE assay_status assay_cli_writable(const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_cli_write(const char *path, const assay_buffer *b, assay_errinfo *err);

/* The reply's text. */
ASSAY_MUST_USE assay_status assay_cli_reply_text(assay_buffer *out, const assay_text *t, const assay_request *r,
                                                 assay_errinfo *err);

/* Whether two files can be made there, which are not one; and writing them: both or none. */
ASSAY_MUST_USE assay_status assay_cli_pair_writable(const char *path1, const char *path2, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_cli_pair_write(const char *path1, const assay_buffer *b1, const char *path2,
                                                 const assay_buffer *b2, assay_errinfo *err);

/* A program's first act: temporary files are removed when it is interrupted. */
void assay_cli_start(void);

#endif
