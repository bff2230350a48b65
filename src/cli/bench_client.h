/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon to talk to, and single calls to it. */
#ifndef ASSAY_CLI_BENCH_CLIENT_H
#define ASSAY_CLI_BENCH_CLIENT_H

#include "cli/options.h"
#include "daemon/client.h"
#include "daemon/message.h"

/* Where the daemon is and how one gets in. */
typedef struct assay_bench_target {
    assay_client_options options;
    char *token; /* secret */
} assay_bench_target;

/* Options --addr, --tls-ca, --tls-cert, --tls-key, --token-file. A sweep and others that start daemons of their own
 * give the address in place of --addr; NULL otherwise. Errors: those of the token's file. */
ASSAY_MUST_USE assay_status assay_bench_target_read(assay_bench_target *t, const assay_args *a, const char *address,
                                                    assay_errinfo *err);
void assay_bench_target_clear(assay_bench_target *t);

/* How a call ended. */
typedef struct assay_bench_answer {
    assay_rpc_code code;
    char text[ASSAY_CLIENT_TEXT]; /* the server's words when it is not OK */
    assay_message m;              /* when it is */
} assay_bench_answer;

/* One unary call; the reply is read as `type`. timeout_ms as in assay_client_call. ASSAY_OK whatever the code is.
 * Errors: those of assay_client_call; ASSAY_EFORMAT (the reply). Cleared by assay_bench_answer_clear. */
ASSAY_MUST_USE assay_status assay_bench_call(assay_client *c, const char *path, const ProtobufCMessage *request,
                                             uint64_t timeout_ms, const ProtobufCMessageDescriptor *type,
                                             assay_bench_answer *out, assay_errinfo *err);
void assay_bench_answer_clear(assay_bench_answer *a);

/* The exit code that belongs to a code of gRPC, after a line on stderr: "CODE: text". */
int assay_bench_refused(const assay_args *a, assay_rpc_code code, const char *text);

#endif
