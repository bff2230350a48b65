/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a message of the wire into large fields of bytes, which stay where they are, and the rest. */
#include "base/mem.h"
#include "daemon/message.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* One field of the wire. */
typedef struct field {
    uint32_t number;
    bool is_bytes;
    const uint8_t *p; /* of bytes: the content */
    size_t n;
    size_t from, to; /* the whole of it, in the message */
} field;

/* What is wrong with the next field; NULL if nothing. */
static const char *next_field(field *f, assay_reader *r)
{
    uint64_t tag = 0, v = 0;
    *f = (field){.from = r->at};
    if (!assay_read_varint(r, &tag) || tag > UINT32_MAX || tag >> 3 == 0) return "a field has no valid number";
    f->number = (uint32_t)(tag >> 3);
    switch (tag & 7) {
    case WIRE_VARINT:
        if (!assay_read_varint(r, &v)) return "a number does not end";
        break;
    case WIRE_64:
        (void)assay_read_bytes(r, 8);
        break;
    case WIRE_BYTES:
        if (!assay_read_varint(r, &v) || v > assay_reader_left(r)) return "a field is longer than its message";
        f->is_bytes = true;
        f->n = (size_t)v;
        f->p = assay_read_bytes(r, f->n);
        break;
    case WIRE_32:
        (void)assay_read_bytes(r, 4);
        break;
    default:
        return "a field has an unknown wire type";
    }
    f->to = r->at;
    return r->bad ? "the message ends inside a field" : NULL;
}

static bool is_part(const field *f, uint64_t fields)
{
    return f->is_bytes && f->number < 64 && (fields >> f->number & 1);
}

/* How many parts there are. */
static assay_status count_parts(size_t *count, assay_reader r, uint64_t fields, size_t max, assay_errinfo *err)
{
    size_t rest = 0;
    field f;
    *count = 0;
    while (assay_reader_left(&r)) {
        const char *fault = next_field(&f, &r);
        if (fault) return ASSAY_FAIL(err, ASSAY_EFORMAT, "message", fault);
        if (is_part(&f, fields))
            ++*count;
        else
            rest += f.to - f.from;
        if (*count > max) return ASSAY_FAIL1(err, ASSAY_ERANGE, "message", "is given more often than may be", max);
        if (rest > ASSAY_PART_REST)
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "message", "the message has too many bytes beside its proofs",
                               ASSAY_PART_REST);
    }
    return ASSAY_OK;
}

assay_status assay_message_split(assay_part **parts, size_t *n_parts, assay_writer *rest, const void *p, size_t n,
                                 uint64_t fields, size_t max, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    size_t count = 0, at = 0;
    field f;
    *parts = NULL;
    *n_parts = 0;
    assay_writer_init(rest, ASSAY_PART_REST);
    assay_status s = count_parts(&count, r, fields, max, err);
    if (s != ASSAY_OK) return s;
    assay_part *out = assay_mem_alloc(count + 1, sizeof *out);
    if (!out) return ASSAY_FAIL(err, ASSAY_ENOMEM, "message", "out of memory");
    while (assay_reader_left(&r) && !next_field(&f, &r)) { /* nothing is wrong any more */
        if (is_part(&f, fields))
            out[at++] = (assay_part){f.number, f.p, f.n};
        else
            assay_write_bytes(rest, (const uint8_t *)p + f.from, f.to - f.from);
    }
    if (rest->bad) {
        assay_writer_clear(rest);
        assay_mem_free(out);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "message", "out of memory");
    }
    *parts = out;
    *n_parts = at;
    return ASSAY_OK;
}
