/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: labels threads
 * ctest: uses daemon
 * The status listener with many clients at once, and stopped while they ask. What it answers:
 * tests/daemon/test_http.py. */
#define _GNU_SOURCE
#include "daemon/http_server.h"
#include "daemon/look.h"
#include "daemon/transport.h"
#include "harness.h"
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 8, REQUESTS = 40 };

typedef struct site {
    uint16_t port;
    _Atomic unsigned looks, answers;
    _Atomic bool stopped; /* requests may fail from now on */
} site;

static assay_engine_look *look(void *ctx)
{
    site *s = ctx;
    (void)atomic_fetch_add(&s->looks, 1);
    return test_look_new(1764558000123u);
}

/* Whether a whole page came: until the connection ends, at most 10 s. */
static bool fetch(const site *s, const char *path)
{
    const assay_address a = {.host = "127.0.0.1", .port = s->port};
    char request[128], piece[4096], first[16] = "";
    int fd = -1;
    size_t n = 0;
    const int length =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    if (assay_socket_connect(&fd, &a, "status", 10000, NULL) != ASSAY_OK) return false;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    bool whole = send(fd, request, (size_t)length, MSG_NOSIGNAL) == length;
    while (whole) {
        const ssize_t got = poll(&p, 1, 10000) == 1 ? read(fd, piece, sizeof piece) : -1;
        if (got <= 0) {
            whole = got == 0 && n > 500;
            break;
        }
        if (n == 0) memcpy(first, piece, got < 15 ? (size_t)got : 15);
        n += (size_t)got;
    }
    (void)close(fd);
    return whole && strncmp(first, "HTTP/1.1 200", 12) == 0;
}

static void *client(void *ctx)
{
    static const char *const paths[] = {"/status", "/metrics", "/", "/status"};
    site *s = ctx;
    for (unsigned i = 0; i < REQUESTS && !atomic_load(&s->stopped); i++) {
        const bool good = fetch(s, paths[i % 4]);
        if (good) (void)atomic_fetch_add(&s->answers, 1);
        CHECK(good || atomic_load(&s->stopped));
    }
    return NULL;
}

/* early: stops while they ask. */
static void run(bool early)
{
    pthread_t threads[CLIENTS];
    site s = {0};
    assay_http *h = NULL;
    const assay_http_options o = {.listen = "127.0.0.1:0", .source = {&s, look, test_look_free, NULL}};
    REQUIRE_OK(assay_http_start(&h, &o, NULL));
    s.port = assay_http_port(h);
    CHECK(s.port != 0);
    for (size_t i = 0; i < CLIENTS; i++) CHECK(pthread_create(&threads[i], NULL, client, &s) == 0);
    while (early && atomic_load(&s.answers) < CLIENTS) (void)poll(NULL, 0, 1);
    if (early) {
        atomic_store(&s.stopped, true);
        assay_http_stop(h);
    }
    for (size_t i = 0; i < CLIENTS; i++) (void)pthread_join(threads[i], NULL);
    if (!early) {
        CHECK_EQ_U64(atomic_load(&s.answers), CLIENTS * REQUESTS);
        CHECK_EQ_U64(atomic_load(&s.looks), CLIENTS * REQUESTS * 3 / 4); /* the page itself needs none */
        assay_http_stop(h);
    }
    CHECK(!fetch(&s, "/healthz")); /* nobody listens any more */
}

TEST(many_clients)
{
    run(false);
}

TEST(stopped_while_they_ask)
{
    for (int i = 0; i < 20; i++) run(true);
}
