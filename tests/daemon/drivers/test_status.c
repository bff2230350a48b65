/* SPDX-License-Identifier: Apache-2.0 */
/* Serves a made-up look (tests/daemon/look.h) until standard input ends; prints the port.
 *     test_status LISTEN [TOKEN [CERTIFICATE KEY]]     TOKEN "": none. A request may take 5 s.
 * Each line of standard input changes what is looked at: ready, not-ready, draining, empty (an idle engine), gone
 * (nothing: out of memory), busy (as at the start). */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "daemon/http_server.h"
#include "daemon/look.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static _Atomic int state; /* a character of the last line */

static uint64_t clock_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static assay_engine_look *look(void *ctx)
{
    (void)ctx;
    assay_engine_look *l = test_look_new(clock_now());
    const int now = atomic_load(&state);
    if (now == 'g') {
        test_look_free(l);
        l = NULL;
    }
    if (!l) return NULL;
    if (now == 'n') l->ready = false;
    if (now == 'd') l->draining = true;
    if (now == 'e') {
        const uint64_t when = l->now;
        memset(l, 0, sizeof *l);
        l->now = l->started = when;
        l->ready = true;
        l->memory.group_max = UINT64_MAX;
    }
    return l;
}

static assay_server_stats server(void *ctx)
{
    (void)ctx;
    return (assay_server_stats){.connections = 3, .accepted = 50, .refused = 7, .memory = 99};
}

int main(int argc, char **argv)
{
    assay_http *h = NULL;
    assay_errinfo err = {0};
    char line[64], text[512];
    if (argc != 2 && argc != 3 && argc != 5) return 2;
    const assay_http_options o = {.listen = argv[1],
                                  .token = argc > 2 && *argv[2] ? argv[2] : NULL,
                                  .certificate = argc == 5 ? argv[3] : NULL,
                                  .key = argc == 5 ? argv[4] : NULL,
                                  .request_timeout = 5000,
                                  .source = {NULL, look, test_look_free, server}};
    if (assay_http_start(&h, &o, &err) != ASSAY_OK) {
        printf("%s\n", assay_errinfo_text(&err, text, sizeof text));
        return 2;
    }
    printf("port %u\n", (unsigned)assay_http_port(h));
    (void)fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        atomic_store(&state, line[0]);
        printf("%s", line);
        (void)fflush(stdout);
    }
    assay_http_stop(h);
    printf("stopped\n");
    return 0;
}
