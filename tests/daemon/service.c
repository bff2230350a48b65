/* SPDX-License-Identifier: Apache-2.0 */
/* The test service. Sleep shows how a call outlives its worker: it is held, a thread of the service answers it later,
 * and a cancellation wakes that thread. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/service.h"
#include "base/mem.h"
#include "daemon/message.h"
#include <assay/test/v1/test.pb-c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct sleeper {
    struct sleeper *next;
    assay_call *call;
    uint64_t at;
} sleeper;

struct test_service {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    sleeper *sleepers;
    bool closing;
    test_counters counters;
};

/* The request of a call as `type`; false after the call was refused. */
static bool read_request(assay_message *m, assay_call *c, const ProtobufCMessageDescriptor *type)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    assay_errinfo err = {0};
    if (assay_message_read(m, type, p, n, &err) == ASSAY_OK) return true;
    assay_call_finish(c, err.status == ASSAY_ENOMEM ? ASSAY_RPC_RESOURCE_EXHAUSTED : ASSAY_RPC_INVALID_ARGUMENT,
                      err.reason);
    return false;
}

static assay_status send_message(assay_call *c, const ProtobufCMessage *m)
{
    assay_writer w;
    assay_writer_init(&w, (size_t)1 << 30);
    assay_message_write(&w, m);
    assay_status s = w.bad ? ASSAY_ENOMEM : assay_call_send(c, w.p, w.n, NULL);
    assay_writer_clear(&w);
    return s;
}

static void count(test_service *s, uint64_t *what)
{
    (void)pthread_mutex_lock(&s->lock);
    (*what)++;
    (void)pthread_mutex_unlock(&s->lock);
}

static uint64_t time_left(const assay_call *c)
{
    const uint64_t deadline = assay_call_deadline(c), now = assay_clock_ms();
    return deadline == UINT64_MAX ? 0 : deadline > now ? deadline - now : 1;
}

static assay_status echo_back(assay_call *c)
{
    assay_message m;
    Assay__Test__V1__EchoReply reply = ASSAY__TEST__V1__ECHO_REPLY__INIT;
    if (!read_request(&m, c, &assay__test__v1__echo_request__descriptor)) return ASSAY_ECANCELED;
    reply.payload = ((Assay__Test__V1__EchoRequest *)(void *)m.m)->payload;
    reply.deadline_ms = time_left(c);
    assay_status s = send_message(c, &reply.base);
    assay_message_free(&m);
    return s;
}

static void run_echo(void *ctx, assay_call *c)
{
    test_service *s = ctx;
    count(s, &s->counters.started);
    const assay_status st = echo_back(c);
    assay_call_finish(c, st == ASSAY_OK ? ASSAY_RPC_OK : ASSAY_RPC_RESOURCE_EXHAUSTED,
                      st == ASSAY_OK ? NULL : "no memory");
    count(s, &s->counters.finished);
}

static void run_talk(void *ctx, assay_call *c)
{
    test_service *s = ctx;
    count(s, &s->counters.started);
    if (echo_back(c) == ASSAY_ENOMEM) assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "no memory");
    count(s, &s->counters.finished);
}

