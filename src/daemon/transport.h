/* SPDX-License-Identifier: Apache-2.0 */
/* A connected socket that does not block, with or without TLS. */
#ifndef ASSAY_DAEMON_TRANSPORT_H
#define ASSAY_DAEMON_TRANSPORT_H

#include "daemon/address.h"
#include "daemon/tls.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct assay_transport {
    int fd;
    struct ssl_st *ssl; /* NULL: plain */
    bool server, ready; /* ready: after the handshake */
    bool wants_write;   /* what was tried last waits for room to write, even if it was reading */
} assay_transport;

typedef enum assay_io { IO_SOME, IO_WAIT, IO_END, IO_BROKEN } assay_io;

/* Takes the socket over, also on failure, when it is closed. tls NULL: plain; otherwise borrowed. host: what a client
 * expects in the server's certificate, NULL for a server. Errors: ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_transport_open(assay_transport *t, int fd, assay_tls *tls, const char *host,
                                                 assay_errinfo *err);
void assay_transport_close(assay_transport *t);

/* Goes on with the handshake: IO_SOME when it is done (at once without TLS), IO_WAIT, IO_BROKEN. HTTP/2 must have been
 * agreed on. */
assay_io assay_transport_handshake(assay_transport *t);
/* Up to n bytes; *done of them. IO_END: the peer has closed. */
assay_io assay_transport_read(assay_transport *t, void *p, size_t n, size_t *done);
assay_io assay_transport_write(assay_transport *t, const void *p, size_t n, size_t *done);
/* Whether bytes wait inside of TLS that poll does not see. */
bool assay_transport_has_more(const assay_transport *t);

/* ---- sockets.c: descriptors that do not block and are closed on exec; -1 on failure */

/* Listens. A unix socket that nobody answers on is replaced; *port is the TCP port taken. Errors: ASSAY_EIO,
 * ASSAY_EBUSY (somebody serves this socket already). The subject is `text`, the address as it was given. */
ASSAY_MUST_USE assay_status assay_socket_listen(int *fd, uint16_t *port, const assay_address *a, const char *text,
                                                assay_errinfo *err);
/* Connects within timeout_ms. Errors: ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_socket_connect(int *fd, const assay_address *a, const char *text, uint64_t timeout_ms,
                                                 assay_errinfo *err);
/* The next connection of a listener; IO_WAIT: none, IO_BROKEN: the process has no descriptor or memory for it. */
assay_io assay_socket_accept(int *fd, int listener);

#endif
