/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a job, as messages. */
#include "base/mem.h"
#include "daemon/service_impl.h"
#include "engine/blob_list_codec.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <string.h>

typedef Cuzk__V1__AwaitProofResponse cuzk_result;

enum {
    BLOBS = 2 * ASSAY_JOB_PARTITIONS, /* proof and public values for each partition */
    EVENT_BYTES = 1 << 30
};

/* The result of a completed job, in parts that point into `bytes`. */
typedef struct result {
    assay_buffer bytes;
    assay_blob blobs[BLOBS];
    size_t n;
} result;

static assay_status fetch(assay_service *s, const char *id, result *r, assay_errinfo *err)
{
    assay_job_view now;
    bool found = false;
    *r = (result){0};
    assay_status st = assay_engine_get(s->engine, id, &found, &now, &r->bytes, err);
    if (st != ASSAY_OK) return st;
    if (!found || now.state != ASSAY_JOB_COMPLETED)
        return ASSAY_FAIL(err, ASSAY_EIO, id, "the result is gone"); /* kept too short a time */
    return assay_blobs_unpack(r->blobs, BLOBS, &r->n, r->bytes.p, r->bytes.n, err);
}

/* All proofs, one after the other. *own: memory for it where there are several; to be freed by assay_mem_free. */
static assay_status join(ProtobufCBinaryData *out, uint8_t **own, const result *r, assay_errinfo *err)
{
    size_t n = 0;
    *own = NULL;
    *out = (ProtobufCBinaryData){0, NULL};
    if (r->n <= 2) {
        if (r->n && r->blobs[0].n)
            *out = (ProtobufCBinaryData){r->blobs[0].n, r->bytes.p + (r->blobs[0].p - r->bytes.p)};
        return ASSAY_OK;
    }
    for (size_t i = 0; i < r->n; i += 2) n += r->blobs[i].n;
    *own = assay_mem_alloc_raw(n + 1, 1);
    if (!*own) return ASSAY_FAIL(err, ASSAY_ENOMEM, "proof", "out of memory");
    *out = (ProtobufCBinaryData){0, *own};
    for (size_t i = 0; i < r->n; i += 2) {
        if (r->blobs[i].n) memcpy(*own + out->len, r->blobs[i].p, r->blobs[i].n);
        out->len += r->blobs[i].n;
    }
    return ASSAY_OK;
}

/* ---- cuzk.v1 */

static void reply(assay_call *c, cuzk_result *a, bool inside)
{
    Cuzk__V1__ProveResponse p;
    cuzk__v1__prove_response__init(&p);
    p.result = a;
    assay_service_reply(c, inside ? &p.base : &a->base);
}

static cuzk_result blank(char id[ASSAY_JOB_ID + 1], const char *from, int status)
{
    cuzk_result a;
    cuzk__v1__await_proof_response__init(&a);
    (void)memcpy(id, from, strlen(from) + 1);
    a.job_id = id;
    a.status = (Cuzk__V1__AwaitProofResponse__Status)status;
    return a;
}

void assay_result_timeout(assay_call *c, const char *id)
{
    char name[ASSAY_JOB_ID + 1];
    cuzk_result a = blank(name, id, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT);
    reply(c, &a, false);
}

void assay_result_failed(assay_call *c, const char *id, const char *error)
{
    char name[ASSAY_JOB_ID + 1], text[ASSAY_JOB_ERROR];
    cuzk_result a = blank(name, id, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED);
    (void)memcpy(text, error, strlen(error) + 1);
    a.error_message = text;
    reply(c, &a, true);
}

