/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the status listener. */
#include "base/mem.h"
#include "daemon/address.h"
#include "daemon/bearer.h"
#include "daemon/engine_metrics.h"
#include "daemon/http_impl.h"
#include "daemon/status.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <string.h>

/* ---- the policy */

/* A digest in base 64 (RFC 4648), with padding: 44 characters and a zero. */
static void to_base64(char out[48], const uint8_t digest[32])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    for (size_t i = 0; i < 33; i += 3) {
        const unsigned v = (unsigned)digest[i] << 16 | (unsigned)digest[i + 1] << 8 | (i + 2 < 32 ? digest[i + 2] : 0u);
        out[n++] = digits[v >> 18];
        out[n++] = digits[v >> 12 & 63];
        out[n++] = digits[v >> 6 & 63];
        out[n++] = digits[v & 63];
    }
    out[n - 1] = '=';
    out[n] = '\0';
}

/* The hash of what stands between the first <tag> and the next </tag>. */
static void hash_of(char out[48], const char *tag)
{
    uint8_t digest[32];
    char open[16], close[16];
    const char *page = (const char *)assay_status_page, *end = page + assay_status_page_nbytes;
    (void)snprintf(open, sizeof open, "<%s>", tag);
    (void)snprintf(close, sizeof close, "</%s>", tag);
    const size_t n_open = strlen(open), n_close = strlen(close);
    const char *from = page, *to;
    while (from + n_open < end && memcmp(from, open, n_open) != 0) from++;
    from += n_open;
    for (to = from; to + n_close < end && memcmp(to, close, n_close) != 0;) to++;
    assay_sha256_digest(digest, from, (size_t)(to - from));
    to_base64(out, digest);
}

void assay_http_policy(assay_http_site *s)
{
    char script[48], style[48];
    hash_of(script, "script");
    hash_of(style, "style");
    (void)snprintf(s->policy, sizeof s->policy,
                   "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; connect-src 'self'; "
                   "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                   script, style);
}

/* ---- sending */

static void free_block(void *p)
{
    assay_mem_free(p);
}

/* Sends a response, which may be NULL, and lets go of it. */
static enum MHD_Result reply(const assay_http_site *s, struct MHD_Connection *c, unsigned code, const char *type,
                             struct MHD_Response *r)
{
    const char *const headers[][2] = {{"content-type", type},
                                      {"content-security-policy", s->policy},
                                      {"x-content-type-options", "nosniff"},
                                      {"referrer-policy", "no-referrer"},
                                      {"cross-origin-resource-policy", "same-origin"},
                                      {"cache-control", "no-store"}};
    enum MHD_Result good = r ? MHD_YES : MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers && good == MHD_YES; i++)
        good = MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (good == MHD_YES && code == MHD_HTTP_METHOD_NOT_ALLOWED) good = MHD_add_response_header(r, "allow", "GET, HEAD");
    if (good == MHD_YES && code == MHD_HTTP_UNAUTHORIZED)
        good = MHD_add_response_header(r, "www-authenticate", "Basic realm=\"assayd\", charset=\"UTF-8\"");
    if (good == MHD_YES) good = MHD_queue_response(c, code, r);
    if (r) MHD_destroy_response(r);
    return good;
}

enum MHD_Result assay_http_refuse(const assay_http_site *s, struct MHD_Connection *c, unsigned code, const char *text)
{
    char line[128];
    const int n = snprintf(line, sizeof line, "%s\n", text);
    return reply(s, c, code, "text/plain; charset=utf-8",
                 MHD_create_response_from_buffer((size_t)n, line, MHD_RESPMEM_MUST_COPY));
}

/* Sends what was written; the writer is empty afterwards. */
static enum MHD_Result send_written(const assay_http_site *s, struct MHD_Connection *c, const char *type,
                                    assay_writer *w)
{
    if (w->bad || w->n == 0) {
        assay_writer_clear(w);
        return assay_http_refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    }
    struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback(w->n, w->p, free_block);
    if (!r) assay_writer_clear(w);
    return reply(s, c, MHD_HTTP_OK, type, r);
}

/* ---- pages */

