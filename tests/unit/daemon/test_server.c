/* SPDX-License-Identifier: Apache-2.0 */
/* Server and client of this layer against each other, over unix sockets and TCP.
 * ctest: labels threads
 * ctest: uses daemon */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "daemon/client.h"
#include "daemon/message.h"
#include "daemon/server.h"
#include "daemon/service.h"
#include "harness.h"
#include <assay/test/v1/test.pb-c.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PATH(method) "/assay.test.v1.Test/" method

typedef struct fixture {
    test_service *service;
    assay_rpc_method methods[TEST_SERVICE_METHODS];
    assay_server *server;
    assay_client *client;
    char address[300];
} fixture;

static const assay_server_options usual = {.workers = 2,
                                           .max_message = 80 << 20,
                                           .connection_memory = 400 << 20,
                                           .total_memory = 500 << 20,
                                           .max_connections = 600,
                                           .max_streams = 100,
                                           .handshake_timeout = 10000,
                                           .request_timeout = 60000,
                                           .idle_timeout = 60000,
                                           .keepalive = 20000};

static bool start(fixture *f, assay_server_options o, bool local)
{
    static unsigned number;
    assay_errinfo err = {0};
    char text[512];
    memset(f, 0, sizeof *f);
    f->service = test_service_new();
    if (!CHECK(f->service != NULL)) return false;
    test_service_methods(f->service, f->methods);
    if (local)
        (void)snprintf(f->address, sizeof f->address, "unix:%s/s%u", assay_test_tmpdir(), number++);
    else
        (void)snprintf(f->address, sizeof f->address, "127.0.0.1:0");
    const char *listen = f->address;
    o.listen = &listen;
    o.n_listen = 1;
    o.methods = f->methods;
    o.n_methods = TEST_SERVICE_METHODS;
    if (!CHECK_OK(assay_server_new(&f->server, &o, &err)))
        printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
    if (!f->server || !CHECK_OK(assay_server_start(f->server, NULL))) return false;
    if (!local)
        (void)snprintf(f->address, sizeof f->address, "127.0.0.1:%u", (unsigned)assay_server_port(f->server, 0));
    return true;
}

static assay_client *connect_to(const fixture *f, const char *token)
{
    assay_client *c = NULL;
    assay_errinfo err = {0};
    char text[512];
    const assay_client_options o = {.address = f->address, .token = token, .connect_timeout = 10000};
    if (!CHECK_OK(assay_client_new(&c, &o, &err))) printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
    return c;
}

static bool begin(fixture *f, bool local)
{
    if (!start(f, usual, local)) return false;
    f->client = connect_to(f, NULL);
    return f->client != NULL;
}

static void end(fixture *f)
{
    assay_client_free(f->client);
    if (f->server) assay_server_stop(f->server, 5000);
    test_service_free(f->service); /* lets go of the calls that it holds */
    if (f->server) CHECK_EQ_U64(assay_server_look(f->server).memory, 0);
    assay_server_free(f->server);
}

static void sleep_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* A message as bytes. */
static assay_writer packed(const ProtobufCMessage *m)
{
    assay_writer w;
    assay_writer_init(&w, (size_t)200 << 20);
    assay_message_write(&w, m);
    CHECK(!w.bad);
    return w;
}

static assay_rpc_code call(assay_client *c, const char *path, const ProtobufCMessage *m, uint64_t timeout_ms,
                           assay_buffer *reply, char text[ASSAY_CLIENT_TEXT])
{
    assay_writer w = packed(m);
    assay_errinfo err = {0};
    assay_rpc_code code;
    char line[512];
    if (!CHECK_OK(
            assay_client_call(c, path, w.p ? w.p : (const uint8_t *)"", w.n, timeout_ms, reply, &code, text, &err)))
        printf("  %s: %s\n", path, assay_errinfo_text(&err, line, sizeof line));
    assay_writer_clear(&w);
    return code;
}

