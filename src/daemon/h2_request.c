/* SPDX-License-Identifier: Apache-2.0 */
/* A request over HTTP/2 and its reply: headers in, messages in, messages out, trailers out. */
#include "base/mem.h"
#include "daemon/bearer.h"
#include "daemon/h2_impl.h"
#include <stdio.h>
#include <string.h>

enum { STATUS_TEXT = 3100, MAX_WAITING = 64 };

#define NV(name, value)                                                                                                \
    {                                                                                                                  \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE \
    }

/* ---- headers */

static bool is(const char *p, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(p, word, n) == 0;
}

/* application/grpc, alone or followed by +something or ;something. */
static bool is_grpc_type(const char *p, size_t n)
{
    static const char type[] = "application/grpc";
    const size_t k = sizeof type - 1;
    return n >= k && memcmp(p, type, k) == 0 && (n == k || p[k] == '+' || p[k] == ';');
}

void assay_h2_request_header(h2_stream *st, const char *name, size_t n_name, const char *value, size_t n_value)
{
    const uint8_t *token = st->server->host->token_hash;
    if (is(name, n_name, ":method")) {
        st->is_post = is(value, n_value, "POST");
    } else if (is(name, n_name, ":path")) {
        st->long_path = n_value >= sizeof st->path || memchr(value, 0, n_value) != NULL;
        (void)snprintf(st->path, sizeof st->path, "%.*s", st->long_path ? 0 : (int)n_value, value);
    } else if (is(name, n_name, "content-type")) {
        st->is_grpc = is_grpc_type(value, n_value);
    } else if (is(name, n_name, "grpc-encoding")) {
        st->is_compressed = !is(value, n_value, "identity");
    } else if (is(name, n_name, "grpc-timeout")) {
        st->bad_timeout = !assay_grpc_timeout_parse(&st->timeout, value, n_value);
    } else if (is(name, n_name, "authorization") && token) {
        st->is_trusted = assay_bearer_is(value, n_value, token);
    }
}

/* ---- replies without a call */

/* A reply of headers alone, and the end of the stream. */
static void reply_status(h2_stream *st, assay_rpc_code code, const char *message)
{
    char number[8], text[STATUS_TEXT];
    (void)snprintf(number, sizeof number, "%d", (int)code);
    assay_percent_encode(text, sizeof text, message);
    const nghttp2_nv nv[] = {NV(":status", "200"), NV("content-type", "application/grpc"), NV("grpc-status", number),
                             NV("grpc-accept-encoding", "identity"), NV("grpc-message", text)};
    const size_t n = sizeof nv / sizeof *nv - (*message ? 0 : 1);
    st->begun = st->failed = true;
    if (nghttp2_submit_response(st->server->session, st->id, nv, n, NULL) != 0) st->server->broken = true;
}

/* For requests that are not gRPC. */
static void reply_http(h2_stream *st, const char *status)
{
    const nghttp2_nv nv[] = {NV(":status", status)};
    st->begun = st->failed = true;
    if (nghttp2_submit_response(st->server->session, st->id, nv, 1, NULL) != 0) st->server->broken = true;
}

/* ---- requests */

static const assay_rpc_method *find_method(const assay_rpc_host *h, const char *path)
{
    for (size_t i = 0; i < h->n_methods; i++)
        if (strcmp(h->methods[i].path, path) == 0) return &h->methods[i];
    return NULL;
}

void assay_h2_request_begin(h2_stream *st)
{
    const assay_rpc_host *h = st->server->host;
    if (!st->is_post) {
        reply_http(st, "405");
        return;
    }
    if (!st->is_grpc) {
        reply_http(st, "415");
        return;
    }
    const assay_rpc_method *m = st->long_path ? NULL : find_method(h, st->path);
    if (h->token_hash && !st->is_trusted) {
        reply_status(st, ASSAY_RPC_UNAUTHENTICATED, "a valid bearer token is needed");
    } else if (!m) {
        reply_status(st, ASSAY_RPC_UNIMPLEMENTED, "no such method");
    } else if (st->is_compressed) {
        reply_status(st, ASSAY_RPC_UNIMPLEMENTED, "compressed messages are not supported");
    } else if (st->bad_timeout) {
        reply_status(st, ASSAY_RPC_INTERNAL, "grpc-timeout cannot be read");
    } else {
        const uint64_t now = st->server->now;
        const uint64_t deadline = st->timeout > UINT64_MAX - now ? UINT64_MAX : now + st->timeout;
        st->charged = assay_rpc_memory_take(h->memory, H2_CALL_BYTES);
        if (st->charged) st->call = assay_call_new(m, st->server->memory, deadline, h->wake, h->ctx);
        if (st->call)
            *assay_call_stream(st->call) = st;
        else
            reply_status(st, ASSAY_RPC_RESOURCE_EXHAUSTED,
                         st->charged ? "out of memory" : "calls hold too much memory");
    }
}