static enum MHD_Result page(const assay_http_site *s, struct MHD_Connection *c)
{
    union {
        const unsigned char *bytes;
        void *p; /* which is not written to */
    } html = {assay_status_page};
    return reply(s, c, MHD_HTTP_OK, "text/html; charset=utf-8",
                 MHD_create_response_from_buffer(assay_status_page_nbytes, html.p, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result status(const assay_http_site *s, struct MHD_Connection *c, const assay_engine_look *look)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_STATUS_MAX);
    assay_status_write(&w, look);
    return send_written(s, c, "application/json", &w);
}

static enum MHD_Result metrics(const assay_http_site *s, struct MHD_Connection *c, const assay_engine_look *look)
{
    assay_writer w;
    assay_server_stats stats;
    assay_writer_init(&w, ASSAY_METRICS_MAX);
    if (s->source.server) stats = s->source.server(s->source.ctx);
    assay_metrics_write(&w, look, s->source.server ? &stats : NULL);
    return send_written(s, c, "text/plain; version=0.0.4; charset=utf-8", &w);
}

static enum MHD_Result ready(const assay_http_site *s, struct MHD_Connection *c, const assay_engine_look *look)
{
    if (look->draining) return assay_http_refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "draining");
    if (!look->ready) return assay_http_refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready");
    return assay_http_refuse(s, c, MHD_HTTP_OK, "ready");
}

/* ---- who may look */

/* Whether a header `host` names loopback: "localhost", "127.0.0.1:9821", "[::1]:9821". */
static bool is_local_name(const char *host)
{
    char text[ASSAY_HOST_BYTES + 8];
    assay_address a;
    const char *after = host[0] == '[' ? strchr(host, ']') : host;
    const size_t n = after ? strcspn(after, ":") + (size_t)(after - host) : 0;
    if (n == 0 || n >= ASSAY_HOST_BYTES) return false;
    (void)snprintf(text, sizeof text, "%.*s:1", (int)n, host);
    return assay_address_parse(&a, text, "host", NULL) == ASSAY_OK && !a.local && assay_address_is_private(&a);
}

static bool is_allowed(const assay_http_site *s, struct MHD_Connection *c)
{
    if (!s->asks_token) return true;
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "authorization");
    char *password = NULL;
    if (value && assay_bearer_is(value, strlen(value), s->token_hash)) return true;
    char *user = MHD_basic_auth_get_username_password(c, &password);
    const bool good = user && password && assay_token_is(password, strlen(password), s->token_hash);
    if (password) assay_mem_wipe(password, strlen(password));
    MHD_free(password);
    MHD_free(user);
    return good;
}

typedef enum where { PAGE, STATUS, METRICS, HEALTH, READY, NOWHERE } where;

static where find(const char *path)
{
    static const char *const paths[NOWHERE] = {"/", "/status", "/metrics", "/healthz", "/readyz"};
    where i = PAGE;
    while (i < NOWHERE && strcmp(path, paths[i]) != 0) i++;
    return i;
}

enum MHD_Result assay_http_answer(const assay_http_site *s, struct MHD_Connection *c, const char *path,
                                  const char *method)
{
    const where what = find(path);
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "host");
    enum MHD_Result good = MHD_NO;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return assay_http_refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
    if (s->by_local_name && host && !is_local_name(host))
        return assay_http_refuse(s, c, MHD_HTTP_MISDIRECTED_REQUEST, "this is served to localhost, by that name");
    if (what == HEALTH) return assay_http_refuse(s, c, MHD_HTTP_OK, "ok");
    if (what != READY && !is_allowed(s, c))
        return assay_http_refuse(s, c, MHD_HTTP_UNAUTHORIZED, "a token is needed (as a password, with any name)");
    if (what == NOWHERE)
        return assay_http_refuse(s, c, MHD_HTTP_NOT_FOUND, "there are /, /status, /metrics, /healthz and /readyz");
    if (what == PAGE) return page(s, c);
    assay_engine_look *look = s->source.look(s->source.ctx);
    if (!look) return assay_http_refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    good = what == STATUS ? status(s, c, look) : what == METRICS ? metrics(s, c, look) : ready(s, c, look);
    s->source.look_free(look);
    return good;
}