/* Echoes n bytes. */
static bool echo(assay_client *c, size_t n)
{
    Assay__Test__V1__EchoRequest q = ASSAY__TEST__V1__ECHO_REQUEST__INIT;
    assay_buffer reply;
    assay_message m;
    bool good = false;
    q.payload.data = assay_mem_alloc(n + 1, 1);
    q.payload.len = n;
    for (size_t i = 0; i < n; i++) q.payload.data[i] = (uint8_t)(i * 7 + (i >> 13));
    if (CHECK_EQ_U64(call(c, PATH("Echo"), &q.base, UINT64_MAX, &reply, NULL), ASSAY_RPC_OK) &&
        CHECK_OK(assay_message_read(&m, &assay__test__v1__echo_reply__descriptor, reply.p, reply.n, NULL))) {
        const Assay__Test__V1__EchoReply *r = (const Assay__Test__V1__EchoReply *)(void *)m.m;
        good = CHECK(r->payload.len == n && (n == 0 || memcmp(r->payload.data, q.payload.data, n) == 0));
        assay_message_free(&m);
    }
    assay_buffer_free(&reply);
    assay_mem_free(q.payload.data);
    return good;
}

TEST(echoes_of_every_size)
{
    fixture f;
    if (begin(&f, true))
        for (size_t n = 0; n < 300000; n = 3 * n + 1) CHECK(echo(f.client, n));
    end(&f);
}

TEST(seventy_megabytes)
{
    fixture f;
    if (begin(&f, false)) CHECK(echo(f.client, 70000000));
    end(&f);
}

TEST(statuses_and_texts)
{
    fixture f;
    char text[ASSAY_CLIENT_TEXT];
    assay_buffer reply;
    if (begin(&f, true)) {
        for (uint32_t code = 1; code <= 16; code++) {
            Assay__Test__V1__FailRequest q = ASSAY__TEST__V1__FAIL_REQUEST__INIT;
            char message[] = "50% of \xc3\xa9 failed";
            q.code = code;
            q.message = message;
            CHECK_EQ_U64(call(f.client, PATH("Fail"), &q.base, 10000, &reply, text), code);
            CHECK_EQ_STR(text, message);
            CHECK(reply.p == NULL);
        }
        Assay__Test__V1__EchoRequest q = ASSAY__TEST__V1__ECHO_REQUEST__INIT;
        CHECK_EQ_U64(call(f.client, PATH("Nothing"), &q.base, 10000, &reply, text), ASSAY_RPC_UNIMPLEMENTED);
        CHECK_EQ_U64(call(f.client, "/other.Service/Echo", &q.base, 10000, &reply, text), ASSAY_RPC_UNIMPLEMENTED);
        assay_rpc_code code;
        CHECK_OK(assay_client_call(f.client, PATH("Echo"), "\xff\xff", 2, 10000, &reply, &code, text, NULL));
        CHECK_EQ_U64(code, ASSAY_RPC_INVALID_ARGUMENT);
        q.payload.len = (80 << 20) + 1;
        q.payload.data = assay_mem_alloc(q.payload.len, 1);
        CHECK_EQ_U64(call(f.client, PATH("Echo"), &q.base, 10000, &reply, text), ASSAY_RPC_RESOURCE_EXHAUSTED);
        CHECK(strstr(text, "of 83886086 bytes") && strstr(text, "limits.message lets 83886080 through"));
        assay_mem_free(q.payload.data);
        CHECK(echo(f.client, 100)); /* and the connection lives */
    }
    end(&f);
}

