/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the wire: the first byte chooses one. What is read is written and read again alike. */
#include "daemon/message.h"
#include "fuzz.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <grpc/reflection/v1/reflection.pb-c.h>
#include <string.h>

static const ProtobufCMessageDescriptor *const types[] = {
    &cuzk__v1__prove_request__descriptor,
    &cuzk__v1__submit_proof_request__descriptor,
    &cuzk__v1__prove_response__descriptor,
    &cuzk__v1__get_status_response__descriptor,
    &assay__v1__submit_groth16_request__descriptor,
    &assay__v1__submit_reply_request__descriptor,
    &assay__v1__job_event__descriptor,
    &grpc__reflection__v1__server_reflection_request__descriptor,
};

static assay_writer written(const ProtobufCMessage *m)
{
    assay_writer w;
    assay_writer_init(&w, 1 << 26);
    assay_message_write(&w, m);
    FUZZ_REQUIRE(!w.bad);
    return w;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_message m, again;
    if (size == 0) return 0;
    const ProtobufCMessageDescriptor *type = types[data[0] % (sizeof types / sizeof *types)];
    if (assay_message_read(&m, type, data + 1, size - 1, NULL) != ASSAY_OK) return 0;
    assay_writer w = written(m.m);
    assay_message_free(&m);
    /* A merged message may be larger than the memory of a shorter text allows; otherwise it must be read. */
    if (assay_message_read(&again, type, w.p ? w.p : (const uint8_t *)"", w.n, NULL) == ASSAY_OK) {
        assay_writer w2 = written(again.m);
        FUZZ_REQUIRE(w2.n == w.n && (w.n == 0 || memcmp(w.p, w2.p, w.n) == 0));
        assay_writer_clear(&w2);
        assay_message_free(&again);
    }
    assay_writer_clear(&w);
    return 0;
}
