/* SPDX-License-Identifier: Apache-2.0 */
/* cuzk.v1.ProvingEngine and assay.v1.Engine over an engine of which the test decides, called through a socket:
 * requests, refusals, state.
 * ctest: labels threads
 * ctest: uses support/daemon */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "harness.h"
#include "support/daemon/service_fixture.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

TEST(submit)
{
    static const struct {
        assay_job_kind kind;
        unsigned priority;
        const char *subject;
        size_t n_inputs;
    } want[] = {{ASSAY_JOB_POREP, 2, "porep-32g", 2},
                {ASSAY_JOB_SNAP, 2, "snap-32g", 3},
                {ASSAY_JOB_WINDOW_POST, 3, "wpost-32g", 3},
                {ASSAY_JOB_WINNING_POST, 4, "winning-32g", 3}};
    fixture f;
    REQUIRE(fixture_begin(&f));
    for (int kind = 1; kind <= 4; kind++) {
        char id[64];
        (void)snprintf(id, sizeof id, "wdpost-1000-%d-[12 34 56]", kind);
        submit_request q = fixture_request(kind, id);
        const Cuzk__V1__SubmitProofResponse *a = fixture_submit(&f, &q);
        if (!CHECK(a != NULL)) continue;
        CHECK_EQ_STR(a->job_id, id);
        CHECK_EQ_U64(a->queue_position, 3);
        const assay_job_spec *spec = fake_engine_spec(f.engine, id);
        if (!CHECK(spec != NULL)) continue;
        CHECK_EQ_U64(spec->kind, want[kind - 1].kind);
        CHECK_EQ_U64(spec->priority, want[kind - 1].priority);
        CHECK_EQ_U64(spec->deadline, 0);
        CHECK_EQ_STR(spec->subject, want[kind - 1].subject);
        if (!CHECK_EQ_U64(spec->n_inputs, want[kind - 1].n_inputs)) continue;
        CHECK(spec->inputs[1].n == sizeof fixture_proof &&
              CHECK_EQ_MEM(spec->inputs[1].p, fixture_proof, sizeof fixture_proof));
        if (kind > 1)
            CHECK(spec->inputs[2].n == sizeof fixture_other &&
                  CHECK_EQ_MEM(spec->inputs[2].p, fixture_other, sizeof fixture_other));
        assay_message m;
        REQUIRE_OK(assay_message_read(&m, &cuzk__v1__submit_proof_request__descriptor, spec->inputs[0].p,
                                      spec->inputs[0].n, NULL));
        const submit_request *p = (const submit_request *)(void *)m.m;
        CHECK(p->sector_number == 7 && p->miner_id == 1000 && p->registered_proof == 8 && (int)p->proof_kind == kind);
        CHECK(!*p->request_id && p->n_vanilla_proofs == 0 && p->vanilla_proof.len == 0);
        CHECK(p->randomness.len == (kind > 2 ? 32 : 0) && p->comm_d_new.len == (kind == 2 ? 32 : 0));
        assay_message_free(&m);
    }
    fixture_end(&f);
}

TEST(ids)
{
    char same[] = "porep-1000-7", none[] = "";
    fixture f;
    REQUIRE(fixture_begin(&f));
    submit_request q = fixture_request(1, same);
    CHECK(fixture_submit(&f, &q) != NULL);
    q.priority = CUZK__V1__PRIORITY__CRITICAL; /* how urgent it is does not make it another job */
    CHECK(fixture_submit(&f, &q) != NULL);
    CHECK_EQ_U64(fake_engine_spec(f.engine, same)->priority, 2);
    q.sector_number = 8;
    CHECK(fixture_submit(&f, &q) == NULL && fixture_refused(&f, ASSAY_RPC_ALREADY_EXISTS, "request_id"));
    q.sector_number = 7;
    q.vanilla_proof = fixture_data(fixture_other, sizeof fixture_other);
    CHECK(fixture_submit(&f, &q) == NULL && fixture_refused(&f, ASSAY_RPC_ALREADY_EXISTS, "request_id"));

    char first[64] = "", *id = first;
    q.request_id = none;
    for (int i = 0; i < 2; i++) {
        const Cuzk__V1__SubmitProofResponse *a = fixture_submit(&f, &q);
        REQUIRE(a != NULL);
        CHECK_EQ_U64(strlen(a->job_id), 36);
        CHECK(a->job_id[8] == '-' && a->job_id[13] == '-' && a->job_id[14] == '4' && strchr("89ab", a->job_id[19]));
        CHECK(strcmp(a->job_id, id) != 0);
        (void)snprintf(first, sizeof first, "%s", a->job_id);
    }
    fixture_end(&f);
}

