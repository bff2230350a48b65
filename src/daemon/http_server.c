/* SPDX-License-Identifier: Apache-2.0 */
/* The status listener: one thread accepts, polls, answers. libmicrohttpd parses and writes; deadlines are kept here,
 * for its own timeout begins anew with every byte. */
#define _GNU_SOURCE
#include "daemon/http_server.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/address.h"
#include "daemon/http_impl.h"
#include "daemon/transport.h"
#include "hash/sha256.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEM = 1 << 20, SWEEP = 1000, REQUEST = 30000 };

typedef struct connection {
    struct connection *previous, *next;
    int fd;
    uint64_t since; /* ms: when it came, or its last answer was sent */
} connection;

struct assay_http {
    assay_http_site site;
    struct MHD_Daemon *daemon;
    connection *connections;
    uint64_t request_timeout;
    char *certificate, *key; /* PEM */
    int listener, event;     /* event: readable when the thread is to end */
    uint16_t port;
    char path[ASSAY_SOCKET_PATH_BYTES]; /* of a unix socket, to be removed; "": none */
    pthread_t thread;
    bool runs;
};

/* ---- called by libmicrohttpd, on the thread */

static void on_connection(void *ctx, struct MHD_Connection *c, void **mine, enum MHD_ConnectionNotificationCode code)
{
    assay_http *h = ctx;
    connection *k = *mine;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        k = assay_mem_alloc(1, sizeof *k);
        *mine = k;
        if (!k && fd) (void)shutdown(fd->connect_fd, SHUT_RDWR); /* it would have no deadline */
        if (!k || !fd) return;
        k->fd = fd->connect_fd;
        k->since = assay_clock_ms();
        k->next = h->connections;
        if (k->next) k->next->previous = k;
        h->connections = k;
    } else if (k) {
        if (k->previous) k->previous->next = k->next;
        if (k->next) k->next->previous = k->previous;
        if (h->connections == k) h->connections = k->next;
        assay_mem_free(k);
        *mine = NULL;
    }
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **mine, enum MHD_RequestTerminationCode code)
{
    (void)ctx;
    (void)mine;
    (void)code;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    connection *k = info ? info->socket_context : NULL;
    if (k) k->since = assay_clock_ms();
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *body, size_t *n_body, void **mine)
{
    assay_http *h = ctx;
    (void)version;
    (void)body;
    if (!*mine) { /* the headers have come */
        const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "content-length");
        *mine = h;
        if ((length && strcmp(length, "0") != 0) ||
            MHD_lookup_connection_value(c, MHD_HEADER_KIND, "transfer-encoding"))
            return assay_http_refuse(&h->site, c, MHD_HTTP_CONTENT_TOO_LARGE, "requests have no body here");
        return MHD_YES;
    }
    return *n_body ? MHD_NO : assay_http_answer(&h->site, c, path, method);
}

/* ---- the thread */

static void accept_some(assay_http *h)
{
    const struct sockaddr_storage nobody = {.ss_family = AF_UNSPEC};
    const struct sockaddr *name = (const struct sockaddr *)(const void *)&nobody;
    const union MHD_DaemonInfo *now = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    for (unsigned n = now ? now->num_connections : 0; n < ASSAY_HTTP_CONNECTIONS + 64u; n++) {
        int fd = -1;
        const assay_io got = assay_socket_accept(&fd, h->listener);
        if (got == IO_BROKEN) (void)poll(NULL, 0, 50); /* it stays readable: not at once again */
        if (got != IO_SOME) return;
        (void)MHD_add_connection(h->daemon, fd, name, sizeof nobody); /* over the limit it closes fd */
    }
}

/* Ends connections that take too long; returns how long to wait for the next look, in ms; -1: for ever. */
static int sweep(assay_http *h)
{
    const uint64_t now = assay_clock_ms();
    for (const connection *k = h->connections; k; k = k->next)
        if (now - k->since > h->request_timeout) (void)shutdown(k->fd, SHUT_RDWR);
    return h->connections ? SWEEP : -1;
}

static void *serve(void *ctx)
{
    assay_http *h = ctx;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd fds[] = {{.fd = h->event, .events = POLLIN},
                           {.fd = h->listener, .events = POLLIN},
                           {.fd = info ? info->epoll_fd : -1, .events = POLLIN}};
    while (!(fds[0].revents & POLLIN)) {
        MHD_UNSIGNED_LONG_LONG timeout;
        int wait = sweep(h);
        if (MHD_get_timeout(h->daemon, &timeout) == MHD_YES && (wait < 0 || timeout < (unsigned)wait))
            wait = timeout < SWEEP ? (int)timeout : SWEEP;
        if (poll(fds, 3, wait) < 0 && errno != EINTR) break;
        if (fds[1].revents & POLLIN) accept_some(h);
        (void)MHD_run(h->daemon);
    }
    return NULL;
}

