/* SPDX-License-Identifier: Apache-2.0 */
/* The services over the fake engine, behind a socket, with a client. */
#ifndef ASSAY_TESTS_SUPPORT_DAEMON_SERVICE_FIXTURE_H
#define ASSAY_TESTS_SUPPORT_DAEMON_SERVICE_FIXTURE_H

#include "daemon/client.h"
#include "daemon/engine_service.h"
#include "daemon/message.h"
#include "support/daemon/fake_engine.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>

#define CUZK(method) "/cuzk.v1.ProvingEngine/" method
#define OWN(method)  "/assay.v1.Engine/" method

typedef Cuzk__V1__SubmitProofRequest submit_request;
typedef Cuzk__V1__AwaitProofResponse await_reply;

typedef struct fixture {
    assay_engine *engine;
    assay_service *service;
    assay_rpc_method methods[ASSAY_SERVICE_METHODS];
    assay_server *server;
    assay_client *client;
    char address[300];
    /* The last call's. */
    assay_rpc_code code;
    char text[ASSAY_CLIENT_TEXT];
    assay_message reply;
} fixture;

/* False after a failed check. */
bool fixture_begin(fixture *f);
void fixture_end(fixture *f);
/* One more connection. */
assay_client *fixture_client(const fixture *f);
/* The bytes of a message; p is not NULL. */
assay_writer fixture_pack(const ProtobufCMessage *m);
/* The reply of a call, NULL if it was refused: f->code and f->text. Valid until the next call. */
const void *fixture_call(fixture *f, const char *path, const ProtobufCMessage *q,
                         const ProtobufCMessageDescriptor *type);
/* Checks how the last call was refused. */
bool fixture_refused(const fixture *f, assay_rpc_code code, const char *part);
void fixture_pause(long ms);
ProtobufCBinaryData fixture_data(uint8_t *p, size_t n);
/* A good request of a kind; id is borrowed. */
submit_request fixture_request(int kind, char *id);
const Cuzk__V1__SubmitProofResponse *fixture_submit(fixture *f, const submit_request *q);
const await_reply *fixture_await(fixture *f, char *id, uint64_t timeout_ms);
/* Witnesses of 1, 2, 3, ... bytes. */
const Assay__V1__SubmitResponse *fixture_submit_groth16(fixture *f, char *id, char *circuit, size_t n_witness,
                                                        uint64_t deadline_ms);

extern uint8_t fixture_hash[32], fixture_proof[16], fixture_other[8];

/* Waits up to five seconds. */
#define WAIT_FOR(what)                                                                                                 \
    do {                                                                                                               \
        for (int tries = 0; tries < 500 && !(what); tries++) fixture_pause(10);                                        \
        CHECK(what);                                                                                                   \
    } while (0)

#endif