TEST(deadlines)
{
    fixture f;
    char text[ASSAY_CLIENT_TEXT];
    assay_buffer reply;
    Assay__Test__V1__SleepRequest q = ASSAY__TEST__V1__SLEEP_REQUEST__INIT;
    if (begin(&f, true)) {
        q.delay_ms = 20000;
        CHECK_EQ_U64(call(f.client, PATH("Sleep"), &q.base, 200, &reply, text), ASSAY_RPC_DEADLINE_EXCEEDED);
        CHECK_EQ_STR(text,
                     "the deadline has passed"); /* the server's words: the client would wait longer, and has others */
        q.delay_ms = 20;
        CHECK_EQ_U64(call(f.client, PATH("Sleep"), &q.base, 20000, &reply, text), ASSAY_RPC_OK);
        assay_buffer_free(&reply);
        for (int i = 0; i < 200 && test_service_counters(f.service).cancelled == 0; i++) sleep_ms(10);
        const test_counters n = test_service_counters(f.service);
        CHECK(n.started == 2 && n.cancelled == 1 && n.finished == 1);
    }
    end(&f);
}

TEST(a_client_that_goes_away_cancels)
{
    fixture f;
    assay_client_stream *st = NULL;
    Assay__Test__V1__SleepRequest q = ASSAY__TEST__V1__SLEEP_REQUEST__INIT;
    q.delay_ms = 20000;
    assay_writer w = packed(&q.base);
    if (begin(&f, true)) {
        CHECK_OK(assay_client_open(f.client, &st, PATH("Sleep"), UINT64_MAX, NULL));
        CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
        for (int i = 0; i < 500 && test_service_counters(f.service).started == 0; i++) sleep_ms(10);
        assay_client_close(st); /* RST_STREAM */
        for (int i = 0; i < 500 && test_service_counters(f.service).cancelled == 0; i++) sleep_ms(10);
        CHECK_EQ_U64(test_service_counters(f.service).cancelled, 1);
        CHECK(echo(f.client, 10));
        CHECK_OK(assay_client_open(f.client, &st, PATH("Sleep"), UINT64_MAX, NULL));
        CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
        for (int i = 0; i < 500 && test_service_counters(f.service).started < 3; i++) sleep_ms(10);
        assay_client_free(f.client); /* the connection closes */
        f.client = NULL;
        for (int i = 0; i < 500 && test_service_counters(f.service).cancelled < 2; i++) sleep_ms(10);
        CHECK_EQ_U64(test_service_counters(f.service).cancelled, 2);
    }
    assay_writer_clear(&w);
    end(&f);
}

TEST(streams)
{
    fixture f;
    assay_client_stream *st = NULL;
    assay_buffer out;
    bool more = true;
    const char *text;
    Assay__Test__V1__CountRequest q = ASSAY__TEST__V1__COUNT_REQUEST__INIT;
    q.count = 50;
    q.nbytes = 100000;
    assay_writer w = packed(&q.base);
    if (begin(&f, false)) {
        uint32_t n = 0;
        CHECK_OK(assay_client_open(f.client, &st, PATH("Count"), UINT64_MAX, NULL));
        CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
        while (CHECK_OK(assay_client_receive(st, &out, &more, NULL)) && more) {
            assay_message m;
            CHECK_OK(assay_message_read(&m, &assay__test__v1__echo_reply__descriptor, out.p, out.n, NULL));
            CHECK_EQ_U64(((Assay__Test__V1__EchoReply *)(void *)m.m)->number, n++);
            assay_message_free(&m);
            assay_buffer_free(&out);
        }
        CHECK(n == 50 && assay_client_result(st, &text) == ASSAY_RPC_OK);
        assay_client_close(st);
        /* Both ways: each message is answered before the next is sent. */
        Assay__Test__V1__EchoRequest e = ASSAY__TEST__V1__ECHO_REQUEST__INIT;
        CHECK_OK(assay_client_open(f.client, &st, PATH("Talk"), UINT64_MAX, NULL));
        for (uint8_t i = 0; i < 5; i++) {
            e.payload.data = &i;
            e.payload.len = 1;
            assay_writer one = packed(&e.base);
            CHECK_OK(assay_client_send(st, one.p, one.n, i == 4, NULL));
            CHECK_OK(assay_client_receive(st, &out, &more, NULL));
            CHECK(more && out.n == 3 + 0u && out.p[2] == i);
            assay_buffer_free(&out);
            assay_writer_clear(&one);
        }
        CHECK_OK(assay_client_receive(st, &out, &more, NULL));
        CHECK(!more && assay_client_result(st, &text) == ASSAY_RPC_OK);
        assay_client_close(st);
    }
    assay_writer_clear(&w);
    end(&f);
}

