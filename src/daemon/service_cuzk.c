/* SPDX-License-Identifier: Apache-2.0 */
/* cuzk.v1.ProvingEngine: requests for proofs, checked. A request becomes a job of which the first input is the request
 * itself without id, priority and proofs, and the others are its proofs, which stay where they came. */
#include "base/mem.h"
#include "daemon/service_impl.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <stdio.h>
#include <string.h>

typedef Cuzk__V1__SubmitProofRequest submit_request;

enum {
    FIELD_SUBMIT = 1,   /* of ProveRequest */
    FIELD_VANILLA = 10, /* of SubmitProofRequest */
    FIELD_VANILLA_PROOFS = 11,
    MAX_PROOFS = 4096, /* window PoSt has 2,349 sectors a partition, SnapDeals 16 partitions */
    HASH_BYTES = 32,
    PARAMETER_BYTES = 1 << 12
};

#define BIT(field) ((uint64_t)1 << (field))

/* What a kind of proof needs. */
typedef struct kind_rules {
    assay_job_kind kind;
    const char *subject; /* circuits are called so, and after the sector's size */
    unsigned priority;
    bool many, needs_randomness, needs_commitments;
} kind_rules;

static const kind_rules kinds[] = {
    [CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT] = {ASSAY_JOB_POREP, "porep", ASSAY_PRIORITY_NORMAL, false, false, false},
    [CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE] = {ASSAY_JOB_SNAP, "snap", ASSAY_PRIORITY_NORMAL, true, false, true},
    [CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION] = {ASSAY_JOB_WINDOW_POST, "wpost", ASSAY_PRIORITY_HIGH, true, true,
                                                     false},
    [CUZK__V1__PROOF_KIND__WINNING_POST] = {ASSAY_JOB_WINNING_POST, "winning", ASSAY_PRIORITY_CRITICAL, true, true,
                                            false},
};

/* The name of a sector's size; clients that leave it out mean 32 GiB. NULL for none. */
static const char *size_name(uint64_t bytes)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } sizes[] = {{0, "32g"},
                 {(uint64_t)2 << 10, "2k"},
                 {(uint64_t)8 << 20, "8m"},
                 {(uint64_t)512 << 20, "512m"},
                 {(uint64_t)32 << 30, "32g"},
                 {(uint64_t)64 << 30, "64g"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].bytes == bytes) return sizes[i].name;
    return NULL;
}

/* ---- checks: each says which field is wrong, and why */

typedef struct fault {
    const char *field, *reason;
} fault;

