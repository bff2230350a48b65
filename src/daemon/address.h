/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to listen on and to connect to, as text. */
#ifndef ASSAY_DAEMON_ADDRESS_H
#define ASSAY_DAEMON_ADDRESS_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    ASSAY_HOST_BYTES = 256,
    ASSAY_SOCKET_PATH_BYTES = 108 /* of sun_path, with its zero */
};

typedef struct assay_address {
    bool local; /* a unix socket: `path`; otherwise TCP: `host` and `port` */
    char path[ASSAY_SOCKET_PATH_BYTES];
    char host[ASSAY_HOST_BYTES]; /* a name or a number, IPv6 without brackets */
    uint16_t port;
} assay_address;

/* "unix:///run/x.sock", "unix:relative.sock", "127.0.0.1:9820", "[::1]:9820", "host:9820"; "http://" may stand before
 * host and port. Port 0 (any free one) is for listening only. Subject of errors: `what`. Errors: ASSAY_EFORMAT. */
ASSAY_MUST_USE assay_status assay_address_parse(assay_address *out, const char *text, const char *what,
                                                assay_errinfo *err);

/* Whether nobody but this machine can reach it: a unix socket, localhost, 127.0.0.0/8, ::1. */
bool assay_address_is_private(const assay_address *a);

#endif
