/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC client over nghttp2. What is sent and received waits in lists; `pump` moves bytes until something happened.
 */
#include "daemon/client.h"
#include "base/mem.h"
#include "daemon/grpc_codec.h"
#include "daemon/transport.h"
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { IO_BYTES = 1 << 16, WINDOW = 16 << 20, GRACE = 1000, TOKEN_BYTES = 4096, HEAD = 5 };

typedef struct message {
    struct message *next;
    uint8_t *p;
    size_t n, counted, at;
} message;

struct assay_client {
    assay_transport t;
    nghttp2_session *session;
    assay_rpc_memory *memory;
    assay_client_stream *streams;
    size_t max_message;
    char authority[ASSAY_HOST_BYTES + 16], token[TOKEN_BYTES];
    bool broken, heard; /* heard: the other side has spoken HTTP/2 */
    assay_tls *tls;     /* NULL: plain */
    uint8_t *out, *in;
    size_t n_out, at_out;
};

struct assay_client_stream {
    assay_client *c;
    assay_client_stream *before, *after;
    int32_t id; /* 0: closed */
    uint64_t until;
    message *out_first, *out_last, *in_first, *in_last;
    bool ended_out, deferred, over, is_grpc, has_status, short_of_memory;
    assay_deframer deframer;
    const char *fault;
    assay_rpc_code code;
    char text[ASSAY_CLIENT_TEXT];
};

#define NV(name, value)                                                                                                \
    {                                                                                                                  \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE \
    }

static void free_message(assay_rpc_memory *memory, message *m)
{
    assay_mem_free_secret(m->p, m->n);
    assay_rpc_memory_give(memory, m->counted);
    assay_mem_free(m);
}

static void append(message **first, message **last, message *m)
{
    if (*last)
        (*last)->next = m;
    else
        *first = m;
    *last = m;
}

/* ---- nghttp2's callbacks */

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t n_name,
                     const uint8_t *value, size_t n_value, uint8_t flags, void *user)
{
    (void)flags;
    (void)user;
    assay_client_stream *st = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!st) return 0;
    if (n_name == 12 && memcmp(name, "content-type", 12) == 0)
        st->is_grpc = n_value >= 16 && memcmp(value, "application/grpc", 16) == 0;
    if (n_name == 11 && memcmp(name, "grpc-status", 11) == 0 && n_value > 0 && n_value < 4) {
        unsigned v = 0;
        for (size_t i = 0; i < n_value; i++) v = 10 * v + (unsigned)(value[i] - '0');
        st->code = v <= ASSAY_RPC_UNAUTHENTICATED ? (assay_rpc_code)v : ASSAY_RPC_UNKNOWN;
        st->has_status = true;
    }
    if (n_name == 12 && memcmp(name, "grpc-message", 12) == 0)
        assay_percent_decode(st->text, sizeof st->text, (const char *)value, n_value);
    return 0;
}

static bool take_message(void *ctx, uint8_t *p, size_t n, size_t counted)
{
    assay_client_stream *st = ctx;
    message *m = assay_mem_alloc(1, sizeof *m);
    if (!m) {
        assay_mem_free_secret(p, n);
        assay_rpc_memory_give(st->c->memory, counted);
        st->short_of_memory = true;
        return false;
    }
    *m = (message){NULL, p, n, counted, 0};
    append(&st->in_first, &st->in_last, m);
    return true;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *p, size_t n, void *user)
{
    (void)flags;
    (void)user;
    assay_client_stream *st = nghttp2_session_get_stream_user_data(session, id);
    if (!st || st->fault) return 0;
    if (assay_deframer_feed(&st->deframer, p, n, take_message, st, &st->fault) != ASSAY_RPC_OK)
        return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    (void)user;
    assay_client_stream *st = nghttp2_session_get_stream_user_data(session, id);
    if (!st) return 0;
    if (!st->has_status) {
        st->code = code == NGHTTP2_CANCEL ? ASSAY_RPC_CANCELLED : ASSAY_RPC_UNAVAILABLE;
        (void)snprintf(st->text, sizeof st->text, "the stream was closed without a status (HTTP/2 error %u)", code);
    }
    st->over = true;
    st->id = 0;
    return 0;
}

static ssize_t read_request(nghttp2_session *session, int32_t id, uint8_t *out, size_t n, uint32_t *flags,
                            nghttp2_data_source *source, void *user)
{
    (void)session;
    (void)id;
    (void)user;
    assay_client_stream *st = source->ptr;
    size_t done = 0;
    while (st->out_first && done < n) {
        message *m = st->out_first;
        const size_t part = m->n - m->at < n - done ? m->n - m->at : n - done;
        memcpy(out + done, m->p + m->at, part);
        done += part;
        m->at += part;
        if (m->at < m->n) break;
        st->out_first = m->next;
        if (!st->out_first) st->out_last = NULL;
        free_message(st->c->memory, m);
    }
    if (!st->out_first && st->ended_out) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (done == 0) {
        st->deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)done;
}

