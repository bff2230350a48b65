/* SPDX-License-Identifier: Apache-2.0 */
/* The small formats of gRPC over HTTP/2: framing of messages, timeouts, percent-encoded text
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
#ifndef ASSAY_DAEMON_GRPC_CODEC_H
#define ASSAY_DAEMON_GRPC_CODEC_H

#include "daemon/rpc.h"

/* "100m": 1 to 8 digits and one of H M S m u n, in milliseconds, rounded up. False for anything else. */
bool assay_grpc_timeout_parse(uint64_t *ms, const char *p, size_t n);
enum { ASSAY_GRPC_TIMEOUT_BYTES = 16 };
/* At least ms; at most 99999999 hours. */
const char *assay_grpc_timeout_text(char out[ASSAY_GRPC_TIMEOUT_BYTES], uint64_t ms);

/* Text of a status as a header's value: bytes outside of printable ASCII, and %, become %XX. Cut to fit nbytes with its
 * zero, never inside of an escape. */
void assay_percent_encode(char *out, size_t nbytes, const char *text);
/* The other way; what is no escape stays as it is. Control characters become '?'. */
void assay_percent_decode(char *out, size_t nbytes, const char *p, size_t n);

/* Takes messages out of a stream of bytes. */
typedef struct assay_deframer {
    assay_rpc_memory *memory; /* what is read is counted here; held by the owner of the deframer */
    size_t most;              /* bytes of a message */
    uint8_t head[5];
    size_t n_head;
    uint8_t *p; /* the message that comes; need bytes, n of them here, room for cap */
    size_t need, n, cap;
} assay_deframer;

/* Called with each whole message, which the callee owns, as well as the `counted` bytes taken from the memory. False
 * stops the reading; the rest of the bytes is then dropped. */
typedef bool assay_deframer_fn(void *ctx, uint8_t *p, size_t n, size_t counted);

/* Reads n bytes. ASSAY_RPC_OK, or why the stream cannot be read on, with *why in words: RESOURCE_EXHAUSTED (message too
 * large, no memory), UNIMPLEMENTED (compressed), INTERNAL (malformed). */
assay_rpc_code assay_deframer_feed(assay_deframer *d, const uint8_t *p, size_t n, assay_deframer_fn *fn, void *ctx,
                                   const char **why);
/* Whether the bytes ended between messages. */
bool assay_deframer_is_between(const assay_deframer *d);
/* Wipes, frees, gives the memory back. */
void assay_deframer_clear(assay_deframer *d);

#endif
