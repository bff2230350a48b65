/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting a job and waiting for its end: assay.v1 with Watch, cuzk.v1 with Prove. */
#include "cli/bench_job.h"
#include "base/buffer.h"
#include "base/mem.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <stdio.h>
#include <string.h>

static ProtobufCBinaryData bytes_of(const void *p, size_t n)
{
    return (ProtobufCBinaryData){n, (uint8_t *)(uintptr_t)p};
}

static void refuse(assay_bench_result *out, assay_rpc_code code, const char *text)
{
    out->code = code;
    (void)snprintf(out->error, sizeof out->error, "%s", text);
}

/* ---- assay.v1 */

static assay_status submit(assay_client *c, const assay_bench_job *j, assay_bench_answer *answer, assay_errinfo *err)
{
    if (j->kind == ASSAY_JOB_GROTH16) {
        ProtobufCBinaryData witness[ASSAY_BENCH_FILES];
        Assay__V1__SubmitGroth16Request q;
        assay__v1__submit_groth16_request__init(&q);
        for (size_t i = 0; i < j->n_files; i++) witness[i] = bytes_of(j->file[i].p, j->file[i].n);
        q.circuit = (char *)(uintptr_t)j->subject;
        q.witness = witness;
        q.n_witness = j->n_files;
        q.priority = (Assay__V1__Priority)j->priority;
        q.deadline_ms = j->timeout_ms == UINT64_MAX ? 0 : j->timeout_ms;
        return assay_bench_call(c, "/assay.v1.Engine/SubmitGroth16", &q.base, j->timeout_ms,
                                &assay__v1__submit_response__descriptor, answer, err);
    }
    Assay__V1__SubmitReplyRequest q;
    assay__v1__submit_reply_request__init(&q);
    q.model = (char *)(uintptr_t)j->subject;
    q.request = bytes_of(j->file[0].p, j->file[0].n);
    q.next = bytes_of(j->file[1].p, j->file[1].n);
    q.priority = (Assay__V1__Priority)j->priority;
    q.deadline_ms = j->timeout_ms == UINT64_MAX ? 0 : j->timeout_ms;
    return assay_bench_call(c, "/assay.v1.Engine/SubmitReply", &q.base, j->timeout_ms,
                            &assay__v1__submit_response__descriptor, answer, err);
}

static assay_status keep_outputs(assay_bench_result *out, const Assay__V1__Result *r, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    if (r->n_proof > 0) s = assay_buffer_copy(&out->proof, r->proof[0].data, r->proof[0].len, "proof", err);
    if (s == ASSAY_OK && r->n_public_values > 0)
        s = assay_buffer_copy(&out->publics, r->public_values[0].data, r->public_values[0].len, "public values", err);
    return s;
}

/* The last event of a job. */
static assay_status take_end(assay_bench_result *out, const Assay__V1__JobEvent *e, bool keep, assay_errinfo *err)
{
    out->completed = e->state == ASSAY__V1__JOB_EVENT__STATE__COMPLETED;
    (void)snprintf(out->error, sizeof out->error, "%s", out->completed ? "" : e->error_message);
    if (!e->result) return ASSAY_OK;
    out->times = (assay_job_times){.queue_wait = e->result->queue_wait_ms,
                                   .load = e->result->load_ms,
                                   .synthesis = e->result->synthesis_ms,
                                   .prove = e->result->prove_ms,
                                   .verify = e->result->verify_ms,
                                   .total = e->result->total_ms,
                                   .peak_bytes = e->result->peak_bytes};
    return keep ? keep_outputs(out, e->result, err) : ASSAY_OK;
}

static assay_status read_events(assay_client_stream *st, bool keep, assay_bench_seen_fn *seen, void *ctx,
                                assay_bench_result *out, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    bool more = true, ended = false;
    while (s == ASSAY_OK && more) {
        assay_buffer b = {NULL, 0};
        assay_message m = {0};
        s = assay_client_receive(st, &b, &more, err);
        if (s == ASSAY_OK && more) s = assay_message_read(&m, &assay__v1__job_event__descriptor, b.p, b.n, err);
        if (s == ASSAY_OK && more) {
            const Assay__V1__JobEvent *e = (const Assay__V1__JobEvent *)(void *)m.m;
            if (seen) seen(ctx, e->stage, e->done);
            ended = e->state >= ASSAY__V1__JOB_EVENT__STATE__COMPLETED;
            if (ended) s = take_end(out, e, keep, err);
        }
        assay_message_free(&m);
        assay_buffer_free(&b);
    }
    const char *text = "";
    if (s == ASSAY_OK && !ended) {
        const assay_rpc_code code = assay_client_result(st, &text);
        refuse(out, code == ASSAY_RPC_OK ? ASSAY_RPC_UNKNOWN : code, text ? text : "");
    }
    return s;
}

static assay_status watch(assay_client *c, const char *id, uint64_t timeout_ms, bool keep, assay_bench_seen_fn *seen,
                          void *ctx, assay_bench_result *out, assay_errinfo *err)
{
    Assay__V1__WatchRequest q;
    assay_client_stream *st = NULL;
    assay_writer w;
    assay__v1__watch_request__init(&q);
    q.job_id = (char *)(uintptr_t)id;
    q.without_result = false;
    assay_writer_init(&w, 1 << 16);
    assay_message_write(&w, &q.base);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory") : ASSAY_OK;
    if (s == ASSAY_OK) s = assay_client_open(c, &st, "/assay.v1.Engine/Watch", timeout_ms, err);
    if (s == ASSAY_OK) s = assay_client_send(st, w.p, w.n, true, err);
    if (s == ASSAY_OK) s = read_events(st, keep, seen, ctx, out, err);
    assay_client_close(st);
    assay_writer_clear(&w);
    return s;
}

