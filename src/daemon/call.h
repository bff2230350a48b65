/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as those who carry them see them: the other side of rpc.h, for the HTTP/2 server and for tests. */
#ifndef ASSAY_DAEMON_CALL_H
#define ASSAY_DAEMON_CALL_H

#include "daemon/rpc.h"

/* A message on its way, with its five bytes of framing. */
typedef struct assay_call_message {
    struct assay_call_message *next;
    size_t n, at; /* at: how much of it is sent */
    uint8_t bytes[];
} assay_call_message;

/* Called after every send and finish, from any thread, without locks: there is something to carry. */
typedef void assay_call_wake(void *ctx, assay_call *c);

/* NULL when out of memory. memory: what the call's bytes are counted in. The caller holds it. */
assay_call *assay_call_new(const assay_rpc_method *method, assay_rpc_memory *memory, uint64_t deadline,
                           assay_call_wake *wake, void *wake_ctx);

/* Gives the call a request that is whole: n bytes at p from assay_mem, which the call owns from now on, as well as the
 * `counted` bytes taken from its memory. True when the call must be handed to a worker (assay_call_work), which holds
 * it: not when one is at it already. False also when out of memory, and after the end of the call. */
bool assay_call_put(assay_call *c, uint8_t *p, size_t n, size_t counted);
/* No request will follow. True as above, for calls of many requests. */
bool assay_call_end_requests(assay_call *c);
/* How many requests wait. */
size_t assay_call_waiting(assay_call *c);
/* What a worker does: runs the method on each request that waits. Does not release the call. */
void assay_call_work(assay_call *c);

/* Ends a call from the carrier's side, with the callback. False if it was over. */
bool assay_call_cancel(assay_call *c, assay_rpc_code code, const char *message);

/* Copies up to n bytes of the messages to out, and takes them off. */
size_t assay_call_take(assay_call *c, uint8_t *out, size_t n);
/* Whether the call is finished and its messages are taken; then its code and message (valid as long as the call). */
bool assay_call_done(assay_call *c, assay_rpc_code *code, const char **message);
/* Whether it is finished with nothing ever sent. */
bool assay_call_is_bare(assay_call *c);

/* Of the carrier alone: its stream, and its list of calls to carry. */
void **assay_call_stream(assay_call *c);
assay_call **assay_call_link(assay_call *c);
/* Marks as being in the list; false if it was. */
bool assay_call_mark(assay_call *c, bool listed);

#endif
