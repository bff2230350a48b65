/* SPDX-License-Identifier: Apache-2.0 */
/* assay.v1.Engine: Groth16 over registered circuits, replies of committed models, the progress of any job. */
#include "base/mem.h"
#include "daemon/service_impl.h"
#include <assay/v1/engine.pb-c.h>
#include <string.h>

enum { FIELD_WITNESS = 3, FIELD_REQUEST = 3, FIELD_NEXT = 4 };

#define BIT(field) ((uint64_t)1 << (field))

/* What the requests have in common. */
typedef struct common {
    assay_job_kind kind;
    const char *id, *subject, *subject_field;
    int priority;
    uint64_t deadline_ms; /* from now */
} common;

/* True when they are in order; otherwise the call is refused. */
static bool check_common(assay_call *c, const common *q)
{
    if (q->id[0] && !assay_service_is_id(q->id))
        assay_service_refuse_field(c, "request_id", "must be at most 128 bytes of printable ASCII");
    else if (!assay_service_is_id(q->subject))
        assay_service_refuse_field(c, q->subject_field, *q->subject ? "is no name" : "is empty");
    else if (q->priority < 0 || q->priority > ASSAY_PRIORITY_CRITICAL)
        assay_service_refuse_field(c, "priority", "is unknown");
    else
        return true;
    return false;
}

/* Submits with the parts of the request as inputs, in their order. */
static void submit(assay_service *s, assay_call *c, const common *q, const assay_service_request *r)
{
    const uint64_t now = assay_unix_ms();
    assay_writer own;
    assay_job_spec spec = {.kind = q->kind,
                           .priority = q->priority ? (unsigned)q->priority : ASSAY_PRIORITY_NORMAL,
                           .n_inputs = r->n_parts};
    if (q->deadline_ms) spec.deadline = q->deadline_ms > INT64_MAX - now ? 0 : now + q->deadline_ms;
    (void)memcpy(spec.id, q->id, strlen(q->id) + 1);
    (void)memcpy(spec.subject, q->subject, strlen(q->subject) + 1);
    assay_writer_init(&own, 0);
    assay_blob *inputs = assay_mem_alloc(r->n_parts, sizeof *inputs);
    if (!inputs) {
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    for (size_t i = 0; i < r->n_parts; i++) inputs[i] = (assay_blob){r->parts[i].p, r->parts[i].n};
    assay_service_submit(s, c, ANSWER_ASSAY, &spec, inputs, &own);
}

static bool has_empty(const assay_service_request *r)
{
    for (size_t i = 0; i < r->n_parts; i++)
        if (r->parts[i].n == 0) return true;
    return false;
}

static void run_groth16(void *ctx, assay_call *c)
{
    size_t n;
    assay_service_request r;
    const uint8_t *p = assay_call_request(c, &n);
    if (!assay_service_read(&r, c, &assay__v1__submit_groth16_request__descriptor, p, n, BIT(FIELD_WITNESS),
                            ASSAY_JOB_PARTITIONS, "witness"))
        return;
    const Assay__V1__SubmitGroth16Request *q = (const Assay__V1__SubmitGroth16Request *)(void *)r.message.m;
    const common what = {ASSAY_JOB_GROTH16, q->request_id, q->circuit, "circuit", (int)q->priority, q->deadline_ms};
    if (!check_common(c, &what)) {
        /* It is answered. */
    } else if (r.n_parts == 0 || has_empty(&r)) {
        assay_service_refuse_field(c, "witness", r.n_parts ? "one of them is empty" : "is empty");
    } else {
        submit(ctx, c, &what, &r);
    }
    assay_service_clear(&r);
}

/* Puts the request before the token after it, whichever came first. False if one is missing or given twice. */
static bool order_reply(assay_service_request *r)
{
    if (r->n_parts != 2 || r->parts[0].field == r->parts[1].field) return false;
    if (r->parts[0].field == FIELD_REQUEST) return true;
    const assay_part first = r->parts[0];
    r->parts[0] = r->parts[1];
    r->parts[1] = first;
    return true;
}

static void run_reply(void *ctx, assay_call *c)
{
    size_t n;
    assay_service_request r;
    const uint8_t *p = assay_call_request(c, &n);
    if (!assay_service_read(&r, c, &assay__v1__submit_reply_request__descriptor, p, n,
                            BIT(FIELD_REQUEST) | BIT(FIELD_NEXT), 2, "request"))
        return;
    const Assay__V1__SubmitReplyRequest *q = (const Assay__V1__SubmitReplyRequest *)(void *)r.message.m;
    const common what = {ASSAY_JOB_REPLY, q->request_id, q->model, "model", (int)q->priority, q->deadline_ms};
    if (!check_common(c, &what)) {
        /* It is answered. */
    } else if (!order_reply(&r) || has_empty(&r)) {
        assay_service_refuse_field(c, "request", "is empty, or next is");
    } else {
        submit(ctx, c, &what, &r);
    }
    assay_service_clear(&r);
}

static void run_watch(void *ctx, assay_call *c)
{
    assay_service_request r;
    if (!assay_service_read_small(&r, c, &assay__v1__watch_request__descriptor)) return;
    const Assay__V1__WatchRequest *q = (const Assay__V1__WatchRequest *)(void *)r.message.m;
    if (assay_service_is_id(q->job_id))
        assay_service_follow(ctx, c, FOLLOW_WATCH, q->job_id, NULL, 0, q->without_result);
    else
        assay_service_refuse_field(c, "job_id", *q->job_id ? "is no id" : "is empty");
    assay_service_clear(&r);
}

void assay_own_methods(assay_service *s, assay_rpc_method out[ASSAY_OWN_METHODS])
{
    const assay_rpc_method methods[ASSAY_OWN_METHODS] = {{"/assay.v1.Engine/SubmitGroth16", false, run_groth16, s},
                                                         {"/assay.v1.Engine/SubmitReply", false, run_reply, s},
                                                         {"/assay.v1.Engine/Watch", false, run_watch, s}};
    memcpy(out, methods, sizeof methods);
}
