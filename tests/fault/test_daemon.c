/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses daemon
 * Failing allocations of the daemon's parts. */
#include "base/file.h"
#include "base/mem.h"
#include "daemon/config.h"
#include "daemon/h2_server.h"
#include "daemon/http_server.h"
#include "daemon/look.h"
#include "daemon/message.h"
#include "daemon/transport.h"
#include "fault/fault.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static assay_status read_toml(void *ctx, assay_errinfo *err)
{
    const char *text = ctx;
    assay_toml *t = NULL;
    assay_status s = assay_toml_parse(&t, "x", text, strlen(text), err);
    assay_toml_free(t);
    return s;
}

TEST(toml)
{
    static char text[60000];
    size_t n = 0;
    for (int i = 0; i < 400; i++) {
        static const char line[] =
            "[[table.a]]\nkey = \"a string of some length that fills a block\"\nb.c = [1, {x = 2}]\n";
        memcpy(text + n, line, sizeof line - 1);
        n += sizeof line - 1;
    }
    text[n] = '\0';
    CHECK(assay_fault_every(read_toml, text, 1) > 10);
}

static assay_status read_config(void *ctx, assay_errinfo *err)
{
    const char *text = ctx;
    assay_config c;
    assay_status s = assay_config_defaults(&c, err);
    if (s == ASSAY_OK) s = assay_config_parse(&c, "x", text, strlen(text), err);
    if (s == ASSAY_OK) s = assay_config_set(&c, "engine.preload", "a,b,c", "--preload", err);
    assay_config_clear(&c);
    return s;
}

TEST(config)
{
    static char text[] = "[engine]\npreload = [\"x\", \"y\"]\n";
    CHECK(assay_fault_every(read_config, text, 1) > 5);
}

static assay_status read_message(void *ctx, assay_errinfo *err)
{
    const char *bytes = ctx;
    assay_message m;
    assay_status s = assay_message_read(&m, &cuzk__v1__prove_request__descriptor, bytes, strlen(bytes), err);
    assay_message_free(&m);
    return s;
}

TEST(message)
{
    static char bytes[2000] = "\x0a\x8a\x0f\x0a\x02"
                              "ab\x52\x83\x0f"; /* ProveRequest: id "ab", 1,923 bytes */
    memset(bytes + 10, 'x', 1923);
    CHECK(assay_fault_every(read_message, bytes, 1) >= 1);
}

/* ---- a connection of the gRPC server: whatever allocation fails, it survives or is closed, and nothing is kept */

static void run_echo(void *ctx, assay_call *c)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    (void)ctx;
    assay_call_reply(c, p, n);
}

static assay_call *ready[64];
static size_t n_ready;

static void wake(void *ctx, assay_call *c)
{
    (void)ctx;
    if (n_ready < 64 && assay_call_mark(c, true)) ready[n_ready++] = assay_call_hold(c);
}

static void dispatch(void *ctx, assay_call *c)
{
    (void)ctx;
    assay_call_work(c);
}

static void carry(void)
{
    for (size_t i = 0; i < n_ready; i++) {
        (void)assay_call_mark(ready[i], false);
        assay_h2_server_resume(ready[i]);
        assay_call_release(ready[i]);
    }
    n_ready = 0;
}

/* Plays the bytes of a file to a connection; returns how many bytes it answered. */
static size_t play(const uint8_t *p, size_t n)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    static const assay_rpc_method methods[] = {{"/e", false, run_echo, NULL}, {"/s", true, run_echo, NULL}};
    assay_rpc_host host = {.methods = methods,
                           .n_methods = 2,
                           .max_message = 10000,
                           .connection_memory = 50000,
                           .max_streams = 10,
                           .handshake_timeout = 100,
                           .request_timeout = 200,
                           .idle_timeout = 1000,
                           .keepalive = 300,
                           .memory = assay_rpc_memory_new(60000, NULL),
                           .dispatch = dispatch,
                           .wake = wake};
    static uint8_t out[10000];
    size_t answered = 0;
    assay_h2_server *s = NULL;
    if (host.memory && assay_h2_server_new(&s, &host, 1000, NULL) == ASSAY_OK) {
        bool good = assay_h2_server_receive(s, (const uint8_t *)preface, 33, 1000);
        for (size_t at = 1; at < n && good; at += 10) {
            good = assay_h2_server_receive(s, p + at, n - at < 10 ? n - at : 10, 1001);
            carry();
        }
        answered = assay_h2_server_send(s, out, sizeof out);
    }
    assay_h2_server_free(s);
    carry();
    CHECK(!host.memory || host.memory->used == 0);
    assay_rpc_memory_release(host.memory);
    return answered;
}

TEST(a_connection_of_the_server)
{
    static const char *const names[] = {"unary", "stream", "unknown", "continuation"};
    for (size_t i = 0; i < 4; i++) {
        char path[1024];
        uint8_t *p = NULL;
        size_t n = 0;
        (void)snprintf(path, sizeof path, "%s/fuzz/corpus/h2/%s", assay_test_source_dir(), names[i]);
        REQUIRE_OK(assay_file_read(path, 1 << 20, &p, &n, NULL));
        (void)assay_mem_fail_after(0);
        const size_t answer = play(p, n);
        const uint64_t whole = assay_mem_fail_after(0);
        CHECK(answer > 60 && whole >= 4);
        for (uint64_t k = 1; k <= whole; k++) {
            (void)assay_mem_fail_after(k);
            CHECK(play(p, n) <= answer + 100);
            (void)assay_mem_fail_after(0);
        }
        CHECK_EQ_U64(play(p, n), answer);
        assay_mem_free_secret(p, n);
    }
}

/* ---- the status listener */

static assay_engine_look *look(void *ctx)
{
    (void)ctx;
    return test_look_new(1764558000123u);
}

/* The beginning of the answer to a request; "" when there is none. */
static assay_status ask(char answer[16], uint16_t port, const char *path, assay_errinfo *err)
{
    const assay_address a = {.host = "127.0.0.1", .port = port};
    char request[128];
    int fd = -1;
    memset(answer, 0, 16);
    assay_status s = assay_socket_connect(&fd, &a, "status", 10000, err);
    if (s != ASSAY_OK) return s;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const int n =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    if (send(fd, request, (size_t)n, MSG_NOSIGNAL) == n && poll(&p, 1, 10000) == 1) {
        const ssize_t got = read(fd, answer, 15);
        (void)got;
    }
    (void)close(fd);
    return s;
}

static assay_status serve_pages(void *ctx, assay_errinfo *err)
{
    static const char *const paths[] = {"/", "/status", "/metrics", "/readyz"};
    const assay_http_options o = {.listen = "127.0.0.1:0", .source = {.look = look, .look_free = test_look_free}};
    char answer[16];
    assay_http *h = NULL;
    (void)ctx;
    assay_status s = assay_http_start(&h, &o, err);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && s == ASSAY_OK; i++) {
        s = ask(answer, assay_http_port(h), paths[i], err);
        if (s == ASSAY_OK && strncmp(answer, "HTTP/1.1 200", 12) != 0) {
            CHECK(!*answer || strncmp(answer, "HTTP/1.1 503", 12) == 0);
            s = ASSAY_FAIL(err, ASSAY_ENOMEM, paths[i], "was not served");
        }
    }
    assay_http_stop(h);
    return s;
}

TEST(status_pages)
{
    CHECK(assay_fault_every(serve_pages, NULL, 1) > 10);
}
