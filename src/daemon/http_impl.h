/* SPDX-License-Identifier: Apache-2.0 */
/* Between http_server.c, which has the connections, and http_pages.c, which answers. */
#ifndef ASSAY_DAEMON_HTTP_IMPL_H
#define ASSAY_DAEMON_HTTP_IMPL_H

#include "daemon/http_server.h"
#include <microhttpd.h>

/* src/daemon/page.html, by cmake/embed.cmake */
extern const unsigned char assay_status_page[];
extern const size_t assay_status_page_nbytes;

/* What answering needs; constant while it serves. */
typedef struct assay_http_site {
    assay_http_source source;
    bool by_local_name; /* only for those who call this machine by a name of loopback */
    bool asks_token;
    uint8_t token_hash[32];
    char policy[512]; /* the value of content-security-policy */
} assay_http_site;

/* Fills `policy`: the page's own script and style, by their hashes, and requests to where it came from; nothing else.
 */
void assay_http_policy(assay_http_site *s);
/* Answers one request, which has no body. */
enum MHD_Result assay_http_answer(const assay_http_site *s, struct MHD_Connection *c, const char *path,
                                  const char *method);
/* Answers with a line of text; MHD_NO when that cannot be. */
enum MHD_Result assay_http_refuse(const assay_http_site *s, struct MHD_Connection *c, unsigned code, const char *text);

#endif
