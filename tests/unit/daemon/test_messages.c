/* SPDX-License-Identifier: Apache-2.0 */
/* The messages: numbers and types of fields are those of the clients, bytes are read strictly and in bounded memory. */
#include "base/mem.h"
#include "daemon/message.h"
#include "harness.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <grpc/health/v1/health.pb-c.h>
#include <grpc/reflection/v1/reflection.pb-c.h>
#include <grpc/reflection/v1alpha/reflection.pb-c.h>
#include <stdio.h>
#include <string.h>

enum {
    STR = PROTOBUF_C_TYPE_STRING,
    U64 = PROTOBUF_C_TYPE_UINT64,
    U32 = PROTOBUF_C_TYPE_UINT32,
    BYTES = PROTOBUF_C_TYPE_BYTES,
    ENUM = PROTOBUF_C_TYPE_ENUM,
    MSG = PROTOBUF_C_TYPE_MESSAGE,
    BOOL = PROTOBUF_C_TYPE_BOOL,
    REP = 256
};

typedef struct field {
    const ProtobufCMessageDescriptor *message;
    const char *name;
    unsigned number, type;
} field;

/* The table of the system that clients speak to today. */
static const field fields[] = {
    {&cuzk__v1__submit_proof_request__descriptor, "request_id", 1, STR},
    {&cuzk__v1__submit_proof_request__descriptor, "proof_kind", 2, ENUM},
    {&cuzk__v1__submit_proof_request__descriptor, "sector_size", 3, U64},
    {&cuzk__v1__submit_proof_request__descriptor, "registered_proof", 4, U64},
    {&cuzk__v1__submit_proof_request__descriptor, "priority", 5, ENUM},
    {&cuzk__v1__submit_proof_request__descriptor, "vanilla_proof", 10, BYTES},
    {&cuzk__v1__submit_proof_request__descriptor, "vanilla_proofs", 11, BYTES | REP},
    {&cuzk__v1__submit_proof_request__descriptor, "sector_number", 20, U64},
    {&cuzk__v1__submit_proof_request__descriptor, "miner_id", 21, U64},
    {&cuzk__v1__submit_proof_request__descriptor, "randomness", 22, BYTES},
    {&cuzk__v1__submit_proof_request__descriptor, "partition_index", 23, U32},
    {&cuzk__v1__submit_proof_request__descriptor, "comm_r_old", 30, BYTES},
    {&cuzk__v1__submit_proof_request__descriptor, "comm_r_new", 31, BYTES},
    {&cuzk__v1__submit_proof_request__descriptor, "comm_d_new", 32, BYTES},
    {&cuzk__v1__submit_proof_response__descriptor, "job_id", 1, STR},
    {&cuzk__v1__submit_proof_response__descriptor, "queue_position", 2, U32},
    {&cuzk__v1__submit_proof_response__descriptor, "assigned_gpu", 3, STR},
    {&cuzk__v1__await_proof_request__descriptor, "job_id", 1, STR},
    {&cuzk__v1__await_proof_request__descriptor, "timeout_ms", 2, U64},
    {&cuzk__v1__await_proof_response__descriptor, "job_id", 1, STR},
    {&cuzk__v1__await_proof_response__descriptor, "status", 2, ENUM},
    {&cuzk__v1__await_proof_response__descriptor, "proof", 3, BYTES},
    {&cuzk__v1__await_proof_response__descriptor, "error_message", 4, STR},
    {&cuzk__v1__await_proof_response__descriptor, "queue_wait_ms", 10, U64},
    {&cuzk__v1__await_proof_response__descriptor, "srs_load_ms", 11, U64},
    {&cuzk__v1__await_proof_response__descriptor, "synthesis_ms", 12, U64},
    {&cuzk__v1__await_proof_response__descriptor, "gpu_compute_ms", 13, U64},
    {&cuzk__v1__await_proof_response__descriptor, "total_ms", 14, U64},
    {&cuzk__v1__prove_request__descriptor, "submit", 1, MSG},
    {&cuzk__v1__prove_response__descriptor, "result", 1, MSG},
    {&cuzk__v1__cancel_proof_request__descriptor, "job_id", 1, STR},
    {&cuzk__v1__cancel_proof_response__descriptor, "was_running", 1, BOOL},
    {&cuzk__v1__get_status_response__descriptor, "gpus", 1, MSG | REP},
    {&cuzk__v1__get_status_response__descriptor, "loaded_srs", 2, MSG | REP},
    {&cuzk__v1__get_status_response__descriptor, "queues", 3, MSG | REP},
    {&cuzk__v1__get_status_response__descriptor, "total_proofs_completed", 4, U64},
    {&cuzk__v1__get_status_response__descriptor, "total_proofs_failed", 5, U64},
    {&cuzk__v1__get_status_response__descriptor, "uptime_seconds", 6, U64},
    {&cuzk__v1__get_status_response__descriptor, "pinned_memory_bytes", 7, U64},
    {&cuzk__v1__get_status_response__descriptor, "pinned_memory_limit_bytes", 8, U64},
    {&cuzk__v1__gpustatus__descriptor, "ordinal", 1, U32},
    {&cuzk__v1__gpustatus__descriptor, "name", 2, STR},
    {&cuzk__v1__gpustatus__descriptor, "vram_total_bytes", 3, U64},
    {&cuzk__v1__gpustatus__descriptor, "vram_free_bytes", 4, U64},
    {&cuzk__v1__gpustatus__descriptor, "current_job_id", 5, STR},
    {&cuzk__v1__gpustatus__descriptor, "current_proof_kind", 6, STR},
    {&cuzk__v1__srsstatus__descriptor, "circuit_id", 1, STR},
    {&cuzk__v1__srsstatus__descriptor, "tier", 2, ENUM},
    {&cuzk__v1__srsstatus__descriptor, "size_bytes", 3, U64},
    {&cuzk__v1__srsstatus__descriptor, "ref_count", 4, U32},
    {&cuzk__v1__queue_status__descriptor, "proof_kind", 1, STR},
    {&cuzk__v1__queue_status__descriptor, "pending", 2, U32},
    {&cuzk__v1__queue_status__descriptor, "in_progress", 3, U32},
    {&cuzk__v1__get_metrics_response__descriptor, "prometheus_text", 1, STR},
    {&cuzk__v1__preload_srs_request__descriptor, "circuit_id", 1, STR},
    {&cuzk__v1__preload_srs_response__descriptor, "already_loaded", 1, BOOL},
    {&cuzk__v1__preload_srs_response__descriptor, "load_time_ms", 2, U64},
    {&cuzk__v1__evict_srs_request__descriptor, "circuit_id", 1, STR},
    {&cuzk__v1__evict_srs_response__descriptor, "was_loaded", 1, BOOL},
    {&cuzk__v1__evict_srs_response__descriptor, "freed_bytes", 2, U64},
    {&grpc__health__v1__health_check_request__descriptor, "service", 1, STR},
    {&grpc__health__v1__health_check_response__descriptor, "status", 1, ENUM},
    {&grpc__reflection__v1__server_reflection_request__descriptor, "file_containing_symbol", 4, STR},
    {&grpc__reflection__v1__server_reflection_request__descriptor, "list_services", 7, STR},
    {&grpc__reflection__v1__server_reflection_response__descriptor, "file_descriptor_response", 4, MSG},
    {&grpc__reflection__v1__server_reflection_response__descriptor, "list_services_response", 6, MSG},
    {&grpc__reflection__v1__server_reflection_response__descriptor, "error_response", 7, MSG},
};

