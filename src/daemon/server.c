/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC server's poll loop. One thread owns all connections; workers and others reach it by the list of calls that
 * have something to carry, and an eventfd. */
#define _GNU_SOURCE
#include "daemon/server.h"
#include "base/mem.h"
#include "daemon/h2_server.h"
#include "daemon/transport.h"
#include "daemon/workers.h"
#include "hash/sha256.h"
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    OUT_BYTES = 1 << 15, /* of a connection */
    READ_BYTES = 1 << 16,
    READS = 16, /* of one connection before others get their turn */
    ACCEPTS = 64,
    NO_DESCRIPTORS = 100, /* ms of pause when the process has none left */
    LAST_WORDS = 1000     /* ms for the ends of calls that were cut off */
};

typedef struct connection {
    struct connection *before, *after;
    assay_transport t;
    assay_h2_server *h2;
    uint64_t next_tick, wrote;
    bool touched; /* to be sent from, and ticked */
    bool again;   /* more may be read without a poll */
    bool dead;
    size_t n_out, at_out;
    uint8_t out[OUT_BYTES];
} connection;

typedef struct listener {
    int fd;
    uint16_t port;
    assay_address address;
} listener;

enum { SERVING, DRAINING, CUTTING, OVER };

struct assay_server {
    assay_rpc_host host;
    uint8_t token_hash[32];
    assay_tls *tls;
    listener *listeners;
    size_t n_listeners;
    uint32_t max_connections;
    int end_descriptor; /* connections have lower ones */
    unsigned n_workers;
    assay_workers *workers;
    int event;
    pthread_t thread;
    bool started;
    _Atomic uint64_t stop_at; /* when draining ends; 0: serve on */

    pthread_mutex_t lock; /* of the list of calls */
    assay_call *ready_first, *ready_last;

    /* The loop's own. */
    connection *connections;
    _Atomic size_t n_connections;
    _Atomic uint64_t accepted, refused;
    struct pollfd *polls;
    size_t n_polls;
    uint64_t accept_after, cut_at;
    int phase;
    uint8_t *in;
};

/* ---- from other threads */

static void ring(assay_server *s)
{
    const uint64_t one = 1;
    const ssize_t n = write(s->event, &one, sizeof one);
    (void)n; /* full means that it rings already */
}

static void wake(void *ctx, assay_call *c)
{
    assay_server *s = ctx;
    if (!assay_call_mark(c, true)) return;
    (void)pthread_mutex_lock(&s->lock);
    const bool first = s->ready_first == NULL;
    *assay_call_link(c) = NULL;
    if (first)
        s->ready_first = assay_call_hold(c);
    else
        *assay_call_link(s->ready_last) = assay_call_hold(c);
    s->ready_last = c;
    (void)pthread_mutex_unlock(&s->lock);
    if (first) ring(s);
}

static void dispatch(void *ctx, assay_call *c)
{
    const assay_server *s = ctx;
    assay_workers_put(s->workers, c);
}

/* Carries what calls have to say to their connections. */
static void take_ready(assay_server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    assay_call *c = s->ready_first;
    s->ready_first = s->ready_last = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    while (c) {
        assay_call *next = *assay_call_link(c);
        (void)assay_call_mark(c, false);
        assay_h2_server *h2 = assay_h2_server_of(c);
        if (h2) {
            assay_h2_server_resume(c);
            ((connection *)assay_h2_server_owner(h2))->touched = true;
        }
        assay_call_release(c);
        c = next;
    }
}

/* ---- connections */

static void close_connection(assay_server *s, connection *c)
{
    if (c->before)
        c->before->after = c->after;
    else
        s->connections = c->after;
    if (c->after) c->after->before = c->before;
    (void)atomic_fetch_sub(&s->n_connections, 1);
    assay_h2_server_free(c->h2);
    assay_transport_close(&c->t);
    assay_mem_free_secret(c, sizeof *c);
}

static bool open_connection(assay_server *s, int fd, const listener *l, uint64_t now)
{
    connection *c = assay_mem_alloc(1, sizeof *c);
    if (!c) {
        (void)close(fd);
        return false;
    }
    if (assay_transport_open(&c->t, fd, l->address.local ? NULL : s->tls, NULL, NULL) != ASSAY_OK ||
        assay_h2_server_new(&c->h2, &s->host, now, NULL) != ASSAY_OK) {
        assay_transport_close(&c->t);
        assay_mem_free(c);
        return false;
    }
    assay_h2_server_set_owner(c->h2, c);
    c->touched = true;
    c->after = s->connections;
    if (s->connections) s->connections->before = c;
    s->connections = c;
    (void)atomic_fetch_add(&s->n_connections, 1);
    (void)atomic_fetch_add(&s->accepted, 1);
    return true;
}