TEST(invalid_requests)
{
    static char long_id[130], bad_id[] = "a\x01";
    fixture f;
    REQUIRE(fixture_begin(&f));
    char id[] = "x";
    memset(long_id, 'a', sizeof long_id - 1);
    ProtobufCBinaryData empty = {0, NULL}, *keep;
#define REFUSED(field)                                                                                                 \
    do {                                                                                                               \
        CHECK(fixture_submit(&f, &q) == NULL && fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, field ": "));          \
        CHECK(fake_engine_spec(f.engine, id) == NULL);                                                                 \
    } while (0)
    submit_request q = fixture_request(1, id), good = q;
    q.proof_kind = CUZK__V1__PROOF_KIND__PROOF_KIND_UNSPECIFIED;
    REFUSED("proof_kind");
    q.proof_kind = (Cuzk__V1__ProofKind)5;
    REFUSED("proof_kind");
    q.proof_kind = (Cuzk__V1__ProofKind)-1;
    REFUSED("proof_kind");
    q = good;
    q.priority = (Cuzk__V1__Priority)5;
    REFUSED("priority");
    q = good;
    q.request_id = long_id;
    REFUSED("request_id");
    q.request_id = bad_id;
    REFUSED("request_id");
    q = good;
    q.sector_size = 12345;
    REFUSED("sector_size");
    q = good;
    q.randomness = fixture_data(fixture_hash, 31); /* wrong where it is not needed, too */
    REFUSED("randomness");
    q = good;
    q.vanilla_proof = empty;
    REFUSED("vanilla_proof");
    q.vanilla_proofs = fixture_request(2, id).vanilla_proofs;
    q.n_vanilla_proofs = 1;
    REFUSED("vanilla_proofs");
    for (int kind = 2; kind <= 4; kind++) {
        good = q = fixture_request(kind, id);
        q.n_vanilla_proofs = 0;
        REFUSED("vanilla_proofs");
        q.n_vanilla_proofs = 2;
        keep = q.vanilla_proofs;
        keep[1] = empty;
        REFUSED("vanilla_proofs");
        q = fixture_request(kind, id);
        q.vanilla_proof = q.vanilla_proofs[0];
        REFUSED("vanilla_proof");
        q = fixture_request(kind, id);
        if (kind == 2) {
            q.comm_r_old.len = 31;
            REFUSED("comm_r_old");
            q = fixture_request(kind, id);
            q.comm_r_new = empty;
            REFUSED("comm_r_new");
            q = fixture_request(kind, id);
            q.comm_d_new.len = 16;
            REFUSED("comm_d_new");
        } else {
            q.randomness.len = 31;
            REFUSED("randomness");
            q.randomness = empty;
            REFUSED("randomness");
        }
    }
#undef REFUSED
    Cuzk__V1__ProveRequest p;
    cuzk__v1__prove_request__init(&p);
    CHECK(!fixture_call(&f, CUZK("Prove"), &p.base, &cuzk__v1__prove_response__descriptor));
    fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "submit: ");
    assay_buffer reply;
    CHECK_OK(assay_client_call(f.client, CUZK("SubmitProof"), "\x0a\x05x", 3, 5000, &reply, &f.code, f.text, NULL));
    fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "request: ");
    fixture_end(&f);
}

TEST(await_proof)
{
    char id[] = "one", two[] = "two", none[] = "none", empty[] = "";
    fixture f;
    REQUIRE(fixture_begin(&f));
    CHECK(!fixture_await(&f, none, 0) && fixture_refused(&f, ASSAY_RPC_NOT_FOUND, "job_id"));
    CHECK(!fixture_await(&f, empty, 0) && fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "job_id"));
    submit_request q = fixture_request(2, id);
    CHECK(fixture_submit(&f, &q) != NULL);
    const uint64_t begun = assay_clock_ms();
    const await_reply *a = fixture_await(&f, id, 120);
    REQUIRE(a != NULL);
    CHECK_EQ_U64(a->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT);
    CHECK_EQ_STR(a->job_id, id);
    CHECK(assay_clock_ms() - begun >= 119 && assay_clock_ms() - begun < 5000);

    /* Two partitions: their proofs, one after the other. */
    const assay_blob result[] = {{(const uint8_t *)"AAAA", 4}, {NULL, 0}, {(const uint8_t *)"BB", 2}, {NULL, 0}};
    fake_engine_complete(f.engine, id, result, 4);
    a = fixture_await(&f, id, 0);
    REQUIRE(a != NULL);
    CHECK_EQ_U64(a->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED);
    CHECK(a->proof.len == 6 && CHECK_EQ_MEM(a->proof.data, "AAAABB", 6));
    CHECK(a->queue_wait_ms == 5 && a->srs_load_ms == 6 && a->synthesis_ms == 7 && a->gpu_compute_ms == 8 &&
          a->total_ms == 10);
    q = fixture_request(2, two);
    CHECK(fixture_submit(&f, &q) != NULL);
    fake_engine_change(f.engine, two, ASSAY_JOB_FAILED, "", 0, "the witness is bad");
    a = fixture_await(&f, two, 0);
    REQUIRE(a != NULL);
    CHECK_EQ_U64(a->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED);
    CHECK_EQ_STR(a->error_message, "the witness is bad");
    fixture_end(&f);
}