TEST(fields_have_the_numbers_that_clients_use)
{
    unsigned n_cuzk = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const field *want = &fields[i];
        const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(want->message, want->number);
        REQUIRE(f);
        CHECK_EQ_STR(f->name, want->name);
        CHECK_EQ_U64(f->type, want->type & 255);
        CHECK_EQ_U64(f->label == PROTOBUF_C_LABEL_REPEATED, (want->type & REP) != 0);
        n_cuzk += strcmp(want->message->package_name, "cuzk.v1") == 0;
    }
    /* And no message has a field that the table lacks. */
    unsigned all = 0;
    const ProtobufCMessageDescriptor *seen = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].message != seen && strcmp(fields[i].message->package_name, "cuzk.v1") == 0)
            all += fields[i].message->n_fields;
        seen = fields[i].message;
    }
    CHECK_EQ_U64(all, n_cuzk);
    CHECK_EQ_U64(cuzk__v1__get_status_request__descriptor.n_fields + cuzk__v1__get_metrics_request__descriptor.n_fields,
                 0);
}

TEST(calls_and_enums_have_their_names)
{
    static const char *const calls[] = {"SubmitProof", "AwaitProof", "Prove",      "CancelProof",
                                        "GetStatus",   "GetMetrics", "PreloadSRS", "EvictSRS"};
    const ProtobufCServiceDescriptor *s = &cuzk__v1__proving_engine__descriptor;
    CHECK_EQ_STR(s->name, "cuzk.v1.ProvingEngine");
    CHECK_EQ_U64(s->n_methods, 8);
    for (unsigned i = 0; i < s->n_methods; i++) CHECK_EQ_STR(s->methods[i].name, calls[i]);
    CHECK_EQ_U64(CUZK__V1__PROOF_KIND__WINNING_POST, 4);
    CHECK_EQ_U64(CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT, 1);
    CHECK_EQ_U64(CUZK__V1__PRIORITY__CRITICAL, 4);
    CHECK_EQ_U64(CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT, 4);
    CHECK_EQ_U64(CUZK__V1__SRSSTATUS__TIER__COLD, 2);
    CHECK_EQ_U64(GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN, 3);
    CHECK_EQ_U64(grpc__reflection__v1alpha__server_reflection_response__descriptor.n_fields,
                 grpc__reflection__v1__server_reflection_response__descriptor.n_fields);
}

