/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: requests that wait for a worker, messages that wait for the wire, one end. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/call.h"
#include "base/mem.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1024, HEAD = 5 };

/* A request that waits. */
typedef struct request {
    struct request *next;
    uint8_t *p;
    size_t n, counted;
} request;

struct assay_call {
    _Atomic unsigned refs;
    const assay_rpc_method *method;
    assay_rpc_memory *memory;
    uint64_t deadline;
    assay_call_wake *wake;
    void *wake_ctx;

    pthread_mutex_t lock; /* of what follows, up to the carrier's */
    request *in_first, *in_last;
    size_t n_waiting;
    bool at_work, ended_requests;
    request now; /* the one that is answered */
    assay_call_message *out_first, *out_last;
    size_t pending;
    bool sent, finished, cancelled;
    assay_rpc_code code;
    char text[TEXT_BYTES];
    void (*on_cancel)(void *ctx, assay_call *call);
    void *on_cancel_ctx;
    bool cancelling; /* on_cancel is running */
    pthread_cond_t quiet;

    void *stream; /* the carrier's */
    assay_call *link;
    _Atomic bool listed;
};

/* ---- memory */

assay_rpc_memory *assay_rpc_memory_new(uint64_t most, assay_rpc_memory *outer)
{
    assay_rpc_memory *m = assay_mem_alloc(1, sizeof *m);
    if (!m) return NULL;
    m->most = most;
    m->outer = outer ? assay_rpc_memory_hold(outer) : NULL;
    atomic_store(&m->refs, 1);
    return m;
}

assay_rpc_memory *assay_rpc_memory_hold(assay_rpc_memory *m)
{
    (void)atomic_fetch_add(&m->refs, 1);
    return m;
}

void assay_rpc_memory_release(assay_rpc_memory *m)
{
    while (m && atomic_fetch_sub(&m->refs, 1) == 1) {
        assay_rpc_memory *outer = m->outer;
        assay_mem_free(m);
        m = outer;
    }
}

bool assay_rpc_memory_take(assay_rpc_memory *m, uint64_t n)
{
    for (assay_rpc_memory *at = m; at; at = at->outer) {
        if (n <= at->most && atomic_fetch_add(&at->used, n) <= at->most - n) continue;
        if (n <= at->most) (void)atomic_fetch_sub(&at->used, n);
        for (assay_rpc_memory *back = m; back != at; back = back->outer) (void)atomic_fetch_sub(&back->used, n);
        return false;
    }
    return true;
}

void assay_rpc_memory_give(assay_rpc_memory *m, uint64_t n)
{
    for (; m; m = m->outer) (void)atomic_fetch_sub(&m->used, n);
}

/* ---- life */

assay_call *assay_call_new(const assay_rpc_method *method, assay_rpc_memory *memory, uint64_t deadline,
                           assay_call_wake *wake, void *wake_ctx)
{
    assay_call *c = assay_mem_alloc(1, sizeof *c);
    if (!c) return NULL;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        assay_mem_free(c);
        return NULL;
    }
    if (pthread_cond_init(&c->quiet, NULL) != 0) {
        (void)pthread_mutex_destroy(&c->lock);
        assay_mem_free(c);
        return NULL;
    }
    atomic_store(&c->refs, 1);
    c->method = method;
    c->memory = assay_rpc_memory_hold(memory);
    c->deadline = deadline;
    c->wake = wake;
    c->wake_ctx = wake_ctx;
    return c;
}

assay_call *assay_call_hold(assay_call *c)
{
    (void)atomic_fetch_add(&c->refs, 1);
    return c;
}

static void clear_request(assay_call *c, request *r)
{
    assay_mem_free_secret(r->p, r->n);
    if (r->p) assay_rpc_memory_give(c->memory, r->counted);
    *r = (request){0};
}

static void clear_waiting(assay_call *c, request *r)
{
    while (r) {
        request *next = r->next;
        clear_request(c, r);
        assay_mem_free(r);
        r = next;
    }
}

static void clear_messages(assay_call *c)
{
    while (c->out_first) {
        assay_call_message *m = c->out_first;
        c->out_first = m->next;
        assay_rpc_memory_give(c->memory, m->n);
        assay_mem_free_secret(m, sizeof *m + m->n);
    }
    c->out_last = NULL;
    c->pending = 0;
}