TEST(cancel)
{
    char id[] = "a", none[] = "none";
    fixture f;
    REQUIRE(fixture_begin(&f));
    Cuzk__V1__CancelProofRequest c;
    cuzk__v1__cancel_proof_request__init(&c);
    const Cuzk__V1__CancelProofResponse *a;
    c.job_id = none;
    CHECK(!fixture_call(&f, CUZK("CancelProof"), &c.base, &cuzk__v1__cancel_proof_response__descriptor));
    fixture_refused(&f, ASSAY_RPC_NOT_FOUND, "job_id");
    for (int running = 0; running < 2; running++) {
        id[0] = running ? 'r' : 'q';
        submit_request q = fixture_request(1, id);
        CHECK(fixture_submit(&f, &q) != NULL);
        if (running) fake_engine_change(f.engine, id, ASSAY_JOB_RUNNING, "prove", 0, "");
        c.job_id = id;
        a = fixture_call(&f, CUZK("CancelProof"), &c.base, &cuzk__v1__cancel_proof_response__descriptor);
        CHECK(a && a->was_running == running);
        const await_reply *r = fixture_await(&f, id, 0);
        CHECK(r && r->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED && *r->error_message);
        a = fixture_call(&f, CUZK("CancelProof"), &c.base, &cuzk__v1__cancel_proof_response__descriptor);
        CHECK(a && !a->was_running);
    }
    fixture_end(&f);
}

/* ---- what the engine is */

TEST(status_and_metrics)
{
    fixture f;
    REQUIRE(fixture_begin(&f));
    assay_engine_look *l = fake_engine_look(f.engine);
    l->started = 1000;
    l->now = 91500;
    l->completed = 12;
    l->failed = 3;
    l->keys_bytes = 77;
    l->budget.total = 1234;
    l->gpu_workers = 3;
    l->n_workers = 2;
    l->workers[0].stage = "synthesis";
    l->workers[1].stage = "prove";
    l->workers[1].prover = true;
    l->workers[1].kind = ASSAY_JOB_SNAP;
    (void)snprintf(l->workers[1].job, sizeof l->workers[1].job, "snap-1");
    l->n_keys = 1;
    l->keys[0].bytes = 77;
    l->keys[0].references = 2;
    (void)snprintf(l->keys[0].name, sizeof l->keys[0].name, "mul");
    l->queue.waiting[ASSAY_JOB_POREP] = 4;
    l->queue.running[ASSAY_JOB_WINNING_POST] = 1;
    Cuzk__V1__GetStatusRequest q;
    cuzk__v1__get_status_request__init(&q);
    const Cuzk__V1__GetStatusResponse *a =
        fixture_call(&f, CUZK("GetStatus"), &q.base, &cuzk__v1__get_status_response__descriptor);
    REQUIRE(a != NULL);
    CHECK(a->total_proofs_completed == 12 && a->total_proofs_failed == 3 && a->uptime_seconds == 90);
    CHECK(a->pinned_memory_bytes == 77 && a->pinned_memory_limit_bytes == 1234);
    REQUIRE(a->n_gpus == 3 && a->n_loaded_srs == 1 && a->n_queues == 2);
    CHECK_EQ_STR(a->gpus[0]->current_job_id, "snap-1");
    CHECK_EQ_STR(a->gpus[0]->current_proof_kind, "snap-update");
    CHECK(a->gpus[2]->ordinal == 2 && !*a->gpus[2]->current_job_id && *a->gpus[2]->name);
    CHECK_EQ_STR(a->loaded_srs[0]->circuit_id, "mul");
    CHECK(a->loaded_srs[0]->size_bytes == 77 && a->loaded_srs[0]->ref_count == 2);
    CHECK_EQ_STR(a->queues[0]->proof_kind, "porep-c2");
    CHECK_EQ_STR(a->queues[1]->proof_kind, "winning-post");
    CHECK(a->queues[0]->pending == 4 && a->queues[1]->in_progress == 1);

    Cuzk__V1__GetMetricsRequest m;
    cuzk__v1__get_metrics_request__init(&m);
    const Cuzk__V1__GetMetricsResponse *b =
        fixture_call(&f, CUZK("GetMetrics"), &m.base, &cuzk__v1__get_metrics_response__descriptor);
    REQUIRE(b != NULL);
    CHECK(strstr(b->prometheus_text, "# HELP assay_") == b->prometheus_text ||
          strstr(b->prometheus_text, "\n# HELP assay_"));
    CHECK(strstr(b->prometheus_text, "1234") != NULL);
    fixture_end(&f);
}