/* Hashes have 32 bytes, where the kind needs them and where it does not. */
static fault check_hashes(const kind_rules *k, const submit_request *q)
{
    const struct {
        const char *field;
        size_t n;
        bool needed;
    } hashes[] = {{"randomness", q->randomness.len, k->needs_randomness},
                  {"comm_r_old", q->comm_r_old.len, k->needs_commitments},
                  {"comm_r_new", q->comm_r_new.len, k->needs_commitments},
                  {"comm_d_new", q->comm_d_new.len, k->needs_commitments}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (hashes[i].n != HASH_BYTES && (hashes[i].n != 0 || hashes[i].needed))
            return (fault){hashes[i].field, "must have 32 bytes"};
    return (fault){NULL, NULL};
}

static fault check_proofs(const kind_rules *k, const assay_service_request *r)
{
    const uint32_t want = k->many ? FIELD_VANILLA_PROOFS : FIELD_VANILLA;
    const char *name = k->many ? "vanilla_proofs" : "vanilla_proof";
    size_t n = 0;
    for (size_t i = 0; i < r->n_parts; i++) {
        if (r->parts[i].field != want)
            return (fault){k->many ? "vanilla_proof" : "vanilla_proofs", "is not of this proof_kind"};
        if (r->parts[i].n == 0) return (fault){name, "holds an empty proof"};
        n++;
    }
    if (n == 0) return (fault){name, "is empty"};
    if (n > 1 && !k->many) return (fault){name, "is given twice"};
    return (fault){NULL, NULL};
}

static fault check(const submit_request *q, const assay_service_request *r)
{
    if (q->request_id[0] && !assay_service_is_id(q->request_id))
        return (fault){"request_id", "must be at most 128 bytes of printable ASCII"};
    if ((int)q->proof_kind == CUZK__V1__PROOF_KIND__PROOF_KIND_UNSPECIFIED)
        return (fault){"proof_kind", "is unspecified"};
    if ((int)q->proof_kind < 0 || (size_t)q->proof_kind >= sizeof kinds / sizeof *kinds)
        return (fault){"proof_kind", "is unknown"};
    if ((int)q->priority < 0 || (int)q->priority > ASSAY_PRIORITY_CRITICAL) return (fault){"priority", "is unknown"};
    if (!size_name(q->sector_size)) return (fault){"sector_size", "is no size of sectors"};
    const kind_rules *k = &kinds[q->proof_kind];
    const fault f = check_hashes(k, q);
    return f.field ? f : check_proofs(k, r);
}

/* ---- jobs */

/* The request without what names and ranks the job: a canonical text of its parameters, all of which are small. False
 * when out of memory. */
static bool write_parameters(assay_writer *w, const submit_request *q)
{
    char empty[1] = "";
    submit_request p = *q;
    p.request_id = empty;
    p.priority = CUZK__V1__PRIORITY__PRIORITY_UNSPECIFIED;
    assay_writer_init(w, PARAMETER_BYTES);
    assay_message_write(w, &p.base);
    return !w->bad;
}

/* Unix time at which the client stops waiting; 0: never. */
static uint64_t deadline_of(const assay_call *c)
{
    const uint64_t at = assay_call_deadline(c), now = assay_clock_ms();
    if (at == UINT64_MAX) return 0;
    return assay_unix_ms() + (at > now ? at - now : 0);
}

/* Submits a request that was read. */
static void submit(assay_service *s, assay_call *c, assay_answer_form form, const assay_service_request *r)
{
    const submit_request *q = (const submit_request *)(void *)r->message.m;
    const fault f = check(q, r);
    assay_writer own;
    if (f.field) {
        assay_service_refuse_field(c, f.field, f.reason);
        return;
    }
    const kind_rules *k = &kinds[q->proof_kind];
    assay_job_spec spec = {.kind = k->kind,
                           .priority = q->priority ? (unsigned)q->priority : k->priority,
                           .deadline = form == ANSWER_PROVE ? deadline_of(c) : 0,
                           .n_inputs = r->n_parts + 1};
    (void)memcpy(spec.id, q->request_id, strlen(q->request_id) + 1);
    (void)snprintf(spec.subject, sizeof spec.subject, "%s-%s", k->subject, size_name(q->sector_size));
    assay_blob *inputs = assay_mem_alloc(spec.n_inputs, sizeof *inputs);
    if (!write_parameters(&own, q) || !inputs) {
        assay_writer_clear(&own);
        assay_mem_free(inputs);
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    inputs[0] = (assay_blob){own.p, own.n};
    for (size_t i = 0; i < r->n_parts; i++) inputs[i + 1] = (assay_blob){r->parts[i].p, r->parts[i].n};
    assay_service_submit(s, c, form, &spec, inputs, &own);
}

static void read_and_submit(assay_service *s, assay_call *c, assay_answer_form form, const uint8_t *p, size_t n)
{
    assay_service_request r;
    if (!assay_service_read(&r, c, &cuzk__v1__submit_proof_request__descriptor, p, n,
                            BIT(FIELD_VANILLA) | BIT(FIELD_VANILLA_PROOFS), MAX_PROOFS, "vanilla_proofs"))
        return;
    submit(s, c, form, &r);
    assay_service_clear(&r);
}

static void run_submit(void *ctx, assay_call *c)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    read_and_submit(ctx, c, ANSWER_CUZK, p, n);
}

static void run_prove(void *ctx, assay_call *c)
{
    size_t n;
    assay_service_request r;
    const uint8_t *p = assay_call_request(c, &n);
    if (!assay_service_read(&r, c, &cuzk__v1__prove_request__descriptor, p, n, BIT(FIELD_SUBMIT), 1, "submit")) return;
    if (r.n_parts == 0)
        assay_service_refuse_field(c, "submit", "is missing");
    else
        read_and_submit(ctx, c, ANSWER_PROVE, r.parts[0].p, r.parts[0].n);
    assay_service_clear(&r);
}

/* ---- jobs that are there */

/* The job that a request names; false after the call was refused. */
static bool read_job_id(assay_call *c, const char *id)
{
    if (assay_service_is_id(id)) return true;
    assay_service_refuse_field(c, "job_id", *id ? "must be at most 128 bytes of printable ASCII" : "is empty");
    return false;
}

static void run_await(void *ctx, assay_call *c)
{
    assay_service_request r;
    if (!assay_service_read_small(&r, c, &cuzk__v1__await_proof_request__descriptor)) return;
    const Cuzk__V1__AwaitProofRequest *q = (const Cuzk__V1__AwaitProofRequest *)(void *)r.message.m;
    if (read_job_id(c, q->job_id)) assay_service_follow(ctx, c, FOLLOW_AWAIT, q->job_id, NULL, q->timeout_ms, false);
    assay_service_clear(&r);
}

static void run_cancel(void *ctx, assay_call *c)
{
    assay_service *s = ctx;
    assay_service_request r;
    assay_errinfo err = {0};
    assay_job_state before = (assay_job_state)0;
    if (!assay_service_read_small(&r, c, &cuzk__v1__cancel_proof_request__descriptor)) return;
    const Cuzk__V1__CancelProofRequest *q = (const Cuzk__V1__CancelProofRequest *)(void *)r.message.m;
    Cuzk__V1__CancelProofResponse a;
    cuzk__v1__cancel_proof_response__init(&a);
    if (!read_job_id(c, q->job_id)) {
        /* It is answered. */
    } else if (assay_engine_cancel(s->engine, q->job_id, &before, &err) != ASSAY_OK) {
        assay_service_fail(c, &err);
    } else if (before == 0) {
        assay_call_finish(c, ASSAY_RPC_NOT_FOUND, "job_id: there is no such job");
    } else {
        a.was_running = before == ASSAY_JOB_RUNNING;
        assay_service_reply(c, &a.base);
    }
    assay_service_clear(&r);
}

void assay_cuzk_methods(assay_service *s, assay_rpc_method out[ASSAY_CUZK_METHODS])
{
    const assay_rpc_method methods[ASSAY_CUZK_METHODS] = {
        {"/cuzk.v1.ProvingEngine/SubmitProof", false, run_submit, s},
        {"/cuzk.v1.ProvingEngine/AwaitProof", false, run_await, s},
        {"/cuzk.v1.ProvingEngine/Prove", false, run_prove, s},
        {"/cuzk.v1.ProvingEngine/CancelProof", false, run_cancel, s},
        {"/cuzk.v1.ProvingEngine/GetStatus", false, assay_cuzk_get_status, s},
        {"/cuzk.v1.ProvingEngine/GetMetrics", false, assay_cuzk_get_metrics, s},
        {"/cuzk.v1.ProvingEngine/PreloadSRS", false, assay_cuzk_preload, s},
        {"/cuzk.v1.ProvingEngine/EvictSRS", false, assay_cuzk_evict, s}};
    memcpy(out, methods, sizeof methods);
}
