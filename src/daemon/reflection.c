/* SPDX-License-Identifier: Apache-2.0 */
/* Server reflection. The descriptor set is walked as bytes: FileDescriptorSet { file = 1 }, FileDescriptorProto { name
 * = 1, package = 2, message_type = 4, enum_type = 5, service = 6 }, DescriptorProto { name = 1, nested_type = 3,
 * enum_type = 4 }, ServiceDescriptorProto { name = 1, method = 2 } (google/protobuf/descriptor.proto). */
#include "daemon/reflection.h"
#include "base/mem.h"
#include "daemon/message.h"
#include <grpc/reflection/v1/reflection.pb-c.h>
#include <string.h>

enum { NAME_BYTES = 128, REPLY_BYTES = 1 << 20 };

extern const unsigned char assay_descriptor_set[]; /* of the build */
extern const size_t assay_descriptor_set_nbytes;

struct assay_reflection {
    char names[ASSAY_MAX_SERVICES][NAME_BYTES];
    const char *services[ASSAY_MAX_SERVICES];
    size_t n;
};

/* A piece of the set. */
typedef struct piece {
    const uint8_t *p;
    size_t n;
} piece;

/* ---- walking descriptors */

/* The next field of bytes with this number; false at the end. The set is our own: what is not such a field is skipped.
 */
static bool next_piece(assay_reader *r, unsigned number, piece *out)
{
    while (assay_reader_left(r)) {
        uint64_t tag = 0, v = 0;
        if (!assay_read_varint(r, &tag)) return false;
        if ((tag & 7) == 2) {
            if (!assay_read_varint(r, &v)) return false;
            *out = (piece){assay_read_bytes(r, (size_t)v), (size_t)v};
            if (out->p && tag >> 3 == number) return true;
        } else if ((tag & 7) == 0) {
            (void)assay_read_varint(r, &v);
        } else {
            (void)assay_read_bytes(r, (tag & 7) == 1 ? 8 : 4);
        }
    }
    return false;
}

static piece first_piece(piece in, unsigned number)
{
    assay_reader r = assay_reader_of(in.p, in.n);
    piece out = {(const uint8_t *)"", 0};
    return next_piece(&r, number, &out) ? out : (piece){(const uint8_t *)"", 0};
}

/* What follows `name` and a dot in a symbol, "" when it is the whole; NULL when it does not begin so. */
static const char *rest_after(const char *symbol, piece name)
{
    if (strncmp(symbol, (const char *)name.p, name.n) != 0) return NULL;
    if (symbol[name.n] == '\0') return symbol + name.n;
    return symbol[name.n] == '.' && symbol[name.n + 1] ? symbol + name.n + 1 : NULL;
}

/* Whether one of the children with this number is named by the whole symbol. */
static bool has_child(piece in, unsigned number, const char *symbol)
{
    assay_reader r = assay_reader_of(in.p, in.n);
    piece child;
    while (next_piece(&r, number, &child)) {
        const char *rest = rest_after(symbol, first_piece(child, 1));
        if (rest && *rest == '\0') return true;
    }
    return false;
}

/* Whether a message among the fields with this number, or something inside one, has the name. */
static bool has_message(piece in, unsigned number, const char *symbol)
{
    assay_reader r = assay_reader_of(in.p, in.n);
    piece child;
    while (next_piece(&r, number, &child)) {
        const char *rest = rest_after(symbol, first_piece(child, 1));
        if (rest &&
            (*rest == '\0' || has_message(child, 3, rest) || has_child(child, 4, rest) || has_child(child, 2, rest)))
            return true;
    }
    return false;
}

static bool has_service(piece file, const char *symbol)
{
    assay_reader r = assay_reader_of(file.p, file.n);
    piece child;
    while (next_piece(&r, 6, &child)) {
        const char *rest = rest_after(symbol, first_piece(child, 1));
        if (rest && (*rest == '\0' || has_child(child, 2, rest))) return true;
    }
    return false;
}

/* Whether a file defines a symbol. */
static bool defines(piece file, const char *symbol)
{
    const char *rest = rest_after(symbol, first_piece(file, 2));
    return rest && *rest && (has_message(file, 4, rest) || has_child(file, 5, rest) || has_service(file, rest));
}

static bool is_served(const assay_reflection *r, piece file)
{
    for (size_t i = 0; i < r->n; i++)
        if (defines(file, r->services[i])) return true;
    return false;
}

/* The file with a name, or that defines a symbol. */
static bool find_file(const assay_reflection *r, const char *name, const char *symbol, piece *out)
{
    assay_reader set = assay_reader_of(assay_descriptor_set, assay_descriptor_set_nbytes);
    while (next_piece(&set, 1, out)) {
        const piece own = first_piece(*out, 1);
        const bool wanted = name ? strlen(name) == own.n && memcmp(name, own.p, own.n) == 0 : defines(*out, symbol);
        if (wanted && is_served(r, *out)) return true;
    }
    return false;
}

/* ---- answering */

typedef Grpc__Reflection__V1__ServerReflectionRequest asking;
typedef Grpc__Reflection__V1__ServerReflectionResponse answer;

