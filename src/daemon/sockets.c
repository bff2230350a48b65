/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets: listening, accepting, connecting; TCP and unix. */
#define _GNU_SOURCE
#include "daemon/rpc.h"
#include "daemon/transport.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK };

static struct sockaddr_un local_name(const assay_address *a)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s", a->path);
    return name;
}

static const struct sockaddr *generic(const void *name)
{
    return name;
}

/* Frames are small and few, and each is waited for: they go at once. */
static void hurry(int fd)
{
    const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void drop(int *fd)
{
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
}

/* ---- listening */

/* A socket file that a daemon left when it was killed is in the way of the next. */
static assay_status remove_stale(const assay_address *a, const char *text, assay_errinfo *err)
{
    const struct sockaddr_un name = local_name(a);
    struct stat st;
    if (lstat(a->path, &st) != 0) return ASSAY_OK;
    if (!S_ISSOCK(st.st_mode)) return ASSAY_FAIL(err, ASSAY_EIO, text, "is a file that is not a socket");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int answered = fd >= 0 ? connect(fd, generic(&name), sizeof name) : -1, why = errno;
    drop(&fd);
    if (answered == 0 || why != ECONNREFUSED)
        return ASSAY_FAIL(err, ASSAY_EBUSY, text, "another process serves this socket");
    (void)unlink(a->path);
    return ASSAY_OK;
}

static assay_status listen_local(int *fd, const assay_address *a, const char *text, assay_errinfo *err)
{
    const struct sockaddr_un name = local_name(a);
    assay_status s = remove_stale(a, text, err);
    if (s != ASSAY_OK) return s;
    *fd = socket(AF_UNIX, SOCK_STREAM | FLAGS, 0);
    if (*fd >= 0 && bind(*fd, generic(&name), sizeof name) == 0 && listen(*fd, BACKLOG) == 0) return ASSAY_OK;
    const int why = errno;
    drop(fd);
    return ASSAY_FAIL_OS(err, ASSAY_EIO, text, "cannot listen", why);
}

static bool listen_on(int *fd, const struct addrinfo *at)
{
    const int on = 1;
    *fd = socket(at->ai_family, at->ai_socktype | FLAGS, at->ai_protocol);
    if (*fd < 0) return false;
    (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at->ai_family == AF_INET6) (void)setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(*fd, at->ai_addr, at->ai_addrlen) == 0 && listen(*fd, BACKLOG) == 0) return true;
    const int why = errno;
    drop(fd);
    errno = why;
    return false;
}

/* The addresses of a host's name; freed by freeaddrinfo. */
static assay_status look_up(struct addrinfo **found, const assay_address *a, int flags, const char *text,
                            assay_errinfo *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    char port[8];
    (void)snprintf(port, sizeof port, "%u", (unsigned)a->port);
    if (getaddrinfo(a->host, port, &hints, found) == 0) return ASSAY_OK;
    *found = NULL;
    return ASSAY_FAIL(err, ASSAY_EIO, text, "this host is not known");
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage name;
    socklen_t n = sizeof name;
    if (getsockname(fd, (struct sockaddr *)(void *)&name, &n) != 0) return 0;
    if (name.ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)(const void *)&name)->sin6_port);
    return ntohs(((const struct sockaddr_in *)(const void *)&name)->sin_port);
}

assay_status assay_socket_listen(int *fd, uint16_t *port, const assay_address *a, const char *text, assay_errinfo *err)
{
    struct addrinfo *found;
    *fd = -1;
    *port = 0;
    if (a->local) return listen_local(fd, a, text, err);
    assay_status s = look_up(&found, a, AI_PASSIVE, text, err);
    if (s != ASSAY_OK) return s;
    bool good = false;
    for (const struct addrinfo *at = found; at && !good; at = at->ai_next) good = listen_on(fd, at);
    const int why = errno;
    freeaddrinfo(found);
    if (!good) return ASSAY_FAIL_OS(err, ASSAY_EIO, text, "cannot listen", why);
    *port = port_of(*fd);
    return ASSAY_OK;
}

assay_io assay_socket_accept(int *fd, int listener)
{
    *fd = accept4(listener, NULL, NULL, FLAGS);
    if (*fd >= 0) {
        hurry(*fd);
        return IO_SOME;
    }
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS ? IO_BROKEN : IO_WAIT;
}

/* ---- connecting */

/* Waits for a connection that has begun; 0, or an errno. */
static int wait_connected(int fd, uint64_t until)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    for (;;) {
        const uint64_t now = assay_clock_ms();
        int why = 0;
        socklen_t n = sizeof why;
        if (now >= until) return ETIMEDOUT;
        const int got = poll(&p, 1, until - now > 60000 ? 60000 : (int)(until - now));
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &n) == 0 ? why : errno;
    }
}

static int connect_to(int *fd, int family, int protocol, const void *name, socklen_t n, uint64_t until)
{
    *fd = socket(family, SOCK_STREAM | FLAGS, protocol);
    if (*fd < 0) return errno;
    int why = connect(*fd, generic(name), n) == 0 ? 0 : errno;
    if (why == EINPROGRESS) why = wait_connected(*fd, until);
    if (why == 0)
        hurry(*fd);
    else
        drop(fd);
    return why;
}

assay_status assay_socket_connect(int *fd, const assay_address *a, const char *text, uint64_t timeout_ms,
                                  assay_errinfo *err)
{
    const uint64_t now = assay_clock_ms(), until = timeout_ms > UINT64_MAX - now ? UINT64_MAX : now + timeout_ms;
    struct addrinfo *found = NULL;
    int why = ENOENT;
    *fd = -1;
    if (a->local) {
        const struct sockaddr_un name = local_name(a);
        why = connect_to(fd, AF_UNIX, 0, &name, sizeof name, until);
    } else {
        assay_status s = look_up(&found, a, 0, text, err);
        if (s != ASSAY_OK) return s;
        for (const struct addrinfo *at = found; at && why != 0; at = at->ai_next)
            why = connect_to(fd, at->ai_family, at->ai_protocol, at->ai_addr, at->ai_addrlen, until);
        freeaddrinfo(found);
    }
    return why == 0 ? ASSAY_OK : ASSAY_FAIL_OS(err, ASSAY_EIO, text, "cannot connect", why);
}
