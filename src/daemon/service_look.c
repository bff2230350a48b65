/* SPDX-License-Identifier: Apache-2.0 */
/* cuzk.v1.ProvingEngine: the engine's state, and its keys. */
#include "base/mem.h"
#include "daemon/engine_metrics.h"
#include "daemon/service_impl.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 160 };

/* ---- GetStatus */

/* The reply's parts, to which it points. */
typedef struct status_parts {
    Cuzk__V1__GPUStatus gpu[ASSAY_LOOK_WORKERS];
    Cuzk__V1__GPUStatus *gpus[ASSAY_LOOK_WORKERS];
    Cuzk__V1__SRSStatus key[ASSAY_LOOK_KEYS];
    Cuzk__V1__SRSStatus *keys[ASSAY_LOOK_KEYS];
    Cuzk__V1__QueueStatus queue[ASSAY_JOB_KINDS];
    Cuzk__V1__QueueStatus *queues[ASSAY_JOB_KINDS];
    char text[ASSAY_LOOK_WORKERS + ASSAY_LOOK_KEYS + ASSAY_JOB_KINDS][2][NAME];
    size_t n_text;
} status_parts;

static char *keep(status_parts *p, int which, const char *text)
{
    char *out = p->text[p->n_text][which];
    (void)snprintf(out, NAME, "%s", text);
    return out;
}

/* One entry a prover: those at work first. There is no GPU: the processor stands in. */
static size_t fill_provers(status_parts *p, assay_engine_look *l)
{
    static char processor[] = "processor", none[] = "";
    size_t n = 0;
    for (size_t i = 0; i < l->n_workers && n < ASSAY_LOOK_WORKERS; i++) {
        if (!l->workers[i].prover) continue;
        cuzk__v1__gpustatus__init(&p->gpu[n]);
        p->gpu[n].current_job_id = keep(p, 0, l->workers[i].job);
        p->gpu[n].current_proof_kind = keep(p, 1, assay_job_kind_name(l->workers[i].kind));
        p->n_text++;
        n++;
    }
    for (; n < l->gpu_workers && n < ASSAY_LOOK_WORKERS; n++) {
        cuzk__v1__gpustatus__init(&p->gpu[n]);
        p->gpu[n].current_job_id = p->gpu[n].current_proof_kind = none;
    }
    for (size_t i = 0; i < n; i++) {
        p->gpu[i].ordinal = (uint32_t)i;
        p->gpu[i].name = processor;
        p->gpus[i] = &p->gpu[i];
    }
    return n;
}

static size_t fill_keys(status_parts *p, const assay_engine_look *l)
{
    for (size_t i = 0; i < l->n_keys; i++) {
        cuzk__v1__srsstatus__init(&p->key[i]);
        p->key[i].circuit_id = keep(p, 0, l->keys[i].name);
        p->n_text++;
        p->key[i].tier = l->keys[i].loading ? CUZK__V1__SRSSTATUS__TIER__COLD : CUZK__V1__SRSSTATUS__TIER__HOT;
        p->key[i].size_bytes = l->keys[i].bytes;
        p->key[i].ref_count = l->keys[i].references;
        p->keys[i] = &p->key[i];
    }
    return l->n_keys;
}

/* Kinds of which a job waits or runs. */
static size_t fill_queues(status_parts *p, const assay_engine_look *l)
{
    size_t n = 0;
    for (int k = 0; k < ASSAY_JOB_KINDS; k++) {
        if (l->queue.waiting[k] + l->queue.running[k] == 0) continue;
        cuzk__v1__queue_status__init(&p->queue[n]);
        p->queue[n].proof_kind = keep(p, 0, assay_job_kind_name((assay_job_kind)k));
        p->n_text++;
        p->queue[n].pending = (uint32_t)l->queue.waiting[k];
        p->queue[n].in_progress = (uint32_t)l->queue.running[k];
        p->queues[n] = &p->queue[n];
        n++;
    }
    return n;
}

