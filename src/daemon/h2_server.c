/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP/2 connection of the server: nghttp2's callbacks, timers, output. What a request's headers mean is in
 * h2_request.c. */
#include "daemon/h2_server.h"
#include "base/mem.h"
#include "daemon/h2_impl.h"
#include <string.h>

enum {
    STREAM_WINDOW = 4 << 20,
    CONNECTION_WINDOW = 16 << 20,
    MAX_HEADER_LIST = 1 << 14,
    MAX_IDLE_FRAMES = 10000, /* frames in a row that neither ask nor bring anything */
    TICK = 1000              /* ms: how long a timer may be late */
};

static void unlink_stream(h2_stream *st)
{
    assay_h2_server *s = st->server;
    if (st->before)
        st->before->after = st->after;
    else
        s->streams = st->after;
    if (st->after) st->after->before = st->before;
    s->n_streams--;
}

void assay_h2_stream_free(h2_stream *st)
{
    unlink_stream(st);
    assay_deframer_clear(&st->deframer);
    assay_mem_free_secret(st->message, st->n_message);
    if (st->message) assay_rpc_memory_give(st->server->memory, st->counted);
    if (st->charged) assay_rpc_memory_give(st->server->host->memory, H2_CALL_BYTES);
    if (st->call) {
        *assay_call_stream(st->call) = NULL;
        assay_call_release(st->call);
    }
    assay_mem_free_secret(st, sizeof *st);
}

/* ---- nghttp2's callbacks */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    assay_h2_server *s = user;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    h2_stream *st = assay_mem_alloc(1, sizeof *st);
    if (!st) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    st->server = s;
    st->id = frame->hd.stream_id;
    st->since = s->now;
    st->timeout = UINT64_MAX;
    st->deframer.memory = s->memory;
    st->deframer.most = s->host->max_message;
    st->after = s->streams;
    if (s->streams) s->streams->before = st;
    s->streams = st;
    s->n_streams++;
    s->idle_frames = 0;
    return nghttp2_session_set_stream_user_data(session, st->id, st);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t n_name,
                     const uint8_t *value, size_t n_value, uint8_t flags, void *user)
{
    (void)flags;
    (void)user;
    h2_stream *st = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!st) return 0;
    st->header_bytes += n_name + n_value + 32;
    if (st->header_bytes > MAX_HEADER_LIST) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        assay_h2_request_header(st, (const char *)name, n_name, (const char *)value, n_value);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    assay_h2_server *s = user;
    h2_stream *st = frame->hd.stream_id ? nghttp2_session_get_stream_user_data(session, frame->hd.stream_id) : NULL;
    const bool last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK)) s->greeted = true;
        s->idle_frames++;
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK) s->pinged = 0;
        s->idle_frames++;
        break;
    case NGHTTP2_PRIORITY:
        s->idle_frames++;
        break;
    case NGHTTP2_HEADERS:
        if (st && frame->headers.cat == NGHTTP2_HCAT_REQUEST) assay_h2_request_begin(st);
        if (st && last) assay_h2_request_end(st);
        break;
    case NGHTTP2_DATA:
        if (frame->data.hd.length == 0 && !last) s->idle_frames++;
        if (st && last) assay_h2_request_end(st);
        break;
    default:
        break;
    }
    return s->idle_frames > MAX_IDLE_FRAMES ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *p, size_t n, void *user)
{
    (void)flags;
    assay_h2_server *s = user;
    h2_stream *st = nghttp2_session_get_stream_user_data(session, id);
    if (n) s->idle_frames = 0;
    if (st) assay_h2_request_data(st, p, n);
    return 0;
}

/* After the end of a reply a request that still comes is stopped. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    (void)user;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    h2_stream *st = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (st && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
        st->replied = true;
        if (!st->ended) return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, st->id, NGHTTP2_NO_ERROR);
    }
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    (void)code;
    (void)user;
    h2_stream *st = nghttp2_session_get_stream_user_data(session, id);
    if (!st) return 0;
    if (st->call && !st->replied) (void)assay_call_cancel(st->call, ASSAY_RPC_CANCELLED, "the client went away");
    assay_h2_stream_free(st);
    return 0;
}

/* ---- the connection */

static assay_status make_session(assay_h2_server *s)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, s->host->max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST},
    };
    int bad = nghttp2_session_callbacks_new(&callbacks);
    if (bad == 0) bad = nghttp2_option_new(&option);
    if (bad == 0) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        nghttp2_option_set_no_closed_streams(option, 1);
        nghttp2_option_set_max_outbound_ack(option, 1000);
        nghttp2_option_set_max_settings(option, 32);
        bad = nghttp2_session_server_new2(&s->session, callbacks, s, option);
    }
    if (bad == 0)
        bad = nghttp2_submit_settings(s->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings);
    if (bad == 0) bad = nghttp2_session_set_local_window_size(s->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return bad == 0 ? ASSAY_OK : ASSAY_ENOMEM;
}

