/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC server: listeners, connections and one thread that polls them; workers that run the methods. */
#ifndef ASSAY_DAEMON_SERVER_H
#define ASSAY_DAEMON_SERVER_H

#include "daemon/config.h"
#include "daemon/rpc.h"
#include "daemon/tls.h"

typedef struct assay_server assay_server;

/* Borrowed while the server lives, but for `listen` and `tls`. */
typedef struct assay_server_options {
    const char *const *listen; /* addresses, as assay_address_parse takes them */
    size_t n_listen;
    assay_tls_files tls; /* no certificate: plain; unix sockets are always plain */
    const char *token;   /* that every call must bring; NULL: none. Kept as a hash */
    const assay_rpc_method *methods;
    size_t n_methods;
    unsigned workers;
    size_t max_message;
    uint64_t connection_memory, total_memory;
    uint32_t max_connections, max_streams;
    uint64_t handshake_timeout, request_timeout, idle_timeout, keepalive; /* milliseconds */
} assay_server_options;

/* What a configuration says of limits; listen, token and methods are left to the caller. */
assay_server_options assay_server_options_of(const assay_config *c);

/* Listens, and serves once started. Errors: ASSAY_EFORMAT (an address), ASSAY_EIO, ASSAY_EBUSY, ASSAY_ENOMEM. *s is
 * NULL on failure. */
ASSAY_MUST_USE assay_status assay_server_new(assay_server **s, const assay_server_options *o, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_server_start(assay_server *s, assay_errinfo *err);
/* The TCP port of listener i; 0 for unix sockets. */
uint16_t assay_server_port(const assay_server *s, size_t i);

/* Stops listening, lets calls that live end, at most for drain_ms, ends the others with UNAVAILABLE, closes. Returns
 * when that is done. Workers are joined: a method must not wait for something that comes after. */
void assay_server_stop(assay_server *s, uint64_t drain_ms);
/* Stops at once if it runs. Every call must have been released by then. NULL is fine. */
void assay_server_free(assay_server *s);

typedef struct assay_server_stats {
    uint64_t connections; /* open */
    uint64_t accepted, refused;
    uint64_t memory; /* bytes that calls hold */
} assay_server_stats;
assay_server_stats assay_server_look(const assay_server *s);

#endif