void assay_result_reply(assay_service *s, assay_call *c, assay_follow_form form, const assay_job_view *job)
{
    static const int statuses[] = {[ASSAY_JOB_COMPLETED] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED,
                                   [ASSAY_JOB_FAILED] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED,
                                   [ASSAY_JOB_CANCELLED] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED};
    char id[ASSAY_JOB_ID + 1], text[ASSAY_JOB_ERROR];
    uint8_t *own = NULL;
    result r = {0};
    assay_errinfo err = {0};
    assay_status st = ASSAY_OK;
    cuzk_result a = blank(id, job->id, statuses[job->state]);
    if (job->state == ASSAY_JOB_COMPLETED) {
        st = fetch(s, job->id, &r, &err);
        if (st == ASSAY_OK) st = join(&a.proof, &own, &r, &err);
    } else {
        (void)memcpy(text, job->error, sizeof text);
        a.error_message = text;
    }
    a.queue_wait_ms = job->times.queue_wait;
    a.srs_load_ms = job->times.load;
    a.synthesis_ms = job->times.synthesis;
    a.gpu_compute_ms = job->times.prove;
    a.total_ms = job->times.total;
    if (st == ASSAY_OK)
        reply(c, &a, form == FOLLOW_PROVE);
    else
        assay_service_fail(c, &err);
    assay_mem_free(own);
    assay_buffer_free(&r.bytes);
}

/* ---- assay.v1 */

static void set_times(Assay__V1__Result *out, const assay_job_times *t)
{
    out->queue_wait_ms = t->queue_wait;
    out->load_ms = t->load;
    out->synthesis_ms = t->synthesis;
    out->prove_ms = t->prove;
    out->verify_ms = t->verify;
    out->total_ms = t->total;
    out->peak_bytes = t->peak_bytes;
}

/* The parts of a result as fields: proofs first, then public values. */
static void set_parts(Assay__V1__Result *out, ProtobufCBinaryData fields[BLOBS], const result *r)
{
    const size_t n = r->n / 2;
    for (size_t i = 0; i < 2 * n; i++) {
        const assay_blob *b = &r->blobs[i];
        fields[i % 2 * n + i / 2] = (ProtobufCBinaryData){b->n, b->n ? r->bytes.p + (b->p - r->bytes.p) : NULL};
    }
    out->proof = fields;
    out->public_values = fields + n;
    out->n_proof = out->n_public_values = n;
}

assay_status assay_result_event(assay_service *s, assay_call *c, const assay_job_view *job, bool with_result,
                                assay_errinfo *err)
{
    char id[ASSAY_JOB_ID + 1], text[ASSAY_JOB_ERROR], stage[32] = "";
    Assay__V1__JobEvent e;
    assay__v1__job_event__init(&e);
    Assay__V1__Result out;
    assay__v1__result__init(&out);
    ProtobufCBinaryData fields[BLOBS];
    result r = {0};
    assay_writer w;
    assay_status st = ASSAY_OK;
    (void)memcpy(id, job->id, sizeof id);
    (void)memcpy(text, job->error, sizeof text);
    if (job->stage && strlen(job->stage) < sizeof stage) (void)memcpy(stage, job->stage, strlen(job->stage) + 1);
    e.job_id = id;
    e.sequence = job->sequence;
    e.unix_time_ms = assay_unix_ms();
    e.state = (Assay__V1__JobEvent__State)job->state; /* the same numbers */
    e.stage = stage;
    e.done = job->done;
    e.partitions = job->partitions;
    e.partitions_done = job->partitions_done;
    e.queue_position = job->queue_position;
    e.error_message = text;
    if (job->state == ASSAY_JOB_COMPLETED) {
        e.result = &out;
        set_times(&out, &job->times);
        if (with_result) st = fetch(s, job->id, &r, err);
        if (st == ASSAY_OK) set_parts(&out, fields, &r);
    }
    assay_writer_init(&w, EVENT_BYTES);
    if (st == ASSAY_OK) assay_message_write(&w, &e.base);
    if (st == ASSAY_OK)
        st = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "event", "out of memory") : assay_call_send(c, w.p, w.n, err);
    assay_writer_clear(&w);
    assay_buffer_free(&r.bytes);
    return st;
}