assay_status assay_h2_server_new(assay_h2_server **out, const assay_rpc_host *host, uint64_t now, assay_errinfo *err)
{
    *out = NULL;
    assay_h2_server *s = assay_mem_alloc(1, sizeof *s);
    if (!s) return ASSAY_FAIL(err, ASSAY_ENOMEM, "connection", "out of memory");
    s->host = host;
    s->now = s->begun = s->heard = s->busy = now;
    s->memory = assay_rpc_memory_new(host->connection_memory, host->memory);
    if (!s->memory || make_session(s) != ASSAY_OK) {
        assay_h2_server_free(s);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "connection", "out of memory");
    }
    *out = s;
    return ASSAY_OK;
}

void assay_h2_server_free(assay_h2_server *s)
{
    if (!s) return;
    while (s->streams) {
        if (s->streams->call)
            (void)assay_call_cancel(s->streams->call, ASSAY_RPC_CANCELLED, "the connection is closed");
        assay_h2_stream_free(s->streams);
    }
    nghttp2_session_del(s->session);
    assay_rpc_memory_release(s->memory);
    assay_mem_free_secret(s, sizeof *s);
}

bool assay_h2_server_receive(assay_h2_server *s, const uint8_t *p, size_t n, uint64_t now)
{
    s->now = s->heard = now;
    if (s->broken) return false;
    const ssize_t done = nghttp2_session_mem_recv(s->session, p, n);
    if (done < 0 || (size_t)done != n) s->broken = true;
    return !s->broken;
}

size_t assay_h2_server_send(assay_h2_server *s, uint8_t *out, size_t n)
{
    size_t done = 0;
    while (done < n) {
        if (s->n_left == 0) {
            const ssize_t got = nghttp2_session_mem_send(s->session, &s->left);
            if (got < 0) s->broken = true;
            if (got <= 0) break;
            s->n_left = (size_t)got;
        }
        const size_t part = s->n_left < n - done ? s->n_left : n - done;
        memcpy(out + done, s->left, part);
        s->left += part;
        s->n_left -= part;
        done += part;
    }
    return done;
}

assay_h2_server *assay_h2_server_of(assay_call *c)
{
    const h2_stream *st = *assay_call_stream(c);
    return st ? st->server : NULL;
}

void assay_h2_server_resume(assay_call *c)
{
    h2_stream *st = *assay_call_stream(c);
    if (st) assay_h2_request_resume(st);
}

/* ---- time */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* One stream's timers: the request must come, the deadline holds, what was sent must be taken. */
static uint64_t tick_stream(h2_stream *st, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    const uint64_t patience = st->server->host->request_timeout;
    if (st->call && !st->replied) {
        const uint64_t deadline = assay_call_deadline(st->call);
        if (now >= deadline)
            (void)assay_call_cancel(st->call, ASSAY_RPC_DEADLINE_EXCEEDED, "the deadline has passed");
        else
            next = deadline;
    }
    const bool stuck = assay_h2_request_is_stuck(st, now, patience, &next);
    if (stuck && st->call) (void)assay_call_cancel(st->call, ASSAY_RPC_UNAVAILABLE, "the client is too slow");
    if (stuck) (void)nghttp2_submit_rst_stream(st->server->session, NGHTTP2_FLAG_NONE, st->id, NGHTTP2_CANCEL);
    return next;
}

uint64_t assay_h2_server_tick(assay_h2_server *s, uint64_t now)
{
    const assay_rpc_host *h = s->host;
    uint64_t next = now + TICK;
    s->now = now;
    for (h2_stream *st = s->streams; st; st = st->after) next = least(next, tick_stream(st, now));
    if (s->broken) return 0;
    if (!s->greeted && now >= plus(s->begun, h->handshake_timeout)) return 0;
    if (!s->greeted) next = least(next, plus(s->begun, h->handshake_timeout));
    if (s->n_streams) s->busy = now;
    if (now >= plus(s->busy, h->idle_timeout)) {
        assay_h2_server_shutdown(s);
        if (now >= plus(s->busy, plus(h->idle_timeout, h->keepalive))) return 0;
    }
    if (s->pinged && s->heard > s->pinged) s->pinged = 0; /* anything that came is an answer */
    if (s->pinged && now >= plus(s->pinged, h->keepalive)) return 0;
    if (!s->pinged && now >= plus(s->heard, h->keepalive)) {
        s->pinged = now;
        if (nghttp2_submit_ping(s->session, NGHTTP2_FLAG_NONE, NULL) != 0) return 0;
    }
    return next;
}

void assay_h2_server_shutdown(assay_h2_server *s)
{
    if (s->leaving) return;
    s->leaving = true;
    (void)nghttp2_submit_goaway(s->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(s->session),
                                NGHTTP2_NO_ERROR, NULL, 0);
}

void assay_h2_server_abort(assay_h2_server *s)
{
    for (h2_stream *st = s->streams; st; st = st->after)
        if (st->call) (void)assay_call_cancel(st->call, ASSAY_RPC_UNAVAILABLE, "the server is stopping");
}

bool assay_h2_server_is_over(const assay_h2_server *s)
{
    if (s->n_left) return false;
    return s->broken || (!nghttp2_session_want_read(s->session) && !nghttp2_session_want_write(s->session));
}

size_t assay_h2_server_calls(const assay_h2_server *s)
{
    return s->n_streams;
}

void assay_h2_server_set_owner(assay_h2_server *s, void *owner)
{
    s->owner = owner;
}

void *assay_h2_server_owner(const assay_h2_server *s)
{
    return s->owner;
}
