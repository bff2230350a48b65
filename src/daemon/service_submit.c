/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that submit a job: from the request to the answer that it is durable. */
#include "base/mem.h"
#include "daemon/service_impl.h"
#include "hash/random.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <stdio.h>
#include <string.h>

/* A call whose job is on its way into the queue. */
typedef struct ticket {
    assay_service *service;
    assay_call *call; /* held */
    assay_answer_form form;
    assay_wanted *wanted;
    assay_job_spec spec;
    assay_blob *inputs;
    assay_writer own;
} ticket;

static void free_ticket(ticket *t)
{
    assay_call_release(t->call);
    assay_mem_free(t->inputs);
    assay_writer_clear(&t->own);
    assay_mem_free(t);
}

/* A random UUID of version 4 (RFC 9562, 5.4). */
static assay_status make_id(char out[ASSAY_JOB_ID + 1], assay_errinfo *err)
{
    uint8_t b[16];
    assay_status s = assay_random_bytes(b, sizeof b, err);
    b[6] = (uint8_t)((b[6] & 0x0F) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3F) | 0x80);
    size_t at = 0;
    for (size_t i = 0; i < sizeof b; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out[at++] = '-';
        at += (size_t)snprintf(out + at, 3, "%02x", b[i]);
    }
    return s;
}

/* ---- answers */

static void answer_submitted(const ticket *t, const assay_submit_answer *a)
{
    char id[ASSAY_JOB_ID + 1], empty[1] = "";
    (void)memcpy(id, a->id, sizeof id);
    if (t->form == ANSWER_CUZK) {
        Cuzk__V1__SubmitProofResponse r;
        cuzk__v1__submit_proof_response__init(&r);
        r.job_id = id;
        r.queue_position = a->queue_position;
        r.assigned_gpu = empty;
        assay_service_reply(t->call, &r.base);
    } else {
        Assay__V1__SubmitResponse r;
        assay__v1__submit_response__init(&r);
        r.job_id = id;
        r.existed = a->outcome == ASSAY_SUBMIT_EXISTED;
        r.queue_position = a->queue_position;
        assay_service_reply(t->call, &r.base);
    }
}

/* The code for a refusal. Where the status leaves open whether the circuit or the input is at fault, the catalogue is
 * asked again. */
static assay_rpc_code refusal_code(const ticket *t, const assay_submit_answer *a)
{
    if (a->outcome == ASSAY_SUBMIT_CONFLICT) return ASSAY_RPC_ALREADY_EXISTS;
    if (a->outcome == ASSAY_SUBMIT_FULL) return ASSAY_RPC_RESOURCE_EXHAUSTED;
    const bool has_subject = t->spec.kind == ASSAY_JOB_GROTH16 || t->spec.kind == ASSAY_JOB_REPLY;
    if (has_subject && (a->status == ASSAY_EIO || a->status == ASSAY_EFORMAT)) {
        assay_subject_entry *e = assay_mem_alloc(1, sizeof *e);
        assay_status s =
            e ? assay_catalogue_find(t->service->catalogue, t->spec.kind, t->spec.subject, e, NULL) : ASSAY_OK;
        assay_mem_free(e);
        if (s == ASSAY_EIO) return ASSAY_RPC_NOT_FOUND;
        if (s == ASSAY_EFORMAT) return ASSAY_RPC_FAILED_PRECONDITION;
    }
    return assay_service_code(a->status);
}

static const char *refusal_text(const assay_submit_answer *a)
{
    if (a->outcome == ASSAY_SUBMIT_CONFLICT) return "request_id: there is a job of this id with another body";
    if (a->error[0]) return a->error;
    if (a->outcome == ASSAY_SUBMIT_FULL) return "the queue is full (queue.max_jobs)";
    return a->status == ASSAY_EBUSY ? "the daemon is stopping" : assay_status_name(a->status);
}

static size_t total_bytes(const assay_job_spec *spec)
{
    size_t n = 0;
    for (size_t i = 0; i < spec->n_inputs; i++) n += spec->inputs[i].n;
    return n;
}

static void log_outcome(const ticket *t, const assay_submit_answer *a, const char *event, const char *why)
{
    const assay_log *log = t->service->log;
    const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("job", a->id[0] ? a->id : t->spec.id),
                                      ASSAY_LOG_TEXT_FIELD("kind", assay_job_kind_name(t->spec.kind)),
                                      ASSAY_LOG_TEXT_FIELD("subject", t->spec.subject),
                                      ASSAY_LOG_NUMBER_FIELD("bytes", total_bytes(&t->spec)),
                                      ASSAY_LOG_NUMBER_FIELD("priority", t->spec.priority),
                                      ASSAY_LOG_TEXT_FIELD("reason", why)};
    if (log) assay_log_event(log, why ? ASSAY_LOG_WARN : ASSAY_LOG_INFO, event, fields, why ? 6 : 5);
}

static void refuse(const ticket *t, const assay_submit_answer *a)
{
    const char *text = refusal_text(a);
    log_outcome(t, a, "job_refused", text);
    if (t->form == ANSWER_PROVE && a->status == ASSAY_EUNSUPPORTED)
        assay_result_failed(t->call, t->spec.id, text); /* a proof that fails is no error of the call */
    else
        assay_call_finish(t->call, refusal_code(t, a), text);
    assay_wanted_give(t->service, t->wanted, false);
}

/* What the engine says when the job is durable, or is not to be. */
static void on_submitted(void *ctx, const assay_submit_answer *a)
{
    ticket *t = ctx;
    assay_service *s = t->service;
    const bool accepted =
        a->status == ASSAY_OK && (a->outcome == ASSAY_SUBMIT_NEW || a->outcome == ASSAY_SUBMIT_EXISTED);
    assay_call_drop_request(t->call);
    if (!accepted) {
        refuse(t, a);
        free_ticket(t);
        return;
    }
    log_outcome(t, a, a->outcome == ASSAY_SUBMIT_NEW ? "job_accepted" : "job_known", NULL);
    (void)pthread_mutex_lock(&s->lock);
    if (t->form != ANSWER_PROVE)
        t->wanted->runs_alone = true;
    else if (a->outcome == ASSAY_SUBMIT_NEW)
        t->wanted->made_by_prove = true;
    (void)pthread_mutex_unlock(&s->lock);
    if (t->form == ANSWER_PROVE) {
        assay_service_follow(s, t->call, FOLLOW_PROVE, a->id, t->wanted, 0, false);
    } else {
        answer_submitted(t, a);
        assay_wanted_give(s, t->wanted, false);
    }
    free_ticket(t);
}

void assay_service_submit(assay_service *s, assay_call *c, assay_answer_form form, const assay_job_spec *spec,
                          assay_blob *inputs, assay_writer *own)
{
    assay_errinfo err = {0};
    ticket *t = assay_mem_alloc(1, sizeof *t);
    if (!t) {
        assay_mem_free(inputs);
        assay_writer_clear(own);
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    *t = (ticket){s, assay_call_hold(c), form, NULL, *spec, inputs, *own};
    assay_writer_init(own, 0);
    t->spec.inputs = inputs;
    assay_status st = t->spec.id[0] ? ASSAY_OK : make_id(t->spec.id, &err);
    if (st == ASSAY_OK) {
        t->wanted = assay_wanted_take(s, t->spec.id);
        if (!t->wanted) st = ASSAY_FAIL(&err, ASSAY_ENOMEM, "request", "out of memory");
    }
    if (st != ASSAY_OK) {
        assay_service_fail(c, &err);
        free_ticket(t);
        return;
    }
    assay_engine_submit(s->engine, &t->spec, on_submitted, t);
}
