/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the gRPC server from hostile bytes: the first byte chooses how they are cut into reads, and whether
 * the client's preface stands before them. Methods answer at once, in the same thread. */
#include "base/mem.h"
#include "daemon/h2_server.h"
#include "fuzz.h"
#include <string.h>

static void run_echo(void *ctx, assay_call *c)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    (void)ctx;
    assay_call_reply(c, p, n);
}

static void run_stream(void *ctx, assay_call *c)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    (void)ctx;
    fuzz_either(assay_call_send(c, p, n, NULL));
    if (n && p[0] == 'x') assay_call_finish(c, ASSAY_RPC_INTERNAL, "x\xff%");
}

/* Calls that have something to carry. */
static assay_call *ready[256];
static size_t n_ready;

static void wake(void *ctx, assay_call *c)
{
    (void)ctx;
    if (n_ready < sizeof ready / sizeof *ready && assay_call_mark(c, true)) ready[n_ready++] = assay_call_hold(c);
}

static void dispatch(void *ctx, assay_call *c)
{
    (void)ctx;
    assay_call_work(c);
}

static void carry(void)
{
    for (size_t i = 0; i < n_ready; i++) {
        (void)assay_call_mark(ready[i], false);
        assay_h2_server_resume(ready[i]);
        assay_call_release(ready[i]);
    }
    n_ready = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    static const assay_rpc_method methods[] = {{"/e", false, run_echo, NULL}, {"/s", true, run_stream, NULL}};
    assay_rpc_host host = {.methods = methods,
                           .n_methods = 2,
                           .max_message = 10000,
                           .connection_memory = 50000,
                           .max_streams = 10,
                           .handshake_timeout = 100,
                           .request_timeout = 200,
                           .idle_timeout = 1000,
                           .keepalive = 300,
                           .dispatch = dispatch,
                           .wake = wake};
    uint8_t out[4096];
    uint64_t now = 1000;
    assay_h2_server *s = NULL;
    if (size == 0) return 0;
    const size_t piece = 1 + (size_t)(data[0] >> 1) * 8;
    host.memory = assay_rpc_memory_new(60000, NULL);
    if (!host.memory || assay_h2_server_new(&s, &host, now, NULL) != ASSAY_OK) goto out;
    bool good = true;
    if (data[0] & 1) good = assay_h2_server_receive(s, (const uint8_t *)preface, 24 + 9, now);
    for (size_t at = 1; at < size && good; at += piece) {
        good = assay_h2_server_receive(s, data + at, size - at < piece ? size - at : piece, now);
        carry();
        now += piece & 3 ? 1 : 60;
        if (assay_h2_server_tick(s, now) == 0) break;
        carry();
        while (assay_h2_server_send(s, out, sizeof out)) {}
        FUZZ_REQUIRE(host.memory->used <= 60000);
    }
    (void)assay_h2_server_is_over(s);
out:
    assay_h2_server_free(s);
    carry();
    FUZZ_REQUIRE(!host.memory || host.memory->used == 0);
    assay_rpc_memory_release(host.memory);
    return 0;
}
