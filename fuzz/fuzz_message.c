/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the wire: the first byte chooses one. What is read is written and read again alike. */
#include "base/mem.h"
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

/* Splitting reads what reading reads: the same parts, and a rest that has all other fields. */
static void check_split(const uint8_t *p, size_t n)
{
    assay_message whole, rest;
    assay_part *parts;
    size_t n_parts;
    assay_writer left;
    if (assay_message_split(&parts, &n_parts, &left, p, n, (uint64_t)1 << 11, 64, NULL) != ASSAY_OK) return;
    for (size_t i = 0; i < n_parts; i++)
        FUZZ_REQUIRE(parts[i].field == 11 && parts[i].p >= p && parts[i].n <= (size_t)(p + n - parts[i].p));
    if (assay_message_read(&whole, &cuzk__v1__submit_proof_request__descriptor, p, n, NULL) == ASSAY_OK) {
        Cuzk__V1__SubmitProofRequest *w = (Cuzk__V1__SubmitProofRequest *)(void *)whole.m;
        FUZZ_REQUIRE(w->n_vanilla_proofs == n_parts);
        for (size_t i = 0; i < n_parts; i++) {
            const ProtobufCBinaryData *b = &w->vanilla_proofs[i];
            FUZZ_REQUIRE(b->len == parts[i].n && (b->len == 0 || memcmp(b->data, parts[i].p, b->len) == 0));
        }
        if (assay_message_read(&rest, whole.m->descriptor, left.p ? left.p : p, left.n, NULL) == ASSAY_OK) {
            w->n_vanilla_proofs = 0;
            assay_writer a = written(whole.m), b = written(rest.m);
            FUZZ_REQUIRE(a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0));
            assay_writer_clear(&a);
            assay_writer_clear(&b);
            assay_message_free(&rest);
        } else {
            FUZZ_REQUIRE(false);
        }
        assay_message_free(&whole);
    }
    assay_writer_clear(&left);
    assay_mem_free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_message m, again;
    if (size == 0) return 0;
    check_split(data + 1, size - 1);
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
