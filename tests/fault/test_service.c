/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations of the services: a call for which there is no memory says so, and nothing is kept of it.
 * ctest: uses support/daemon */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/mem.h"
#include "daemon/call.h"
#include "fault/fault.h"
#include "support/daemon/service_fixture.h"
#include <string.h>

/* A call of one method. */
typedef struct scenario {
    const char *path;
    const uint8_t *request;
    size_t n;
    const char *completes; /* a job that ends while the call waits for it; NULL: none */
    bool before;           /* it is there before */
} scenario;

static void on_wake(void *ctx, assay_call *c)
{
    (void)ctx;
    (void)c;
}

static const assay_rpc_method *find_method(const assay_rpc_method *methods, const char *path)
{
    for (size_t i = 0; i < ASSAY_SERVICE_METHODS; i++)
        if (strcmp(methods[i].path, path) == 0) return &methods[i];
    return NULL;
}

static void complete(assay_engine *e, const char *id)
{
    static const assay_blob result[] = {{(const uint8_t *)"P", 1}, {(const uint8_t *)"x", 1}};
    fake_engine_complete(e, id, result, 2);
}

/* Waits for the end of a call, taking what it sends; completes the job as soon as it is watched. */
static assay_status finish(const scenario *sc, assay_engine *e, assay_call *c, assay_errinfo *err)
{
    static uint8_t bytes[1 << 16];
    assay_rpc_code code;
    const char *text;
    bool completed = false;
    for (const uint64_t end = assay_clock_ms() + 20000; assay_clock_ms() < end; fixture_pause(1)) {
        while (assay_call_take(c, bytes, sizeof bytes) > 0) continue;
        if (assay_call_done(c, &code, &text)) {
            if (code == ASSAY_RPC_OK) return ASSAY_OK;
            return code == ASSAY_RPC_RESOURCE_EXHAUSTED
                       ? ASSAY_FAIL(err, ASSAY_ENOMEM, "call", "refused for want of memory")
                       : ASSAY_FAIL1(err, ASSAY_EINTERNAL, "call", "ended oddly", code);
        }
        if (sc->completes && !completed && fake_engine_watches(e) == 1) {
            completed = true;
            complete(e, sc->completes);
        }
    }
    return ASSAY_FAIL(err, ASSAY_EINTERNAL, "call", "does not end");
}

static assay_status call_once(const scenario *sc, assay_engine *e, assay_service *s, assay_rpc_memory *memory,
                              assay_errinfo *err)
{
    assay_rpc_method methods[ASSAY_SERVICE_METHODS];
    assay_service_methods(s, methods);
    assay_call *c = assay_call_new(find_method(methods, sc->path), memory, UINT64_MAX, on_wake, NULL);
    uint8_t *p = c ? assay_mem_alloc(sc->n + 1, 1) : NULL;
    if (!p) {
        assay_call_release(c);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "call", "out of memory");
    }
    if (sc->n) memcpy(p, sc->request, sc->n);
    CHECK(assay_rpc_memory_take(memory, sc->n + 1));
    if (assay_call_put(c, p, sc->n, sc->n + 1)) assay_call_work(c);
    const assay_status st = finish(sc, e, c, err);
    assay_call_release(c);
    return st;
}

static void ignore(void *ctx, const assay_submit_answer *a)
{
    (void)ctx;
    (void)a;
}

static assay_status run(void *ctx, assay_errinfo *err)
{
    const scenario *sc = ctx;
    assay_engine *e = fake_engine_new();
    assay_service *s = NULL;
    assay_rpc_memory *memory = assay_rpc_memory_new(1 << 20, NULL);
    const assay_key_answer loaded = {.status = ASSAY_OK};
    fake_engine_key(e, &loaded);
    if (sc->before) {
        const assay_job_spec spec = {.id = "job", .priority = 2};
        assay_engine_submit(e, &spec, ignore, NULL);
    }
    assay_status st = memory ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "memory", "out of memory");
    if (st == ASSAY_OK) st = assay_service_new(&s, e, "/nonexistent", "/nonexistent", NULL, err);
    if (st == ASSAY_OK) {
        st = call_once(sc, e, s, memory, err);
        assay_service_stop(s);
        CHECK_EQ_U64(fake_engine_watches(e), 0);
    }
    assay_service_free(s);
    if (memory) CHECK_EQ_U64(memory->used, 0);
    assay_rpc_memory_release(memory);
    fake_engine_free(e);
    return st;
}

/* Every allocation of one call fails in turn. */
static void every(const char *path, const ProtobufCMessage *q, const char *completes, bool before, uint64_t least)
{
    assay_writer w = fixture_pack(q);
    scenario sc = {path, w.p, w.n, completes, before};
    CHECK(assay_fault_every(run, &sc, 1) >= least);
    assay_writer_clear(&w);
}

TEST(submit)
{
    char id[] = "job", circuit[] = "small";
    submit_request q = fixture_request(2, id);
    every(CUZK("SubmitProof"), &q.base, NULL, false, 10);
    ProtobufCBinaryData witness = fixture_data(fixture_proof, sizeof fixture_proof);
    Assay__V1__SubmitGroth16Request g;
    assay__v1__submit_groth16_request__init(&g);
    g.request_id = id;
    g.circuit = circuit;
    g.witness = &witness;
    g.n_witness = 1;
    every(OWN("SubmitGroth16"), &g.base, NULL, false, 10);
}

TEST(prove)
{
    char id[] = "job";
    submit_request q = fixture_request(1, id);
    Cuzk__V1__ProveRequest p;
    cuzk__v1__prove_request__init(&p);
    p.submit = &q;
    every(CUZK("Prove"), &p.base, "job", false, 14);
}

TEST(waits)
{
    char id[] = "job";
    Cuzk__V1__AwaitProofRequest a;
    cuzk__v1__await_proof_request__init(&a);
    a.job_id = id;
    every(CUZK("AwaitProof"), &a.base, "job", true, 8);
    Assay__V1__WatchRequest w;
    assay__v1__watch_request__init(&w);
    w.job_id = id;
    every(OWN("Watch"), &w.base, "job", true, 9);
}

TEST(looks)
{
    char id[] = "small";
    Cuzk__V1__GetStatusRequest s;
    cuzk__v1__get_status_request__init(&s);
    every(CUZK("GetStatus"), &s.base, NULL, false, 5);
    Cuzk__V1__GetMetricsRequest m;
    cuzk__v1__get_metrics_request__init(&m);
    every(CUZK("GetMetrics"), &m.base, NULL, false, 5);
    Cuzk__V1__PreloadSrsRequest p;
    cuzk__v1__preload_srs_request__init(&p);
    p.circuit_id = id;
    every(CUZK("PreloadSRS"), &p.base, NULL, false, 6);
    Cuzk__V1__CancelProofRequest c;
    cuzk__v1__cancel_proof_request__init(&c);
    char job[] = "job";
    c.job_id = job;
    every(CUZK("CancelProof"), &c.base, NULL, true, 5);
}
