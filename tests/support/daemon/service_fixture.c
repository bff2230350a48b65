/* SPDX-License-Identifier: Apache-2.0 */
/* Set up, calls, requests. */
#define _POSIX_C_SOURCE 200809L
#include "support/daemon/service_fixture.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

bool fixture_begin(fixture *f)
{
    static unsigned number;
    memset(f, 0, sizeof *f);
    f->engine = fake_engine_new();
    if (!CHECK_OK(assay_service_new(&f->service, f->engine, assay_test_tmpdir(), assay_test_tmpdir(), NULL, NULL)))
        return false;
    assay_service_methods(f->service, f->methods);
    (void)snprintf(f->address, sizeof f->address, "unix:%s/s%u", assay_test_tmpdir(), number++);
    const char *listen = f->address;
    const assay_server_options o = {.listen = &listen,
                                    .n_listen = 1,
                                    .methods = f->methods,
                                    .n_methods = ASSAY_SERVICE_METHODS,
                                    .workers = 3,
                                    .max_message = 24 << 20,
                                    .connection_memory = 64 << 20,
                                    .total_memory = 80 << 20,
                                    .max_connections = 50,
                                    .max_streams = 50,
                                    .handshake_timeout = 10000,
                                    .request_timeout = 60000,
                                    .idle_timeout = 60000,
                                    .keepalive = 20000};
    if (!CHECK_OK(assay_server_new(&f->server, &o, NULL)) || !CHECK_OK(assay_server_start(f->server, NULL)))
        return false;
    assay_service_set_server(f->service, f->server);
    const assay_client_options co = {.address = f->address, .connect_timeout = 10000};
    return CHECK_OK(assay_client_new(&f->client, &co, NULL));
}

void fixture_end(fixture *f)
{
    assay_message_free(&f->reply);
    assay_client_free(f->client);
    assay_service_stop(f->service);
    assay_server_stop(f->server, 0);
    CHECK_EQ_U64(fake_engine_watches(f->engine), 0);
    CHECK_EQ_U64(assay_server_look(f->server).memory, 0);
    assay_service_free(f->service);
    assay_server_free(f->server);
    fake_engine_free(f->engine);
}

assay_client *fixture_client(const fixture *f)
{
    assay_client *c = NULL;
    const assay_client_options o = {.address = f->address, .connect_timeout = 10000};
    CHECK_OK(assay_client_new(&c, &o, NULL));
    return c;
}

assay_writer fixture_pack(const ProtobufCMessage *m)
{
    assay_writer w;
    assay_writer_init(&w, 1 << 30);
    assay_message_write(&w, m);
    CHECK(!w.bad);
    if (!w.p) assay_write_u8(&w, 0); /* an address for no bytes */
    w.n -= w.n == 1 && w.p[0] == 0;
    return w;
}

const void *fixture_call(fixture *f, const char *path, const ProtobufCMessage *q,
                         const ProtobufCMessageDescriptor *type)
{
    assay_buffer reply;
    assay_writer w = fixture_pack(q);
    assay_message_free(&f->reply);
    CHECK_OK(assay_client_call(f->client, path, w.p, w.n, 20000, &reply, &f->code, f->text, NULL));
    assay_writer_clear(&w);
    if (f->code == ASSAY_RPC_OK) CHECK_OK(assay_message_read(&f->reply, type, reply.p, reply.n, NULL));
    assay_buffer_free(&reply);
    return f->reply.m;
}

bool fixture_refused(const fixture *f, assay_rpc_code code, const char *part)
{
    const bool good = CHECK_EQ_U64(f->code, code) && CHECK(strstr(f->text, part) != NULL);
    if (!good) printf("  %s: %s (want %s)\n", assay_rpc_code_name(f->code), f->text, part);
    return good;
}

void fixture_pause(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* ---- requests */

uint8_t fixture_hash[32] = {1, 2, 3}, fixture_proof[16] = "a vanilla proof", fixture_other[8] = "another";

ProtobufCBinaryData fixture_data(uint8_t *p, size_t n)
{
    return (ProtobufCBinaryData){n, p};
}

submit_request fixture_request(int kind, char *id)
{
    static ProtobufCBinaryData proofs[2];
    submit_request q;
    cuzk__v1__submit_proof_request__init(&q);
    proofs[0] = fixture_data(fixture_proof, sizeof fixture_proof);
    proofs[1] = fixture_data(fixture_other, sizeof fixture_other);
    q.request_id = id;
    q.proof_kind = (Cuzk__V1__ProofKind)kind;
    q.sector_size = (uint64_t)32 << 30;
    q.registered_proof = 8;
    q.sector_number = 7;
    q.miner_id = 1000;
    if (kind == 1) {
        q.vanilla_proof = proofs[0];
    } else {
        q.vanilla_proofs = proofs;
        q.n_vanilla_proofs = 2;
    }
    if (kind == 2) q.comm_r_old = q.comm_r_new = q.comm_d_new = fixture_data(fixture_hash, 32);
    if (kind > 2) q.randomness = fixture_data(fixture_hash, 32);
    return q;
}

const Cuzk__V1__SubmitProofResponse *fixture_submit(fixture *f, const submit_request *q)
{
    return fixture_call(f, CUZK("SubmitProof"), &q->base, &cuzk__v1__submit_proof_response__descriptor);
}

const await_reply *fixture_await(fixture *f, char *id, uint64_t timeout_ms)
{
    Cuzk__V1__AwaitProofRequest q;
    cuzk__v1__await_proof_request__init(&q);
    q.job_id = id;
    q.timeout_ms = timeout_ms;
    return fixture_call(f, CUZK("AwaitProof"), &q.base, &cuzk__v1__await_proof_response__descriptor);
}

const Assay__V1__SubmitResponse *fixture_submit_groth16(fixture *f, char *id, char *circuit, size_t n_witness,
                                                        uint64_t deadline_ms)
{
    static ProtobufCBinaryData witness[ASSAY_JOB_PARTITIONS + 1];
    Assay__V1__SubmitGroth16Request q;
    assay__v1__submit_groth16_request__init(&q);
    for (size_t i = 0; i < n_witness; i++) witness[i] = fixture_data(fixture_proof, 1 + i % 10);
    q.request_id = id;
    q.circuit = circuit;
    q.witness = witness;
    q.n_witness = n_witness;
    q.deadline_ms = deadline_ms;
    return fixture_call(f, OWN("SubmitGroth16"), &q.base, &assay__v1__submit_response__descriptor);
}
