/* SPDX-License-Identifier: Apache-2.0 */
/* What people and monitoring look at, over HTTP/1.1:
 *     /         the status page, one file without anything from elsewhere
 *     /status   the same as JSON (status.h)
 *     /metrics  for Prometheus (engine_metrics.h)
 *     /healthz  200 while the daemon answers; /readyz 200 when it can work, else 503
 * GET and HEAD only; nothing can be changed from here. A listener that other machines can reach asks for the token,
 * where there is one, for all but the last two: as `authorization: Bearer TOKEN`, or as the password of a browser's
 * Basic login; and it speaks TLS where there is a certificate. One on loopback answers only those who call it by such a
 * name, so that no foreign web page can read it through its visitor's browser. */
#ifndef ASSAY_DAEMON_HTTP_SERVER_H
#define ASSAY_DAEMON_HTTP_SERVER_H

#include "daemon/server.h"
#include "engine/engine.h"

typedef struct assay_http assay_http;

enum {
    ASSAY_HTTP_CONNECTIONS = 64,    /* at once; further ones are closed */
    ASSAY_HTTP_IDLE = 15,           /* seconds without a byte, then a connection is closed */
    ASSAY_HTTP_CONNECTION = 1 << 15 /* bytes of memory of a connection: request line and headers have less */
};

/* Where the pages get their figures; called on the HTTP thread, must be quick. */
typedef struct assay_http_source {
    void *ctx;
    assay_engine_look *(*look)(void *ctx); /* NULL: out of memory */
    void (*look_free)(assay_engine_look *look);
    assay_server_stats (*server)(void *ctx); /* of gRPC; may be NULL */
} assay_http_source;

typedef struct assay_http_options {
    const char *listen;            /* as assay_address_parse takes it */
    const char *token;             /* NULL: none. Kept as a hash */
    const char *certificate, *key; /* files in PEM; NULL or "": none */
    uint64_t request_timeout;      /* ms that a request and its answer may take; 0: 30 s */
    assay_http_source source;
} assay_http_options;

/* Listens and serves on a thread of its own. Errors: ASSAY_EFORMAT (the address), ASSAY_EIO, ASSAY_EBUSY, ASSAY_ENOMEM,
 * ASSAY_EUNSUPPORTED (TLS, by a libmicrohttpd without it). *h is NULL on failure. */
ASSAY_MUST_USE assay_status assay_http_start(assay_http **h, const assay_http_options *o, assay_errinfo *err);
/* The TCP port; 0 for a unix socket. */
uint16_t assay_http_port(const assay_http *h);
/* Ends the thread, closes everything. NULL is fine. */
void assay_http_stop(assay_http *h);

#endif
