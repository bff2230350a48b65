/* SPDX-License-Identifier: Apache-2.0 */
/* A gRPC client: one connection, calls that wait. One thread at a time may use a client and its streams. Between calls
 * nobody reads: a server that pings closes a connection that was left alone for long. */
#ifndef ASSAY_DAEMON_CLIENT_H
#define ASSAY_DAEMON_CLIENT_H

#include "assay/buffer.h"
#include "daemon/rpc.h"
#include "daemon/tls.h"

typedef struct assay_client assay_client;
typedef struct assay_client_stream assay_client_stream;

typedef struct assay_client_options {
    const char *address; /* as assay_address_parse takes it */
    bool tls;            /* files then say with what */
    assay_tls_files files;
    const char *token;  /* NULL or "": none */
    size_t max_message; /* of replies; 0: 256 MiB */
    uint64_t connect_timeout;
} assay_client_options;

/* Connects. Errors: ASSAY_EFORMAT (the address), ASSAY_EIO (nobody there, handshake failed, timeout), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_client_new(assay_client **c, const assay_client_options *o, assay_errinfo *err);
/* Closes its streams too. NULL is fine. */
void assay_client_free(assay_client *c);

/* One request, one reply. *code and message (may be NULL; text of the status) say how the call ended; *reply is the
 * server's message with ASSAY_RPC_OK, otherwise empty; freed by assay_buffer_free. timeout_ms: the deadline, UINT64_MAX
 * for none; the client itself waits a second longer for the server to say so. Errors: ASSAY_EIO (connection lost),
 * ASSAY_EFORMAT (the reply is not gRPC), ASSAY_ENOMEM; *code is then ASSAY_RPC_UNAVAILABLE. */
enum { ASSAY_CLIENT_TEXT = 1024 };
ASSAY_MUST_USE assay_status assay_client_call(assay_client *c, const char *path, const void *p, size_t n,
                                              uint64_t timeout_ms, assay_buffer *reply, assay_rpc_code *code,
                                              char message[ASSAY_CLIENT_TEXT], assay_errinfo *err);

/* The same in steps, for streams: open, send any number of messages, the last with `last`, receive until *more is
 * false, then the result; close at any time, which cancels a call that is not over. */
ASSAY_MUST_USE assay_status assay_client_open(assay_client *c, assay_client_stream **st, const char *path,
                                              uint64_t timeout_ms, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_client_send(assay_client_stream *st, const void *p, size_t n, bool last,
                                              assay_errinfo *err);
/* The next message of the server, freed by the caller; *more false: there are no more, *out is empty. */
ASSAY_MUST_USE assay_status assay_client_receive(assay_client_stream *st, assay_buffer *out, bool *more,
                                                 assay_errinfo *err);
/* How a call ended whose messages are all received. */
assay_rpc_code assay_client_result(const assay_client_stream *st, const char **message);
void assay_client_close(assay_client_stream *st); /* NULL is fine */

#endif