void assay_cuzk_get_status(void *ctx, assay_call *c)
{
    assay_service *s = ctx;
    Cuzk__V1__GetStatusResponse a;
    cuzk__v1__get_status_response__init(&a);
    status_parts *p = assay_mem_alloc(1, sizeof *p);
    assay_engine_look *l = assay_engine_look_new(s->engine);
    if (p && l) {
        a.n_gpus = fill_provers(p, l);
        a.gpus = p->gpus;
        a.n_loaded_srs = fill_keys(p, l);
        a.loaded_srs = p->keys;
        a.n_queues = fill_queues(p, l);
        a.queues = p->queues;
        a.total_proofs_completed = l->completed;
        a.total_proofs_failed = l->failed;
        a.uptime_seconds = (l->now - l->started) / 1000;
        a.pinned_memory_bytes = l->keys_bytes;
        a.pinned_memory_limit_bytes = l->budget.total;
        assay_service_reply(c, &a.base);
    } else {
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
    }
    assay_engine_look_free(l);
    assay_mem_free(p);
}

/* ---- GetMetrics */

void assay_cuzk_get_metrics(void *ctx, assay_call *c)
{
    assay_service *s = ctx;
    Cuzk__V1__GetMetricsResponse a;
    cuzk__v1__get_metrics_response__init(&a);
    assay_engine_look *l = assay_engine_look_new(s->engine);
    const assay_server *server = atomic_load(&s->server);
    assay_server_stats stats = {0};
    assay_writer w;
    if (server) stats = assay_server_look(server);
    assay_writer_init(&w, ASSAY_METRICS_MAX);
    if (l) assay_metrics_write(&w, l, server ? &stats : NULL);
    assay_write_u8(&w, 0);
    if (l && !w.bad) {
        a.prometheus_text = (char *)w.p;
        assay_service_reply(c, &a.base);
    } else {
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
    }
    assay_writer_clear(&w);
    assay_engine_look_free(l);
}

/* ---- keys */

/* A call that waits for a key. */
typedef struct key_ticket {
    assay_call *call; /* held */
    bool evicts;
} key_ticket;

static assay_rpc_code key_code(assay_status s)
{
    switch ((int)s) {
    case ASSAY_EIO:
        return ASSAY_RPC_NOT_FOUND;
    case ASSAY_EBUSY:
    case ASSAY_EFORMAT:
        return ASSAY_RPC_FAILED_PRECONDITION;
    default:
        return assay_service_code(s);
    }
}

static void on_key(void *ctx, const assay_key_answer *a)
{
    key_ticket *t = ctx;
    Cuzk__V1__PreloadSrsResponse loaded;
    cuzk__v1__preload_srs_response__init(&loaded);
    Cuzk__V1__EvictSrsResponse evicted;
    cuzk__v1__evict_srs_response__init(&evicted);
    loaded.already_loaded = evicted.was_loaded = a->was_loaded;
    loaded.load_time_ms = a->ms;
    evicted.freed_bytes = a->bytes;
    if (a->status != ASSAY_OK)
        assay_call_finish(t->call, key_code(a->status), a->error[0] ? a->error : assay_status_name(a->status));
    else
        assay_service_reply(t->call, t->evicts ? &evicted.base : &loaded.base);
    assay_call_release(t->call);
    assay_mem_free(t);
}

static void order_key(assay_service *s, assay_call *c, bool evicts, const char *name)
{
    if (!assay_service_is_id(name)) {
        assay_service_refuse_field(c, "circuit_id", *name ? "is no name" : "is empty");
        return;
    }
    key_ticket *t = assay_mem_alloc(1, sizeof *t);
    if (!t) {
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    *t = (key_ticket){assay_call_hold(c), evicts};
    if (evicts)
        assay_engine_evict(s->engine, name, on_key, t);
    else
        assay_engine_preload(s->engine, name, on_key, t);
}

void assay_cuzk_preload(void *ctx, assay_call *c)
{
    assay_service_request r;
    if (!assay_service_read_small(&r, c, &cuzk__v1__preload_srs_request__descriptor)) return;
    order_key(ctx, c, false, ((const Cuzk__V1__PreloadSrsRequest *)(void *)r.message.m)->circuit_id);
    assay_service_clear(&r);
}

void assay_cuzk_evict(void *ctx, assay_call *c)
{
    assay_service_request r;
    if (!assay_service_read_small(&r, c, &cuzk__v1__evict_srs_request__descriptor)) return;
    order_key(ctx, c, true, ((const Cuzk__V1__EvictSrsRequest *)(void *)r.message.m)->circuit_id);
    assay_service_clear(&r);
}