/* ---- bytes */

static assay_status lost(assay_client *c, assay_errinfo *err)
{
    c->broken = true;
    if (!c->heard && !c->tls)
        return ASSAY_FAIL(err, ASSAY_EIO, c->authority, "no HTTP/2 is spoken there, or TLS is wanted");
    return ASSAY_FAIL(err, ASSAY_EIO, c->authority, "the connection is lost");
}

static assay_status write_some(assay_client *c, assay_errinfo *err)
{
    for (;;) {
        if (c->at_out == c->n_out) {
            const uint8_t *p;
            const ssize_t n = nghttp2_session_mem_send(c->session, &p);
            if (n < 0) return lost(c, err);
            if (n == 0) return ASSAY_OK;
            if ((size_t)n > IO_BYTES) return lost(c, err);
            memcpy(c->out, p, (size_t)n);
            c->n_out = (size_t)n;
            c->at_out = 0;
        }
        size_t done;
        const assay_io io = assay_transport_write(&c->t, c->out + c->at_out, c->n_out - c->at_out, &done);
        c->at_out += done;
        if (io == IO_WAIT) return ASSAY_OK;
        if (io != IO_SOME) return lost(c, err);
    }
}

/* Reads what there is; *some says whether there was anything. */
static assay_status read_some(assay_client *c, bool *some, assay_errinfo *err)
{
    for (;;) {
        size_t n;
        const assay_io io = assay_transport_read(&c->t, c->in, IO_BYTES, &n);
        if (io == IO_WAIT) return ASSAY_OK;
        if (io != IO_SOME) return lost(c, err);
        *some = true;
        if (nghttp2_session_mem_recv(c->session, c->in, n) != (ssize_t)n) return lost(c, err);
        if (n < IO_BYTES && !assay_transport_has_more(&c->t)) return ASSAY_OK;
    }
}

/* Moves bytes until something came, or the time is over (*late). */
static assay_status pump(assay_client *c, uint64_t until, bool *late, assay_errinfo *err)
{
    *late = false;
    if (c->broken) return lost(c, err);
    for (bool some = false;;) {
        assay_status s = write_some(c, err);
        if (s == ASSAY_OK) s = read_some(c, &some, err);
        if (s != ASSAY_OK || some) return s;
        const uint64_t now = assay_clock_ms();
        *late = now >= until;
        if (*late) return ASSAY_OK;
        const bool writes = c->at_out < c->n_out || c->t.wants_write;
        struct pollfd p = {.fd = c->t.fd, .events = (short)(POLLIN | (writes ? POLLOUT : 0))};
        (void)poll(&p, 1, until - now > 1000 ? 1000 : (int)(until - now));
    }
}

/* ---- life */

/* The first frame of a server is SETTINGS. */
static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_SETTINGS) ((assay_client *)ctx)->heard = true;
    return 0;
}

static assay_status shake_hands(assay_client *c, uint64_t until, assay_errinfo *err)
{
    for (;;) {
        const assay_io io = assay_transport_handshake(&c->t);
        const uint64_t now = assay_clock_ms();
        if (io == IO_SOME) return ASSAY_OK;
        if (io == IO_BROKEN)
            return ASSAY_FAIL(err, ASSAY_EIO, c->authority,
                              "the TLS handshake failed: certificates, or no HTTP/2 there");
        if (now >= until) return ASSAY_FAIL(err, ASSAY_EIO, c->authority, "the TLS handshake takes too long");
        struct pollfd p = {.fd = c->t.fd, .events = (short)(c->t.wants_write ? POLLOUT : POLLIN)};
        (void)poll(&p, 1, until - now > 1000 ? 1000 : (int)(until - now));
    }
}

static assay_status make_session(assay_client *c)
{
    nghttp2_session_callbacks *callbacks = NULL;
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    int bad = nghttp2_session_callbacks_new(&callbacks);
    if (bad == 0) {
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        bad = nghttp2_session_client_new(&c->session, callbacks, c);
    }
    if (bad == 0) bad = nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, 2);
    if (bad == 0) bad = nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, WINDOW);
    nghttp2_session_callbacks_del(callbacks);
    return bad == 0 ? ASSAY_OK : ASSAY_ENOMEM;
}