static assay_status run_own(assay_client *c, const assay_bench_job *j, bool keep, assay_bench_seen_fn *seen, void *ctx,
                            assay_bench_result *out, assay_errinfo *err)
{
    assay_bench_answer answer;
    assay_status s = submit(c, j, &answer, err);
    if (s == ASSAY_OK && answer.code != ASSAY_RPC_OK) refuse(out, answer.code, answer.text);
    if (s == ASSAY_OK && answer.code == ASSAY_RPC_OK)
        s = watch(c, ((const Assay__V1__SubmitResponse *)(void *)answer.m.m)->job_id, j->timeout_ms, keep, seen, ctx,
                  out, err);
    assay_bench_answer_clear(&answer);
    return s;
}

/* ---- cuzk.v1 */

static void fill_submit(Cuzk__V1__SubmitProofRequest *q, const assay_bench_job *j, ProtobufCBinaryData *proofs)
{
    static const Cuzk__V1__ProofKind kinds[ASSAY_JOB_KINDS] = {
        [ASSAY_JOB_POREP] = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT,
        [ASSAY_JOB_SNAP] = CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE,
        [ASSAY_JOB_WINDOW_POST] = CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION,
        [ASSAY_JOB_WINNING_POST] = CUZK__V1__PROOF_KIND__WINNING_POST};
    q->proof_kind = kinds[j->kind];
    q->priority = (Cuzk__V1__Priority)j->priority;
    q->registered_proof = j->registered_proof;
    q->sector_number = j->sector;
    q->miner_id = j->miner;
    q->partition_index = (uint32_t)j->partition;
    if (j->kind == ASSAY_JOB_POREP) {
        q->vanilla_proof = bytes_of(j->file[0].p, j->file[0].n);
        return;
    }
    for (size_t i = 0; i < j->n_files; i++) proofs[i] = bytes_of(j->file[i].p, j->file[i].n);
    q->vanilla_proofs = proofs;
    q->n_vanilla_proofs = j->n_files;
    if (j->kind == ASSAY_JOB_SNAP) {
        q->comm_r_old = bytes_of(j->comm_r_old, 32);
        q->comm_r_new = bytes_of(j->comm_r_new, 32);
        q->comm_d_new = bytes_of(j->comm_d_new, 32);
    } else {
        q->randomness = bytes_of(j->randomness, 32);
    }
}

static assay_status run_cuzk(assay_client *c, const assay_bench_job *j, bool keep, assay_bench_result *out,
                             assay_errinfo *err)
{
    ProtobufCBinaryData proofs[ASSAY_BENCH_FILES];
    Cuzk__V1__SubmitProofRequest submit_request;
    Cuzk__V1__ProveRequest q;
    assay_bench_answer answer;
    cuzk__v1__submit_proof_request__init(&submit_request);
    cuzk__v1__prove_request__init(&q);
    fill_submit(&submit_request, j, proofs);
    q.submit = &submit_request;
    assay_status s = assay_bench_call(c, "/cuzk.v1.ProvingEngine/Prove", &q.base, j->timeout_ms,
                                      &cuzk__v1__prove_response__descriptor, &answer, err);
    if (s == ASSAY_OK && answer.code != ASSAY_RPC_OK) {
        refuse(out, answer.code, answer.text);
    } else if (s == ASSAY_OK) {
        const Cuzk__V1__AwaitProofResponse *r = ((const Cuzk__V1__ProveResponse *)(void *)answer.m.m)->result;
        out->completed = r && r->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
        (void)snprintf(out->error, sizeof out->error, "%s", out->completed ? "" : r ? r->error_message : "no result");
        if (r)
            out->times = (assay_job_times){.queue_wait = r->queue_wait_ms,
                                           .load = r->srs_load_ms,
                                           .synthesis = r->synthesis_ms,
                                           .prove = r->gpu_compute_ms,
                                           .total = r->total_ms};
        if (out->completed && keep) s = assay_buffer_copy(&out->proof, r->proof.data, r->proof.len, "proof", err);
    }
    assay_bench_answer_clear(&answer);
    return s;
}

assay_status assay_bench_job_run(assay_client *c, const assay_bench_job *j, bool keep, assay_bench_seen_fn *seen,
                                 void *ctx, assay_bench_result *out, assay_errinfo *err)
{
    const uint64_t begin = assay_clock_ms();
    memset(out, 0, sizeof *out);
    const assay_status s = j->kind == ASSAY_JOB_GROTH16 || j->kind == ASSAY_JOB_REPLY
                               ? run_own(c, j, keep, seen, ctx, out, err)
                               : run_cuzk(c, j, keep, out, err);
    out->wall_ms = assay_clock_ms() - begin;
    return s;
}

void assay_bench_result_clear(assay_bench_result *r)
{
    assay_buffer_free(&r->proof);
    assay_buffer_free(&r->publics);
    memset(r, 0, sizeof *r);
}