static void pause_ms(uint64_t ms)
{
    const struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

static void run_count(void *ctx, assay_call *c)
{
    test_service *s = ctx;
    assay_message m;
    if (!read_request(&m, c, &assay__test__v1__count_request__descriptor)) return;
    const Assay__Test__V1__CountRequest *q = (const Assay__Test__V1__CountRequest *)(void *)m.m;
    Assay__Test__V1__EchoReply reply = ASSAY__TEST__V1__ECHO_REPLY__INIT;
    reply.payload.len = q->nbytes;
    reply.payload.data = calloc(q->nbytes + 1u, 1);
    count(s, &s->counters.started);
    assay_status st = ASSAY_OK;
    for (reply.number = 0; reply.number < q->count && st == ASSAY_OK && !assay_call_cancelled(c); reply.number++) {
        st = send_message(c, &reply.base);
        if (q->delay_ms) pause_ms(q->delay_ms);
    }
    count(s, assay_call_cancelled(c) ? &s->counters.cancelled : &s->counters.finished);
    assay_call_finish(c, st == ASSAY_ENOMEM ? ASSAY_RPC_RESOURCE_EXHAUSTED : ASSAY_RPC_OK,
                      st == ASSAY_ENOMEM ? "the client takes too little" : NULL);
    free(reply.payload.data);
    assay_message_free(&m);
}

static void run_fail(void *ctx, assay_call *c)
{
    (void)ctx;
    assay_message m;
    if (!read_request(&m, c, &assay__test__v1__fail_request__descriptor)) return;
    const Assay__Test__V1__FailRequest *q = (const Assay__Test__V1__FailRequest *)(void *)m.m;
    assay_call_finish(c, (assay_rpc_code)q->code, q->message);
    assay_message_free(&m);
}

static void run_counters(void *ctx, assay_call *c)
{
    test_service *s = ctx;
    Assay__Test__V1__CountersReply reply = ASSAY__TEST__V1__COUNTERS_REPLY__INIT;
    const test_counters now = test_service_counters(s);
    reply.started = now.started;
    reply.cancelled = now.cancelled;
    reply.finished = now.finished;
    if (send_message(c, &reply.base) != ASSAY_OK) return;
    assay_call_finish(c, ASSAY_RPC_OK, NULL);
}

/* ---- Sleep */

static void on_cancel(void *ctx, assay_call *c)
{
    (void)c;
    test_service *s = ctx;
    (void)pthread_cond_signal(&s->changed);
}

static void run_sleep(void *ctx, assay_call *c)
{
    test_service *s = ctx;
    assay_message m;
    if (!read_request(&m, c, &assay__test__v1__sleep_request__descriptor)) return;
    sleeper *new = calloc(1, sizeof *new);
    if (new) {
        new->call = assay_call_hold(c);
        new->at = assay_clock_ms() + ((const Assay__Test__V1__SleepRequest *)(void *)m.m)->delay_ms;
        assay_call_on_cancel(c, on_cancel, s);
        (void)pthread_mutex_lock(&s->lock);
        s->counters.started++;
        new->next = s->sleepers;
        s->sleepers = new;
        (void)pthread_cond_signal(&s->changed);
        (void)pthread_mutex_unlock(&s->lock);
    }
    assay_message_free(&m);
}

static void wake_up(test_service *s, sleeper *one)
{
    Assay__Test__V1__EchoReply reply = ASSAY__TEST__V1__ECHO_REPLY__INIT;
    const bool cancelled = assay_call_cancelled(one->call);
    assay_call_on_cancel(one->call, NULL, NULL);
    if (!cancelled && send_message(one->call, &reply.base) == ASSAY_OK)
        assay_call_finish(one->call, ASSAY_RPC_OK, NULL);
    assay_call_release(one->call);
    count(s, cancelled ? &s->counters.cancelled : &s->counters.finished);
    free(one);
}

/* Takes out one that is due, or whose call is over; *next: when to look again. */
static sleeper *due(test_service *s, uint64_t *next)
{
    const uint64_t now = assay_clock_ms();
    *next = now + 50; /* a signal may come between two looks */
    for (sleeper **at = &s->sleepers; *at; at = &(*at)->next) {
        sleeper *one = *at;
        if (s->closing || now >= one->at || assay_call_cancelled(one->call)) {
            *at = one->next;
            return one;
        }
        if (one->at < *next) *next = one->at;
    }
    return NULL;
}

static void *keep_time(void *arg)
{
    test_service *s = arg;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->closing || s->sleepers) {
        uint64_t next;
        sleeper *one = due(s, &next);
        if (one) {
            (void)pthread_mutex_unlock(&s->lock);
            wake_up(s, one);
            (void)pthread_mutex_lock(&s->lock);
            continue;
        }
        struct timespec t;
        (void)clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += (long)(next - assay_clock_ms() < 50 ? next - assay_clock_ms() + 1 : 50) * 1000000;
        if (t.tv_nsec >= 1000000000) {
            t.tv_sec++;
            t.tv_nsec -= 1000000000;
        }
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &t);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- life */

test_service *test_service_new(void)
{
    test_service *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    if (pthread_create(&s->thread, NULL, keep_time, s) == 0) return s;
    free(s);
    return NULL;
}

void test_service_methods(test_service *s, assay_rpc_method out[TEST_SERVICE_METHODS])
{
    const assay_rpc_method methods[TEST_SERVICE_METHODS] = {
        {"/assay.test.v1.Test/Echo", false, run_echo, s},         {"/assay.test.v1.Test/Count", false, run_count, s},
        {"/assay.test.v1.Test/Sleep", false, run_sleep, s},       {"/assay.test.v1.Test/Fail", false, run_fail, s},
        {"/assay.test.v1.Test/Counters", false, run_counters, s}, {"/assay.test.v1.Test/Talk", true, run_talk, s}};
    memcpy(out, methods, sizeof methods);
}

void test_service_free(test_service *s)
{
    if (!s) return;
    (void)pthread_mutex_lock(&s->lock);
    s->closing = true;
    (void)pthread_cond_signal(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

test_counters test_service_counters(test_service *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const test_counters now = s->counters;
    (void)pthread_mutex_unlock(&s->lock);
    return now;
}