static assay_status read_as(const ProtobufCMessageDescriptor *type, const void *p, size_t n, const char *reason)
{
    assay_message m;
    assay_errinfo err = {0};
    assay_status s = assay_message_read(&m, type, p, n, &err);
    if (s != ASSAY_OK && reason) CHECK_EQ_STR(err.reason, reason);
    CHECK((s == ASSAY_OK) == (m.m != NULL));
    assay_message_free(&m);
    return s;
}

TEST(known_bytes)
{
    /* request_id "ab", WINNING_POST, miner 1000, two vanilla proofs, an unknown field 99. */
    static const uint8_t bytes[] = {0x0a, 2, 'a', 'b',  0x10, 4,    0xa8, 1, 0xe8, 7,
                                    0x5a, 1, 'x', 0x5a, 0,    0x9a, 6,    1, 'u'};
    assay_message m;
    REQUIRE_OK(assay_message_read(&m, &cuzk__v1__submit_proof_request__descriptor, bytes, sizeof bytes, NULL));
    const Cuzk__V1__SubmitProofRequest *q = (const Cuzk__V1__SubmitProofRequest *)(const void *)m.m;
    CHECK_EQ_STR(q->request_id, "ab");
    CHECK_EQ_U64(q->proof_kind, 4);
    CHECK_EQ_U64(q->miner_id, 1000);
    CHECK(q->n_vanilla_proofs == 2 && q->vanilla_proofs[0].len == 1 && q->vanilla_proofs[1].len == 0);
    assay_writer w;
    assay_writer_init(&w, 1000);
    assay_message_write(&w, m.m);
    CHECK(!w.bad && w.n == sizeof bytes);
    assay_writer_clear(&w);
    assay_writer_init(&w, 8);
    assay_message_write(&w, m.m);
    CHECK(w.bad);
    assay_writer_clear(&w);
    assay_message_free(&m);
}

TEST(hostile_bytes)
{
    const ProtobufCMessageDescriptor *type = &cuzk__v1__submit_proof_request__descriptor;
    CHECK_OK(read_as(type, "", 0, NULL));
    CHECK_STATUS(read_as(type,
                         "\x0a\x03"
                         "a\0b",
                         5, "a string is not UTF-8, or holds a zero byte"),
                 ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x0a\x01\xff", 3, "a string is not UTF-8, or holds a zero byte"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type,
                         "\x0a\x05"
                         "ab",
                         4, "a field is longer than its message"),
                 ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x10", 1, "the message ends inside a field"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x0b", 1, "a field has an unknown wire type"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x00\x01", 2, "a field has no valid number"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x0d\x01", 2, "the message ends inside a field"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x08\x01", 2, "a field is not of its type"), ASSAY_EFORMAT);
    CHECK_STATUS(read_as(&cuzk__v1__prove_request__descriptor,
                         "\x0a\x03\x0a\x05"
                         "a",
                         5, "a field is longer than its message"),
                 ASSAY_EFORMAT);
    CHECK_STATUS(read_as(type, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11, "a number does not end"),
                 ASSAY_EFORMAT);
}