void assay_call_release(assay_call *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1) return;
    clear_waiting(c, c->in_first);
    clear_request(c, &c->now);
    clear_messages(c);
    assay_rpc_memory_release(c->memory);
    (void)pthread_cond_destroy(&c->quiet);
    (void)pthread_mutex_destroy(&c->lock);
    assay_mem_free(c);
}

const assay_rpc_method *assay_call_method(const assay_call *c)
{
    return c->method;
}

uint64_t assay_call_deadline(const assay_call *c)
{
    return c->deadline;
}

void **assay_call_stream(assay_call *c)
{
    return &c->stream;
}

assay_call **assay_call_link(assay_call *c)
{
    return &c->link;
}

bool assay_call_mark(assay_call *c, bool listed)
{
    return atomic_exchange(&c->listed, listed) != listed;
}

/* ---- requests */

bool assay_call_put(assay_call *c, uint8_t *p, size_t n, size_t counted)
{
    request *r = assay_mem_alloc(1, sizeof *r), refused = {NULL, p, n, counted};
    bool begin = false;
    (void)pthread_mutex_lock(&c->lock);
    const bool kept = r && !c->finished;
    if (kept) {
        *r = refused;
        if (c->in_last)
            c->in_last->next = r;
        else
            c->in_first = r;
        c->in_last = r;
        c->n_waiting++;
        begin = !c->at_work;
        c->at_work = true;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (kept) return begin;
    clear_request(c, &refused);
    const bool short_of_memory = r == NULL;
    assay_mem_free(r);
    if (short_of_memory) assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
    return false;
}

bool assay_call_end_requests(assay_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->ended_requests = true;
    const bool begin = c->method->many_requests && !c->at_work && !c->finished;
    if (begin) c->at_work = true;
    (void)pthread_mutex_unlock(&c->lock);
    return begin;
}

size_t assay_call_waiting(assay_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const size_t n = c->n_waiting;
    (void)pthread_mutex_unlock(&c->lock);
    return n;
}

/* Takes the next request as the one that is answered. */
static bool next_request(assay_call *c)
{
    request old = {0}, *r;
    bool ended;
    (void)pthread_mutex_lock(&c->lock);
    r = c->in_first;
    if (r) {
        old = c->now;
        c->now = *r;
        c->now.next = NULL;
        c->in_first = r->next;
        if (!c->in_first) c->in_last = NULL;
        c->n_waiting--;
    } else {
        c->at_work = false;
    }
    ended = !r && c->method->many_requests && c->ended_requests;
    (void)pthread_mutex_unlock(&c->lock);
    clear_request(c, &old);
    assay_mem_free(r);
    if (ended) assay_call_finish(c, ASSAY_RPC_OK, NULL);
    return r != NULL;
}

void assay_call_work(assay_call *c)
{
    while (next_request(c)) c->method->run(c->method->ctx, c);
}

const uint8_t *assay_call_request(const assay_call *c, size_t *n)
{
    *n = c->now.n;
    return c->now.p;
}

void assay_call_drop_request(assay_call *c)
{
    request old;
    (void)pthread_mutex_lock(&c->lock);
    old = c->now;
    c->now = (request){0};
    (void)pthread_mutex_unlock(&c->lock);
    clear_request(c, &old);
}

/* ---- the end */

/* With the lock held. A text that is cut is cut between characters. */
static void end(assay_call *c, assay_rpc_code code, const char *message)
{
    c->finished = true;
    c->code = code;
    (void)snprintf(c->text, sizeof c->text, "%s", message ? message : "");
    size_t n = strlen(c->text);
    if (n == sizeof c->text - 1) {
        while (n && (c->text[n - 1] & 0xC0) == 0x80) n--;
        c->text[n ? n - 1 : 0] = '\0';
    }
}

void assay_call_finish(assay_call *c, assay_rpc_code code, const char *message)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool first = !c->finished;
    if (first) {
        end(c, code, message);
        c->on_cancel = NULL;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (first) c->wake(c->wake_ctx, c);
}

bool assay_call_cancel(assay_call *c, assay_rpc_code code, const char *message)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool first = !c->finished;
    void (*fn)(void *, assay_call *) = NULL;
    void *ctx = NULL;
    request *waiting = NULL;
    if (first) {
        end(c, code, message);
        c->cancelled = true;
        clear_messages(c);
        fn = c->on_cancel;
        ctx = c->on_cancel_ctx;
        c->on_cancel = NULL;
        c->cancelling = fn != NULL;
        waiting = c->in_first;
        c->in_first = c->in_last = NULL;
        c->n_waiting = 0;
    }
    (void)pthread_mutex_unlock(&c->lock);
    clear_waiting(c, waiting);
    if (fn) {
        fn(ctx, c);
        (void)pthread_mutex_lock(&c->lock);
        c->cancelling = false;
        (void)pthread_cond_broadcast(&c->quiet);
        (void)pthread_mutex_unlock(&c->lock);
    }
    if (first) c->wake(c->wake_ctx, c);
    return first;
}