TEST(tokens)
{
    fixture f;
    char text[ASSAY_CLIENT_TEXT];
    assay_buffer reply;
    assay_server_options o = usual;
    Assay__Test__V1__EchoRequest q = ASSAY__TEST__V1__ECHO_REQUEST__INIT;
    static const char *const wrong[] = {NULL, "", "secre", "secret1", "Secret"};
    o.token = "secret";
    if (start(&f, o, true)) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            assay_client *c = connect_to(&f, wrong[i]);
            CHECK_EQ_U64(call(c, PATH("Echo"), &q.base, 10000, &reply, text), ASSAY_RPC_UNAUTHENTICATED);
            assay_client_free(c);
        }
        f.client = connect_to(&f, "secret");
        CHECK(f.client && echo(f.client, 5));
    }
    end(&f);
}

typedef struct crowd {
    const fixture *f;
    unsigned n, good;
} crowd;

static void *many_clients(void *arg)
{
    crowd *c = arg;
    assay_client *clients[50] = {NULL};
    Assay__Test__V1__SleepRequest q = ASSAY__TEST__V1__SLEEP_REQUEST__INIT;
    assay_client_stream *st[50] = {NULL};
    q.delay_ms = 300;
    assay_writer w = packed(&q.base);
    for (unsigned i = 0; i < c->n; i++) {
        const assay_client_options o = {.address = c->f->address, .connect_timeout = 30000};
        if (assay_client_new(&clients[i], &o, NULL) != ASSAY_OK) continue;
        if (assay_client_open(clients[i], &st[i], PATH("Sleep"), 60000, NULL) == ASSAY_OK &&
            assay_client_send(st[i], w.p, w.n, true, NULL) != ASSAY_OK)
            continue;
    }
    for (unsigned i = 0; i < c->n; i++) {
        assay_buffer out = {NULL, 0};
        bool more = false;
        if (st[i] && assay_client_receive(st[i], &out, &more, NULL) == ASSAY_OK && more) c->good++;
        assay_buffer_free(&out);
        assay_client_free(clients[i]);
    }
    assay_writer_clear(&w);
    return NULL;
}

TEST(five_hundred_clients_at_once)
{
    fixture f;
    crowd crowds[10];
    pthread_t threads[10];
    if (start(&f, usual, true)) {
        unsigned good = 0;
        for (int i = 0; i < 10; i++) {
            crowds[i] = (crowd){&f, 50, 0};
            CHECK(pthread_create(&threads[i], NULL, many_clients, &crowds[i]) == 0);
        }
        for (int i = 0; i < 10; i++) {
            (void)pthread_join(threads[i], NULL);
            good += crowds[i].good;
        }
        CHECK_EQ_U64(good, 500);
        CHECK_EQ_U64(assay_server_look(f.server).accepted, 500);
    }
    end(&f);
}

