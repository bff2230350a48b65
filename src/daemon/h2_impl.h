/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the HTTP/2 server share. */
#ifndef ASSAY_DAEMON_H2_IMPL_H
#define ASSAY_DAEMON_H2_IMPL_H

#include "daemon/grpc_codec.h"
#include "daemon/h2_server.h"
#include <nghttp2/nghttp2.h>

enum {
    H2_PATH_BYTES = 256,
    H2_CALL_BYTES = 1 << 13 /* of a call, its stream and who follows it, but for messages: at most that */
};

/* One stream: a request and its reply. */
typedef struct h2_stream {
    assay_h2_server *server;
    struct h2_stream *before, *after;
    int32_t id;
    /* Of the headers. */
    size_t header_bytes;
    char path[H2_PATH_BYTES];
    bool is_post, is_grpc, is_compressed, is_trusted, bad_timeout, long_path;
    uint64_t timeout; /* UINT64_MAX: none */
    /* Then. */
    assay_call *call; /* NULL before the headers are whole, and for what never becomes a call */
    bool charged;     /* H2_CALL_BYTES of all calls' memory */
    assay_deframer deframer;
    bool got_message;
    uint8_t *message; /* of a unary request, until its end has come */
    size_t n_message, counted;
    bool ended;     /* the request */
    bool begun;     /* the reply's headers are on their way */
    bool replied;   /* the end of the reply is sent */
    bool deferred;  /* nghttp2 waits to be told of more */
    bool failed;    /* the rest of the request is not read */
    uint64_t since; /* the request's last step forward: a whole message, or the stream's beginning */
    uint64_t moved; /* the reply's last step forward; 0: nothing waits */
} h2_stream;

struct assay_h2_server {
    const assay_rpc_host *host;
    nghttp2_session *session;
    assay_rpc_memory *memory;
    h2_stream *streams;
    size_t n_streams;
    void *owner;
    uint64_t now, begun, heard, busy, pinged; /* pinged: 0 when no answer is awaited */
    unsigned idle_frames;
    bool greeted, leaving, broken;
    const uint8_t *left; /* nghttp2's, of its last frame */
    size_t n_left;
};

/* Unlinks; the call, if it lives, is the caller's to cancel before. */
void assay_h2_stream_free(h2_stream *st);

/* ---- h2_request.c: the steps of a request */
void assay_h2_request_header(h2_stream *st, const char *name, size_t n_name, const char *value, size_t n_value);
void assay_h2_request_begin(h2_stream *st); /* the headers are whole */
void assay_h2_request_data(h2_stream *st, const uint8_t *p, size_t n);
void assay_h2_request_end(h2_stream *st);
void assay_h2_request_resume(h2_stream *st); /* the call has something to carry */
/* Whether the peer has made no step for `patience`; *next is lowered to when that may be. */
bool assay_h2_request_is_stuck(const h2_stream *st, uint64_t now, uint64_t patience, uint64_t *next);

#endif