bool assay_call_cancelled(assay_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool is = c->cancelled;
    (void)pthread_mutex_unlock(&c->lock);
    return is;
}

void assay_call_on_cancel(assay_call *c, void (*fn)(void *ctx, assay_call *call), void *ctx)
{
    (void)pthread_mutex_lock(&c->lock);
    while (c->cancelling) (void)pthread_cond_wait(&c->quiet, &c->lock);
    const bool now = fn && c->cancelled;
    c->on_cancel = c->finished ? NULL : fn;
    c->on_cancel_ctx = ctx;
    (void)pthread_mutex_unlock(&c->lock);
    if (now) fn(ctx, c);
}

/* ---- messages */

assay_status assay_call_send(assay_call *c, const void *p, size_t n, assay_errinfo *err)
{
    size_t all;
    if (n > UINT32_MAX || !assay_add_size(n, HEAD, &all))
        return ASSAY_FAIL(err, ASSAY_EINVAL, c->method->path, "a message is too large for gRPC");
    if (!assay_rpc_memory_take(c->memory, all))
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, c->method->path, "too many bytes wait to be sent", n);
    assay_call_message *m = assay_mem_alloc_raw(1, sizeof *m + all);
    if (!m) {
        assay_rpc_memory_give(c->memory, all);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, c->method->path, "out of memory");
    }
    *m = (assay_call_message){NULL, all, 0};
    m->bytes[0] = 0; /* not compressed */
    for (int i = 0; i < 4; i++) m->bytes[1 + i] = (uint8_t)(n >> (24 - 8 * i));
    if (n) memcpy(m->bytes + HEAD, p, n);
    (void)pthread_mutex_lock(&c->lock);
    const bool open = !c->finished;
    if (open) {
        if (c->out_last)
            c->out_last->next = m;
        else
            c->out_first = m;
        c->out_last = m;
        c->pending += all;
        c->sent = true;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (open) {
        c->wake(c->wake_ctx, c);
        return ASSAY_OK;
    }
    assay_rpc_memory_give(c->memory, all);
    assay_mem_free_secret(m, sizeof *m + all);
    return ASSAY_FAIL(err, ASSAY_ECANCELED, c->method->path, "the call is over");
}

size_t assay_call_pending(assay_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const size_t n = c->pending;
    (void)pthread_mutex_unlock(&c->lock);
    return n;
}

void assay_call_reply(assay_call *c, const void *p, size_t n)
{
    assay_status s = assay_call_send(c, p, n, NULL);
    assay_call_finish(c, s == ASSAY_OK ? ASSAY_RPC_OK : ASSAY_RPC_RESOURCE_EXHAUSTED,
                      s == ASSAY_OK ? NULL : "no memory for the reply");
}

size_t assay_call_take(assay_call *c, uint8_t *out, size_t n)
{
    size_t done = 0;
    (void)pthread_mutex_lock(&c->lock);
    while (c->out_first && done < n) {
        assay_call_message *m = c->out_first;
        const size_t part = m->n - m->at < n - done ? m->n - m->at : n - done;
        memcpy(out + done, m->bytes + m->at, part);
        done += part;
        m->at += part;
        if (m->at < m->n) break;
        c->out_first = m->next;
        if (!c->out_first) c->out_last = NULL;
        assay_rpc_memory_give(c->memory, m->n);
        assay_mem_free_secret(m, sizeof *m + m->n);
    }
    c->pending -= done;
    (void)pthread_mutex_unlock(&c->lock);
    return done;
}

bool assay_call_done(assay_call *c, assay_rpc_code *code, const char **message)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool done = c->finished && !c->out_first;
    *code = done ? c->code : ASSAY_RPC_UNKNOWN;
    *message = done ? c->text : ""; /* nobody writes it any more */
    (void)pthread_mutex_unlock(&c->lock);
    return done;
}

bool assay_call_is_bare(assay_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool bare = c->finished && !c->sent;
    (void)pthread_mutex_unlock(&c->lock);
    return bare;
}
