/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a method over one connection, once for each request file, all at the same time.
 *     rpc_call ADDRESS TOKEN PATH TIMEOUT_MS REPLY FILE...
 * TOKEN "-": none; TIMEOUT_MS 0: none. The messages of call i go to REPLY.i, each with its length before it (4 bytes,
 * the highest first). Prints `sent` when all requests are on their way, then for each call `i CODE text`. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include "daemon/client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 128, MOST = 200 << 20 };

static int failed(const assay_errinfo *err)
{
    char text[512];
    fprintf(stderr, "rpc_call: %s\n", assay_errinfo_text(err, text, sizeof text));
    return 2;
}

static assay_status begin(assay_client *c, assay_client_stream **st, const char *path, uint64_t timeout,
                          const char *file, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_status s = assay_file_read(file, MOST, &p, &n, err);
    if (s == ASSAY_OK) s = assay_client_open(c, st, path, timeout, err);
    if (s == ASSAY_OK) s = assay_client_send(*st, p, n, true, err);
    assay_mem_free_secret(p, n);
    return s;
}

/* The messages of a call, as they come. */
static assay_status take(assay_client_stream *st, const char *name, assay_errinfo *err)
{
    FILE *out = fopen(name, "wb");
    if (!out) return ASSAY_FAIL(err, ASSAY_EIO, name, "cannot be written");
    assay_status s = ASSAY_OK;
    for (bool more = true; more && s == ASSAY_OK;) {
        assay_buffer b;
        s = assay_client_receive(st, &b, &more, err);
        if (s != ASSAY_OK || !more) break;
        const uint8_t head[4] = {(uint8_t)(b.n >> 24), (uint8_t)(b.n >> 16), (uint8_t)(b.n >> 8), (uint8_t)b.n};
        if (fwrite(head, 1, 4, out) != 4 || fwrite(b.p, 1, b.n, out) != b.n || fflush(out) != 0)
            s = ASSAY_FAIL(err, ASSAY_EIO, name, "cannot be written");
        assay_buffer_free(&b);
    }
    (void)fclose(out);
    return s;
}

int main(int argc, char **argv)
{
    static assay_client_stream *calls[CALLS];
    assay_client *c = NULL;
    assay_errinfo err = {0};
    if (argc < 7 || argc - 6 > CALLS) return 2;
    const uint64_t ms = strtoull(argv[4], NULL, 10), timeout = ms ? ms : UINT64_MAX;
    const assay_client_options o = {
        .address = argv[1], .token = strcmp(argv[2], "-") == 0 ? NULL : argv[2], .connect_timeout = 10000};
    assay_status s = assay_client_new(&c, &o, &err);
    for (int i = 6; i < argc && s == ASSAY_OK; i++) s = begin(c, &calls[i - 6], argv[3], timeout, argv[i], &err);
    if (s == ASSAY_OK) printf("sent\n");
    (void)fflush(stdout);
    for (int i = 6; i < argc && s == ASSAY_OK; i++) {
        char name[4096];
        const char *text;
        (void)snprintf(name, sizeof name, "%s.%d", argv[5], i - 6);
        s = take(calls[i - 6], name, &err);
        if (s != ASSAY_OK) break;
        const assay_rpc_code code = assay_client_result(calls[i - 6], &text);
        printf("%d %s %s\n", i - 6, assay_rpc_code_name(code), text);
        (void)fflush(stdout);
    }
    assay_client_free(c);
    return s == ASSAY_OK ? 0 : failed(&err);
}