static void send_answer(assay_call *c, const answer *a)
{
    assay_writer w;
    assay_writer_init(&w, REPLY_BYTES);
    assay_message_write(&w, &a->base);
    if (w.bad || assay_call_send(c, w.p, w.n, NULL) == ASSAY_ENOMEM)
        assay_call_finish(c, ASSAY_RPC_RESOURCE_EXHAUSTED, "no memory for the reply");
    assay_writer_clear(&w);
}

static void answer_error(assay_call *c, answer *a, assay_rpc_code code, const char *text)
{
    Grpc__Reflection__V1__ErrorResponse e;
    char words[64];
    grpc__reflection__v1__error_response__init(&e);
    (void)memcpy(words, text, strlen(text) + 1);
    e.error_code = (int32_t)code;
    e.error_message = words;
    a->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    a->error_response = &e;
    send_answer(c, a);
}

static void answer_file(const assay_reflection *r, assay_call *c, answer *a, const char *name, const char *symbol)
{
    Grpc__Reflection__V1__FileDescriptorResponse files = GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
    piece file;
    if (!find_file(r, name, symbol, &file)) {
        answer_error(c, a, ASSAY_RPC_NOT_FOUND, name ? "no such file" : "no such symbol");
        return;
    }
    ProtobufCBinaryData one = {file.n, (uint8_t *)(uintptr_t)file.p}; /* only read */
    files.n_file_descriptor_proto = 1;
    files.file_descriptor_proto = &one;
    a->message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    a->file_descriptor_response = &files;
    send_answer(c, a);
}

static void answer_services(assay_reflection *r, assay_call *c, answer *a)
{
    Grpc__Reflection__V1__ListServiceResponse list = GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
    Grpc__Reflection__V1__ServiceResponse each[ASSAY_MAX_SERVICES], *at[ASSAY_MAX_SERVICES];
    for (size_t i = 0; i < r->n; i++) {
        grpc__reflection__v1__service_response__init(&each[i]);
        each[i].name = r->names[i];
        at[i] = &each[i];
    }
    list.n_service = r->n;
    list.service = at;
    a->message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    a->list_services_response = &list;
    send_answer(c, a);
}

static void run_info(void *ctx, assay_call *c)
{
    assay_reflection *r = ctx;
    assay_message m;
    answer a;
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    if (assay_message_read(&m, &grpc__reflection__v1__server_reflection_request__descriptor, p, n, NULL) != ASSAY_OK) {
        assay_call_finish(c, ASSAY_RPC_INVALID_ARGUMENT, "the request cannot be read");
        return;
    }
    asking *q = (asking *)(void *)m.m;
    grpc__reflection__v1__server_reflection_response__init(&a);
    a.valid_host = q->host;
    a.original_request = q;
    switch ((int)q->message_request_case) {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
        answer_file(r, c, &a, q->file_by_filename, NULL);
        break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
        answer_file(r, c, &a, NULL, q->file_containing_symbol);
        break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
        answer_services(r, c, &a);
        break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
        answer_error(c, &a, ASSAY_RPC_NOT_FOUND, "there are no extensions");
        break;
    default:
        answer_error(c, &a, ASSAY_RPC_INVALID_ARGUMENT, "nothing is asked");
        break;
    }
    assay_message_free(&m);
}

/* ---- life */

static const char *const own_paths[ASSAY_REFLECTION_METHODS] = {
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"};

/* The service of "/service/Method", if it is new. */
static bool add_service(assay_reflection *r, const char *path)
{
    const size_t n = strcspn(path + 1, "/");
    for (size_t i = 0; i < r->n; i++)
        if (strlen(r->names[i]) == n && memcmp(r->names[i], path + 1, n) == 0) return true;
    if (n >= NAME_BYTES || r->n == ASSAY_MAX_SERVICES) return false;
    memcpy(r->names[r->n], path + 1, n);
    r->services[r->n] = r->names[r->n];
    r->n++;
    return true;
}

assay_status assay_reflection_new(assay_reflection **out, const assay_rpc_method *methods, size_t n, assay_errinfo *err)
{
    bool good = true;
    *out = NULL;
    assay_reflection *r = assay_mem_alloc(1, sizeof *r);
    if (!r) return ASSAY_FAIL(err, ASSAY_ENOMEM, "reflection", "out of memory");
    for (size_t i = 0; i < n && good; i++) good = add_service(r, methods[i].path);
    for (size_t i = 0; i < ASSAY_REFLECTION_METHODS && good; i++) good = add_service(r, own_paths[i]);
    if (!good) {
        assay_mem_free(r);
        return ASSAY_FAIL(err, ASSAY_ERANGE, "reflection", "too many services, or a name that is too long");
    }
    *out = r;
    return ASSAY_OK;
}

void assay_reflection_methods(assay_reflection *r, assay_rpc_method out[ASSAY_REFLECTION_METHODS])
{
    for (size_t i = 0; i < ASSAY_REFLECTION_METHODS; i++) out[i] = (assay_rpc_method){own_paths[i], true, run_info, r};
}

const char *const *assay_reflection_services(const assay_reflection *r, size_t *n)
{
    *n = r->n;
    return r->services;
}

void assay_reflection_free(assay_reflection *r)
{
    assay_mem_free(r);
}
