/* SPDX-License-Identifier: Apache-2.0 */
/* Health and reflection, called without a wire.
 * ctest: uses daemon */
#include "base/mem.h"
#include "daemon/call.h"
#include "daemon/health.h"
#include "daemon/message.h"
#include "daemon/reflection.h"
#include "daemon/service.h"
#include "harness.h"
#include <grpc/health/v1/health.pb-c.h>
#include <grpc/reflection/v1/reflection.pb-c.h>
#include <string.h>

typedef Grpc__Reflection__V1__ServerReflectionResponse answer;

static void on_wake(void *ctx, assay_call *c)
{
    (void)ctx;
    (void)c;
}

/* A call of a method with one request. */
static assay_call *begin(const assay_rpc_method *m, assay_rpc_memory *memory, const ProtobufCMessage *q)
{
    assay_writer w;
    assay_call *c = assay_call_new(m, memory, UINT64_MAX, on_wake, NULL);
    assay_writer_init(&w, 10000);
    assay_message_write(&w, q);
    uint8_t *p = assay_mem_alloc(w.n + 1, 1);
    if (w.n) memcpy(p, w.p, w.n);
    CHECK(c && assay_rpc_memory_take(memory, w.n + 1) && assay_call_put(c, p, w.n, w.n + 1));
    assay_call_work(c);
    assay_writer_clear(&w);
    return c;
}

