/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of one HTTP/2 connection that carries gRPC: bytes in, bytes out, calls between. It knows no sockets
 * and no threads: one thread at a time may use it. Flow control, HPACK and the order of frames are nghttp2's. */
#ifndef ASSAY_DAEMON_H2_SERVER_H
#define ASSAY_DAEMON_H2_SERVER_H

#include "daemon/call.h"

/* What the connections of one server share. */
typedef struct assay_rpc_host {
    const assay_rpc_method *methods;
    size_t n_methods;
    const uint8_t *token_hash; /* SHA-256 of the token that every call must bring; NULL: none */
    size_t max_message;
    uint64_t connection_memory;
    uint32_t max_streams;
    uint64_t handshake_timeout, request_timeout, idle_timeout, keepalive; /* milliseconds */
    assay_rpc_memory *memory;                                             /* of all connections */
    void (*dispatch)(void *ctx, assay_call *c); /* has a worker run assay_call_work; holds the call while it does */
    assay_call_wake *wake;                      /* may be called from any thread */
    void *ctx;                                  /* of both */
} assay_rpc_host;

typedef struct assay_h2_server assay_h2_server;

/* `host` is borrowed. now: assay_clock_ms, as in all calls below. */
ASSAY_MUST_USE assay_status assay_h2_server_new(assay_h2_server **s, const assay_rpc_host *host, uint64_t now,
                                                assay_errinfo *err);
/* Cancels the calls that live. NULL is fine. */
void assay_h2_server_free(assay_h2_server *s);

/* Takes n bytes of the peer. False when the connection is beyond repair: send what there is, and close. */
bool assay_h2_server_receive(assay_h2_server *s, const uint8_t *p, size_t n, uint64_t now);
/* Writes up to n bytes for the peer to out; 0 when there are none now. */
size_t assay_h2_server_send(assay_h2_server *s, uint8_t *out, size_t n);
/* A call of this connection has something to carry (its stream is not NULL). */
void assay_h2_server_resume(assay_call *c);
/* The connection of a call; NULL when its stream is gone. */
assay_h2_server *assay_h2_server_of(assay_call *c);

/* Deadlines and timeouts. Returns when to call again at the latest; 0: close now. */
uint64_t assay_h2_server_tick(assay_h2_server *s, uint64_t now);
/* Says goodbye: no new calls, those that live go on. */
void assay_h2_server_shutdown(assay_h2_server *s);
/* Ends all calls with UNAVAILABLE. */
void assay_h2_server_abort(assay_h2_server *s);
/* Whether nothing more will be read or written. */
bool assay_h2_server_is_over(const assay_h2_server *s);
/* Calls whose streams are open. */
size_t assay_h2_server_calls(const assay_h2_server *s);
/* For the owner of the connection. */
void assay_h2_server_set_owner(assay_h2_server *s, void *owner);
void *assay_h2_server_owner(const assay_h2_server *s);

#endif
