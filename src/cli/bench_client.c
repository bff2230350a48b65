/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_client.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

enum { TOKEN_BYTES = 4096, CONNECT_MS = 10000 };
static const size_t reply_bytes = (size_t)256 << 20;
static const char default_address[] = "unix:///run/assay/assayd.sock";

static assay_status read_token(char **out, const char *path, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_status s = assay_file_read(path, TOKEN_BYTES, &p, &n, err);
    if (s != ASSAY_OK) return s;
    *out = assay_mem_alloc(n + 1, 1);
    if (*out) {
        memcpy(*out, p, n);
        (*out)[strcspn(*out, "\r\n")] = '\0';
    } else {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    }
    assay_mem_free_secret(p, n);
    return s;
}

assay_status assay_bench_target_read(assay_bench_target *t, const assay_args *a, const char *address,
                                     assay_errinfo *err)
{
    memset(t, 0, sizeof *t);
    t->options.address = address ? address : args_has(a, OPT_ADDR) ? a->value[OPT_ADDR] : default_address;
    t->options.files = (assay_tls_files){a->value[OPT_TLS_CERT], a->value[OPT_TLS_KEY], a->value[OPT_TLS_CA]};
    t->options.tls = !address && (args_has(a, OPT_TLS_CA) || args_has(a, OPT_TLS_CERT));
    t->options.max_message = reply_bytes;
    t->options.connect_timeout = CONNECT_MS;
    assay_status s = ASSAY_OK;
    if (!address && args_has(a, OPT_TOKEN_FILE)) s = read_token(&t->token, a->value[OPT_TOKEN_FILE], err);
    t->options.token = t->token;
    return s;
}

void assay_bench_target_clear(assay_bench_target *t)
{
    if (t->token) assay_mem_free_secret(t->token, strlen(t->token));
    memset(t, 0, sizeof *t);
}

assay_status assay_bench_call(assay_client *c, const char *path, const ProtobufCMessage *request, uint64_t timeout_ms,
                              const ProtobufCMessageDescriptor *type, assay_bench_answer *out, assay_errinfo *err)
{
    assay_writer w;
    assay_buffer reply = {NULL, 0};
    memset(out, 0, sizeof *out);
    out->code = ASSAY_RPC_UNAVAILABLE;
    assay_writer_init(&w, (size_t)1 << 30);
    assay_message_write(&w, request);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory") : ASSAY_OK;
    if (s == ASSAY_OK) s = assay_client_call(c, path, w.p, w.n, timeout_ms, &reply, &out->code, out->text, err);
    assay_writer_clear(&w);
    if (s == ASSAY_OK && out->code == ASSAY_RPC_OK) s = assay_message_read(&out->m, type, reply.p, reply.n, err);
    assay_buffer_free(&reply);
    return s;
}

void assay_bench_answer_clear(assay_bench_answer *a)
{
    assay_message_free(&a->m);
    memset(a, 0, sizeof *a);
}

int assay_bench_refused(const assay_args *a, assay_rpc_code code, const char *text)
{
    char line[ASSAY_CLIENT_TEXT + 64];
    const bool hint = code == ASSAY_RPC_UNAUTHENTICATED && !args_has(a, OPT_TOKEN_FILE);
    (void)snprintf(line, sizeof line, "the daemon answered %s%s%s%s", assay_rpc_code_name(code), *text ? ": " : "",
                   text, hint ? " (--token-file FILE)" : "");
    assay_report_line("assay-bench", line);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("code", assay_rpc_code_name(code));
        assay_json_string("error", text);
        assay_json_end();
    }
    return code == ASSAY_RPC_RESOURCE_EXHAUSTED ? ASSAY_EXIT_MEMORY
           : code == ASSAY_RPC_UNAVAILABLE      ? ASSAY_EXIT_BUSY
           : code == ASSAY_RPC_CANCELLED        ? ASSAY_EXIT_CANCELED
           : code == ASSAY_RPC_INTERNAL         ? ASSAY_EXIT_INTERNAL
                                                : ASSAY_EXIT_USAGE;
}