static assay_status connect_to(assay_client *c, const assay_client_options *o, assay_errinfo *err)
{
    assay_address a;
    int fd = -1;
    const uint64_t now = assay_clock_ms();
    const uint64_t until = o->connect_timeout > UINT64_MAX - now ? UINT64_MAX : now + o->connect_timeout;
    assay_status s = assay_address_parse(&a, o->address, o->address, err);
    if (s != ASSAY_OK) return s;
    if (a.local)
        (void)snprintf(c->authority, sizeof c->authority, "localhost");
    else
        (void)snprintf(c->authority, sizeof c->authority, strchr(a.host, ':') ? "[%s]:%u" : "%s:%u", a.host,
                       (unsigned)a.port);
    if (o->tls) s = assay_tls_client_new(&c->tls, &o->files, err);
    if (s == ASSAY_OK) s = assay_socket_connect(&fd, &a, o->address, o->connect_timeout, err);
    if (s == ASSAY_OK) s = assay_transport_open(&c->t, fd, c->tls, a.local ? "localhost" : a.host, err);
    if (s == ASSAY_OK) s = shake_hands(c, until, err);
    return s == ASSAY_OK ? write_some(c, err) : s; /* the preface: a server waits for it */
}

assay_status assay_client_new(assay_client **out, const assay_client_options *o, assay_errinfo *err)
{
    *out = NULL;
    assay_client *c = assay_mem_alloc(1, sizeof *c);
    if (!c) return ASSAY_FAIL(err, ASSAY_ENOMEM, "client", "out of memory");
    assay_status s = ASSAY_OK;
    c->t.fd = -1;
    c->max_message = o->max_message ? o->max_message : (size_t)256 << 20;
    c->memory = assay_rpc_memory_new(UINT64_MAX, NULL);
    c->out = assay_mem_alloc(IO_BYTES, 1);
    c->in = assay_mem_alloc(IO_BYTES, 1);
    if (!c->memory || !c->out || !c->in || make_session(c) != ASSAY_OK)
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "client", "out of memory");
    if (s == ASSAY_OK && o->token && *o->token) {
        const int n = snprintf(c->token, sizeof c->token, "Bearer %s", o->token);
        if (n >= (int)sizeof c->token) s = ASSAY_FAIL(err, ASSAY_EINVAL, "client", "the token is too long");
    }
    if (s == ASSAY_OK) s = connect_to(c, o, err);
    if (s == ASSAY_OK)
        *out = c;
    else
        assay_client_free(c);
    return s;
}

void assay_client_free(assay_client *c)
{
    if (!c) return;
    while (c->streams) assay_client_close(c->streams);
    if (c->t.fd >= 0 && !c->broken) (void)write_some(c, NULL); /* cancellations, if they go at once */
    nghttp2_session_del(c->session);
    assay_transport_close(&c->t);
    assay_tls_free(c->tls);
    assay_rpc_memory_release(c->memory);
    assay_mem_free_secret(c->out, IO_BYTES);
    assay_mem_free_secret(c->in, IO_BYTES);
    assay_mem_free_secret(c, sizeof *c);
}

/* ---- calls */

assay_status assay_client_open(assay_client *c, assay_client_stream **out, const char *path, uint64_t timeout_ms,
                               assay_errinfo *err)
{
    char timeout[ASSAY_GRPC_TIMEOUT_BYTES];
    const uint64_t now = assay_clock_ms();
    *out = NULL;
    if (c->broken) return lost(c, err);
    assay_client_stream *st = assay_mem_alloc(1, sizeof *st);
    if (!st) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    st->c = c;
    st->deframer.memory = c->memory;
    st->deframer.most = c->max_message;
    st->until = timeout_ms > UINT64_MAX - now - GRACE ? UINT64_MAX : now + timeout_ms + GRACE;
    nghttp2_nv nv[9] = {NV(":method", "POST"), NV(":scheme", c->tls ? "https" : "http"),
                        NV(":path", path),     NV(":authority", c->authority),
                        NV("te", "trailers"),  NV("content-type", "application/grpc")};
    size_t n = 6;
    if (timeout_ms != UINT64_MAX)
        nv[n++] = (nghttp2_nv)NV("grpc-timeout", assay_grpc_timeout_text(timeout, timeout_ms));
    if (c->token[0]) {
        nv[n] = (nghttp2_nv)NV("authorization", c->token);
        nv[n++].flags = NGHTTP2_NV_FLAG_NO_INDEX;
    }
    const nghttp2_data_provider provider = {{.ptr = st}, read_request};
    st->id = nghttp2_submit_request(c->session, NULL, nv, n, &provider, st);
    if (st->id < 0) {
        assay_mem_free(st);
        return ASSAY_FAIL(err, ASSAY_EIO, c->authority, "no further call can be made on this connection");
    }
    st->after = c->streams;
    if (c->streams) c->streams->before = st;
    c->streams = st;
    *out = st;
    return ASSAY_OK;
}

