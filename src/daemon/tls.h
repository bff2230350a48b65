/* SPDX-License-Identifier: Apache-2.0 */
/* TLS settings for gRPC: version 1.2 at least, HTTP/2 by ALPN. */
#ifndef ASSAY_DAEMON_TLS_H
#define ASSAY_DAEMON_TLS_H

#include "base/status.h"

/* Files in PEM; NULL or "" where there is none. */
typedef struct assay_tls_files {
    const char *certificate, *key; /* of this side; a client may have none */
    const char *authorities; /* a server: clients must show a certificate of theirs; a client: who may vouch for the
                                server, the system's authorities when there are none */
} assay_tls_files;

typedef struct assay_tls assay_tls;

/* Errors: ASSAY_EIO (a file that cannot be used; the subject is its name), ASSAY_ENOMEM. *t is NULL on failure. */
ASSAY_MUST_USE assay_status assay_tls_server_new(assay_tls **t, const assay_tls_files *files, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_tls_client_new(assay_tls **t, const assay_tls_files *files, assay_errinfo *err);
void assay_tls_free(assay_tls *t); /* NULL is fine */

#endif