TEST(many_small_parts_do_not_grow)
{
    /* A million empty proofs: 2 bytes each, and 16 or more once read. */
    const size_t n = 2000000;
    uint8_t *p = assay_mem_alloc(n, 1);
    REQUIRE(p);
    for (size_t i = 0; i < n; i += 2) p[i] = 0x5a;
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    CHECK_STATUS(read_as(&cuzk__v1__submit_proof_request__descriptor, p, n, NULL), ASSAY_ENOMEM);
    CHECK(assay_mem_peak() - before <= 2 * n + (1 << 20) + (1 << 17));
    assay_mem_free(p);
}

TEST(a_large_body_is_read_in_twice_its_memory)
{
    const size_t n = 20 << 20;
    uint8_t *p = assay_mem_alloc(n + 5, 1);
    REQUIRE(p);
    memcpy(p, "\x52\x80\x80\x80\x0a", 5); /* vanilla_proof, 20 MiB */
    assay_message m;
    CHECK_OK(assay_message_read(&m, &cuzk__v1__submit_proof_request__descriptor, p, n + 5, NULL));
    CHECK(m.m && ((Cuzk__V1__SubmitProofRequest *)(void *)m.m)->vanilla_proof.len == n);
    assay_message_free(&m);
    assay_mem_free(p);
}

/* ---- splitting */

TEST(split)
{
    /* 1: "id", 10: "AAA", 2 (number): 5, 11: "B", 11: "", 10: "C", 63: "D", 64: "E" */
    static const uint8_t bytes[] = "\x0a\x02id\x52\x03"
                                   "AAA\x10\x05\x5a\x01"
                                   "B\x5a\x00\x52\x01"
                                   "C\xfa\x03\x01"
                                   "D\x82\x04\x01"
                                   "E";
    const size_t n = sizeof bytes - 1;
    const uint64_t numbers = (uint64_t)1 << 10 | (uint64_t)1 << 11 | (uint64_t)1 << 63 | 1 << 2;
    static const struct {
        uint32_t field;
        const char *text;
    } want[] = {{10, "AAA"}, {11, "B"}, {11, ""}, {10, "C"}, {63, "D"}};
    assay_part *parts;
    size_t n_parts;
    assay_writer rest;
    REQUIRE_OK(assay_message_split(&parts, &n_parts, &rest, bytes, n, numbers, 5, NULL));
    REQUIRE(n_parts == 5);
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ_U64(parts[i].field, want[i].field);
        CHECK(parts[i].n == strlen(want[i].text) && memcmp(parts[i].p, want[i].text, parts[i].n) == 0);
        CHECK(parts[i].p >= bytes && parts[i].p <= bytes + n); /* not copied */
    }
    CHECK(rest.n == 10 && memcmp(rest.p,
                                 "\x0a\x02id\x10\x05\x82\x04\x01"
                                 "E",
                                 10) == 0);
    assay_writer_clear(&rest);
    assay_mem_free(parts);
    CHECK_STATUS(assay_message_split(&parts, &n_parts, &rest, bytes, n, numbers, 4, NULL), ASSAY_ERANGE);
    CHECK(!parts && n_parts == 0 && rest.n == 0);
    /* Cut anywhere but between fields. */
    for (size_t k = 1; k < n; k++) {
        const bool whole = k == 4 || k == 9 || k == 11 || k == 14 || k == 16 || k == 19 || k == 23;
        const assay_status s = assay_message_split(&parts, &n_parts, &rest, bytes, k, numbers, 5, NULL);
        CHECK_STATUS(s, whole ? ASSAY_OK : ASSAY_EFORMAT);
        assay_writer_clear(&rest);
        assay_mem_free(parts);
    }
    static const char *const bad[] = {"\x0b", "\x02\x01", "\x57"};
    for (size_t i = 0; i < 3; i++)
        CHECK_STATUS(assay_message_split(&parts, &n_parts, &rest, bad[i], strlen(bad[i]), numbers, 5, NULL),
                     ASSAY_EFORMAT);
    /* What is beside the parts is bounded; the parts are not. */
    for (int large = 0; large < 2; large++) {
        const size_t n_large = ASSAY_PART_REST + 1;
        uint8_t *p = assay_mem_alloc(n_large + 4, 1);
        REQUIRE(p != NULL);
        memcpy(p, large ? "\x0a\xfe\xff\x3f" : "\x52\xfe\xff\x3f", 4); /* 2^20 - 2 bytes */
        CHECK_STATUS(assay_message_split(&parts, &n_parts, &rest, p, n_large + 1, numbers, 5, NULL),
                     large ? ASSAY_ERANGE : ASSAY_OK);
        assay_writer_clear(&rest);
        assay_mem_free(parts);
        assay_mem_free(p);
    }
}