TEST(too_many_connections)
{
    fixture f;
    assay_server_options o = usual;
    assay_client *c[4] = {NULL};
    o.max_connections = 2;
    if (start(&f, o, true)) {
        for (int i = 0; i < 2; i++) {
            c[i] = connect_to(&f, NULL);
            CHECK(c[i] && echo(c[i], 1));
        }
        const assay_client_options third = {.address = f.address, .connect_timeout = 10000};
        assay_buffer reply;
        assay_rpc_code code = ASSAY_RPC_OK;
        CHECK(assay_client_new(&c[2], &third, NULL) != ASSAY_OK ||
              assay_client_call(c[2], PATH("Echo"), "", 0, 1000, &reply, &code, NULL, NULL) == ASSAY_EIO);
        CHECK_EQ_U64(assay_server_look(f.server).refused, 1);
        assay_client_free(c[0]);
        c[0] = NULL;
        for (int i = 0; i < 500 && assay_server_look(f.server).connections > 1; i++) sleep_ms(10);
        c[3] = connect_to(&f, NULL);
        CHECK(c[3] && echo(c[3], 1));
        for (int i = 0; i < 4; i++) assay_client_free(c[i]);
    }
    end(&f);
}

static void *stop_gently(void *arg)
{
    assay_server_stop(((fixture *)arg)->server, 20000);
    return NULL;
}

TEST(stopping_lets_calls_end)
{
    fixture f;
    pthread_t thread;
    assay_client_stream *st = NULL;
    assay_buffer out = {NULL, 0};
    bool more = false;
    const char *text;
    Assay__Test__V1__SleepRequest q = ASSAY__TEST__V1__SLEEP_REQUEST__INIT;
    q.delay_ms = 500;
    assay_writer w = packed(&q.base);
    if (begin(&f, true)) {
        CHECK_OK(assay_client_open(f.client, &st, PATH("Sleep"), UINT64_MAX, NULL));
        CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
        for (int i = 0; i < 500 && test_service_counters(f.service).started == 0; i++) sleep_ms(10);
        const uint64_t before = assay_clock_ms();
        CHECK(pthread_create(&thread, NULL, stop_gently, &f) == 0);
        CHECK_OK(assay_client_receive(st, &out, &more, NULL));
        CHECK(more);
        assay_buffer_free(&out);
        CHECK_OK(assay_client_receive(st, &out, &more, NULL));
        CHECK(!more && assay_client_result(st, &text) == ASSAY_RPC_OK);
        (void)pthread_join(thread, NULL);
        CHECK(assay_clock_ms() - before < 10000);
        const assay_client_options o = {.address = f.address, .connect_timeout = 1000};
        assay_client *late = NULL;
        CHECK_STATUS(assay_client_new(&late, &o, NULL), ASSAY_EIO);
    }
    assay_writer_clear(&w);
    end(&f);
}

TEST(stopping_cuts_off_what_does_not_end)
{
    fixture f;
    assay_client_stream *st = NULL;
    assay_buffer out = {NULL, 0};
    bool more = false;
    const char *text;
    Assay__Test__V1__SleepRequest q = ASSAY__TEST__V1__SLEEP_REQUEST__INIT;
    q.delay_ms = 60000;
    assay_writer w = packed(&q.base);
    if (begin(&f, true)) {
        CHECK_OK(assay_client_open(f.client, &st, PATH("Sleep"), UINT64_MAX, NULL));
        CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
        for (int i = 0; i < 500 && test_service_counters(f.service).started == 0; i++) sleep_ms(10);
        const uint64_t before = assay_clock_ms();
        assay_server_stop(f.server, 100);
        CHECK(assay_clock_ms() - before < 5000);
        CHECK_OK(assay_client_receive(st, &out, &more, NULL));
        CHECK(!more && assay_client_result(st, &text) == ASSAY_RPC_UNAVAILABLE);
        CHECK_EQ_STR(text, "the server is stopping");
    }
    assay_writer_clear(&w);
    end(&f);
}

TEST(a_socket_that_was_left_is_replaced_one_that_is_served_is_not)
{
    fixture f;
    char *const path = f.address;
    if (begin(&f, true)) {
        assay_server *second = NULL;
        const char *listen = path;
        assay_server_options o = usual;
        o.listen = &listen;
        o.n_listen = 1;
        CHECK_STATUS(assay_server_new(&second, &o, NULL), ASSAY_EBUSY);
        CHECK(second == NULL && echo(f.client, 1));
    }
    end(&f);
}
