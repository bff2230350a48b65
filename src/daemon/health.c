/* SPDX-License-Identifier: Apache-2.0 */
/* Health checking: a table of services, and the calls that watch one. */
#include "daemon/health.h"
#include "base/mem.h"
#include "daemon/message.h"
#include <grpc/health/v1/health.pb-c.h>
#include <pthread.h>
#include <string.h>

enum {
    SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING,
    NOT_SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING,
    UNKNOWN_SERVICE = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN,
    NAME_BYTES = 128,
    REPLY_BYTES = 16
};

typedef struct entry {
    char name[NAME_BYTES];
    bool serving;
} entry;

typedef struct watcher {
    struct watcher *next;
    assay_call *call;
    const entry *of; /* NULL: a service that is not known */
} watcher;

struct assay_health {
    pthread_mutex_t lock;
    watcher *watchers;
    bool stopped;
    size_t n;
    entry entries[];
};

assay_status assay_health_new(assay_health **out, const char *const *services, size_t n, assay_errinfo *err)
{
    *out = NULL;
    assay_health *h = assay_mem_alloc(1, sizeof *h + (n + 1) * sizeof h->entries[0]);
    if (!h || pthread_mutex_init(&h->lock, NULL) != 0) {
        assay_mem_free(h);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "health", "out of memory");
    }
    h->n = n + 1; /* the first is the server as a whole */
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(services[i]);
        memcpy(h->entries[i + 1].name, services[i], length < NAME_BYTES ? length : NAME_BYTES - 1);
    }
    *out = h;
    return ASSAY_OK;
}

static entry *find(assay_health *h, const char *service)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->entries[i].name, service) == 0) return &h->entries[i];
    return NULL;
}

static assay_status send_state(assay_call *c, int state)
{
    Grpc__Health__V1__HealthCheckResponse r = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    assay_writer w;
    r.status = (Grpc__Health__V1__HealthCheckResponse__ServingStatus)state;
    assay_writer_init(&w, REPLY_BYTES);
    assay_message_write(&w, &r.base);
    assay_status s = w.bad ? ASSAY_ENOMEM : assay_call_send(c, w.p, w.n, NULL);
    assay_writer_clear(&w);
    return s;
}

static int state_of(const entry *e)
{
    return !e ? UNKNOWN_SERVICE : e->serving ? SERVING : NOT_SERVING;
}

/* The entry that a call asks for; false after it was refused. */
static bool asked(assay_health *h, assay_call *c, entry **e)
{
    assay_message m;
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    const assay_status s = assay_message_read(&m, &grpc__health__v1__health_check_request__descriptor, p, n, NULL);
    if (s == ASSAY_OK)
        *e = find(h, ((Grpc__Health__V1__HealthCheckRequest *)(void *)m.m)->service);
    else
        assay_call_finish(c, ASSAY_RPC_INVALID_ARGUMENT, "the request cannot be read");
    assay_message_free(&m);
    return s == ASSAY_OK;
}

static void run_check(void *ctx, assay_call *c)
{
    assay_health *h = ctx;
    entry *e;
    if (!asked(h, c, &e)) return;
    (void)pthread_mutex_lock(&h->lock);
    const int state = state_of(e);
    (void)pthread_mutex_unlock(&h->lock);
    if (!e)
        assay_call_finish(c, ASSAY_RPC_NOT_FOUND, "no such service");
    else if (send_state(c, state) == ASSAY_OK)
        assay_call_finish(c, ASSAY_RPC_OK, NULL);
    else
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "no memory for the reply");
}

/* ---- watchers */

/* Takes the watcher of a call, or any for NULL, out of the list. */
static watcher *take_out(assay_health *h, const assay_call *c)
{
    for (watcher **at = &h->watchers; *at; at = &(*at)->next)
        if (!c || (*at)->call == c) {
            watcher *w = *at;
            *at = w->next;
            return w;
        }
    return NULL;
}

static void let_go(watcher *w)
{
    if (!w) return;
    assay_call_release(w->call);
    assay_mem_free(w);
}

static void on_cancel(void *ctx, assay_call *c)
{
    assay_health *h = ctx;
    (void)pthread_mutex_lock(&h->lock);
    watcher *w = take_out(h, c);
    (void)pthread_mutex_unlock(&h->lock);
    let_go(w);
}

static void run_watch(void *ctx, assay_call *c)
{
    assay_health *h = ctx;
    entry *e;
    if (!asked(h, c, &e)) return;
    watcher *w = assay_mem_alloc(1, sizeof *w);
    (void)pthread_mutex_lock(&h->lock);
    const bool added = w && !h->stopped && send_state(c, state_of(e)) == ASSAY_OK;
    if (added) {
        *w = (watcher){h->watchers, assay_call_hold(c), e};
        h->watchers = w;
    }
    const bool stopped = h->stopped;
    (void)pthread_mutex_unlock(&h->lock);
    if (added) {
        assay_call_on_cancel(c, on_cancel, h); /* at once, if the call is over already */
        return;
    }
    assay_mem_free(w);
    assay_call_finish(c, stopped ? ASSAY_RPC_UNAVAILABLE : ASSAY_RPC_RESOURCE_EXHAUSTED,
                      stopped ? "the server is stopping" : "no memory for the reply");
}

void assay_health_methods(assay_health *h, assay_rpc_method out[ASSAY_HEALTH_METHODS])
{
    out[0] = (assay_rpc_method){"/grpc.health.v1.Health/Check", false, run_check, h};
    out[1] = (assay_rpc_method){"/grpc.health.v1.Health/Watch", false, run_watch, h};
}

/* With the lock held. A watcher that cannot be told will be told of the next change. */
static void set_entry(assay_health *h, entry *e, bool serving)
{
    if (e->serving == serving) return;
    e->serving = serving;
    for (watcher *w = h->watchers; w; w = w->next)
        if (w->of == e && send_state(w->call, state_of(e)) != ASSAY_OK) continue;
}

void assay_health_set(assay_health *h, const char *service, bool serving)
{
    (void)pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->n && !h->stopped; i++)
        if (!service || strcmp(h->entries[i].name, service) == 0) set_entry(h, &h->entries[i], serving);
    (void)pthread_mutex_unlock(&h->lock);
}

void assay_health_stop(assay_health *h)
{
    assay_health_set(h, NULL, false);
    (void)pthread_mutex_lock(&h->lock);
    h->stopped = true;
    (void)pthread_mutex_unlock(&h->lock);
    for (;;) {
        (void)pthread_mutex_lock(&h->lock);
        watcher *w = take_out(h, NULL);
        (void)pthread_mutex_unlock(&h->lock);
        if (!w) return;
        assay_call_finish(w->call, ASSAY_RPC_UNAVAILABLE, "the server is stopping");
        let_go(w);
    }
}

void assay_health_free(assay_health *h)
{
    if (!h) return;
    assay_health_stop(h);
    (void)pthread_mutex_destroy(&h->lock);
    assay_mem_free(h);
}