assay_status assay_client_send(assay_client_stream *st, const void *p, size_t n, bool last, assay_errinfo *err)
{
    message *m = assay_mem_alloc(1, sizeof *m);
    uint8_t *bytes = n < UINT32_MAX ? assay_mem_alloc_raw(n + HEAD, 1) : NULL;
    if (!m || !bytes || st->ended_out) {
        assay_mem_free(m);
        assay_mem_free(bytes);
        return st->ended_out ? ASSAY_FAIL(err, ASSAY_EINVAL, "call", "the last message was sent already")
                             : ASSAY_FAIL(err, ASSAY_ENOMEM, "call", "out of memory");
    }
    bytes[0] = 0;
    for (int i = 0; i < 4; i++) bytes[1 + i] = (uint8_t)(n >> (24 - 8 * i));
    if (n) memcpy(bytes + HEAD, p, n);
    *m = (message){NULL, bytes, n + HEAD, 0, 0};
    append(&st->out_first, &st->out_last, m);
    st->ended_out = last;
    if (st->deferred && st->id) (void)nghttp2_session_resume_data(st->c->session, st->id);
    st->deferred = false;
    return write_some(st->c, err);
}

assay_status assay_client_receive(assay_client_stream *st, assay_buffer *out, bool *more, assay_errinfo *err)
{
    *out = (assay_buffer){NULL, 0};
    *more = false;
    while (!st->in_first && !st->over) {
        bool late;
        assay_status s = pump(st->c, st->until, &late, err);
        if (s != ASSAY_OK) return s;
        if (late) {
            st->over = true;
            st->code = ASSAY_RPC_DEADLINE_EXCEEDED;
            (void)snprintf(st->text, sizeof st->text, "the deadline has passed, and the server did not say so");
        }
    }
    if (st->short_of_memory) return ASSAY_FAIL(err, ASSAY_ENOMEM, "reply", "out of memory");
    if (st->fault) return ASSAY_FAIL(err, ASSAY_EFORMAT, "reply", st->fault);
    message *m = st->in_first;
    if (m) {
        st->in_first = m->next;
        if (!st->in_first) st->in_last = NULL;
        *out = (assay_buffer){m->p, m->n};
        assay_rpc_memory_give(st->c->memory, m->counted);
        assay_mem_free(m);
        *more = true;
        return ASSAY_OK;
    }
    if (st->has_status && (!st->is_grpc || !assay_deframer_is_between(&st->deframer)))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "reply", "is not gRPC, or ends inside a message");
    return ASSAY_OK;
}

assay_rpc_code assay_client_result(const assay_client_stream *st, const char **message_out)
{
    *message_out = st->text;
    return st->over ? st->code : ASSAY_RPC_UNKNOWN;
}

void assay_client_close(assay_client_stream *st)
{
    if (!st) return;
    assay_client *c = st->c;
    if (st->id > 0 && !c->broken) {
        (void)nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, st->id, NGHTTP2_CANCEL);
        (void)nghttp2_session_set_stream_user_data(c->session, st->id, NULL);
        (void)write_some(c, NULL);
    }
    if (st->before)
        st->before->after = st->after;
    else
        c->streams = st->after;
    if (st->after) st->after->before = st->before;
    for (message *m = st->out_first, *next; m; m = next) {
        next = m->next;
        free_message(c->memory, m);
    }
    for (message *m = st->in_first, *next; m; m = next) {
        next = m->next;
        free_message(c->memory, m);
    }
    assay_deframer_clear(&st->deframer);
    assay_mem_free(st);
}

assay_status assay_client_call(assay_client *c, const char *path, const void *p, size_t n, uint64_t timeout_ms,
                               assay_buffer *reply, assay_rpc_code *code, char text[ASSAY_CLIENT_TEXT],
                               assay_errinfo *err)
{
    assay_client_stream *st = NULL;
    assay_buffer extra = {NULL, 0};
    const char *words = "";
    bool more = false;
    *reply = extra;
    *code = ASSAY_RPC_UNAVAILABLE;
    if (text) text[0] = '\0';
    assay_status s = assay_client_open(c, &st, path, timeout_ms, err);
    if (s == ASSAY_OK) s = assay_client_send(st, p, n, true, err);
    if (s == ASSAY_OK) s = assay_client_receive(st, reply, &more, err);
    if (s == ASSAY_OK && more) s = assay_client_receive(st, &extra, &more, err);
    if (s != ASSAY_OK) goto out;
    if (more) {
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, path, "more than one reply to a call of one");
        goto out;
    }
    *code = assay_client_result(st, &words);
    if (*code == ASSAY_RPC_OK && !reply->p) s = ASSAY_FAIL(err, ASSAY_EFORMAT, path, "success without a reply");
    if (text) (void)snprintf(text, ASSAY_CLIENT_TEXT, "%s", words);
out:
    if (s != ASSAY_OK || *code != ASSAY_RPC_OK) assay_buffer_free(reply);
    assay_buffer_free(&extra);
    assay_client_close(st);
    return s;
}
