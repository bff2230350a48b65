/* SPDX-License-Identifier: Apache-2.0 */
/* assay/request.h over the internal requests. */
#include "assay/request.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "cp/public.h"

enum { MAX_REQUEST_FILE = 4 * ASSAY_MAX_TOKENS + 128 };

static assay_request *alloc(assay_errinfo *err)
{
    assay_request *r = assay_mem_alloc(1, sizeof *r);
    if (!r) (void)ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory");
    return r;
}

static assay_status finish(assay_request **out, assay_request *r, assay_status s)
{
    if (s == ASSAY_OK)
        *out = r;
    else
        assay_mem_free(r);
    return s;
}

assay_status assay_request_make(assay_request **out, const uint32_t *ids, uint32_t n_prompt, uint32_t n_tokens,
                                uint32_t next, const void *context, size_t n_context, assay_errinfo *err)
{
    *out = NULL;
    if ((!ids && n_tokens) || (!context && n_context))
        return ASSAY_FAIL(err, ASSAY_EINVAL, "request", "a pointer is NULL");
    assay_request *r = alloc(err);
    if (!r) return ASSAY_ENOMEM;
    return finish(out, r, assay_request_new(r, ids, n_prompt, n_tokens, next, context, n_context, err));
}

assay_status assay_request_parse(assay_request **out, const void *req, size_t n_req, const void *next, size_t n_next,
                                 assay_errinfo *err)
{
    *out = NULL;
    assay_request *r = alloc(err);
    if (!r) return ASSAY_ENOMEM;
    return finish(out, r, assay_request_decode(r, req, n_req, next, n_next, err));
}

void assay_request_free(assay_request *r)
{
    if (!r) return;
    assay_request_clear(r);
    assay_mem_free(r);
}

assay_status assay_request_files(const assay_request *r, assay_buffer *req, assay_buffer *next, assay_errinfo *err)
{
    assay_writer a, b;
    assay_writer_init(&a, MAX_REQUEST_FILE);
    assay_writer_init(&b, MAX_REQUEST_FILE);
    assay_request_encode(&a, r);
    assay_next_token_encode(&b, r->ids[r->n_tokens]);
    assay_status s = assay_buffer_take(req, &a, "request", err), t = assay_buffer_take(next, &b, "next token", err);
    if (s == ASSAY_OK) s = t;
    if (s == ASSAY_OK) return s;
    assay_buffer_free(req);
    assay_buffer_free(next);
    return s;
}

uint32_t assay_request_n_prompt(const assay_request *r)
{
    return r->n_prompt;
}

uint32_t assay_request_n_tokens(const assay_request *r)
{
    return r->n_tokens;
}

const uint32_t *assay_request_ids(const assay_request *r)
{
    return r->ids;
}

uint32_t assay_request_next(const assay_request *r)
{
    return r->ids[r->n_tokens];
}

const uint8_t *assay_request_context(const assay_request *r, size_t *n)
{
    *n = r->n_context;
    return r->context;
}
