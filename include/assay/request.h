/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: what was asked and what was answered, as token ids. In libassay_verify and libassay. Everything here is
 * public; nothing needs the model. */
#ifndef ASSAY_REQUEST_H
#define ASSAY_REQUEST_H

#include "assay/buffer.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n_tokens ids, of which the first n_prompt are the prompt's and the rest the reply's; the token after them; and up to
 * 64 bytes that the client chose (a nonce, an order number), which a proof is bound to. Immutable: any number of
 * threads may read one. */
typedef struct assay_request assay_request;

/* From parts: ids[n_tokens], 1 <= n_prompt <= n_tokens <= 131072; next is the token after the last; context[n_context],
 * may be NULL with 0. Everything is copied. *out is NULL on failure.
 * Errors: ASSAY_ERANGE (a length), ASSAY_EINVAL (a NULL), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_request_make(assay_request **out, const uint32_t *ids, uint32_t n_prompt,
                                                         uint32_t n_tokens, uint32_t next, const void *context,
                                                         size_t n_context, assay_errinfo *err);

/* From the bytes of the two files F.req and F.y, which may be hostile.
 * Errors: ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (unknown version), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_request_parse(assay_request **out, const void *req, size_t n_req,
                                                          const void *next, size_t n_next, assay_errinfo *err);

/* NULL is fine. */
ASSAY_API void assay_request_free(assay_request *r);

/* The bytes of F.req and F.y. On failure both are empty. */
ASSAY_API ASSAY_MUST_USE assay_status assay_request_files(const assay_request *r, assay_buffer *req, assay_buffer *next,
                                                          assay_errinfo *err);

ASSAY_API uint32_t assay_request_n_prompt(const assay_request *r);
ASSAY_API uint32_t assay_request_n_tokens(const assay_request *r);
/* n_tokens ids, valid as long as r. */
ASSAY_API const uint32_t *assay_request_ids(const assay_request *r);
ASSAY_API uint32_t assay_request_next(const assay_request *r);
/* *n bytes, valid as long as r. */
ASSAY_API const uint8_t *assay_request_context(const assay_request *r, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