/* The next message that a call sent. */
static bool next(assay_call *c, assay_message *m, const ProtobufCMessageDescriptor *type)
{
    static uint8_t bytes[1 << 16];
    uint8_t head[5];
    if (assay_call_take(c, head, 5) != 5) return false;
    const size_t n = (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    return CHECK(n <= sizeof bytes && assay_call_take(c, bytes, n) == n) &&
           CHECK_OK(assay_message_read(m, type, bytes, n, NULL));
}

static int state(assay_call *c)
{
    assay_message m;
    if (!next(c, &m, &grpc__health__v1__health_check_response__descriptor)) return -1;
    const int status = (int)((Grpc__Health__V1__HealthCheckResponse *)(void *)m.m)->status;
    assay_message_free(&m);
    return status;
}

static assay_call *ask_health(const assay_rpc_method *m, assay_rpc_memory *memory, const char *service)
{
    char name[100];
    Grpc__Health__V1__HealthCheckRequest q;
    grpc__health__v1__health_check_request__init(&q);
    memcpy(name, service, strlen(service) + 1);
    q.service = name;
    return begin(m, memory, &q.base);
}

static bool over(assay_call *c, assay_rpc_code want)
{
    assay_rpc_code code;
    const char *text;
    return assay_call_done(c, &code, &text) && CHECK_EQ_U64(code, want);
}

TEST(health)
{
    static const char *const services[] = {"a.B", "c.D"};
    assay_health *h;
    assay_rpc_method m[ASSAY_HEALTH_METHODS];
    assay_rpc_memory *memory = assay_rpc_memory_new(1 << 20, NULL);
    REQUIRE_OK(assay_health_new(&h, services, 2, NULL));
    assay_health_methods(h, m);
    assay_call *c = ask_health(&m[0], memory, "a.B");
    CHECK(state(c) == 2 && over(c, ASSAY_RPC_OK));
    assay_call_release(c);
    c = ask_health(&m[0], memory, "none");
    CHECK(over(c, ASSAY_RPC_NOT_FOUND));
    assay_call_release(c);

    assay_call *one = ask_health(&m[1], memory, "a.B"), *whole = ask_health(&m[1], memory, ""),
               *none = ask_health(&m[1], memory, "none");
    CHECK(state(one) == 2 && state(whole) == 2 && state(none) == 3);
    assay_health_set(h, "a.B", true);
    assay_health_set(h, "a.B", true); /* no change, no message */
    CHECK(state(one) == 1 && state(one) == -1 && state(whole) == -1);
    assay_health_set(h, NULL, true);
    CHECK(state(one) == -1 && state(whole) == 1 && state(none) == -1);
    CHECK(assay_call_cancel(whole, ASSAY_RPC_CANCELLED, "gone"));
    assay_call_release(whole); /* the service holds it no more */
    assay_health_set(h, NULL, false);
    CHECK(state(one) == 2);
    assay_health_stop(h);
    CHECK(over(one, ASSAY_RPC_UNAVAILABLE) && over(none, ASSAY_RPC_UNAVAILABLE));
    assay_call_release(one);
    assay_call_release(none);
    c = ask_health(&m[1], memory, "");
    CHECK(over(c, ASSAY_RPC_UNAVAILABLE));
    assay_call_release(c);
    CHECK_EQ_U64(memory->used, 0);
    assay_rpc_memory_release(memory);
    assay_health_free(h);
    assay_health_free(NULL);
}

/* ---- reflection */

typedef struct asked {
    assay_reflection *r;
    assay_rpc_method m[ASSAY_REFLECTION_METHODS];
    assay_rpc_memory *memory;
} asked;

/* The case of the answer; the first file, or the error's code, or the number of services go to *n. */
static int ask(asked *a, Grpc__Reflection__V1__ServerReflectionRequest *q, size_t *n)
{
    assay_message m;
    int kind = -1;
    assay_call *c = begin(&a->m[0], a->memory, &q->base);
    *n = 0;
    if (next(c, &m, &grpc__reflection__v1__server_reflection_response__descriptor)) {
        const answer *r = (const answer *)(void *)m.m;
        kind = (int)r->message_response_case;
        if (kind == 4) *n = r->file_descriptor_response->file_descriptor_proto[0].len;
        if (kind == 6) *n = r->list_services_response->n_service;
        if (kind == 7) *n = (size_t)r->error_response->error_code;
        CHECK_EQ_STR(r->valid_host, q->host);
        CHECK_EQ_U64(r->original_request->message_request_case, q->message_request_case);
        assay_message_free(&m);
    }
    assay_call_release(c);
    return kind;
}

static int ask_symbol(asked *a, const char *symbol, size_t *n)
{
    char name[100], host[] = "h";
    Grpc__Reflection__V1__ServerReflectionRequest q;
    grpc__reflection__v1__server_reflection_request__init(&q);
    memcpy(name, symbol, strlen(symbol) + 1);
    q.host = host;
    q.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL;
    q.file_containing_symbol = name;
    return ask(a, &q, n);
}

TEST(reflection)
{
    asked a = {.memory = assay_rpc_memory_new(1 << 20, NULL)};
    assay_rpc_method served[TEST_SERVICE_METHODS];
    test_service_methods(NULL, served);
    REQUIRE_OK(assay_reflection_new(&a.r, served, TEST_SERVICE_METHODS, NULL));
    assay_reflection_methods(a.r, a.m);
    size_t n, whole;
    CHECK_EQ_STR(assay_reflection_services(a.r, &n)[0], "assay.test.v1.Test");
    CHECK_EQ_U64(n, 3);
    CHECK(ask_symbol(&a, "assay.test.v1.Test", &whole) == 4 && whole > 300);
    static const char *const same[] = {"assay.test.v1.Test.Echo", "assay.test.v1.EchoRequest",
                                       "assay.test.v1.EchoRequest.payload"};
    for (size_t i = 0; i < 3; i++) CHECK(ask_symbol(&a, same[i], &n) == 4 && n == whole);
    CHECK(ask_symbol(&a, "grpc.reflection.v1alpha.ServerReflection", &n) == 4 && n > 300);
    static const char *const unknown[] = {"assay.test.v1",
                                          "assay.test.v1.",
                                          "assay.test.v1.Tes",
                                          "assay.test.v1.Test.",
                                          "assay.test.v1.Test.None",
                                          "",
                                          ".",
                                          "cuzk.v1.ProvingEngine" /* not served here */,
                                          "Test",
                                          "assay.test.v1.EchoRequest.payload.x"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CHECK(ask_symbol(&a, unknown[i], &n) == 7 && n == ASSAY_RPC_NOT_FOUND);

    char name[] = "assay/test/v1/test.proto", other[] = "cuzk/v1/proving_engine.proto", host[] = "h";
    Grpc__Reflection__V1__ServerReflectionRequest q;
    grpc__reflection__v1__server_reflection_request__init(&q);
    q.host = host;
    q.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME;
    q.file_by_filename = name;
    CHECK(ask(&a, &q, &n) == 4 && n == whole);
    q.file_by_filename = other;
    CHECK(ask(&a, &q, &n) == 7 && n == ASSAY_RPC_NOT_FOUND);
    q.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES;
    q.list_services = name;
    CHECK(ask(&a, &q, &n) == 6 && n == 3);
    q.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST__NOT_SET;
    CHECK(ask(&a, &q, &n) == 7 && n == ASSAY_RPC_INVALID_ARGUMENT);
    CHECK_EQ_U64(a.memory->used, 0);
    assay_rpc_memory_release(a.memory);
    assay_reflection_free(a.r);
}