static void accept_some(assay_server *s, const listener *l, uint64_t now)
{
    for (int i = 0; i < ACCEPTS; i++) {
        int fd;
        const assay_io io = assay_socket_accept(&fd, l->fd);
        if (io == IO_BROKEN) s->accept_after = now + NO_DESCRIPTORS;
        if (io != IO_SOME) return;
        if (atomic_load(&s->n_connections) >= s->max_connections || fd >= s->end_descriptor) {
            (void)atomic_fetch_add(&s->refused, 1);
            (void)close(fd);
        } else if (!open_connection(s, fd, l, now)) {
            (void)atomic_fetch_add(&s->refused, 1);
        }
    }
}

static void read_some(assay_server *s, connection *c, uint64_t now)
{
    c->touched = true;
    c->again = false;
    if (!c->t.ready) {
        const assay_io io = assay_transport_handshake(&c->t);
        c->dead = io == IO_BROKEN;
        if (io != IO_SOME) return;
    }
    for (int i = 0; i < READS; i++) {
        size_t n;
        const assay_io io = assay_transport_read(&c->t, s->in, READ_BYTES, &n);
        if (io == IO_WAIT) return;
        if (io != IO_SOME) {
            c->dead = true;
            return;
        }
        if (!assay_h2_server_receive(c->h2, s->in, n, now)) return; /* is_over says the rest, after the last words */
    }
    c->again = assay_transport_has_more(&c->t);
}

static void write_some(connection *c, uint64_t now)
{
    while (c->t.ready && !c->dead) {
        size_t n;
        if (c->at_out == c->n_out) {
            c->at_out = 0;
            c->n_out = assay_h2_server_send(c->h2, c->out, sizeof c->out);
            c->wrote = now;
            if (c->n_out == 0) return;
        }
        const assay_io io = assay_transport_write(&c->t, c->out + c->at_out, c->n_out - c->at_out, &n);
        if (io == IO_WAIT) return;
        if (io != IO_SOME) c->dead = true;
        c->at_out += n;
        c->wrote = now;
    }
}

/* What is due on a connection: timers, bytes to send, its end. */
static void serve(assay_server *s, connection *c, uint64_t now)
{
    if (c->touched || now >= c->next_tick) {
        c->next_tick = assay_h2_server_tick(c->h2, now);
        c->dead = c->dead || c->next_tick == 0;
        take_ready(s); /* the timers may have ended calls */
        write_some(c, now);
        c->touched = false;
    }
    const bool waits = c->at_out < c->n_out;
    if (waits && now - c->wrote >= s->host.request_timeout) c->dead = true;
    if (c->t.ready && !waits && assay_h2_server_is_over(c->h2)) c->dead = true;
}

/* ---- the loop */

/* Room for n polls. */
static bool room_for(assay_server *s, size_t n)
{
    if (n <= s->n_polls) return true;
    const size_t more = n + n / 2 + 64;
    struct pollfd *p = assay_mem_alloc(more, sizeof *p);
    if (!p) return false;
    assay_mem_free(s->polls);
    s->polls = p;
    s->n_polls = more;
    return true;
}

/* The eventfd, the listeners while they are served, the connections in their order; returns how many, and how long to
 * wait. */
static size_t prepare(assay_server *s, uint64_t now, int *timeout)
{
    size_t n = 0;
    uint64_t until = now + 1000;
    const bool accepting = s->phase == SERVING && now >= s->accept_after;
    s->polls[n++] = (struct pollfd){.fd = s->event, .events = POLLIN};
    for (size_t i = 0; i < s->n_listeners; i++)
        s->polls[n++] = (struct pollfd){.fd = accepting ? s->listeners[i].fd : -1, .events = POLLIN};
    if (s->phase == SERVING && !accepting && s->accept_after < until) until = s->accept_after;
    for (const connection *c = s->connections; c; c = c->after) {
        const bool writes = c->at_out < c->n_out || c->t.wants_write;
        s->polls[n++] = (struct pollfd){.fd = c->t.fd, .events = (short)(POLLIN | (writes ? POLLOUT : 0))};
        if (c->next_tick < until) until = c->next_tick;
        if (c->again || c->touched) until = now;
    }
    if (s->phase == DRAINING && atomic_load(&s->stop_at) < until) until = atomic_load(&s->stop_at);
    *timeout = until > now ? (int)(until - now) : 0;
    return n;
}

