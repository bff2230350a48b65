/* SPDX-License-Identifier: Apache-2.0 */
/* cp_verify CONFIG_DIR IVK_DIR F.req F.y F.proof -id HEX [-policy FILE] [-v] */
#include "assay/verify.h"
#include "cli/files.h"
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/table.h"
#include "cp/public.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <string.h>

typedef struct inputs {
    assay_buffer config, tokenizer, ivk, req, next, proof;
} inputs;

/* Reads everything; a file that is too large is not such a file, which is a NO. */
static assay_status read_inputs(inputs *in, const assay_args *a, assay_report *out, assay_errinfo *err)
{
    const struct {
        assay_buffer *to;
        const char *path, *name;
        size_t max;
    } files[] = {{&in->config, a->operand[0], "config.bin", ASSAY_MAX_PUBLIC_FILE},
                 {&in->tokenizer, a->operand[0], "tokenizer.json", ASSAY_MAX_TOKENIZER_FILE},
                 {&in->ivk, a->operand[1], "ivk.bin", ASSAY_MAX_PUBLIC_FILE},
                 {&in->req, a->operand[2], NULL, ASSAY_CLI_MAX_REQUEST},
                 {&in->next, a->operand[3], NULL, ASSAY_CLI_MAX_REQUEST},
                 {&in->proof, a->operand[4], NULL, ASSAY_MAX_PROOF_FILE}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assay_errinfo why;
        memset(&why, 0, sizeof why);
        assay_status s = assay_cli_read(files[i].to, files[i].path, files[i].name, files[i].max, &why);
        if (s == ASSAY_ERANGE && !out->reason[0]) (void)assay_errinfo_text(&why, out->reason, sizeof out->reason);
        if (s != ASSAY_OK && s != ASSAY_ERANGE) {
            *err = why;
            return s;
        }
    }
    return ASSAY_OK;
}

static void free_inputs(inputs *in)
{
    assay_buffer_free(&in->config);
    assay_buffer_free(&in->tokenizer);
    assay_buffer_free(&in->ivk);
    assay_buffer_free(&in->req);
    assay_buffer_free(&in->next);
    assay_buffer_free(&in->proof);
}

/* Reasons about bytes name the file that holds them. */
static void name_files(assay_report *r, const assay_args *a)
{
    assay_reason_name_file(r->reason, sizeof r->reason, "request", a->operand[2]);
    assay_reason_name_file(r->reason, sizeof r->reason, "next token", a->operand[3]);
    assay_reason_name_file(r->reason, sizeof r->reason, "proof", a->operand[4]);
}

/* The public files do not make a verifier: which of them it is, and why. */
static void blame_public(assay_report *out, const assay_args *a, const inputs *in, assay_errinfo *why)
{
    assay_public pub;
    char subject[sizeof why->subject];
    bool config = assay_config_decode(&pub, in->config.p, in->config.n, NULL) != ASSAY_OK;
    const char *name = config ? "config.bin" : "ivk.bin";
    if (!config) assay_public_clear(&pub);
    (void)snprintf(subject, sizeof subject, "%s", strcmp(why->subject, name) == 0 ? "" : why->subject);
    (void)snprintf(why->subject, sizeof why->subject, "%.150s/%s%s%.80s", a->operand[config ? 0 : 1], name,
                   subject[0] ? ": " : "", subject);
    (void)assay_errinfo_text(why, out->reason, sizeof out->reason);
}

static assay_status check(assay_report *out, const assay_args *a, const inputs *in, const uint8_t id[32],
                          unsigned security, const assay_policy *policy, assay_errinfo *err)
{
    assay_errinfo why;
    assay_verifier *v = NULL;
    uint8_t digest[32];
    memset(&why, 0, sizeof why);
    assay_status s = assay_verifier_new(&v, in->config.p, in->config.n, in->ivk.p, in->ivk.n, &why);
    if (s == ASSAY_EFORMAT || s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED) {
        blame_public(out, a, in, &why);
        return ASSAY_OK;
    }
    if (s != ASSAY_OK) {
        *err = why;
        return s;
    }
    assay_sha256_digest(digest, in->tokenizer.p, in->tokenizer.n);
    if (memcmp(digest, assay_verifier_tokenizer_hash(v), sizeof digest) != 0)
        (void)snprintf(out->reason, sizeof out->reason, "tokenizer.json is not the one that config.bin names");
    else
        s = assay_verifier_check_files_within(v, out, &in->req, &in->next, &in->proof, id, security, policy, err);
    assay_verifier_free(v);
    return s;
}

static int print(const assay_args *a, const assay_report *r, const assay_policy *policy)
{
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_verdict_json(r, policy);
        if (args_has(a, OPT_VERBOSE)) assay_table_json(r);
        assay_json_end();
    } else {
        if (args_has(a, OPT_VERBOSE)) assay_table_print(r);
        assay_verdict_print(r, policy);
    }
    return assay_report_finish(a, r->verdict == ASSAY_ACCEPT ? ASSAY_EXIT_OK : ASSAY_EXIT_NO);
}

int main(int argc, char **argv)
{
    assay_args a;
    assay_errinfo err;
    assay_report report;
    assay_policy policy;
    inputs in;
    uint8_t id[32];
    uint64_t security = 128;
    memset(&err, 0, sizeof err);
    memset(&report, 0, sizeof report);
    memset(&in, 0, sizeof in);
    int code = assay_args_parse(&a, assay_command_find("cp_verify", NULL), argc, argv, 1);
    if (code >= 0) return code;
    if (!assay_args_number(&a, OPT_MIN_SECURITY, 100, 128, &security)) return ASSAY_EXIT_USAGE;
    if (security != 128 && security != 100) return assay_report_usage(&a, "--security", "is not 128 or 100");
    assay_status s = assay_cli_id(id, a.value[OPT_ID], &err);
    if (s == ASSAY_OK) s = assay_cli_policy(&policy, &a, &err);
    if (s == ASSAY_OK) s = read_inputs(&in, &a, &report, &err);
    if (s == ASSAY_OK && !report.reason[0]) s = check(&report, &a, &in, id, (unsigned)security, &policy, &err);
    if (s == ASSAY_OK) {
        name_files(&report, &a);
        code = print(&a, &report, &policy);
    } else {
        code = assay_report_error(&a, ASSAY_READING, s, &err);
    }
    free_inputs(&in);
    return code;
}