TEST(keys)
{
    static const struct {
        assay_status status;
        assay_rpc_code code;
    } faults[] = {{ASSAY_EIO, ASSAY_RPC_NOT_FOUND},
                  {ASSAY_ENOMEM, ASSAY_RPC_RESOURCE_EXHAUSTED},
                  {ASSAY_EBUSY, ASSAY_RPC_FAILED_PRECONDITION},
                  {ASSAY_EFORMAT, ASSAY_RPC_FAILED_PRECONDITION}};
    char name[] = "mul", empty[] = "";
    fixture f;
    REQUIRE(fixture_begin(&f));
    Cuzk__V1__PreloadSrsRequest q;
    cuzk__v1__preload_srs_request__init(&q);
    Cuzk__V1__EvictSrsRequest e;
    cuzk__v1__evict_srs_request__init(&e);
    q.circuit_id = e.circuit_id = name;
    assay_key_answer answer = {.status = ASSAY_OK, .was_loaded = true, .ms = 17, .bytes = 4096};
    fake_engine_key(f.engine, &answer);
    const Cuzk__V1__PreloadSrsResponse *a =
        fixture_call(&f, CUZK("PreloadSRS"), &q.base, &cuzk__v1__preload_srs_response__descriptor);
    CHECK(a && a->already_loaded && a->load_time_ms == 17);
    const Cuzk__V1__EvictSrsResponse *b =
        fixture_call(&f, CUZK("EvictSRS"), &e.base, &cuzk__v1__evict_srs_response__descriptor);
    CHECK(b && b->was_loaded && b->freed_bytes == 4096);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        answer.status = faults[i].status;
        (void)snprintf(answer.error, sizeof answer.error, "because of %zu", i);
        fake_engine_key(f.engine, &answer);
        CHECK(!fixture_call(&f, CUZK("PreloadSRS"), &q.base, &cuzk__v1__preload_srs_response__descriptor));
        fixture_refused(&f, faults[i].code, answer.error);
        CHECK(!fixture_call(&f, CUZK("EvictSRS"), &e.base, &cuzk__v1__evict_srs_response__descriptor));
        fixture_refused(&f, faults[i].code, answer.error);
    }
    q.circuit_id = empty;
    CHECK(!fixture_call(&f, CUZK("PreloadSRS"), &q.base, &cuzk__v1__preload_srs_response__descriptor));
    fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "circuit_id");
    fixture_end(&f);
}

/* ---- assay.v1 */