static void each_connection(assay_server *s, void (*fn)(assay_h2_server *h2))
{
    for (connection *c = s->connections; c; c = c->after) {
        fn(c->h2);
        c->touched = true;
    }
}

/* Nobody new is let in. */
static void close_listeners(assay_server *s)
{
    for (size_t i = 0; i < s->n_listeners; i++) {
        listener *l = &s->listeners[i];
        if (l->fd < 0) continue;
        (void)close(l->fd);
        l->fd = -1;
        if (l->address.local) (void)unlink(l->address.path);
    }
}

/* From serving to draining to cutting off to the end. */
static void change_phase(assay_server *s, uint64_t now)
{
    const uint64_t stop_at = atomic_load(&s->stop_at);
    if (s->phase == SERVING && stop_at) {
        s->phase = DRAINING;
        close_listeners(s);
        each_connection(s, assay_h2_server_shutdown);
    }
    if (s->phase == DRAINING && now >= stop_at) {
        s->phase = CUTTING;
        s->cut_at = now + LAST_WORDS;
        each_connection(s, assay_h2_server_abort);
    }
    if (s->phase == DRAINING || s->phase == CUTTING)
        if (!s->connections || (s->phase == CUTTING && now >= s->cut_at)) s->phase = OVER;
}

/* One round: connections that poll spoke of, then those that have something due. The list grows only at its head, which
 * stands before the polled ones. */
static void round_of(assay_server *s, size_t n_polled)
{
    const uint64_t now = assay_clock_ms();
    size_t i = 1 + s->n_listeners;
    uint64_t count;
    if (s->polls[0].revents) {
        const ssize_t got = read(s->event, &count, sizeof count);
        (void)got;
    }
    for (connection *c = s->connections; c && i < n_polled; c = c->after, i++) {
        const short seen = s->polls[i].revents;
        if ((seen & (POLLIN | POLLHUP | POLLERR)) || c->again || (seen && !c->t.ready)) read_some(s, c, now);
        if (seen & POLLOUT) c->touched = true;
    }
    for (size_t k = 0; k < s->n_listeners; k++)
        if (s->polls[1 + k].revents) accept_some(s, &s->listeners[k], now);
    take_ready(s);
    for (connection *c = s->connections, *next; c; c = next) {
        next = c->after;
        serve(s, c, now);
        if (c->dead) close_connection(s, c);
    }
    change_phase(s, now);
}

static void *loop(void *arg)
{
    assay_server *s = arg;
    while (s->phase != OVER) {
        int timeout;
        if (!room_for(s, 1 + s->n_listeners + atomic_load(&s->n_connections))) {
            (void)usleep(1000); /* no memory for the list of connections: it may come back */
            continue;
        }
        const size_t n = prepare(s, assay_clock_ms(), &timeout);
        if (poll(s->polls, n, timeout) < 0)
            for (size_t i = 0; i < n; i++) s->polls[i].revents = 0;
        round_of(s, n);
    }
    while (s->connections) close_connection(s, s->connections);
    return NULL;
}

/* ---- life */

assay_server_options assay_server_options_of(const assay_config *c)
{
    return (assay_server_options){
        .listen = c->daemon.listen.at,
        .n_listen = c->daemon.listen.n,
        .tls = {c->tls.certificate, c->tls.key, c->tls.client_ca},
        .workers = 4,
        .max_message = (size_t)c->limits.message,
        .connection_memory = c->limits.connection_memory,
        .total_memory = c->limits.total_memory,
        .max_connections = (uint32_t)c->limits.connections,
        .max_streams = (uint32_t)c->limits.streams,
        .handshake_timeout = c->limits.handshake_timeout,
        .request_timeout = c->limits.request_timeout,
        .idle_timeout = c->limits.idle_timeout,
        .keepalive = c->limits.keepalive,
    };
}

static assay_status listen_all(assay_server *s, const assay_server_options *o, assay_errinfo *err)
{
    s->listeners = assay_mem_alloc(o->n_listen, sizeof *s->listeners);
    if (!s->listeners) return ASSAY_FAIL(err, ASSAY_ENOMEM, "server", "out of memory, or no address to listen on");
    for (; s->n_listeners < o->n_listen; s->n_listeners++) {
        listener *l = &s->listeners[s->n_listeners];
        const char *text = o->listen[s->n_listeners];
        assay_status st = assay_address_parse(&l->address, text, text, err);
        if (st == ASSAY_OK) st = assay_socket_listen(&l->fd, &l->port, &l->address, text, err);
        if (st != ASSAY_OK) return st;
    }
    return ASSAY_OK;
}

