/* SPDX-License-Identifier: Apache-2.0 */
/* Reading messages: the wire format is checked against the descriptor first, for protobuf-c takes any bytes as a
 * string; then protobuf-c unpacks into blocks of memory with a bound. */
#include "base/mem.h"
#include "base/utf8.h"
#include "daemon/message.h"
#include <string.h>

enum { BLOCK = 1 << 14, ALIGN = 16, ALLOWANCE = 1 << 20, MAX_DEPTH = 16 };
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

typedef struct message_block {
    struct message_block *next;
    size_t used, nbytes;
} message_block;

bool assay_text_is_plain(const void *p, size_t n)
{
    return n == 0 || (memchr(p, 0, n) == NULL && assay_utf8_valid(p, n));
}

/* ---- the wire format */

bool assay_read_varint(assay_reader *r, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t b = assay_read_u8(r);
        if (shift == 63 && b > 1) return false;
        v |= (uint64_t)(b & 0x7F) << shift;
        if (b < 0x80) {
            *out = v;
            return !r->bad;
        }
    }
    return false;
}

static const char *check_fields(assay_reader *r, const ProtobufCMessageDescriptor *type, unsigned depth);

/* A field of bytes: text, a message, or anything. */
static const char *check_bytes(assay_reader *r, const ProtobufCFieldDescriptor *f, unsigned depth)
{
    uint64_t n = 0;
    if (!assay_read_varint(r, &n) || n > assay_reader_left(r)) return "a field is longer than its message";
    const uint8_t *p = assay_read_bytes(r, (size_t)n);
    if (!f) return NULL;
    if (f->type == PROTOBUF_C_TYPE_STRING && !assay_text_is_plain(p, (size_t)n))
        return "a string is not UTF-8, or holds a zero byte";
    if (f->type != PROTOBUF_C_TYPE_MESSAGE) return NULL;
    if (depth == MAX_DEPTH) return "messages are nested too deeply";
    assay_reader inner = assay_reader_of(p, (size_t)n);
    return check_fields(&inner, (const ProtobufCMessageDescriptor *)f->descriptor, depth + 1);
}

/* What is wrong with the bytes of a message; NULL if nothing. */
static const char *check_fields(assay_reader *r, const ProtobufCMessageDescriptor *type, unsigned depth)
{
    while (assay_reader_left(r)) {
        const char *fault = NULL;
        uint64_t tag = 0, v;
        if (!assay_read_varint(r, &tag) || tag > UINT32_MAX || tag >> 3 == 0) return "a field has no valid number";
        const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        switch (tag & 7) {
        case WIRE_VARINT:
            if (!assay_read_varint(r, &v)) fault = "a number does not end";
            break;
        case WIRE_64:
            (void)assay_read_bytes(r, 8);
            break;
        case WIRE_BYTES:
            fault = check_bytes(r, f, depth);
            break;
        case WIRE_32:
            (void)assay_read_bytes(r, 4);
            break;
        default:
            fault = "a field has an unknown wire type";
        }
        if (r->bad) fault = "the message ends inside a field";
        if (fault) return fault;
    }
    return NULL;
}

/* ---- memory */

static void *take(void *ctx, size_t nbytes)
{
    assay_message *m = ctx;
    const size_t head = (sizeof(message_block) + ALIGN - 1) / ALIGN * ALIGN;
    m->full = nbytes > m->left || m->left - nbytes < ALIGN;
    if (m->full) return NULL;
    nbytes = (nbytes + ALIGN - 1) / ALIGN * ALIGN;
    m->left -= nbytes;
    message_block *b = m->blocks;
    if (!b || b->nbytes - b->used < nbytes) {
        const size_t room = head + nbytes < BLOCK ? BLOCK : head + nbytes;
        b = assay_mem_alloc_raw(room, 1);
        m->full = b == NULL;
        if (!b) return NULL;
        *b = (message_block){m->blocks, head, room};
        m->blocks = b;
    }
    void *p = (char *)b + b->used;
    b->used += nbytes;
    return p;
}

static void give(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

void assay_message_free(assay_message *m)
{
    while (m->blocks) {
        message_block *b = m->blocks;
        m->blocks = b->next;
        assay_mem_free_secret(b, b->nbytes);
    }
    memset(m, 0, sizeof *m);
}

assay_status assay_message_read(assay_message *out, const ProtobufCMessageDescriptor *type, const void *p, size_t n,
                                assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    ProtobufCAllocator memory = {take, give, out};
    memset(out, 0, sizeof *out);
    const char *fault = check_fields(&r, type, 0);
    if (fault) return ASSAY_FAIL(err, ASSAY_EFORMAT, type->name, fault);
    if (!assay_mul_size(n, 2, &out->left) || !assay_add_size(out->left, ALLOWANCE, &out->left))
        return ASSAY_FAIL(err, ASSAY_ENOMEM, type->name, "the message is too large");
    out->m = protobuf_c_message_unpack(type, &memory, n, p);
    if (out->m) return ASSAY_OK;
    /* The bytes are in order: protobuf-c refuses them for a wire type that is not the field's, or for want of memory.
     */
    const bool full = out->full;
    assay_message_free(out);
    return full ? ASSAY_FAIL(err, ASSAY_ENOMEM, type->name, "the message has too many parts, or memory is short")
                : ASSAY_FAIL(err, ASSAY_EFORMAT, type->name, "a field is not of its type");
}

/* ---- writing */

typedef struct sink {
    ProtobufCBuffer base;
    assay_writer *w;
} sink;

static void append(ProtobufCBuffer *b, size_t n, const uint8_t *p)
{
    assay_write_bytes(((sink *)(void *)b)->w, p, n);
}

void assay_message_write(assay_writer *w, const ProtobufCMessage *m)
{
    sink s = {{append}, w};
    (void)protobuf_c_message_pack_to_buffer(m, &s.base);
}
