/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as those who answer them see them: nothing here knows of sockets or HTTP/2.
 *
 * A method's `run` is called on a worker thread with the request's bytes. It may answer there, or hold the call,
 * return, and have any thread answer later. A call is over when it is finished, by its answerer or because the client
 * went away or the deadline passed; what is sent after that is dropped. */
#ifndef ASSAY_DAEMON_RPC_H
#define ASSAY_DAEMON_RPC_H

#include "base/clock.h"
#include "base/status.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The status codes of gRPC. */
typedef enum assay_rpc_code {
    ASSAY_RPC_OK = 0,
    ASSAY_RPC_CANCELLED = 1,
    ASSAY_RPC_UNKNOWN = 2,
    ASSAY_RPC_INVALID_ARGUMENT = 3,
    ASSAY_RPC_DEADLINE_EXCEEDED = 4,
    ASSAY_RPC_NOT_FOUND = 5,
    ASSAY_RPC_ALREADY_EXISTS = 6,
    ASSAY_RPC_PERMISSION_DENIED = 7,
    ASSAY_RPC_RESOURCE_EXHAUSTED = 8,
    ASSAY_RPC_FAILED_PRECONDITION = 9,
    ASSAY_RPC_ABORTED = 10,
    ASSAY_RPC_OUT_OF_RANGE = 11,
    ASSAY_RPC_UNIMPLEMENTED = 12,
    ASSAY_RPC_INTERNAL = 13,
    ASSAY_RPC_UNAVAILABLE = 14,
    ASSAY_RPC_DATA_LOSS = 15,
    ASSAY_RPC_UNAUTHENTICATED = 16
} assay_rpc_code;

/* "NOT_FOUND"; "UNKNOWN" for a number that is no code. */
const char *assay_rpc_code_name(assay_rpc_code code);

typedef struct assay_call assay_call;

/* One method of a service. */
typedef struct assay_rpc_method {
    const char *path;   /* "/package.Service/Method" */
    bool many_requests; /* a stream of requests: run is called for each, in order, never for two at once; after the last
                           one the call is finished with OK, unless it is already */
    void (*run)(void *ctx, assay_call *call);
    void *ctx;
} assay_rpc_method;

/* ---- what a call is. From any thread; valid while the caller holds the call, or inside run. */

const assay_rpc_method *assay_call_method(const assay_call *c);
/* The bytes of the request, borrowed: until assay_call_drop_request, for many_requests until run returns. Secret. */
const uint8_t *assay_call_request(const assay_call *c, size_t *n);
/* Gives the request's memory back early; it counts against the server's limits until then. */
void assay_call_drop_request(assay_call *c);
/* When the client stops waiting, in milliseconds of assay_clock_ms; UINT64_MAX: never. */
uint64_t assay_call_deadline(const assay_call *c);
/* Whether the call is over without our doing: client gone, deadline passed, server stopping. */
bool assay_call_cancelled(assay_call *c);
/* Has fn called once when the call is cancelled, at once if it is already. It is called on the server's own thread and
 * must be quick: mark, wake, return. fn = NULL takes it back: when that returns, fn is not running and will not be
 * called (so not from inside fn). Whoever frees ctx takes fn back before. */
void assay_call_on_cancel(assay_call *c, void (*fn)(void *ctx, assay_call *call), void *ctx);

/* ---- answering. Each copies what it is given. */

/* Sends one message of n bytes. Errors: ASSAY_ECANCELED (the call is over), ASSAY_ENOMEM (no memory, or more than may
 * wait for this client): the call goes on, and may be finished with RESOURCE_EXHAUSTED. */
ASSAY_MUST_USE assay_status assay_call_send(assay_call *c, const void *p, size_t n, assay_errinfo *err);
/* Bytes of messages that the client has not taken yet: a watcher that is slow need not get every event. */
size_t assay_call_pending(assay_call *c);
/* Ends the call; the first end counts. message: for people, NULL for none; cut after some 1,000 bytes. */
void assay_call_finish(assay_call *c, assay_rpc_code code, const char *message);
/* One message and OK, as unary calls end; RESOURCE_EXHAUSTED when it cannot be sent. */
void assay_call_reply(assay_call *c, const void *p, size_t n);

/* Keeps the call beyond run; released from any thread. */
assay_call *assay_call_hold(assay_call *c);
void assay_call_release(assay_call *c); /* NULL is fine */

/* ---- memory that calls hold: a count with a limit, inside another one */

typedef struct assay_rpc_memory {
    _Atomic uint64_t used;
    uint64_t most;
    struct assay_rpc_memory *outer; /* NULL: none */
    _Atomic unsigned refs;
} assay_rpc_memory;

/* NULL when out of memory. Holds `outer`. */
assay_rpc_memory *assay_rpc_memory_new(uint64_t most, assay_rpc_memory *outer);
assay_rpc_memory *assay_rpc_memory_hold(assay_rpc_memory *m);
void assay_rpc_memory_release(assay_rpc_memory *m); /* NULL is fine */
/* n more bytes, here and outside; false, and nothing taken, when one of them has no room. */
bool assay_rpc_memory_take(assay_rpc_memory *m, uint64_t n);
void assay_rpc_memory_give(assay_rpc_memory *m, uint64_t n);

#endif