/* ---- beginning and end */

/* A file as text; freed by assay_mem_free_secret. */
static assay_status read_pem(char **out, const char *path, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_status s = assay_file_read(path, PEM, &p, &n, err);
    if (s == ASSAY_OK && (!p || memchr(p, 0, n))) s = ASSAY_FAIL(err, ASSAY_EFORMAT, path, "is not PEM");
    if (s == ASSAY_OK) *out = assay_mem_alloc(n + 1, 1);
    if (s == ASSAY_OK && !*out) s = ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    if (s == ASSAY_OK && *out && p) memcpy(*out, p, n);
    assay_mem_free_secret(p, n);
    return s;
}

static assay_status open_daemon(assay_http *h, const assay_http_options *o, bool tls, assay_errinfo *err)
{
    const unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | (tls ? MHD_USE_TLS : 0u);
    const struct MHD_OptionItem pem[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, h->certificate},
                                         {MHD_OPTION_HTTPS_MEM_KEY, 0, h->key},
                                         {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, o->listen, "this libmicrohttpd has no TLS");
    h->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)ASSAY_HTTP_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)ASSAY_HTTP_IDLE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)ASSAY_HTTP_CONNECTION, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_ARRAY, tls ? pem : none, MHD_OPTION_END);
    if (h->daemon) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_EIO, tls ? o->certificate : o->listen,
                      tls ? "cannot be used with its key" : "cannot begin to serve");
}

/* The thread takes no signals: they are for the program's own. */
static assay_status start_thread(assay_http *h, assay_errinfo *err)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    h->runs = pthread_create(&h->thread, NULL, serve, h) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->runs ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "status listener", "cannot start a thread");
}

static assay_status begin(assay_http *h, const assay_http_options *o, assay_errinfo *err)
{
    assay_address a;
    assay_status s = assay_address_parse(&a, o->listen, o->listen, err);
    if (s != ASSAY_OK) return s;
    const bool private = assay_address_is_private(&a), tls = !private && o->certificate && *o->certificate;
    h->site.source = o->source;
    h->request_timeout = o->request_timeout ? o->request_timeout : REQUEST;
    h->site.by_local_name = private && !a.local;
    h->site.asks_token = !private && o->token;
    if (o->token) assay_sha256_digest(h->site.token_hash, o->token, strlen(o->token));
    assay_http_policy(&h->site);
    h->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (h->event < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, o->listen, "cannot be polled", errno);
    if (tls) s = read_pem(&h->certificate, o->certificate, err);
    if (tls && s == ASSAY_OK) s = read_pem(&h->key, o->key ? o->key : "", err);
    if (s == ASSAY_OK) s = assay_socket_listen(&h->listener, &h->port, &a, o->listen, err);
    if (s == ASSAY_OK && a.local) memcpy(h->path, a.path, sizeof h->path);
    if (s == ASSAY_OK) s = open_daemon(h, o, tls, err);
    return s == ASSAY_OK ? start_thread(h, err) : s;
}

assay_status assay_http_start(assay_http **out, const assay_http_options *o, assay_errinfo *err)
{
    assay_http *h = assay_mem_alloc(1, sizeof *h);
    *out = NULL;
    if (!h) return ASSAY_FAIL(err, ASSAY_ENOMEM, "status listener", "out of memory");
    h->listener = h->event = -1;
    assay_status s = begin(h, o, err);
    if (s == ASSAY_OK)
        *out = h;
    else
        assay_http_stop(h);
    return s;
}

uint16_t assay_http_port(const assay_http *h)
{
    return h->port;
}

void assay_http_stop(assay_http *h)
{
    const uint64_t one = 1;
    if (!h) return;
    if (h->runs) {
        const ssize_t n = write(h->event, &one, sizeof one);
        (void)n;
        (void)pthread_join(h->thread, NULL);
    }
    if (h->daemon) MHD_stop_daemon(h->daemon);
    if (h->listener >= 0) (void)close(h->listener);
    if (h->path[0]) (void)unlink(h->path);
    if (h->event >= 0) (void)close(h->event);
    assay_mem_free_secret(h->certificate, h->certificate ? strlen(h->certificate) : 0);
    assay_mem_free_secret(h->key, h->key ? strlen(h->key) : 0);
    assay_mem_free_secret(h, sizeof *h);
}