TEST(groth16_and_reply)
{
    char id[] = "g", circuit[] = "mul", empty[] = "", odd[] = "a\x7f";
    fixture f;
    REQUIRE(fixture_begin(&f));
    const Assay__V1__SubmitResponse *a = fixture_submit_groth16(&f, id, circuit, 3, 0);
    CHECK(a && !a->existed && a->queue_position == 3);
    const assay_job_spec *spec = fake_engine_spec(f.engine, id);
    REQUIRE(spec != NULL);
    CHECK(spec->kind == ASSAY_JOB_GROTH16 && spec->n_inputs == 3 && spec->inputs[2].n == 3 && spec->priority == 2);
    CHECK_EQ_STR(spec->subject, "mul");
    CHECK_EQ_U64(spec->deadline, 0);
    a = fixture_submit_groth16(&f, id, circuit, 3, 0);
    CHECK(a && a->existed);
    CHECK(!fixture_submit_groth16(&f, id, circuit, 2, 0) &&
          fixture_refused(&f, ASSAY_RPC_ALREADY_EXISTS, "request_id"));
    CHECK(!fixture_submit_groth16(&f, empty, empty, 1, 0) &&
          fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "circuit: "));
    CHECK(!fixture_submit_groth16(&f, odd, circuit, 1, 0) &&
          fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "request_id: "));
    CHECK(!fixture_submit_groth16(&f, empty, circuit, 0, 0) &&
          fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "witness: "));
    CHECK(!fixture_submit_groth16(&f, empty, circuit, 65, 0) &&
          fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "witness: "));
    char whole[] = "whole";
    CHECK(fixture_submit_groth16(&f, whole, circuit, 64, 5000) != NULL);
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t want = ((uint64_t)now.tv_sec + 5) * 1000, deadline = fake_engine_spec(f.engine, whole)->deadline;
    CHECK(deadline + 3000 > want && deadline < want + 3000);

    char model[] = "tiny", reply[] = "r";
    Assay__V1__SubmitReplyRequest q;
    assay__v1__submit_reply_request__init(&q);
    q.request_id = reply;
    q.model = model;
    q.request = fixture_data(fixture_proof, 9);
    q.next = fixture_data(fixture_other, 4);
    q.priority = ASSAY__V1__PRIORITY__PRIORITY_HIGH;
    CHECK(fixture_call(&f, OWN("SubmitReply"), &q.base, &assay__v1__submit_response__descriptor));
    spec = fake_engine_spec(f.engine, reply);
    REQUIRE(spec != NULL);
    CHECK(spec->kind == ASSAY_JOB_REPLY && spec->n_inputs == 2 && spec->inputs[0].n == 9 && spec->inputs[1].n == 4);
    CHECK_EQ_U64(spec->priority, 3);
    /* The fields may come in any order. */
    static const uint8_t swapped[] = "\x22\x04"
                                     "anot\x1a\x09"
                                     "a vanilla\x12\x04"
                                     "tiny\x0a\x01r";
    assay_buffer out;
    assay_message m;
    CHECK_OK(assay_client_call(f.client, OWN("SubmitReply"), swapped, sizeof swapped - 1, 5000, &out, &f.code, f.text,
                               NULL));
    CHECK_EQ_U64(f.code, ASSAY_RPC_OK);
    REQUIRE_OK(assay_message_read(&m, &assay__v1__submit_response__descriptor, out.p, out.n, NULL));
    CHECK(((Assay__V1__SubmitResponse *)(void *)m.m)->existed);
    assay_message_free(&m);
    assay_buffer_free(&out);
    q.next.len = 0;
    CHECK(!fixture_call(&f, OWN("SubmitReply"), &q.base, &assay__v1__submit_response__descriptor));
    fixture_refused(&f, ASSAY_RPC_INVALID_ARGUMENT, "request: ");
    fixture_end(&f);
}

TEST(refusals)
{
    static const struct {
        assay_status status;
        assay_submit_outcome outcome;
        const char *error;
        assay_rpc_code code;
    } all[] = {
        {ASSAY_ENOMEM, ASSAY_SUBMIT_FAILED, "needs 900 MiB, the budget is 500 MiB", ASSAY_RPC_RESOURCE_EXHAUSTED},
        {ASSAY_OK, ASSAY_SUBMIT_FULL, "", ASSAY_RPC_RESOURCE_EXHAUSTED},
        {ASSAY_EBUSY, ASSAY_SUBMIT_FAILED, "", ASSAY_RPC_UNAVAILABLE},
        {ASSAY_ERANGE, ASSAY_SUBMIT_FAILED, "the witness has 3 values", ASSAY_RPC_INVALID_ARGUMENT},
        {ASSAY_EUNSUPPORTED, ASSAY_SUBMIT_FAILED, "not built", ASSAY_RPC_FAILED_PRECONDITION},
        {ASSAY_EIO, ASSAY_SUBMIT_FAILED, "no such circuit", ASSAY_RPC_NOT_FOUND}, /* there is none in the folder */
    };
    char id[] = "g", circuit[] = "mul";
    fixture f;
    REQUIRE(fixture_begin(&f));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fake_engine_refuse(f.engine, all[i].status, all[i].outcome, all[i].error);
        CHECK(!fixture_submit_groth16(&f, id, circuit, 1, 0));
        fixture_refused(&f, all[i].code, all[i].error);
    }
    /* The disk's fault, for this kind has no files of its own. */
    submit_request q = fixture_request(1, id);
    fake_engine_refuse(f.engine, ASSAY_EIO, ASSAY_SUBMIT_FAILED, "the database cannot be written");
    CHECK(!fixture_submit(&f, &q));
    fixture_refused(&f, ASSAY_RPC_UNAVAILABLE, "the database cannot be written");
    fixture_end(&f);
}