/* The request is at fault: the call ends, and what still comes is not read. */
static void refuse(h2_stream *st, assay_rpc_code code, const char *why)
{
    st->failed = true;
    assay_deframer_clear(&st->deframer);
    (void)assay_call_cancel(st->call, code, why);
}

static bool take_message(void *ctx, uint8_t *p, size_t n, size_t counted)
{
    h2_stream *st = ctx;
    const assay_rpc_host *h = st->server->host;
    const bool many = assay_call_method(st->call)->many_requests;
    st->since = st->server->now;
    if ((!many && st->got_message) || assay_call_waiting(st->call) >= MAX_WAITING) {
        assay_mem_free_secret(p, n);
        assay_rpc_memory_give(st->server->memory, counted);
        refuse(st, many ? ASSAY_RPC_RESOURCE_EXHAUSTED : ASSAY_RPC_INTERNAL,
               many ? "too many requests wait" : "this method takes one request");
        return false;
    }
    st->got_message = true;
    if (many) {
        if (assay_call_put(st->call, p, n, counted)) h->dispatch(h->ctx, st->call);
        return true;
    }
    /* A unary request begins when its end has come: it might be followed by what makes it wrong. */
    st->message = p;
    st->n_message = n;
    st->counted = counted;
    return true;
}

void assay_h2_request_data(h2_stream *st, const uint8_t *p, size_t n)
{
    const char *why = NULL;
    if (st->failed || !st->call) return;
    const assay_rpc_code code = assay_deframer_feed(&st->deframer, p, n, take_message, st, &why);
    if (code == ASSAY_RPC_OK) return;
    char text[128];
    const size_t need = st->deframer.need, most = st->deframer.most;
    if (need > most) {
        (void)snprintf(text, sizeof text, "a request of %zu bytes; limits.message lets %zu through here", need, most);
        why = text;
    }
    refuse(st, code, why);
}

void assay_h2_request_end(h2_stream *st)
{
    const assay_rpc_host *h = st->server->host;
    st->ended = true;
    if (st->failed || !st->call) return;
    const bool many = assay_call_method(st->call)->many_requests;
    if (!assay_deframer_is_between(&st->deframer)) {
        refuse(st, ASSAY_RPC_INTERNAL, "the request ends inside a message");
    } else if (many) {
        if (assay_call_end_requests(st->call)) h->dispatch(h->ctx, st->call);
    } else if (!st->got_message) {
        refuse(st, ASSAY_RPC_INTERNAL, "the request has no message");
    } else {
        uint8_t *p = st->message;
        st->message = NULL;
        if (assay_call_put(st->call, p, st->n_message, st->counted)) h->dispatch(h->ctx, st->call);
    }
}

/* ---- replies */

static int submit_trailers(h2_stream *st, assay_rpc_code code, const char *message)
{
    char number[8], text[STATUS_TEXT];
    (void)snprintf(number, sizeof number, "%d", (int)code);
    assay_percent_encode(text, sizeof text, message);
    const nghttp2_nv nv[] = {NV("grpc-status", number), NV("grpc-message", text)};
    return nghttp2_submit_trailer(st->server->session, st->id, nv, *message ? 2 : 1);
}

static ssize_t read_reply(nghttp2_session *session, int32_t id, uint8_t *out, size_t n, uint32_t *flags,
                          nghttp2_data_source *source, void *user)
{
    (void)session;
    (void)id;
    (void)user;
    h2_stream *st = source->ptr;
    assay_rpc_code code;
    const char *message;
    const size_t done = assay_call_take(st->call, out, n);
    if (done) st->moved = st->server->now;
    if (assay_call_done(st->call, &code, &message)) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        st->moved = 0;
        if (submit_trailers(st, code, message) != 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    } else if (done == 0) {
        st->deferred = true;
        st->moved = 0;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)done;
}

void assay_h2_request_resume(h2_stream *st)
{
    static const nghttp2_nv nv[] = {NV(":status", "200"), NV("content-type", "application/grpc"),
                                    NV("grpc-accept-encoding", "identity")};
    nghttp2_session *session = st->server->session;
    assay_rpc_code code;
    const char *message;
    if (!st->begun && assay_call_is_bare(st->call)) {
        (void)assay_call_done(st->call, &code, &message);
        reply_status(st, code, message);
        return;
    }
    if (st->moved == 0) st->moved = st->server->now;
    if (!st->begun) {
        const nghttp2_data_provider provider = {{.ptr = st}, read_reply};
        st->begun = true;
        if (nghttp2_submit_response(session, st->id, nv, sizeof nv / sizeof *nv, &provider) != 0)
            st->server->broken = true;
    } else if (st->deferred) {
        st->deferred = false;
        (void)nghttp2_session_resume_data(session, st->id);
    }
}

bool assay_h2_request_is_stuck(const h2_stream *st, uint64_t now, uint64_t patience, uint64_t *next)
{
    const uint64_t in = st->ended || st->failed ? UINT64_MAX : st->since + patience;
    const uint64_t out = st->moved ? st->moved + patience : UINT64_MAX, first = in < out ? in : out;
    if (now >= first) return true;
    if (first < *next) *next = first;
    return false;
}