/* A quarter of the process's descriptors, at most 1,024, is for others than connections: workers, keys, the queue. Else
 * whoever connects often enough makes jobs fail. */
static int end_of_descriptors(void)
{
    static const rlim_t part = 4, most_left = 1024;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur > INT_MAX) return INT_MAX;
    const rlim_t left = files.rlim_cur / part;
    return (int)(files.rlim_cur - (left < most_left ? left : most_left));
}

static assay_status set_up(assay_server *s, const assay_server_options *o, assay_errinfo *err)
{
    s->host = (assay_rpc_host){.methods = o->methods,
                               .n_methods = o->n_methods,
                               .max_message = o->max_message,
                               .connection_memory = o->connection_memory,
                               .max_streams = o->max_streams,
                               .handshake_timeout = o->handshake_timeout,
                               .request_timeout = o->request_timeout,
                               .idle_timeout = o->idle_timeout,
                               .keepalive = o->keepalive,
                               .dispatch = dispatch,
                               .wake = wake,
                               .ctx = s};
    s->max_connections = o->max_connections;
    s->end_descriptor = end_of_descriptors();
    s->n_workers = o->workers;
    if (o->token) {
        assay_sha256_digest(s->token_hash, o->token, strlen(o->token));
        s->host.token_hash = s->token_hash;
    }
    s->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->host.memory = assay_rpc_memory_new(o->total_memory, NULL);
    s->in = assay_mem_alloc(READ_BYTES, 1);
    if (s->event < 0 || !s->host.memory || !s->in) return ASSAY_FAIL(err, ASSAY_ENOMEM, "server", "out of memory");
    assay_status st = ASSAY_OK;
    if (o->tls.certificate && *o->tls.certificate) st = assay_tls_server_new(&s->tls, &o->tls, err);
    return st == ASSAY_OK ? listen_all(s, o, err) : st;
}

assay_status assay_server_new(assay_server **out, const assay_server_options *o, assay_errinfo *err)
{
    *out = NULL;
    assay_server *s = assay_mem_alloc(1, sizeof *s);
    if (!s) return ASSAY_FAIL(err, ASSAY_ENOMEM, "server", "out of memory");
    s->event = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    assay_status st = set_up(s, o, err);
    if (st == ASSAY_OK)
        *out = s;
    else
        assay_server_free(s);
    return st;
}

assay_status assay_server_start(assay_server *s, assay_errinfo *err)
{
    assay_status st = assay_workers_new(&s->workers, s->n_workers, err);
    if (st != ASSAY_OK) return st;
    if (pthread_create(&s->thread, NULL, loop, s) != 0)
        return ASSAY_FAIL(err, ASSAY_EIO, "server", "a thread cannot be started");
    s->started = true;
    return ASSAY_OK;
}

uint16_t assay_server_port(const assay_server *s, size_t i)
{
    return i < s->n_listeners ? s->listeners[i].port : 0;
}

void assay_server_stop(assay_server *s, uint64_t drain_ms)
{
    if (s->started) {
        const uint64_t now = assay_clock_ms();
        atomic_store(&s->stop_at, drain_ms > UINT64_MAX - now ? UINT64_MAX : now + drain_ms);
        ring(s);
        (void)pthread_join(s->thread, NULL);
        s->started = false;
    }
    assay_workers_free(s->workers);
    s->workers = NULL;
    close_listeners(s);
}

void assay_server_free(assay_server *s)
{
    if (!s) return;
    assay_server_stop(s, 0);
    take_ready(s);
    if (s->event >= 0) (void)close(s->event);
    assay_tls_free(s->tls);
    assay_rpc_memory_release(s->host.memory);
    assay_mem_free(s->listeners);
    assay_mem_free(s->polls);
    assay_mem_free_secret(s->in, READ_BYTES);
    (void)pthread_mutex_destroy(&s->lock);
    assay_mem_free_secret(s, sizeof *s);
}

assay_server_stats assay_server_look(const assay_server *s)
{
    return (assay_server_stats){atomic_load(&s->n_connections), atomic_load(&s->accepted), atomic_load(&s->refused),
                                atomic_load(&s->host.memory->used)};
}
