/* SPDX-License-Identifier: Apache-2.0 */
/* What both services share: requests, replies, status codes, life. */
#include "base/mem.h"
#include "daemon/service_impl.h"
#include <stdio.h>
#include <string.h>

enum { REPLY_BYTES = 1 << 30, TEXT_BYTES = 700 };

bool assay_service_is_id(const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (text[i] < 0x20 || text[i] > 0x7E) return false;
    return n > 0 && n <= ASSAY_JOB_ID;
}

/* ---- requests */

bool assay_service_read(assay_service_request *r, assay_call *c, const ProtobufCMessageDescriptor *type, const void *p,
                        size_t n, uint64_t fields, size_t max, const char *what)
{
    assay_writer rest;
    assay_errinfo err = {0};
    memset(r, 0, sizeof *r);
    assay_status s = assay_message_split(&r->parts, &r->n_parts, &rest, p, n, fields, max, &err);
    if (s == ASSAY_OK) s = assay_message_read(&r->message, type, rest.n ? rest.p : (const uint8_t *)"", rest.n, &err);
    assay_writer_clear(&rest);
    if (s == ASSAY_OK) return true;
    if (s == ASSAY_ENOMEM)
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, err.reason);
    else
        assay_service_refuse_field(c, s == ASSAY_ERANGE ? what : "request", err.reason);
    assay_service_clear(r);
    return false;
}

bool assay_service_read_small(assay_service_request *r, assay_call *c, const ProtobufCMessageDescriptor *type)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    return assay_service_read(r, c, type, p, n, 0, 0, "request");
}

void assay_service_clear(assay_service_request *r)
{
    assay_message_free(&r->message);
    assay_mem_free(r->parts);
    memset(r, 0, sizeof *r);
}

/* ---- replies */

void assay_service_reply(assay_call *c, const ProtobufCMessage *m)
{
    assay_writer w;
    assay_writer_init(&w, REPLY_BYTES);
    assay_message_write(&w, m);
    if (w.bad)
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "no memory for the reply");
    else
        assay_call_reply(c, w.n ? w.p : (const uint8_t *)"", w.n);
    assay_writer_clear(&w);
}

void assay_service_refuse_field(assay_call *c, const char *field, const char *reason)
{
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "%s: %s", field, reason);
    assay_call_finish(c, ASSAY_RPC_INVALID_ARGUMENT, text);
}

assay_rpc_code assay_service_code(assay_status s)
{
    switch (s) {
    case ASSAY_OK:
        return ASSAY_RPC_OK;
    case ASSAY_EINVAL:
    case ASSAY_EFORMAT:
    case ASSAY_ERANGE:
    case ASSAY_EUNSATISFIED:
        return ASSAY_RPC_INVALID_ARGUMENT;
    case ASSAY_ENOMEM:
        return ASSAY_RPC_RESOURCE_EXHAUSTED;
    case ASSAY_EIO:
    case ASSAY_EBUSY:
        return ASSAY_RPC_UNAVAILABLE;
    case ASSAY_ECANCELED:
        return ASSAY_RPC_CANCELLED;
    case ASSAY_EUNSUPPORTED:
    case ASSAY_EEXHAUSTED:
        return ASSAY_RPC_FAILED_PRECONDITION;
    case ASSAY_EDEVICE:
    case ASSAY_ENORESULT:
    case ASSAY_EINTERNAL:
        break;
    }
    return ASSAY_RPC_INTERNAL;
}

void assay_service_fail(assay_call *c, const assay_errinfo *err)
{
    char text[TEXT_BYTES];
    assay_call_finish(c, assay_service_code(err->status), assay_errinfo_text(err, text, sizeof text));
}

/* ---- life */

assay_status assay_service_new(assay_service **out, assay_engine *engine, const char *circuits, const char *models,
                               const assay_log *log, assay_errinfo *err)
{
    *out = NULL;
    assay_service *s = assay_mem_alloc(1, sizeof *s);
    if (!s) return ASSAY_FAIL(err, ASSAY_ENOMEM, "service", "out of memory");
    s->engine = engine;
    s->log = log;
    assay_status st = assay_catalogue_new(&s->catalogue, circuits, models, err);
    if (st == ASSAY_OK) st = assay_follow_start(s, err);
    if (st != ASSAY_OK) {
        assay_catalogue_free(s->catalogue);
        assay_mem_free(s);
        return st;
    }
    *out = s;
    return ASSAY_OK;
}

void assay_service_methods(assay_service *s, assay_rpc_method out[ASSAY_SERVICE_METHODS])
{
    _Static_assert(ASSAY_SERVICE_METHODS == ASSAY_CUZK_METHODS + ASSAY_OWN_METHODS, "two services");
    assay_cuzk_methods(s, out);
    assay_own_methods(s, out + ASSAY_CUZK_METHODS);
}

void assay_service_set_server(assay_service *s, const assay_server *server)
{
    atomic_store(&s->server, server);
}

void assay_service_stop(assay_service *s)
{
    assay_follow_stop(s);
}

void assay_service_free(assay_service *s)
{
    if (!s) return;
    assay_follow_free(s);
    assay_catalogue_free(s->catalogue);
    assay_mem_free(s);
}
