/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of protocol buffers from hostile bytes, in bounded memory. */
#ifndef ASSAY_DAEMON_MESSAGE_H
#define ASSAY_DAEMON_MESSAGE_H

#include "base/bytes.h"
#include <protobuf-c/protobuf-c.h>

/* A message that was read, with all its parts; freed as a whole. */
typedef struct assay_message {
    ProtobufCMessage *m; /* of the descriptor's type */
    struct message_block *blocks;
    size_t left; /* of the memory that reading may take */
    bool full;   /* that there was no more */
} assay_message;

/* Reads n bytes. Strings must be UTF-8 without zero bytes, numbers of fields and lengths in order; unknown fields are
 * skipped. The memory taken is at most twice n and 1 MiB, so that many small parts cannot grow into much. On failure
 * *out is empty. Errors: ASSAY_EFORMAT, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_message_read(assay_message *out, const ProtobufCMessageDescriptor *type,
                                               const void *p, size_t n, assay_errinfo *err);
/* Wipes and frees; an empty one is fine. */
void assay_message_free(assay_message *m);

/* A field of bytes that was left where it came. */
typedef struct assay_part {
    uint32_t field;
    const uint8_t *p;
    size_t n;
} assay_part;

enum { ASSAY_PART_REST = 1 << 20 }; /* bytes that a message may have beside its parts */

/* Splits the n bytes of a message without copying what is large. Fields of bytes whose number is in `fields` (bit k:
 * number k, below 64) become parts that point into p, in their order; the others are copied to `rest`, a message to be
 * read by assay_message_read. On failure both are empty. The parts are freed by assay_mem_free. Errors: ASSAY_EFORMAT,
 * ASSAY_ERANGE (more than max parts, or a rest above ASSAY_PART_REST), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_message_split(assay_part **parts, size_t *n_parts, assay_writer *rest, const void *p,
                                                size_t n, uint64_t fields, size_t max, assay_errinfo *err);

/* The bytes of a message, at the end of w; w->bad when there is no room. */
void assay_message_write(assay_writer *w, const ProtobufCMessage *m);

/* A number as protocol buffers write it; false at the end, and for more than 64 bits. */
bool assay_read_varint(assay_reader *r, uint64_t *out);

/* Whether n bytes are UTF-8 without a zero byte. */
bool assay_text_is_plain(const void *p, size_t n);

#endif
