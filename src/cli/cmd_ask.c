/* SPDX-License-Identifier: Apache-2.0 */
/* assay ask: reply, prove and verify. */
#include "assay/prove.h"
#include "assay/verify.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/policy.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cli/self_check.h"
#include "cli/table.h"
#include <stdio.h>
#include <string.h>

enum { DEFAULT_N = 16, MAX_N = 1 << 17 };

typedef struct ask {
    const assay_args *a;
    assay_text *text;
    assay_commitment *c;
    assay_request *r;
    assay_ids prompt;
    assay_buffer reply, proof;
    assay_policy policy;
    assay_report report;
    double reply_s, prove_s, verify_s;
} ask;

static assay_status answer(ask *k, uint32_t n, assay_errinfo *err)
{
    assay_bar bar;
    size_t n_context;
    const char *context = assay_cli_context(k->a, &n_context);
    const assay_progress progress = assay_bar_begin(&bar, k->a, "replying");
    assay_status s = assay_cli_prompt(&k->prompt, k->text, k->a, k->a->operand[1], err);
    assay_commitment_watch(k->c, &progress);
    assay_bar_count(&bar, (uint32_t)k->prompt.n, n);
    if (s == ASSAY_OK)
        s = assay_commitment_reply(k->c, &k->r, k->prompt.p, (uint32_t)k->prompt.n, n, context, n_context, err);
    assay_commitment_watch(k->c, NULL);
    assay_bar_end(&bar);
    if (s == ASSAY_OK) s = assay_cli_reply_text(&k->reply, k->text, k->r, err);
    k->reply_s = assay_bar_seconds(&bar);
    return s;
}

static assay_status prove(ask *k, assay_errinfo *err)
{
    assay_bar bar;
    const assay_progress progress = assay_bar_begin(&bar, k->a, "proving");
    const assay_request *r = k->r;
    assay_status s = assay_commitment_prove_within(k->c, &k->proof, &r, 1, &k->policy, NULL, &progress, err);
    assay_bar_end(&bar);
    k->prove_s = assay_bar_seconds(&bar);
    return s;
}

static assay_status verify(ask *k, assay_errinfo *err)
{
    assay_bar bar;
    (void)assay_bar_begin(&bar, k->a, "verifying");
    assay_status s =
        assay_cli_self_check(&k->report, k->a->operand[0], assay_commitment_id(k->c), k->r, &k->policy, &k->proof, err);
    k->verify_s = assay_bar_seconds(&bar);
    return s;
}

typedef struct kept_files {
    char req[ASSAY_CLI_PATH], next[ASSAY_CLI_PATH], proof[ASSAY_CLI_PATH];
} kept_files;

/* False without --keep. */
static bool kept(kept_files *names, const ask *k)
{
    const char *prefix = k->a->value[OPT_KEEP];
    if (!prefix) return false;
    (void)snprintf(names->req, sizeof names->req, "%s.req", prefix);
    (void)snprintf(names->next, sizeof names->next, "%s.y", prefix);
    (void)snprintf(names->proof, sizeof names->proof, "%s.proof", prefix);
    return true;
}

static assay_status keep(const ask *k, assay_errinfo *err)
{
    kept_files names;
    if (!kept(&names, k)) return ASSAY_OK;
    assay_status s = assay_cli_request_write(k->r, names.req, names.next, err);
    return s == ASSAY_OK ? assay_cli_write(names.proof, &k->proof, err) : s;
}

/* Asked before the proof is made, for a proof that cannot be kept is spent all the same. */
static assay_status can_keep(const ask *k, assay_errinfo *err)
{
    kept_files names;
    if (!kept(&names, k)) return ASSAY_OK;
    assay_status s = assay_cli_pair_writable(names.req, names.next, err);
    return s == ASSAY_OK ? assay_cli_writable(names.proof, err) : s;
}

static int print(const ask *k)
{
    bool yes = k->report.verdict == ASSAY_ACCEPT;
    uint32_t n = assay_request_n_tokens(k->r), n_prompt = assay_request_n_prompt(k->r);
    if (args_has(k->a, OPT_JSON)) {
        assay_json_begin();
        assay_verdict_json(&k->report, &k->policy);
        assay_json_text("text", k->reply.p, k->reply.n);
        assay_json_number("prompt_tokens", n_prompt);
        assay_json_number("reply_tokens", n - n_prompt);
        assay_json_number("proof_bytes", k->proof.n);
        assay_json_real("reply_seconds", k->reply_s);
        assay_json_real("prove_seconds", k->prove_s);
        assay_json_real("verify_seconds", k->verify_s);
        if (args_has(k->a, OPT_VERBOSE)) assay_table_json(&k->report);
        assay_json_end();
    } else {
        assay_report_text(k->reply.p, k->reply.n);
        putchar('\n');
        if (!args_has(k->a, OPT_QUIET))
            printf(
                "%u prompt and %u reply tokens; replied in %.2f s, proved in %.2f s (%zu bytes), verified in %.2f s\n",
                (unsigned)n_prompt, (unsigned)(n - n_prompt), k->reply_s, k->prove_s, k->proof.n, k->verify_s);
        if (args_has(k->a, OPT_VERBOSE)) assay_table_print(&k->report);
        assay_verdict_print(&k->report, &k->policy);
    }
    return assay_report_finish(k->a, yes ? ASSAY_EXIT_OK : ASSAY_EXIT_NO);
}

int assay_run_ask(const assay_args *a)
{
    ask k;
    assay_open_options o;
    assay_errinfo err;
    assay_phase phase = ASSAY_READING;
    uint64_t n = DEFAULT_N;
    memset(&k, 0, sizeof k);
    memset(&err, 0, sizeof err);
    k.a = a;
    int code = assay_cli_open_options(a, &o);
    if (code >= 0) return code;
    if (!assay_args_number(a, OPT_N, 0, MAX_N, &n)) return ASSAY_EXIT_USAGE;
    assay_status s = assay_cli_policy(&k.policy, a, &err);
    if (s == ASSAY_OK) s = assay_commitment_open(&k.c, a->operand[0], &o, &err);
    if (s == ASSAY_OK) s = assay_cli_text(&k.text, a->operand[0], "config", &err);
    if (s == ASSAY_OK) s = answer(&k, (uint32_t)n, &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING; /* the counter, and the files that are kept */
        s = can_keep(&k, &err);
    }
    if (s == ASSAY_OK) s = prove(&k, &err);
    if (s == ASSAY_OK) s = verify(&k, &err);
    if (s == ASSAY_OK) s = keep(&k, &err);
    assay_report_name_file(&err, "commitment", a->operand[0]);
    code = s == ASSAY_OK ? print(&k) : assay_report_error(a, phase, s, &err);
    assay_buffer_free(&k.reply);
    assay_buffer_free(&k.proof);
    assay_ids_free(&k.prompt);
    assay_request_free(k.r);
    assay_text_free(k.text);
    assay_commitment_free(k.c);
    return code;
}
